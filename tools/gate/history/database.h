// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// SQLite, as little of it as the store needs. Everything that goes wrong is a store_error of one
// line that names the file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

struct sqlite3;
struct sqlite3_stmt;

namespace gate
{

// The store cannot be read or written. what() is one line: the file and why.
class store_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

class Database;

// One prepared statement. Texts are UTF-8; NaN and nullopt are NULL.
class Statement {
public:
  Statement(const Database &database, const char *sql);

  // Values for ?1, ?2, ...; starts the statement again.
  template <class... Values> Statement &bind(const Values &...values)
  {
    restart();
    int place = 0;
    (put(++place, values), ...);
    return *this;
  }
  // True: there is a row. Throws store_error, and interrupted_error while waiting for another gate.
  bool step();
  // For statements without rows.
  void run()
  {
    while (step()) {
    }
  }

  // Columns of the row, from 0.
  std::string text(int column) const;
  int64_t integer(int column) const;
  double number(int column) const; // NULL: NaN
  bool is_null(int column) const;

private:
  void restart();
  void put(int place, std::string_view text);
  void put(int place, const std::string &text) { put(place, std::string_view(text)); }
  void put(int place, const char *text) { put(place, std::string_view(text)); }
  void put(int place, double number);
  void put_integer(int place, int64_t number);
  void put_null(int place);
  template <class Integer>
  requires std::is_integral_v<Integer>
  void put(int place, Integer number) { put_integer(place, static_cast<int64_t>(number)); }
  template <class Value> void put(int place, const std::optional<Value> &value)
  {
    if (value)
      put(place, *value);
    else
      put_null(place);
  }

  struct Finalize {
    void operator()(sqlite3_stmt *statement) const;
  };
  const Database &x_database;
  std::unique_ptr<sqlite3_stmt, Finalize> x_statement;
};

class Database {
public:
  // Opens a file; create: and makes it if it is not there.
  Database(const std::string &path, bool create);

  Statement prepare(const char *sql) const { return {*this, sql}; }
  void execute(const char *sql) const; // one or several statements
  int64_t last_id() const;

  [[noreturn]] void fail() const;

private:
  friend class Statement;
  struct Close {
    void operator()(sqlite3 *handle) const;
  };
  std::string x_path;
  std::unique_ptr<sqlite3, Close> x_handle;
};

// Holds the write lock from here to commit(); without it everything since is undone.
class Transaction {
public:
  explicit Transaction(const Database &database) : x_database(&database)
  {
    database.execute("BEGIN IMMEDIATE");
  }
  ~Transaction();
  Transaction(const Transaction &) = delete;
  Transaction &operator=(const Transaction &) = delete;

  void commit()
  {
    x_database->execute("COMMIT");
    x_database = nullptr;
  }

private:
  const Database *x_database;
};

} // namespace gate
