// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Blocks made up for the tests.
#pragma once

#include "tools/model/flow.h"

// nr instructions of one byte each from start.
inline model::Block block(uint64_t start, uint32_t nr, model::Kind kind = model::Kind::Plain,
                          uint64_t target = 0)
{
  model::Block made;
  made.start = start;
  made.end = start + nr;
  made.insns = nr;
  made.kind = kind;
  made.last = made.end - 1;
  made.target = target;
  for (uint32_t i = 0; i < nr; i++)
    made.starts.push_back(start + i);
  return made;
}
