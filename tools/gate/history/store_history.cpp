// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The store's history: runs, their rows, accepting, anchors and forgetting.
#include <fmt/format.h>

#include <initializer_list>

#include "tools/gate/history/store_tables.h"
#include "tools/gate/system/errors.h"

namespace gate
{

using result::Better;
using result::Class;

std::vector<Run> Store::runs() const { return read_runs(open_for_reading()); }

Run Store::run(int64_t id) const { return read_run(open_for_reading(), id); }

template <class Value> static Value named(const std::string &name, std::initializer_list<Value> all)
{
  for (Value value : all)
    if (name == to_string(value))
      return value;
  return *all.begin();
}

static constexpr const char *row_columns =
    "SELECT key, metric, name, parameters, unit, better, class, gated, definition, center, spread, "
    "loads, verdict, change, run FROM rows ";

static HistoryRow row_of(const Statement &row)
{
  HistoryRow out = {
      .key = row.text(0),
      .name = row.text(2),
      .parameters = stored_json(row.text(3)),
      .metric = row.text(1),
      .unit = row.text(4),
      .better = named(row.text(5), {Better::Unknown, Better::Lower, Better::Higher, Better::None}),
      .kind = named(row.text(6),
                    {Class::Time, Class::Exact, Class::Memory, Class::Ratio, Class::Unknown}),
      .gated = row.integer(7) != 0,
      .definition = static_cast<int>(row.integer(8)),
      .center = row.number(9),
      .spread = row.number(10),
      .loads = static_cast<size_t>(row.integer(11)),
      .verdict = row.text(12)};
  if (!row.is_null(13))
    out.change = row.number(13);
  return out;
}

std::vector<HistoryRow> Store::rows(int64_t run) const
{
  std::vector<HistoryRow> rows;
  Database database = open_for_reading();
  std::string sql = row_columns;
  Statement found = database.prepare((sql + "WHERE run = ?1 ORDER BY key, metric").c_str());
  for (found.bind(run); found.step();)
    rows.push_back(row_of(found));
  return rows;
}

std::map<int64_t, std::vector<HistoryRow>> Store::rows(const std::string &class_name) const
{
  std::map<int64_t, std::vector<HistoryRow>> rows;
  Database database = open_for_reading();
  std::string sql = row_columns;
  sql += "WHERE run IN (SELECT id FROM runs WHERE class = ?1)";
  Statement found = database.prepare(sql.c_str());
  for (found.bind(class_name); found.step();)
    rows[found.integer(14)].push_back(row_of(found));
  return rows;
}

Recording Store::recording(int64_t run) const
{
  return read_recording(open_for_reading(), run, path());
}

Store::Kept Store::accept(int64_t run, const std::string &reason)
{
  Database database = open_for_writing();
  Transaction transaction(database);
  Recording recording = read_recording(database, run, path());
  database
      .prepare("UPDATE runs SET new_level = NOT accepted, accepted = 1, reason = ?2 WHERE id = ?1")
      .bind(run, reason)
      .run();
  Kept kept = {run, make_baseline(database, read_run(database, run), recording.result)};
  transaction.commit();
  return kept;
}

std::vector<Anchor> Store::anchors() const
{
  std::vector<Anchor> anchors;
  Database database = open_for_reading();
  Statement rows = database.prepare("SELECT name, run, time FROM anchors ORDER BY time, name");
  while (rows.step())
    anchors.push_back({rows.text(0), rows.integer(1), rows.text(2)});
  return anchors;
}

void Store::set_anchor(const Anchor &anchor)
{
  Database database = open_for_writing();
  Transaction transaction(database);
  read_recording(database, anchor.run, path());
  database.prepare("INSERT OR REPLACE INTO anchors VALUES (?1, ?2, ?3)")
      .bind(anchor.name, anchor.run, anchor.time)
      .run();
  transaction.commit();
}

Store::Expired Store::expire(const Limits &limits)
{
  Expired expired;
  Database database = open_for_writing();
  {
    Transaction transaction(database);
    Statement forget = database.prepare(
        "DELETE FROM runs WHERE id IN (SELECT id FROM (SELECT id, row_number() OVER "
        "(PARTITION BY class, suite ORDER BY id DESC) AS age FROM runs) WHERE age > ?1) "
        "AND id NOT IN (SELECT run FROM baselines UNION SELECT run FROM anchors) RETURNING id");
    for (forget.bind(limits.runs); forget.step();)
      expired.runs++;
    expired.thinned = thin_out(database, limits.in_full);
    transaction.commit();
  }
  remove_leftovers(database);
  return expired;
}

size_t Store::drop_baseline(const Series &series)
{
  Database database = open_for_writing();
  Transaction transaction(database);
  std::string suite = suite_text(series.suite);
  Statement drop =
      database.prepare("DELETE FROM baselines WHERE class = ?1 AND run IN "
                       "(SELECT id FROM runs WHERE class = ?1 AND suite = ?2) RETURNING key");
  size_t rows = 0;
  for (drop.bind(series.class_name, suite); drop.step();)
    rows++;
  database.prepare("DELETE FROM selections WHERE class = ?1 AND suite = ?2")
      .bind(series.class_name, suite)
      .run();
  transaction.commit();
  return rows;
}

Anchor find_anchor(const Store &store, const std::string &name)
{
  std::vector<Anchor> anchors = store.anchors();
  for (const Anchor &anchor : anchors)
    if (anchor.name == name)
      return anchor;
  if (!name.empty())
    throw usage_error(fmt::format("--anchor: the store has no anchor '{}'", name));
  if (anchors.empty())
    throw usage_error(
        "--drift-budget: no anchor to count from; gate baseline anchor NAME sets one");
  return anchors.back();
}

} // namespace gate
