// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Trends drawn by gnuplot: points, levels, and a line where the level changed.
#include <fmt/format.h>

#include <algorithm>

#include "tools/gate/child.h"
#include "tools/gate/trend_output.h"
#include "tools/lib/atomic_file.h"
#include "tools/lib/temporary_directory.h"

namespace gate
{

static constexpr int width = 900, height_of_one = 260;

static std::string quoted(const std::string &text)
{
  std::string out = "'";
  for (char c : text)
    if (c == '\'')
      out += "''";
    else if (static_cast<unsigned char>(c) >= ' ')
      out += c;
  return out + "'";
}

static std::string data_block(const std::string &name, const std::vector<std::string> &lines)
{
  return fmt::format("${} << EOD\n{}\nEOD\n", name, fmt::join(lines, "\n"));
}

static std::string panel(const Trend &trend)
{
  std::vector<std::string> points, levels, outliers;
  for (size_t i = 0; i < trend.points.size(); i++)
    points.push_back(fmt::format("{} {}", i, trend.points[i].value));
  for (size_t outlier : trend.levels.outliers)
    outliers.push_back(fmt::format("{} {}", outlier, trend.points[outlier].value));
  for (const Segment &segment : trend.levels.segments) {
    double last = static_cast<double>(segment.end) - 0.5;
    levels.push_back(fmt::format("{} {}\n{} {}\n", static_cast<double>(segment.begin) - 0.5,
                                 segment.center, last, segment.center));
  }
  std::string text = fmt::format("set title {} noenhanced\nset ylabel {} noenhanced\n",
                                 quoted(trend_name(trend)), quoted(trend.unit));
  text += "unset arrow\n";
  for (const Change &change : trend.levels.changes)
    text += fmt::format("set arrow from {0}, graph 0 to {0}, graph 1 nohead dt 2 lc rgb 'red'\n",
                        static_cast<double>(change.first) - 0.5);
  text += data_block("points", points) + data_block("levels", levels);
  text += fmt::format("set xrange [-1:{}]\n", trend.points.size());
  text += "plot $points with points pt 7 ps 0.5 lc rgb '#4477aa' notitle, "
          "$levels with lines lw 2 lc rgb 'black' notitle";
  if (outliers.empty())
    return text + "\n";
  // A data block has to be there before the command that uses it.
  return data_block("outliers", outliers) + text +
         ", $outliers with points pt 6 ps 1.2 lc rgb 'red' notitle\n";
}

static std::string script_of(const std::vector<Trend> &trends, const std::string &output)
{
  std::vector<const Trend *> drawn;
  for (const Trend &trend : trends)
    if (!trend.levels.segments.empty())
      drawn.push_back(&trend);
  std::string script = fmt::format(
      "set terminal svg size {},{} background 'white'\nset output {}\nset xlabel 'run'\n"
      "set multiplot layout {},1\n",
      width, height_of_one * std::max<size_t>(1, drawn.size()), quoted(output),
      std::max<size_t>(1, drawn.size()));
  for (const Trend *trend : drawn)
    script += panel(*trend);
  return script + "unset multiplot\nset output\n";
}

void plot_trends(const std::vector<Trend> &trends, const std::string &path)
{
  constexpr long timeout_ms = 60000;
  TemporaryDirectory here;
  write_file(here / "script", script_of(trends, here / "plot.svg"));
  Child gnuplot("/usr/bin/env", {"gnuplot", here / "script"});
  std::string line;
  while (gnuplot.read_line(line, timeout_ms) == Child::Read::Line)
    ;
  std::string end = gnuplot.describe_end();
  if (gnuplot.exit_status() == 127)
    throw std::runtime_error("--plot needs gnuplot, and there is none (Debian: gnuplot-nox)");
  if (gnuplot.exit_status() != 0)
    throw std::runtime_error(fmt::format("gnuplot: {}: {}", end, gnuplot.last_words()));
  write_file(path, read_file(here / "plot.svg"));
}

} // namespace gate
