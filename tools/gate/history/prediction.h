// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Times against the history of accepted runs: how far from their centre may one more run lie when
// nothing changed?
//
// The prediction interval on the log scale: centre +- t * s * sqrt(1 + 1/n). What it assumes:
// run-level figures are independent and near log-normal around one level, and today's host is drawn
// from the same lot as those of the history. The last is why only runs of the same machine class
// and way of measuring count, and why at least eight are needed. Levels are told apart where
// somebody accepted a change and where change_points.h finds one: the centre is that of the present
// level (n runs), and s is the error within levels, so that an accepted step does not widen what
// comes after it. What is done where the assumptions are weak: the centre is a median; s is the
// root mean square of the errors that the rule itself made on each run that it was not shown, so
// it is not robust: a spike in the history widens the interval and cannot raise an alarm.
//
// Each row stands for itself. The ratio to another row that moves along with the host would be
// steadier, but a patch that slows both alike would not move it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/gate/history/store.h"
#include "tools/gate/judge/evidence.h"

namespace gate
{

constexpr size_t fewest_runs = 8;

// Rows are named by (benchmark_key(), metric).
using RowName = std::pair<std::string, std::string>;

// The accepted runs of one machine class that were measured alone, as logs. Whatever their suites:
// a row has its own loads, and its key has all that decides what they do. A row that was left
// inconclusive may have regressed, so it does not count.
class RunHistory {
public:
  RunHistory(const Store &store, const std::string &class_name);

  struct Point {
    double log = 0;
    int64_t run = 0;
    std::string code; // code_identity()
    std::string unit;
    int definition = 1;
    bool new_level = false; // as Run::new_level
    size_t level = 0;       // points of one level have the same number
  };
  explicit RunHistory(std::map<RowName, std::vector<Point>> rows) : x_rows(std::move(rows)) {}

  // Oldest first; empty for a row that it does not know.
  const std::vector<Point> &points(const RowName &row) const;

private:
  std::map<RowName, std::vector<Point>> x_rows;
};

// What tells whether two runs measured the same code: the revision where that is certain, else the
// executable.
std::string code_identity(const std::string &revision, const std::string &artefact);

struct Prediction {
  double center = 0;    // log of the figure, in unit
  double sigma = 0;     // of one run, log scale
  size_t runs = 0;      // that went in
  size_t freedom = 0;   // degrees of freedom of sigma
  size_t at_center = 0; // runs that the centre comes from
  std::string unit;

  // Of the distance of one more run to the centre.
  double scale() const;
  // Half the width of the interval at a one-sided level, as a fraction.
  double half_width(double level) const;
};

// The run that is judged.
struct NewRun {
  std::map<RowName, double> logs;
  std::map<RowName, int> definitions;
  std::string code; // code_identity()
  // Not set: changes are counted from the centre of the history. Set: from these logs, each of one
  // earlier run.
  std::optional<std::map<RowName, double>> from;
};

// Nothing with fewer than fewest_runs runs that have others of their level. usable: how many there
// are. Earlier runs of the same code tell about noise, not about the level that a change is
// measured from; they count for the centre only if there is nothing else.
std::optional<Prediction> predict(const RunHistory &history, const RowName &row, const NewRun &run,
                                  size_t &usable);

std::unique_ptr<Evidence> predicted_evidence(const Prediction &prediction, double comp_log,
                                             double tolerance, result::Better better);

} // namespace gate
