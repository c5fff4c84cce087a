// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/history/store_schema.h"

#include <fmt/format.h>

namespace gate
{

// "bpfg": tells our file from any other database.
static constexpr int application_id = 0x62706667;

// Rows of a run go with it; a run that is a baseline or an anchor cannot be deleted.
static constexpr const char *version_2 = R"(
CREATE TABLE runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  class TEXT NOT NULL,
  suite TEXT NOT NULL,
  command TEXT NOT NULL,
  interleaved INTEGER NOT NULL,
  time TEXT NOT NULL,
  accepted INTEGER NOT NULL,
  reason TEXT NOT NULL,
  artefact TEXT NOT NULL,
  seed INTEGER NOT NULL,
  revision TEXT NOT NULL,
  base_revision TEXT NOT NULL,
  merge_base TEXT NOT NULL,
  environment TEXT NOT NULL,
  result TEXT);
CREATE INDEX runs_by_series ON runs (class, suite);
CREATE TABLE rows (
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  metric TEXT NOT NULL,
  name TEXT NOT NULL,
  parameters TEXT NOT NULL,
  unit TEXT NOT NULL,
  better TEXT NOT NULL,
  class TEXT NOT NULL,
  gated INTEGER NOT NULL,
  definition INTEGER NOT NULL,
  center REAL,
  spread REAL,
  loads INTEGER NOT NULL,
  verdict TEXT NOT NULL,
  change REAL,
  PRIMARY KEY (run, key, metric)) WITHOUT ROWID;
CREATE TABLE baselines (
  class TEXT NOT NULL,
  key TEXT NOT NULL,
  run INTEGER NOT NULL REFERENCES runs (id),
  PRIMARY KEY (class, key)) WITHOUT ROWID;
CREATE INDEX baselines_by_run ON baselines (run);
CREATE TABLE selections (
  class TEXT NOT NULL,
  suite TEXT NOT NULL,
  key TEXT NOT NULL,
  PRIMARY KEY (class, suite, key)) WITHOUT ROWID;
CREATE TABLE anchors (
  name TEXT PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs (id),
  time TEXT NOT NULL) WITHOUT ROWID;
)";

static constexpr const char *from_2_to_3 =
    "ALTER TABLE runs ADD COLUMN new_level INTEGER NOT NULL DEFAULT 0";

static int64_t pragma(const Database &database, const char *sql)
{
  Statement statement = database.prepare(sql);
  return statement.step() ? statement.integer(0) : 0;
}

static bool is_empty(const Database &database)
{
  return pragma(database, "SELECT count(*) FROM sqlite_schema") == 0;
}

static void check_identity(const Database &database, const std::string &path, int64_t version)
{
  if (pragma(database, "PRAGMA application_id") != application_id)
    throw store_error(fmt::format("store '{}': it is a database, but not one of gate", path));
  if (version > store_version)
    throw store_error(fmt::format("store '{}': it has version {}, this gate knows versions up to "
                                  "{}: use the newer gate that wrote it",
                                  path, version, store_version));
}

void bring_up_to_date(const Database &database, const std::string &path)
{
  auto version = [&] { return pragma(database, "PRAGMA user_version"); };
  if (!is_empty(database)) {
    check_identity(database, path, version());
    if (version() == store_version)
      return;
  }
  Transaction transaction(database);
  // Asked again: another gate may have been quicker.
  if (is_empty(database))
    database.execute(version_2);
  if (version() < store_version)
    database.execute(from_2_to_3);
  database.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                               application_id, store_version)
                       .c_str());
  transaction.commit();
}

} // namespace gate
