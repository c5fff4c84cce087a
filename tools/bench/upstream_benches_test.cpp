// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The names of the kernel's bench, with its options, against what our bench lists: a name, an
// option or a default that is another must be said in upstream_benches.tsv.
#include <fstream>
#include <map>

#include "tools/bench/run_bench.h"
#include "tools/lib/text.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace bench_test;

namespace
{

// Of a line of "bench -l -v": the name, and the options in brackets at its end.
std::map<std::string, std::string> listed()
{
  std::map<std::string, std::string> all;
  for (const std::string &line : run_bench({"-l", "-v"}).lines()) {
    if (line.compare(0, 2, "- "))
      continue;
    std::string &options = all[line.substr(2, line.find(' ', 2) - 2)];
    size_t start = line.find(" [--");
    if (start == line.npos)
      continue;
    options = line.substr(start + 2, line.size() - start - 3);
    // -s of the kernel's bench is an option of all.
    const std::string common = "--stacktrace";
    if (size_t at = options.find(common); at != options.npos)
      options.erase(at ? at - 1 : 0, common.size() + 1);
  }
  return all;
}

struct Row {
  std::string name, options, ours, why;
};

std::vector<Row> upstream()
{
  std::vector<Row> rows;
  std::ifstream file(UPSTREAM_BENCHES);
  for (std::string line; std::getline(file, line);) {
    if (line[0] == '#')
      continue;
    std::string column[4];
    size_t start = 0;
    for (std::string &each : column) {
      size_t end = std::min(line.find('\t', start), line.size());
      each = line.substr(start, end - start);
      start = std::min(end + 1, line.size());
    }
    rows.push_back({column[0], column[1], column[2], column[3]});
  }
  return rows;
}

} // namespace

TEST(upstream_benches_are_all_here_with_their_options)
{
  auto ours = listed();
  auto rows = upstream();
  expect_eq(rows.size(), 75u);
  for (const Row &row : rows) {
    expect(row.ours.empty() == row.why.empty(), row.name + ": a difference and its reason");
    bool missing = row.ours == "missing";
    expect_eq(ours.count(row.name), missing ? 0u : 1u);
    if (!missing)
      expect(ours[row.name] == (row.ours.empty() ? row.options : row.ours),
             fmt::format("{}: '{}', the table has '{}'", row.name, ours[row.name],
                         row.ours.empty() ? row.options : row.ours));
    ours.erase(row.name);
  }
  for (const auto &[name, options] : ours)
    expect(name.rfind("anchor-", 0) == 0, name + " is not in the table");
}
