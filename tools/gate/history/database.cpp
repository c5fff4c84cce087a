// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/history/database.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cmath>
#include <limits>

#include "tools/gate/system/interrupt.h"

namespace gate
{

// Another gate writes: its transactions take milliseconds, so this is one that hangs.
static constexpr int longest_wait_s = 60;

// Called from C: nothing may be thrown through it.
static int wait_for_other(void *, int tries)
{
  constexpr int pause_us = 20000;
  if (tries > longest_wait_s * (1000000 / pause_us))
    return 0;
  try {
    check_interrupts();
  } catch (const interrupted_error &) {
    return 0;
  }
  usleep(pause_us);
  return 1;
}

void Database::Close::operator()(sqlite3 *handle) const { sqlite3_close_v2(handle); }

Database::Database(const std::string &path, bool create) : x_path(path)
{
  sqlite3 *handle = nullptr;
  int flags = SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0);
  int code = sqlite3_open_v2(path.c_str(), &handle, flags, nullptr);
  x_handle.reset(handle);
  if (code != SQLITE_OK)
    fail();
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_handler(handle, wait_for_other, nullptr);
  // A rollback journal and not a write-ahead log: that would need two more files and a writable
  // directory to be read at all, and gate writes once a run. EXTRA: durable over a power failure.
  execute("PRAGMA synchronous = EXTRA; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;"
          "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON");
}

void Database::fail() const
{
  int code = sqlite3_extended_errcode(x_handle.get());
  int kind = code & 0xff;
  check_interrupts(); // the reason why a wait ended
  std::string why = sqlite3_errmsg(x_handle.get());
  if (kind == SQLITE_BUSY)
    why = fmt::format("another gate has held it for {} s", longest_wait_s);
  else if (kind == SQLITE_FULL)
    why = "no space left; it is as it was before";
  else if (kind == SQLITE_READONLY)
    why = "it is write protected";
  else if (kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB)
    why = fmt::format("it is damaged ({}): restore a copy, or remove it and record again", why);
  else if (kind == SQLITE_IOERR)
    why = fmt::format("{} ({})", why, code >> 8);
  throw store_error(fmt::format("store '{}': {}", x_path, why));
}

void Database::execute(const char *sql) const
{
  if (sqlite3_exec(x_handle.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK)
    fail();
}

int64_t Database::last_id() const { return sqlite3_last_insert_rowid(x_handle.get()); }

void Statement::Finalize::operator()(sqlite3_stmt *statement) const { sqlite3_finalize(statement); }

Statement::Statement(const Database &database, const char *sql) : x_database(database)
{
  sqlite3_stmt *statement = nullptr;
  if (sqlite3_prepare_v2(database.x_handle.get(), sql, -1, &statement, nullptr) != SQLITE_OK)
    database.fail();
  x_statement.reset(statement);
}

void Statement::restart()
{
  sqlite3_reset(x_statement.get());
  sqlite3_clear_bindings(x_statement.get());
}

bool Statement::step()
{
  int code = sqlite3_step(x_statement.get());
  if (code != SQLITE_ROW && code != SQLITE_DONE)
    x_database.fail();
  return code == SQLITE_ROW;
}

void Statement::put(int place, std::string_view text)
{
  // A null pointer would be NULL.
  const char *bytes = text.data() ? text.data() : "";
  sqlite3_bind_text64(x_statement.get(), place, bytes, text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

void Statement::put(int place, double number)
{
  if (std::isfinite(number))
    sqlite3_bind_double(x_statement.get(), place, number);
  else
    put_null(place);
}

void Statement::put_integer(int place, int64_t number)
{
  sqlite3_bind_int64(x_statement.get(), place, number);
}

void Statement::put_null(int place) { sqlite3_bind_null(x_statement.get(), place); }

std::string Statement::text(int column) const
{
  const unsigned char *bytes = sqlite3_column_text(x_statement.get(), column);
  size_t size = sqlite3_column_bytes(x_statement.get(), column);
  return bytes ? std::string(reinterpret_cast<const char *>(bytes), size) : "";
}

int64_t Statement::integer(int column) const
{
  return sqlite3_column_int64(x_statement.get(), column);
}

double Statement::number(int column) const
{
  return is_null(column) ? std::numeric_limits<double>::quiet_NaN()
                         : sqlite3_column_double(x_statement.get(), column);
}

bool Statement::is_null(int column) const
{
  return sqlite3_column_type(x_statement.get(), column) == SQLITE_NULL;
}

Transaction::~Transaction()
{
  // After some errors SQLite has rolled back by itself; then this fails, and nothing is lost.
  if (x_database)
    try {
      x_database->execute("ROLLBACK");
    } catch (const std::exception &) {
    }
}

} // namespace gate
