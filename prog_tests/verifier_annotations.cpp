// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The grammar of the tags is that of progs/expect.bpf.h; its tests are at the end of this file.
#include "prog_tests/verifier_annotations.h"

#include <bpf/btf.h>
#include <sys/utsname.h>

#include <charconv>
#include <stdexcept>

#include "tools/test_progs/test_progs.h"

namespace verifier
{

namespace
{

constexpr std::string_view prefix = "expect:";

unsigned parse_number(std::string_view &text)
{
  unsigned number = 0;
  auto [end, err] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(end - text.data());
  return number;
}

// Cuts the text before the next colon off.
std::string_view field(std::string_view &rest)
{
  size_t colon = rest.find(':');
  std::string_view field = rest.substr(0, colon);
  rest.remove_prefix(colon == rest.npos ? rest.size() : colon + 1);
  return field;
}

Expectation parse_expectation(bool accepted, std::string_view rest)
{
  Expectation expectation = {accepted, parse_version(field(rest)), parse_version(field(rest))};
  if (expectation.before <= expectation.from)
    throw std::invalid_argument("expectation for no kernel");
  if (accepted)
    return expectation;
  std::string_view err = field(rest);
  expectation.err = parse_number(err);
  expectation.text = rest;
  if (!expectation.err || rest.empty())
    throw std::invalid_argument("refusal without errno or text");
  return expectation;
}

void parse_tag(std::string_view rest, Annotations &out)
{
  std::string_view kind = field(rest);
  if (kind == "refused" || kind == "accepted")
    out.expectations.push_back(parse_expectation(kind == "accepted", rest));
  else if (kind == "without_perfmon")
    out.without_perfmon = true;
  else if (kind == "frozen" && !rest.empty())
    out.frozen_map = rest;
  else
    throw std::invalid_argument("unknown annotation " + std::string(kind));
}

std::string name_of(const btf *types, const btf_type *type)
{
  return btf__name_by_offset(types, type->name_off);
}

} // namespace

KernelVersion parse_version(std::string_view text)
{
  KernelVersion version;
  version.major = parse_number(text);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    version.minor = parse_number(text);
  }
  return version;
}

KernelVersion running_kernel()
{
  utsname name;
  uname(&name);
  return parse_version(name.release);
}

Annotations parse(const std::vector<std::string> &tags)
{
  Annotations out;
  for (std::string_view tag : tags)
    if (tag.starts_with(prefix))
      parse_tag(tag.substr(prefix.size()), out);
  return out;
}

Annotations annotations_of(const bpf_object *object, const bpf_program *prog)
{
  const btf *types = bpf_object__btf(object);
  std::vector<std::string> tags;
  for (__u32 id = 1; id < btf__type_cnt(types); id++) {
    const btf_type *type = btf__type_by_id(types, id);
    if (!btf_is_decl_tag(type))
      continue;
    const btf_type *target = btf__type_by_id(types, type->type);
    if (btf_is_func(target) && name_of(types, target) == bpf_program__name(prog))
      tags.push_back(name_of(types, type));
  }
  return parse(tags);
}

std::vector<Expectation> holding(const std::vector<Expectation> &all, KernelVersion kernel)
{
  std::vector<Expectation> some;
  for (const Expectation &expectation : all)
    if (expectation.from <= kernel && kernel < expectation.before)
      some.push_back(expectation);
  return some;
}

std::optional<std::string> judge(const std::vector<Expectation> &expectations,
                                 const Outcome &outcome)
{
  std::string wanted;
  for (const Expectation &e : expectations) {
    bool same = e.accepted ? !outcome.err
                           : outcome.err == e.err && outcome.log.find(e.text) != std::string::npos;
    if (same)
      return std::nullopt;
    wanted += e.accepted ? " accepted" : fmt::format(" errno {} with '{}'", e.err, e.text);
  }
  return fmt::format("load gave errno {}, expected{}\n{}", outcome.err, wanted, outcome.log);
}

} // namespace verifier

using verifier::judge;
using verifier::KernelVersion;
using verifier::parse;

TEST(verifier_annotations)
{
  SUBTEST(versions)
  {
    const KernelVersion v6_2 = {6, 2}, v6_18 = {6, 18}, v7_2 = {7, 2}, v999 = {999, 0};
    CHECK(verifier::parse_version("6.18.44-generic") == v6_18);
    CHECK(verifier::parse_version("7.2-rc1") == v7_2);
    CHECK(verifier::parse_version("999") == v999);
    CHECK(v6_2 < v6_18 && v6_18 < v7_2);
    CHECK(verifier::running_kernel() > KernelVersion());
  };
  SUBTEST(parse)
  {
    auto all = parse({"other", "expect:refused:0:6.19:13:a:b", "expect:accepted:7.2:999",
                      "expect:without_perfmon", "expect:frozen:some_map"});
    REQUIRE_EQ(all.expectations.size(), 2U);
    CHECK_EQ(all.expectations[0].err, 13);
    CHECK_EQ(all.expectations[0].text, "a:b");
    CHECK(all.expectations[1].accepted && all.without_perfmon);
    CHECK_EQ(all.frozen_map, "some_map");
  };
  SUBTEST(refuses_what_it_does_not_know)
  {
    for (const char *tag :
         {"expect:refused:0:999", "expect:refused:0:999:0:text", "expect:misspelt",
          "expect:refused:0:999:13:", "expect:accepted:7.2:6.1", "expect:frozen:"}) {
      bool refused = false;
      try {
        parse({tag});
      } catch (const std::invalid_argument &) {
        refused = true;
      }
      CHECK(refused);
    }
  };
  SUBTEST(which_kernel)
  {
    auto all = parse({"expect:refused:0:6.19:13:text", "expect:accepted:7.2:999"}).expectations;
    CHECK(!verifier::holding(all, {6, 18})[0].accepted);
    CHECK(verifier::holding(all, {7, 2})[0].accepted);
    CHECK(verifier::holding(all, {7, 0}).empty());
  };
  SUBTEST(judge)
  {
    auto refused = parse({"expect:refused:0:999:13:some text"}).expectations;
    auto accepted = parse({"expect:accepted:0:999"}).expectations;
    CHECK(!judge(refused, {13, "log with some text in it"}));
    CHECK(judge(refused, {22, "log with some text in it"}).has_value());
    CHECK(judge(refused, {13, "log with other text in it"}).has_value());
    CHECK(judge(refused, {0, ""}).has_value());
    CHECK(!judge(accepted, {0, ""}));
    CHECK(judge(accepted, {13, "some text"}).has_value());
    CHECK(judge({}, {0, ""}).has_value());
  };
}
