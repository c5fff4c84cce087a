// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/history/store_tables.h"

#include <fmt/format.h>

#include "tools/lib/json.h"

namespace gate
{

using result::Benchmark;
using result::json;
using result::Status;

std::string suite_text(const std::vector<std::string> &suite) { return result::json_text(suite); }

Value stored_json(const std::string &text)
{
  json value = json::parse(text, nullptr, false);
  if (value.is_discarded())
    throw store_error("the store is damaged: what it says of a run is no JSON");
  return to_value(value);
}

std::vector<std::string> suite_from(const std::string &text)
{
  std::vector<std::string> suite;
  const Value list = stored_json(text);
  if (list.is_list())
    for (const Value &each : list.items_of_list())
      if (each.is_string())
        suite.push_back(each.text());
  return suite;
}

static std::string dump(const Value &value) { return value.dump(); }

static void insert_row(Statement &statement, int64_t run, const HistoryRow &row)
{
  statement
      .bind(run, row.key, row.metric, row.name, dump(row.parameters), row.unit,
            to_string(row.better), to_string(row.kind), row.gated, row.definition, row.center,
            row.spread, row.loads, row.verdict, row.change)
      .run();
}

int64_t insert_run(const Database &database, const Run &run, const result::Result &result,
                   const Judgements &judgements)
{
  database
      .prepare(
          "INSERT INTO runs (class, suite, command, interleaved, time, accepted, reason, "
          "artefact, seed, revision, base_revision, merge_base, environment, result, new_level) "
          "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)")
      .bind(run.series.class_name, suite_text(run.series.suite), run.command,
            run.how == How::Interleaved, run.time, run.accepted, run.reason, run.artefact, run.seed,
            run.revision, run.base_revision, run.merge_base, dump(run.environment),
            result::format_result(result), run.new_level)
      .run();
  int64_t id = database.last_id();
  Statement statement = database.prepare("INSERT INTO rows VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, "
                                         "?9, ?10, ?11, ?12, ?13, ?14, ?15)");
  for (const HistoryRow &row : history_rows(result, judgements))
    insert_row(statement, id, row);
  return id;
}

size_t make_baseline(const Database &database, const Run &run, const result::Result &result)
{
  const std::string &name = run.series.class_name;
  std::string suite = suite_text(run.series.suite);
  database.prepare("DELETE FROM selections WHERE class = ?1 AND suite = ?2")
      .bind(name, suite)
      .run();
  Statement known = database.prepare("SELECT 1 FROM baselines WHERE class = ?1 AND key = ?2");
  Statement put = database.prepare("INSERT OR REPLACE INTO baselines VALUES (?1, ?2, ?3)");
  Statement select = database.prepare("INSERT INTO selections VALUES (?1, ?2, ?3)");
  size_t replaced = 0;
  for (const Benchmark &benchmark : result.benchmarks) {
    if (benchmark.status != Status::Ok)
      continue;
    std::string key = result::benchmark_key(benchmark);
    replaced += known.bind(name, key).step();
    put.bind(name, key, run.id).run();
    select.bind(name, suite, key).run();
  }
  return replaced;
}

size_t thin_out(const Database &database, size_t in_full)
{
  constexpr int runs_of_one = 3;
  Statement drop = database.prepare(
      "WITH whole AS (SELECT id, artefact, row_number() OVER (PARTITION BY artefact ORDER BY id "
      "DESC) AS age FROM runs WHERE result IS NOT NULL) "
      "UPDATE runs SET result = NULL WHERE result IS NOT NULL AND id NOT IN "
      "(SELECT id FROM whole WHERE age <= ?2 AND artefact IN (SELECT artefact FROM whole WHERE "
      "age = 1 ORDER BY id DESC LIMIT ?1)) "
      "AND id NOT IN (SELECT run FROM baselines UNION SELECT run FROM anchors) RETURNING id");
  size_t count = 0;
  for (drop.bind(in_full, runs_of_one); drop.step();)
    count++;
  return count;
}

static constexpr const char *run_columns =
    "SELECT id, class, suite, command, interleaved, time, accepted, reason, artefact, seed, "
    "revision, base_revision, merge_base, environment, new_level, result IS NOT NULL FROM runs ";

static Run run_of(const Statement &row)
{
  return {.id = row.integer(0),
          .series = {row.text(1), suite_from(row.text(2))},
          .command = row.text(3),
          .how = row.integer(4) ? How::Interleaved : How::Alone,
          .time = row.text(5),
          .accepted = row.integer(6) != 0,
          .reason = row.text(7),
          .artefact = row.text(8),
          .seed = static_cast<uint64_t>(row.integer(9)),
          .revision = row.text(10),
          .base_revision = row.text(11),
          .merge_base = row.text(12),
          .environment = stored_json(row.text(13)),
          .new_level = row.integer(14) != 0,
          .in_full = row.integer(15) != 0};
}

std::vector<Run> read_runs(const Database &database)
{
  Statement rows = database.prepare((std::string(run_columns) + "ORDER BY id").c_str());
  std::vector<Run> runs;
  while (rows.step())
    runs.push_back(run_of(rows));
  return runs;
}

Run read_run(const Database &database, int64_t id)
{
  Statement row = database.prepare((std::string(run_columns) + "WHERE id = ?1").c_str());
  if (!row.bind(id).step())
    throw store_error(fmt::format("the store has no run {}", id));
  return run_of(row);
}

Recording read_recording(const Database &database, int64_t run, const std::string &where)
{
  Run info = read_run(database, run);
  if (!info.in_full)
    throw store_error(fmt::format("the samples and the executable of run {} were dropped", run));
  Statement row = database.prepare("SELECT result FROM runs WHERE id = ?1");
  row.bind(run).step();
  return {.artefact = info.artefact,
          .arguments = info.series.suite,
          .seed = info.seed,
          .result = result::parse_result(row.text(0), fmt::format("{}: run {}", where, run)),
          .run = run};
}

} // namespace gate
