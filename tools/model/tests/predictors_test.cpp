// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Predictors against sequences worked out by hand: '+' predicted, '-' not.
#include "tools/model/predictors.h"

#include <string>

#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace model;

static std::string run(Gshare &predictor, uint64_t address, std::string_view taken)
{
  std::string out;
  for (char each : taken)
    out += predictor.predict(address, each == 't') ? '+' : '-';
  return out;
}

// One bit of history, two counters, both at 1. t: counter 0 wrong, to 2, history 1. t: counter 1
// wrong, to 2. t: counter 1 right. n: counter 1 (3) wrong, to 2, history 0. n: counter 0 (2) wrong,
// to 1. n: right.
TEST(gshare_counts_to_three)
{
  Gshare predictor(1);
  expect_eq(run(predictor, 0, "tttnnn"), "--+--+");
}

// With history an alternation is learnt: after t always n, after n always t.
TEST(gshare_learns_an_alternation)
{
  Gshare predictor(4);
  run(predictor, 0, "tntntntntntntntn");
  expect_eq(run(predictor, 0, "tntntntn"), "++++++++");
}

TEST(gshare_tells_addresses_apart)
{
  Gshare predictor(1);
  // Address 1 with history 0 and address 0 with history 1 share a counter.
  expect_eq(run(predictor, 0, "t"), "-"); // counter 0 to 2, history 1
  expect_eq(run(predictor, 1, "t"), "+"); // 1 ^ 1: counter 0
}

TEST(indirect_predicts_the_last_target)
{
  IndirectPredictor predictor(4);
  expect(!predictor.predict(5, 0, 0x100), "never seen");
  expect(predictor.predict(5, 0, 0x100), "the same");
  expect(!predictor.predict(5, 0, 0x200), "another");
  expect(!predictor.predict(5, 1, 0x200), "other branches before");
  expect(predictor.predict(5, 0, 0x200), "the last");
}

TEST(returns_come_from_a_stack)
{
  ReturnStack stack(2);
  expect(!stack.predict(1), "empty");
  stack.call(1);
  stack.call(2);
  expect(stack.predict(2) && stack.predict(1), "in turn");
  stack.call(1);
  stack.call(2);
  stack.call(3); // 1 is lost
  expect(stack.predict(3) && stack.predict(2) && !stack.predict(1), "the oldest is forgotten");
  stack.call(7);
  expect(!stack.predict(8), "a return to somewhere else");
}
