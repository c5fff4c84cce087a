// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/runs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <thread>

#include "tools/vmtest/interrupt.h"
#include "tools/vmtest/kvm.h"
#include "tools/vmtest/output.h"
#include "tools/vmtest/payload.h"
#include "tools/vmtest/terminal.h"

namespace vmtest
{

using Clock = std::chrono::steady_clock;

static constexpr size_t kernel_line_size = 2048; // COMMAND_LINE_SIZE of x86
static constexpr long boot_timeout_s = 60;       // times slowness

namespace
{

// A kernel that is ready to be booted, or the error that it is not.
struct Prepared {
  Kernel kernel;
  Payload payload;
  double seconds = 0;
  std::optional<outcome_error> error;
};

struct Plan {
  Machine machine;
  std::vector<Prepared> kernels;
};

} // namespace

static double seconds_since(Clock::time_point begin)
{
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

static void say(const std::string &line) { Output("").say(line); }

// Without these there is no init, or nobody hears of it.
static constexpr const char *always_needed[] = {
    "BLK_DEV_INITRD", "BINFMT_ELF", "SERIAL_8250_CONSOLE", "DEVTMPFS", "PROC_FS", "SYSFS"};

static bool built_in(const Kernel &kernel, const std::string &symbol)
{
  auto found = kernel.config.find("CONFIG_" + symbol);
  return found != kernel.config.end() && found->second != "n" && found->second != "m";
}

static std::string without_prefix(const std::string &symbol)
{
  return symbol.starts_with("CONFIG_") ? symbol.substr(7) : symbol;
}

static void check_needs(const Kernel &kernel, const std::vector<std::string> &needs)
{
  if (kernel.config.empty()) {
    if (!needs.empty())
      throw outcome_error(Outcome::KernelUnfit,
                          fmt::format("it does not tell its configuration (CONFIG_IKCONFIG), so "
                                      "--need {} cannot be answered",
                                      needs[0]));
    return;
  }
  std::vector<std::string> all(std::begin(always_needed), std::end(always_needed)), lacking;
  for (const std::string &symbol : needs)
    all.push_back(without_prefix(symbol));
  for (const std::string &symbol : all)
    if (!built_in(kernel, symbol))
      lacking.push_back("CONFIG_" + symbol + (has_config(kernel, symbol) ? " (is a module)" : ""));
  if (!lacking.empty())
    throw outcome_error(Outcome::KernelUnfit, fmt::format("it lacks {}", fmt::join(lacking, ", ")));
}

static Kernel find_fit_kernel(const std::string &spec, const Options &options)
{
  try {
    Kernel kernel = find_kernel(spec, {.refresh = options.refresh, .host_root = options.host_root});
    check_needs(kernel, options.needs);
    if (options.host_root && !kernel.no_host_root.empty())
      throw kernel_error(kernel.no_host_root);
    return kernel;
  } catch (const kernel_error &failure) {
    throw outcome_error(Outcome::KernelUnfit, failure.what());
  }
}

static Prepared prepare(const std::string &spec, const Options &options)
{
  Clock::time_point begin = Clock::now();
  Prepared prepared;
  prepared.kernel.name = spec;
  if (interrupts().count)
    return prepared; // run_one() says so
  try {
    prepared.kernel = find_fit_kernel(spec, options);
    prepared.payload = make_payload(options, prepared.kernel);
  } catch (const outcome_error &failure) {
    prepared.error = failure;
  }
  prepared.seconds = seconds_since(begin);
  return prepared;
}

static Accelerator choose_accelerator(const Options &options, std::string &why)
{
  if (options.icount)
    return Accelerator::Icount;
  if (options.accelerator == "tcg")
    return Accelerator::Tcg;
  KvmState kvm = kvm_works();
  why = kvm.why;
  if (kvm.works)
    return Accelerator::Kvm;
  if (options.accelerator == "kvm")
    throw outcome_error(Outcome::QemuError, "KVM does not work here: " + kvm.why);
  return Accelerator::Tcg;
}

// One line: what the guests run on, and what that means for their time.
static std::string describe(const Machine &machine, const Options &options, const std::string &why)
{
  std::string how = machine.accelerator == Accelerator::Kvm   ? "KVM"
                    : machine.accelerator == Accelerator::Tcg ? "TCG"
                                                              : "TCG that counts instructions";
  if (machine.accelerator == Accelerator::Tcg && !why.empty())
    how += fmt::format(" (no KVM: {})", why);
  std::string line = fmt::format("{}, QEMU {}, {} CPU{}, {} MiB", how, machine.qemu.version,
                                 machine.cpus, machine.cpus == 1 ? "" : "s", machine.memory_mib);
  if (options.timeout_s > 0 && !options.shell && !options.gdb_port)
    line += fmt::format(", time-out {} s", options.timeout_s * slowness(machine.accelerator));
  return line;
}

static Machine make_machine(const Options &options)
{
  Machine machine;
  machine.qemu = find_qemu(options.qemu);
  std::string why;
  machine.accelerator = choose_accelerator(options, why);
  machine.cpus = options.cpus;
  machine.memory_mib = options.memory_mib;
  machine.append = options.append;
  machine.warn_fatal = options.warn_fatal;
  machine.gdb_port = options.gdb_port;
  if (!options.model.empty())
    machine.model = find_model(options.model);
  if (size_t length = kernel_command_line(machine).size(); length >= kernel_line_size)
    throw usage_error(fmt::format("--append: the kernel takes {} bytes, these are {}",
                                  kernel_line_size - 1, length));
  say(describe(machine, options, why));
  if (has_broken_cmpxchg16b(machine) && machine.cpus > 1)
    say(fmt::format("QEMU {} under TCG breaks kernels on several CPUs now and then: an oops may be "
                    "its own (docs/vmtest.md)",
                    machine.qemu.version));
  return machine;
}

// The nonce must not differ where instructions are counted.
static uint64_t make_nonce(const Machine &machine)
{
  constexpr uint64_t mixer = 0x9e3779b97f4a7c15; // 2^64 / golden ratio, odd
  if (machine.accelerator == Accelerator::Icount)
    return (machine.seed + 1) * mixer;
  uint64_t nonce = 0;
  if (getrandom(&nonce, sizeof(nonce), 0) != sizeof(nonce))
    throw std::runtime_error("getrandom failed");
  return nonce;
}

static std::map<std::string, std::string>
environment(const Options &options, const Prepared &prepared, const Machine &machine)
{
  const char *terminal = options.shell ? getenv("TERM") : nullptr;
  std::map<std::string, std::string> out = {{"OUT", "/out"},
                                            {"HOME", "/root"},
                                            {"PATH", "/bin:/sbin:/usr/bin:/usr/sbin"},
                                            {"TERM", terminal ? terminal : "dumb"},
                                            {"VMTEST_ACCELERATOR", name(machine.accelerator)},
                                            {"VMTEST_QEMU", machine.qemu.version},
                                            {"VMTEST_CPU", cpu_model(machine)},
                                            {"VMTEST_INITRAMFS", prepared.payload.sha256},
                                            {"VMTEST_KERNEL", prepared.kernel.build_id}};
  if (const char *path = getenv("PATH"); path && options.host_root)
    out["PATH"] = path;
  if (machine.accelerator == Accelerator::Icount)
    out["VMTEST_SEED"] = std::to_string(machine.seed);
  if (machine.model) {
    out["VMTEST_MODEL"] = machine.model->identity;
    out["VMTEST_MODEL_BUILD"] = model_build();
  }
  for (const auto &[key, value] : options.environment)
    out[key] = value;
  return out;
}

static RunConfig make_config(const Options &options, const Prepared &prepared,
                             const Machine &machine)
{
  RunConfig config;
  config.nonce = make_nonce(machine);
  config.command = prepared.payload.command;
  config.argv0 = prepared.payload.argv0;
  config.environment = environment(options, prepared, machine);
  config.shell = options.shell;
  config.input = options.input;
  config.splats = options.splats;
  config.read_late = machine.accelerator == Accelerator::Icount;
  config.send_files = !options.out.empty();
  if (options.host_root)
    config.host_directory = std::filesystem::current_path();
  config.host_user = geteuid() != 0;
  config.root_modules = prepared.payload.root_modules;
  config.modules = prepared.payload.modules;
  return config;
}

// As a name of a directory; other tools refuse a colon.
static std::string file_name(std::string text)
{
  for (char &c : text)
    if (c == '/' || c == ' ' || c == ':')
      c = '_';
  return text;
}

// Of this guest, under a directory for all.
static std::string directory_of(const Options &options, std::string directory, const RunReport &run)
{
  if (directory.empty())
    return "";
  if (options.kernels.size() > 1)
    directory += "/" + file_name(run.kernel);
  if (options.seeds.size() > 1)
    directory += fmt::format("/seed-{}", *run.seed);
  return directory;
}

// Better now than after an hour.
static void check_out_directory(const std::string &directory)
{
  if (directory.empty())
    return;
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (access(directory.c_str(), W_OK | X_OK) < 0)
    throw outcome_error(
        Outcome::OutputLost,
        fmt::format("cannot write to {}: {}", directory,
                    (error ? error : std::error_code(errno, std::generic_category())).message()));
}

// The archive is in memory, and the files out of it may take half of the rest.
static void check_memory(const Payload &payload, const Machine &machine)
{
  uint64_t payload_mib = payload.bytes.size() >> 20, own_mib = 192;
  uint64_t needed_mib = 3 * payload_mib + own_mib;
  if (payload_mib > 32 && needed_mib > machine.memory_mib)
    throw outcome_error(Outcome::OutOfMemory,
                        fmt::format("the guest's files have {} MiB: it needs --memory {} or more",
                                    payload_mib, needed_mib));
}

static std::string quote(const std::string &text)
{
  if (!text.empty() &&
      text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                             "_-./,:=+@%") == std::string::npos)
    return text;
  std::string out = "'";
  for (char c : text)
    out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

// Descriptors are numbered as they would come.
static void show_command(const Prepared &prepared, const Machine &machine, const Options &options)
{
  Wires wires{3, 4, options.out.empty() ? -1 : 5, 6, 7, 8, 9, options.host_root ? 10 : -1};
  std::string line;
  for (const std::string &argument : qemu_command(machine, prepared.kernel.image, wires))
    line += (line.empty() ? "" : " ") + quote(argument);
  fmt::print("{}\n", line);
}

// Whether the kernel's last words may explain it.
static bool tells_by_console(Outcome outcome)
{
  return outcome != Outcome::Failed && outcome != Outcome::CommandNotFound &&
         outcome != Outcome::Interrupted && outcome != Outcome::OutputLost &&
         outcome != Outcome::InputUnreadable;
}

static void say_how_it_ended(Output &output, const RunReport &run)
{
  const BootResult &result = run.result;
  if (!result.remark.empty() && result.outcome != Outcome::Splat)
    output.say(fmt::format("{}: {}", label(run), result.remark));
  if (result.modelled)
    output.say(fmt::format("{}: {}", label(run), *result.modelled));
  if (result.outcome == Outcome::Passed)
    return;
  output.say(fmt::format("{}: {}: {}", label(run), info(result.outcome).name, result.detail));
  if (!tells_by_console(result.outcome))
    return;
  for (const std::string &line : result.console)
    output.say("| " + line);
}

static void wait_for_debugger(const Machine &machine, const Kernel &kernel)
{
  if (machine.gdb_port)
    say(fmt::format("waiting for a debugger: gdb {} -ex 'target remote 127.0.0.1:{}'",
                    kernel.image.string(), machine.gdb_port));
}

static RunReport start_report(const Prepared &prepared, const Machine &machine)
{
  RunReport run;
  run.kernel = prepared.kernel.name;
  run.release = prepared.kernel.release;
  run.build_id = prepared.kernel.build_id;
  if (machine.accelerator == Accelerator::Icount)
    run.seed = machine.seed;
  run.accelerator = name(machine.accelerator);
  run.qemu_version = machine.qemu.version;
  run.cpu = cpu_model(machine);
  run.initramfs = prepared.payload.sha256;
  run.prepare_s = prepared.seconds;
  return run;
}

static BootResult boot_it(const Options &options, const Prepared &prepared, const Machine &machine,
                          const RunReport &run, Output &output)
{
  std::optional<Terminal> terminal;
  if (options.shell)
    terminal.emplace();
  BootRequest request{.kernel = prepared.kernel,
                      .machine = machine,
                      .config = make_config(options, prepared, machine),
                      .initramfs = prepared.payload.bytes,
                      .out_directory = directory_of(options, options.out, run),
                      .timeout_s = options.shell ? 0 : options.timeout_s,
                      .boot_timeout_s = boot_timeout_s};
  request.allowed_splats = options.allowed_splats;
  request.terminal = terminal ? &*terminal : nullptr;
  request.input = options.input ? STDIN_FILENO : -1;
  request.output = [&](Stream stream, std::string_view bytes) { output.command(stream, bytes); };
  request.remark = [&](const std::string &line) { output.say(line); };
  for (const std::string &line : prepared.payload.remarks)
    output.say(line);
  if (options.verbose)
    request.console_line = [&](const std::string &line) { output.say("| " + line); };
  check_out_directory(request.out_directory);
  if (request.machine.model && !options.profile.empty()) {
    request.machine.model->profile = directory_of(options, options.profile, run);
    check_out_directory(request.machine.model->profile);
  }
  check_memory(prepared.payload, machine);
  wait_for_debugger(machine, prepared.kernel);
  return boot(request);
}

static void fail(BootResult &result, const outcome_error &failure)
{
  result.outcome = failure.outcome;
  result.detail = failure.what();
}

static RunReport run_one(const Options &options, const Prepared &prepared, const Machine &machine)
{
  RunReport run = start_report(prepared, machine);
  Output output(options.jobs > 1 ? label(run) : "");
  if (interrupts().count) {
    // First: what failed meanwhile, such as apt, failed because of the signal.
    run.result.outcome = Outcome::Interrupted;
    run.result.status = interrupts().signal;
    run.result.detail = "not started";
  } else if (prepared.error) {
    fail(run.result, *prepared.error);
  } else {
    try {
      run.result = boot_it(options, prepared, machine, run, output);
    } catch (const outcome_error &failure) {
      fail(run.result, failure);
    }
  }
  output.finish();
  say_how_it_ended(output, run);
  return run;
}

static Plan make_plan(const Options &options)
{
  Plan plan;
  plan.machine = make_machine(options);
  for (const std::string &spec : options.kernels) {
    plan.kernels.push_back(prepare(spec, options));
    if (const std::string &remark = plan.kernels.back().kernel.remark; !remark.empty())
      say(fmt::format("{}: {}", spec, remark));
  }
  return plan;
}

static std::vector<RunReport> run_plan(const Options &options, const Plan &plan)
{
  size_t seeds = std::max<size_t>(1, options.seeds.size());
  std::vector<RunReport> reports(plan.kernels.size() * seeds);
  std::atomic<size_t> next{0};
  // A guest dies with the thread that started it, so each thread stays until its guests have ended.
  auto work = [&] {
    for (size_t i; (i = next++) < reports.size();) {
      Machine machine = plan.machine;
      if (options.icount)
        machine.seed = options.seeds[i % seeds];
      reports[i] = run_one(options, plan.kernels[i / seeds], machine);
    }
  };
  std::vector<std::jthread> helpers;
  for (int i = 1; i < options.jobs; i++)
    helpers.emplace_back(work);
  work();
  helpers.clear();
  return reports;
}

std::vector<RunReport> run_all(const Options &options)
{
  find_program(options.command.empty() ? "sh" : options.command[0]); // before anything is fetched
  Plan plan = make_plan(options);
  if (!options.dry_run)
    return run_plan(options, plan);
  std::vector<RunReport> reports;
  for (const Prepared &prepared : plan.kernels) {
    reports.push_back(start_report(prepared, plan.machine));
    if (prepared.error)
      throw outcome_error(*prepared.error);
    show_command(prepared, plan.machine, options);
    reports.back().result.outcome = Outcome::Passed;
  }
  return reports;
}

} // namespace vmtest
