// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The order of things: mounts, the line to the host, Hello, the command, Result, the files of $OUT
// (over virtio-serial, which is not touched before, as its interrupts would disturb measurements),
// End. Whatever goes wrong ends in a Trouble frame, or where there is no line in a line on the
// console, and in the end of the machine: init must not die, for that would look like a panic.
#include "tools/vmtest/guest_init.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <termios.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "tools/lib/atomic_file.h"
#include "tools/lib/model_page.h"
#include "tools/vmtest/guest_command.h"
#include "tools/vmtest/guest_files.h"
#include "tools/vmtest/guest_log.h"
#include "tools/vmtest/guest_root.h"
#include "tools/vmtest/guest_system.h"
#include "tools/vmtest/run_config.h"

namespace vmtest
{

using namespace guest;

static constexpr const char *out_directory = "/out";

bool is_guest_init(const char *argv0)
{
  return getpid() == 1 && std::string_view(argv0) == "/init" && access(run_config_path, R_OK) == 0;
}

static std::string hello(const std::vector<std::string> &missing)
{
  utsname kernel = {};
  uname(&kernel);
  return nlohmann::json{{"release", kernel.release}, {"missing", missing}}.dump();
}

static void send_log(GuestLog &log, const SendFrame &send)
{
  log.read();
  if (log.there())
    send_text(kernel_log_name, log.log().text(), send);
}

// The files go where there is room for them: 16 MiB take a tenth of a second by virtio and a minute
// on a serial line.
// Returns whether the host has to take something yet.
static bool send_out(const RunConfig &config, Channel &host, GuestLog &log)
{
  std::string why_not;
  Fd port = open_files_port(config.modules, why_not);
  if (!port) {
    host.send(FrameKind::Remark, "files come by the serial line, slowly: " + why_not);
    auto send = [&](FrameKind kind, std::string_view payload) { host.send(kind, payload); };
    send_log(log, send);
    send_files(out_directory, send);
    return false;
  }
  host.send(FrameKind::FilesOn, "virtio");
  Channel files(std::move(port), config.nonce);
  auto send = [&](FrameKind kind, std::string_view payload) {
    (kind == FrameKind::Remark ? host : files).send(kind, payload);
  };
  send_log(log, send);
  send_files(out_directory, send);
  files.send(FrameKind::End, "");
  return true;
}

// A port takes megabytes before QEMU has them, and there is no way to ask: the host ends the
// machine when it has all. A host that does not is not waited for longer than a minute.
static void wait_for_the_host() { sleep(60); }

static void serve(const RunConfig &config, Channel &host, const std::vector<std::string> &missing)
{
  show_all_messages();
  GuestLog log(config.splats);
  if (!config.read_late)
    log.open();
  host.send(FrameKind::Hello, hello(missing));
  ModelPage *model = ModelPage::find();
  if (model)
    model->begin_whole();
  std::string result = run_command(config, host, log);
  if (model)
    model->finish();
  host.send(FrameKind::Result, result);
  kill_all();
  log.open();
  bool pending = config.send_files && send_out(config, host, log);
  log.read();
  if (log.there())
    host.send(FrameKind::KernelLog, log.log().report());
  tcdrain(STDOUT_FILENO); // the console
  host.send(FrameKind::End, "");
  host.drain();
  if (pending)
    wait_for_the_host();
}

// What goes wrong before there is a line to the host is kept until there is one.
static void run_guest()
{
  RunConfig config = parse_run_config(read_file(run_config_path));
  std::vector<std::string> missing;
  std::string trouble;
  try {
    missing = set_up_system();
    if (!config.host_directory.empty())
      enter_host_root(config);
  } catch (const std::exception &failure) {
    trouble = failure.what();
  }
  Channel host(open_serial("/dev/ttyS1"), config.nonce);
  try {
    if (trouble.empty())
      serve(config, host, missing);
  } catch (const std::exception &failure) {
    trouble = failure.what();
  }
  if (!trouble.empty())
    host.send(FrameKind::Trouble, trouble);
  host.drain();
}

void run_guest_init()
{
  try {
    run_guest();
  } catch (const std::exception &failure) {
    fmt::print("vmtest: {}\n", failure.what());
  }
  leave();
}

} // namespace vmtest
