// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/measure/vm_boots.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <thread>

#include "tools/gate/measure/vm_merge.h"
#include "tools/gate/system/errors.h"
#include "tools/gate/system/run_command.h"
#include "tools/lib/atomic_file.h"
#include "tools/lib/environment.h"
#include "tools/lib/json.h"
#include "tools/lib/temporary_directory.h"
#include "tools/lib/text.h"

namespace gate
{

using result::json;
using result::Result;
using result::Status;

// Exit codes that vmtest documents, and those of bench.
static constexpr int vmtest_usage = 200, qemu_error = 206, kernel_unfit = 207;
static constexpr int bench_skipped = 4, bench_usage = 64;
static constexpr const char *result_name = "result.json";

// A boot is a load: a second one in it takes as long again, and tells what the next boot does.
static bool wants_one_load(const BootPlan &plan)
{
  const auto &given = plan.bench_arguments;
  return !plan.model.empty() && std::none_of(given.begin(), given.end(), [](const auto &argument) {
    return argument == "--loads" || argument.starts_with("--loads=");
  });
}

static std::vector<std::string> command_line(const BootPlan &plan, const TemporaryDirectory &out)
{
  std::string seeds = fmt::format("{}-{}", plan.first_seed, plan.first_seed + plan.seeds - 1);
  std::vector<std::string> argv = {
      plan.vmtest, plan.model.empty() ? "--icount" : "--model=" + plan.model,
      "--seeds",   seeds,
      "-j",        std::to_string(plan.jobs),
      "--kernel",  plan.kernel,
      "--out",     out / "out",
      "--json",    out / "outcomes.json"};
  if (!plan.model.empty()) // bench tells functions where a profile is wanted
    argv.insert(argv.end(), {"--profile", out / "profile"});
  if (plan.timeout_s)
    argv.insert(argv.end(), {"--timeout", std::to_string(*plan.timeout_s)});
  argv.insert(argv.end(), {"--", plan.bench});
  if (wants_one_load(plan))
    argv.insert(argv.end(), {"--loads", "1"});
  argv.insert(argv.end(), plan.bench_arguments.begin(), plan.bench_arguments.end());
  argv.insert(argv.end(), {"--json", result_name}); // $OUT is where it runs
  return argv;
}

// What vmtest or bench complained of: the first line that is no remark of vmtest's, else its last.
static std::string first_words(const std::string &complaints)
{
  std::string last;
  for (size_t begin = 0, end; begin < complaints.size(); begin = end + 1) {
    end = std::min(complaints.find('\n', begin), complaints.size());
    std::string line = complaints.substr(begin, end - begin);
    if (line.starts_with('[')) // "[debian:6.12 seed 1] bench: ..." of guests side by side
      line.erase(0, std::min(line.find("] "), line.size() - 2) + 2);
    if (!line.starts_with("vmtest: "))
      return line;
    last = line;
  }
  return last;
}

static std::vector<std::string> console_of(const json &run)
{
  std::vector<std::string> lines;
  for (const json &line : run.value("console", json::array()))
    lines.push_back(line.get<std::string>());
  return lines;
}

// A benchmark that failed or was skipped is told by the result; all else that bench says is not.
static bool left_figures(const json &run)
{
  std::string outcome = run.at("outcome");
  return outcome == "passed" ||
         (outcome == "failed" && (run.at("status") == 1 || run.at("status") == bench_skipped));
}

static void check_outcome(const json &run, const std::string &complaints)
{
  std::string outcome = run.at("outcome"), detail = run.value("detail", "");
  if (left_figures(run))
    return;
  if (outcome == "failed" && run.at("status") == bench_usage)
    throw usage_error(first_words(complaints));
  if (outcome == "kernel-unfit")
    throw nothing_measurable(fmt::format("{}: {}", run.at("kernel").get<std::string>(), detail));
  throw boot_error(fmt::format("seed {}: {}: {}", run.at("seed").get<uint64_t>(), outcome, detail),
                   console_of(run));
}

static Boot read_boot(const json &run, const BootPlan &plan, const TemporaryDirectory &out)
{
  uint64_t seed = run.at("seed");
  std::string directory = out / "out";
  if (plan.seeds > 1)
    directory += fmt::format("/seed-{}", seed);
  try {
    return {seed, result::read_result(directory + "/" + result_name)};
  } catch (const result::error &failure) {
    throw boot_error(fmt::format("seed {}: bench left no result ({})", seed, failure.what()));
  }
}

static std::vector<Boot> read_boots(const BootPlan &plan, const TemporaryDirectory &out,
                                    const Finished &finished)
{
  std::vector<Boot> boots;
  json outcomes = json::parse(read_file(out / "outcomes.json"));
  for (const json &run : outcomes.at("runs"))
    check_outcome(run, finished.complaints);
  for (const json &run : outcomes.at("runs"))
    boots.push_back(read_boot(run, plan, out));
  if (boots.size() != plan.seeds)
    throw boot_error(
        fmt::format("{} boots were asked for, vmtest tells of {}", plan.seeds, boots.size()));
  return boots;
}

// Why vmtest ended without having booted anything.
[[noreturn]] static void explain_nothing(const Finished &finished)
{
  std::string words = first_words(finished.complaints);
  auto ended_with = [&](int code) {
    return finished.failure == fmt::format("exit status {}", code);
  };
  if (ended_with(vmtest_usage))
    throw usage_error(words);
  if (ended_with(qemu_error) || ended_with(kernel_unfit))
    throw nothing_measurable(words);
  throw boot_error(fmt::format("vmtest: {}, no outcomes: {}", finished.failure, words));
}

static void check_counted(const Result &result, const std::string &model)
{
  bool skipped = std::all_of(result.benchmarks.begin(), result.benchmarks.end(),
                             [](const auto &each) { return each.status == Status::Skipped; });
  if (skipped)
    throw nothing_measurable(result.benchmarks.empty() ? "bench measured nothing"
                                                       : result.benchmarks[0].reason);
  if (result.environment.text_of("accelerator") != "icount")
    throw boot_error("bench did not find that its clock counts instructions");
  if (const Value *vm = result.environment.find("vm");
      !model.empty() && (!vm || vm->text_of("model").empty()))
    throw boot_error("bench did not tell which model counted its events");
}

// Figures come back when their guest ends: with several seeds, each to a directory of its own.
static void tell_ended(std::stop_token stop, const std::string &directory,
                       const std::function<void(size_t)> &ended)
{
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any nothing; // but the end is waited for
  while (!stop.stop_requested()) {
    size_t boots = 0;
    std::error_code gone;
    for (const std::string &seed : names_if_there(directory))
      boots += std::filesystem::exists(directory + "/" + seed + "/" + result_name, gone);
    ended(boots);
    nothing.wait_for(lock, stop, std::chrono::milliseconds(500), [] { return false; });
  }
}

static Finished run_guests(const BootPlan &plan, const TemporaryDirectory &out,
                           const std::function<void(size_t)> &ended)
{
  constexpr long day_ms = 24l * 3600 * 1000; // vmtest ends its guests itself
  std::jthread teller;
  if (ended)
    teller = std::jthread(tell_ended, out / "out", ended);
  return run_command(command_line(plan, out), day_ms);
}

Result count_instructions(const BootPlan &plan, const std::function<void(size_t)> &ended)
{
  TemporaryDirectory out;
  std::string started = utc_now();
  Finished finished = run_guests(plan, out, ended);
  if (!std::filesystem::exists(out / "outcomes.json"))
    explain_nothing(finished);
  try {
    Result result = merge_boots(read_boots(plan, out, finished));
    result.started = started; // the guest's clock is made up
    check_counted(result, plan.model);
    return result;
  } catch (const json::exception &failure) {
    throw boot_error(fmt::format("vmtest told its outcomes in another form: {}", failure.what()));
  } catch (const merge_error &failure) {
    throw boot_error(failure.what());
  }
}

} // namespace gate
