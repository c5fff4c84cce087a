// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// vmtest as its users meet it, with real guests: how each end is told, and what is left behind.
#include <fcntl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "tools/lib/atomic_file.h"
#include "tools/lib/fd.h"
#include "tools/lib/temporary_directory.h"
#include "tools/lib/unit_test.h"
#include "tools/vmtest/command.h"
#include "tools/vmtest/kernel.h"
#include "tools/vmtest/vm_run.h"

using namespace unit_test;
namespace fs = std::filesystem;

static void expect_status(const VmRun &run, int status)
{
  expect(run.status == status, fmt::format("status {}, wanted {}; stdout: {}; stderr: {}",
                                           run.status, status, run.out, run.err));
}

// Sends the signals once the command has said so.
static auto on_start(std::vector<int> signals)
{
  return [signals, sent = false](pid_t pid, const std::string &out) mutable {
    if (sent || out.find("start\n") == std::string::npos)
      return;
    sent = true;
    for (int signal : signals) {
      kill(pid, signal);
      usleep(300000); // two at once would be one
    }
  };
}

TEST(exit_status_and_streams_are_the_commands)
{
  // Also for a command that has dropped its rights.
  VmRun ended = run_vmtest({"--with", "setpriv", "--", "sh", "-c",
                            "setpriv --reuid 65534 --regid 65534 --clear-groups sh -c "
                            "'echo out >/dev/stdout; echo err >/dev/stderr'; exit 7"});
  expect_status(ended, 7);
  expect_eq(ended.out, "out\n");
  expect_has(ended.err, "err\n");
  expect_has(ended.err, "failed: exit status 7");
}

TEST(signal_is_told_as_a_shell_does)
{
  expect_status(run_vmtest({"--", "sh", "-c", "kill -SEGV $$"}), 139);
}

TEST(environment_says_where_it_runs)
{
  VmRun ended = run_vmtest({"--env", "OWN=x y", "--", "sh", "-c",
                            "echo $OUT $HOME $VMTEST_QEMU $VMTEST_CPU; echo $OWN; pwd; "
                            "echo ${#VMTEST_INITRAMFS} ${#VMTEST_KERNEL} $VMTEST_ACCELERATOR"});
  expect_status(ended, 0);
  expect_has(ended.out, "/out /root ");
  expect_has(ended.out, "\nx y\n/out\n64 40 ");
}

TEST(panic_is_told)
{
  VmRun ended = run_vmtest({"--", "sh", "-c", "echo c >/proc/sysrq-trigger"});
  expect_status(ended, 201);
  expect_has(ended.err, "panic: Kernel panic - not syncing: sysrq triggered crash");
  expect_has(ended.err, "sysrq_handle_crash");
}

// A record of the kernel (sysrq's, asked for) that the console does not show, a program's that
// looks like a splat, and files of all kinds, which come back all the same.
TEST(quiet_console_hides_nothing_and_all_files_come)
{
  TemporaryDirectory directory;
  VmRun ended = run_vmtest(
      {"--splat", "^sysrq: HELP", "--out", directory / "out", "--with", "mkdir", "--with", "chmod",
       "--with", "ls", "--", "sh", "-c",
       "echo 1 >/proc/sys/kernel/printk; echo N >/sys/module/printk/parameters/time; "
       "echo '<3>BUG: KASAN: no kernel says so' >/dev/kmsg; echo h >/proc/sysrq-trigger; "
       "mkdir d; echo x >d/f; chmod 0510 d; echo odd >\"$(printf 'a\\377b')\"; ls /boot"});
  expect_status(ended, 202);
  expect_has(ended.err, "splat: asked for by --splat: sysrq: HELP");
  expect_has(ended.out, "config-6.12");
  expect_eq(read_file(directory / "out/d/f"), "x\n");
  expect_eq(read_file(directory / "out/a\377b"), "odd\n");
  expect((fs::status(directory / "out/d").permissions() & fs::perms::all) ==
         (fs::perms::owner_read | fs::perms::owner_exec | fs::perms::group_exec));
  std::string log = read_file(directory / "out/vmtest-dmesg.txt");
  expect_has(log, "] Linux version 6.12");
  expect_has(log, "] BUG: KASAN: no kernel says so");
}

// The same file system and directory, which the guest cannot change, as root and as an ordinary
// user.
static void try_host_root(const std::vector<std::string> &user)
{
  TemporaryDirectory here;
  chmod(here.path().c_str(), 0755);
  write_file(here / "file", "old\n");
  write_file(here / "run",
             "#!/bin/sh\ncat file; echo new >file; cat file; pwd; ls /usr/bin/env\n"
             "mkdir /again && mount -t virtiofs vmtest.host /again\n"
             "rm /again/$PWD/file; echo out >$OUT/f; unshare -U cat $OUT/f\n",
             0755);
  // Whoever it is has a place for what comes back.
  std::vector<std::string> command = {"sh", "-c", "cd \"$0\" && \"$@\"", here.path()};
  command.insert(command.end(), user.begin(), user.end());
  TemporaryDirectory out;
  chmod(out.path().c_str(), 0777);
  for (const std::string &word :
       vmtest_command({"--root", "host", "--out", out / "o", "--", "./run"}))
    command.push_back(word);
  VmRun ended = run(command);
  if (ended.err.find("there is no virtiofsd") != std::string::npos)
    throw Skip("there is no virtiofsd");
  expect_status(ended, 0);
  expect_eq(ended.out, "old\nnew\n" + here.path() + "\n/usr/bin/env\nout\n");
  expect_has(ended.err, "Read-only file system");
  expect_eq(read_file(here / "file"), "old\n");
  expect_eq(read_file(out / "o/f"), "out\n");
}

TEST(host_root_is_read_only) { try_host_root({}); }

TEST(host_root_of_an_ordinary_user)
{
  run_vmtest({"--root", "host", "--dry-run", "--", "true"}); // fetched, if it was not here
  TemporaryDirectory cache;
  fs::path kernels = fs::path(cache.path()) / "bpfgate/kernels";
  fs::create_directories(kernels);
  fs::copy(vmtest::default_cache() / "kernels", kernels, fs::copy_options::recursive);
  run({"chown", "-R", "65534:65534", cache.path()});
  std::vector<std::string> user = {
      "setpriv", "--reuid",        "65534", "--regid",
      "65534",   "--clear-groups", "env",   "XDG_CACHE_HOME=" + cache.path()};
  std::vector<std::string> probe = user;
  probe.insert(probe.end(), {"test", "-x", getenv("VMTEST")});
  if (run(probe).status != 0)
    throw Skip("an ordinary user cannot run vmtest where it lies, or we are not root");
  try_host_root(user);
}

// Nor does a directory that holds a FIFO cost the run.
TEST(broken_or_closed_streams_cost_no_files)
{
  TemporaryDirectory directory;
  fs::create_directory(directory / "d");
  expect_eq(mkfifo((directory / "d/fifo").c_str(), 0600), 0);
  for (auto [shell, status, outcome] :
       {std::tuple{"{ \"$@\"; echo $? >&2; } | head -1", 209, "output-lost"},
        {"\"$@\" >&- 2>&-; echo $? >&2", 143, "failed"}}) {
    std::string here = directory / std::to_string(status);
    std::vector<std::string> command = {"sh", "-c", shell, "sh"};
    for (const std::string &word :
         vmtest_command({"--out", here, "--json", here + ".json", "--share", directory / "d",
                         "--with", "sleep", "--", "sh", "-c",
                         "echo x >f; i=0; while [ $i -lt 3000 ]; do echo $i; i=$((i + 1)); done; "
                         "sleep 1; echo y; kill -TERM $$"}))
      command.push_back(word);
    VmRun ended = run(command);
    expect(ended.err.ends_with(fmt::format("{}\n", status)), ended.err);
    expect_eq(read_file(here + "/f"), "x\n");
    std::string json = read_file(here + ".json");
    expect_has(json, fmt::format("\"outcome\": \"{}\"", outcome));
    expect(json.find("\"status\": 143") != json.npos || json.find("\"status\": 141") != json.npos,
           json);
    if (status == 209)
      expect_has(ended.err, "d/fifo' is no file, directory or symbolic link: left out");
  }
}

TEST(panic_without_time_stamps_is_told)
{
  VmRun ended = run_vmtest({"--append", "printk.time=0", "--", "sh", "-c",
                            "echo 1 >/proc/sys/kernel/printk; echo c >/proc/sysrq-trigger"});
  expect_status(ended, 201);
}

TEST(hang_ends_with_backtraces)
{
  TemporaryDirectory directory;
  VmRun ended = run_vmtest({"--timeout", "1", "--out", directory / "out", "--", "sh", "-c",
                            "echo start; echo part >f; while :; do :; done"});
  expect_eq(read_file(directory / "out/f"), "part\n");
  expect_status(ended, 204);
  expect_eq(ended.out, "start\n");
  expect_has(ended.err, "Show backtrace of all active CPUs");
  expect_has(ended.err, "sh -c"); // who is hanging
  expect_no_qemu_left();
}

// Here init is not asked: the kernel itself has to answer.
TEST(nmi_gives_a_backtrace)
{
  VmRun ended = run_vmtest({"--icount", "--timeout", "1", "--", "sh", "-c", "while :; do :; done"});
  expect_status(ended, 204);
  expect_has(ended.err, "NMI");
  expect_has(ended.err, "Call Trace");
}

TEST(out_of_memory_is_told)
{
  VmRun ended = run_vmtest({"--memory", "256", "--", "tail", "/dev/zero"});
  expect_status(ended, 203);
  expect_has(ended.err, "Out of memory: Killed process");
}

TEST(large_file_comes_back_whole)
{
  TemporaryDirectory directory;
  VmRun ended =
      run_vmtest({"--out", directory / "out", "--with", "tee", "--with", "sha256sum", "--with",
                  "mkdir", "--", "dd", "if=/dev/urandom", "of=/out/big", "bs=1M", "count=200"});
  expect_status(ended, 0);
  expect_eq(fs::file_size(directory / "out/big"), 200u << 20);
  VmRun summed =
      run_vmtest({"--out", directory / "sums", "--with", "dd", "--with", "sha256sum", "--", "sh",
                  "-c", "dd if=/dev/urandom of=big bs=1M count=200; sha256sum <big"});
  expect_status(summed, 0);
  auto here = vmtest::run_command({"sh", "-c", "sha256sum <" + (directory / "sums/big")});
  expect_eq(here.out, summed.out);
}

TEST(files_come_by_the_serial_line_without_virtio)
{
  TemporaryDirectory directory;
  VmRun ended = run_vmtest({"--append", "initcall_blacklist=virtio_console_init", "--out",
                            directory / "out", "--", "sh", "-c", "echo some >a; echo more >b"});
  expect_status(ended, 0);
  expect_has(ended.err, "slowly");
  expect_eq(read_file(directory / "out/a"), "some\n");
  expect_eq(read_file(directory / "out/b"), "more\n");
}

TEST(interrupt_lets_the_command_say_goodbye)
{
  TemporaryDirectory directory;
  VmRun ended = run_vmtest({"--out", directory / "out", "--with", "sleep", "--", "sh", "-c",
                            "trap 'echo bye; echo kept >f; exit 3' INT; echo start; "
                            "while :; do sleep 0.1; done"},
                           on_start({SIGINT}));
  expect_status(ended, 130);
  expect_eq(ended.out, "start\nbye\n");
  expect_eq(read_file(directory / "out/f"), "kept\n");
  expect_no_qemu_left();
}

TEST(second_interrupt_is_final)
{
  VmRun ended = run_vmtest({"--with", "sleep", "--", "sh", "-c",
                            "trap '' INT TERM; echo start; while :; do sleep 1; done"},
                           on_start({SIGTERM, SIGTERM}));
  expect_status(ended, 143);
  expect_no_qemu_left();
}

TEST(killed_vmtest_leaves_no_qemu)
{
  VmRun ended = run_vmtest({"--with", "sleep", "--", "sh", "-c", "echo start; sleep 600"},
                           [](pid_t pid, const std::string &) {
                             expect_eq(our_qemus().size(), 1u);
                             kill(pid, SIGKILL);
                           });
  expect_status(ended, 137);
  expect_no_qemu_left();
}

TEST(killed_qemu_is_told)
{
  VmRun ended = run_vmtest({"--with", "sleep", "--", "sh", "-c", "echo start; sleep 600"},
                           [](pid_t, const std::string &) {
                             for (pid_t qemu : our_qemus())
                               kill(qemu, SIGKILL);
                           });
  expect_status(ended, 206);
  expect_has(ended.err, "signal 9");
}

TEST(full_disk_is_told_and_nothing_is_left)
{
  TemporaryDirectory directory;
  std::vector<std::string> command = {"unshare",
                                      geteuid() == 0 ? "-m" : "-rm",
                                      "sh",
                                      "-c",
                                      "mount -t tmpfs -o size=1m none " + directory.path() +
                                          " || exit 99; \"$@\"; rc=$?; ls -A " + directory / "out" +
                                          "; exit $rc",
                                      "sh"};
  for (const std::string &word :
       vmtest_command({"--out", directory / "out", "--", "dd", "if=/dev/zero", "of=/out/big",
                       "bs=1M", "count=8"}))
    command.push_back(word);
  VmRun ended = run(command);
  if (ended.status == 99 || ended.err.find("unshare failed") != std::string::npos)
    throw Skip("no mount namespace of our own: " + ended.err);
  expect_status(ended, 209);
  expect_has(ended.err, "No space left on device");
  expect_eq(ended.out, "vmtest-dmesg.txt\n"); // which found room
  expect_no_qemu_left();
}

// vmtest with --stdin as shell makes it read; "$@" is vmtest with its arguments.
static VmRun run_with_input(const std::string &shell, const std::vector<std::string> &arguments,
                            const std::function<void(pid_t, const std::string &)> &meanwhile = {})
{
  std::vector<std::string> command = {"sh", "-c", shell, "sh"};
  for (const std::string &word : vmtest_command({"--stdin"}))
    command.push_back(word);
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run(command, meanwhile);
}

TEST(stdin_comes_back_whole)
{
  TemporaryDirectory directory;
  std::string make = "dd if=/dev/urandom of=" + directory / "in" + " bs=1M count=1 2>&1";
  expect_eq(vmtest::run_command({"sh", "-c", make}).status, 0);
  VmRun ended = run_with_input("exec \"$@\" <" + directory / "in", {"--", "cat"});
  expect_status(ended, 0);
  expect(ended.out == read_file(directory / "in"),
         fmt::format("{} bytes came back", ended.out.size()));
}

TEST(stdin_ends_with_ours_and_is_empty_unless_asked_for)
{
  std::vector<std::string> command = {
      "--with", "cat", "--", "sh", "-c", "read line; echo \"<$line>\"; cat; echo '<end>'"};
  VmRun ended = run_with_input("printf 'one\ntwo' | \"$@\"", command);
  expect_status(ended, 0);
  expect_eq(ended.out, "<one>\ntwo<end>\n");
  ended = run_with_input("exec \"$@\" <&-", command);
  expect_status(ended, 0);
  expect_eq(ended.out, "<>\n<end>\n");
  std::vector<std::string> unasked = {"sh", "-c", "echo one | \"$@\"", "sh"};
  for (const std::string &word : vmtest_command(command))
    unasked.push_back(word);
  ended = run(unasked);
  expect_status(ended, 0);
  expect_eq(ended.out, "<>\n<end>\n");
}

// The second line is written when the first has been answered.
TEST(stdin_is_not_held_back)
{
  TemporaryDirectory directory;
  std::string out = directory / "out";
  VmRun ended = run_with_input("{ echo one; i=0; until grep -q one " + out +
                                   " || [ $i = 2400 ]; do i=$((i + 1)); sleep 0.05; done; "
                                   "[ $i = 2400 ] || echo two; } | \"$@\" >" +
                                   out,
                               {"--", "sh", "-c", "while read line; do echo \"<$line>\"; done"});
  expect_status(ended, 0);
  expect_eq(read_file(out), "<one>\n<two>\n");
}

TEST(stdin_that_nobody_reads_holds_nothing_up)
{
  for (const char *closes : {"", "exec <&-; "}) {
    VmRun ended =
        run_with_input("exec \"$@\" </dev/zero", {"--with", "sleep", "--", "sh", "-c",
                                                  closes + std::string("sleep 1; echo x")});
    expect_status(ended, 0);
    expect_eq(ended.out, "x\n");
  }
  expect_no_qemu_left();
}

TEST(interrupt_reaches_a_command_that_reads)
{
  VmRun ended = run_with_input("exec \"$@\" </dev/zero",
                               {"--with", "cat", "--", "sh", "-c",
                                "trap 'echo bye; exit 3' INT; echo start; cat >/dev/null"},
                               on_start({SIGINT}));
  expect_status(ended, 130);
  expect_eq(ended.out, "start\nbye\n");
  expect_no_qemu_left();
}

TEST(command_that_is_not_there_is_told)
{
  VmRun ended = run_vmtest({"--", "no-such-command"});
  expect_status(ended, 208);
  expect_has(ended.err, "no-such-command");
  TemporaryDirectory directory;
  write_file(directory / "garbage", "no program at all", 0755);
  ended = run_vmtest({"--", directory / "garbage"});
  expect_status(ended, 208);
  expect_has(ended.err, "Exec format error");
}

TEST(kernel_that_lacks_something_is_told)
{
  VmRun ended = run_vmtest({"--need", "CONFIG_9P_FS", "--need", "BPF_SYSCALL", "--", "sh"});
  expect_status(ended, 207);
  expect_has(ended.err, "it lacks CONFIG_9P_FS\n");
}

TEST(truncated_kernel_is_told)
{
  TemporaryDirectory directory;
  std::string image = read_file(vmtest::find_kernel(test_kernel()).image);
  for (size_t size : {size_t{0}, size_t{1000}, image.size() / 2}) {
    write_file(directory / "vmlinux", image.substr(0, size));
    VmRun ended = run_vmtest(
        {"--json", directory / "json", "--kernel", directory / "vmlinux", "--dry-run", "--", "sh"});
    expect_status(ended, 207);
  }
}

TEST(missing_qemu_is_told)
{
  VmRun ended = run_vmtest({"--qemu", "no-such-qemu", "--", "sh"});
  expect_status(ended, 206);
  expect_has(ended.err, "no-such-qemu");
  std::vector<std::string> command = {"env", "PATH=/nonexistent"};
  for (const std::string &word : vmtest_command({"--", "/bin/sh"}))
    command.push_back(word);
  ended = run(command);
  expect_status(ended, 206);
  expect_has(ended.err, "qemu-system-x86");
}

TEST(two_at_once_are_kept_apart)
{
  std::string kernel = test_kernel();
  VmRun ended = run_vmtest({"-j2", "--kernel", vmtest::find_kernel(kernel).image, "--", "sh", "-c",
                            "echo one; printf two"});
  expect_status(ended, 0);
  expect_has(ended.out, "[debian:6.12] one\n");
  expect_has(ended.out, "vmlinux] one\n");
  expect_has(ended.out, "[debian:6.12] two\n");
  expect_has(ended.err, "command s");
}

// With the port for files, which another thread of QEMU may serve.
static std::string counted(const std::string &seed)
{
  TemporaryDirectory directory;
  VmRun ended = run_vmtest({"--icount", "--seed", seed, "--out", directory / "out", "--with",
                            "date", "--with", "cat", "--", "sh", "-c",
                            "date +%s.%N; cat /proc/sys/kernel/random/uuid "
                            "/proc/uptime /proc/interrupts /proc/self/maps"});
  expect_status(ended, 0);
  return ended.out;
}

TEST(same_seed_gives_the_same_bytes_on_a_loaded_host)
{
  std::string quiet = counted("3");
  std::atomic<bool> busy = true;
  auto load = [&] {
    while (busy)
      continue;
  };
  std::vector<std::jthread> loads;
  for (unsigned i = 0; i < std::thread::hardware_concurrency(); i++)
    loads.emplace_back(load);
  std::string loaded = counted("3");
  busy = false;
  expect_eq(loaded, quiet);
  expect(counted("4") != quiet, "the seed changes nothing");
}

// A terminal that a killed vmtest had in raw mode.
TEST(shell_gives_the_terminal_back_whatever_happens)
{
  Fd master(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  expect(master && grantpt(master.get()) == 0 && unlockpt(master.get()) == 0, "no terminal");
  Fd terminal(open(ptsname(master.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
  termios before, during, after;
  tcgetattr(terminal.get(), &before);
  std::string script = "exec \"$@\" <" + std::string(ptsname(master.get()));
  std::vector<std::string> command = {"sh", "-c", script, "sh"};
  for (const std::string &word : vmtest_command({"--shell"}))
    command.push_back(word);
  const char keys[] = "echo st''art\r";
  expect(write(master.get(), keys, sizeof(keys) - 1) > 0, "no keys");
  VmRun ended = run(command, [&](pid_t pid, const std::string &out) {
    if (out.find("start") == std::string::npos)
      return;
    tcgetattr(terminal.get(), &during);
    kill(pid, SIGKILL);
  });
  expect_status(ended, 137);
  expect(!(during.c_lflag & ICANON), "never was raw");
  for (int tries = 0; tries < 100; tries++, usleep(20000)) {
    tcgetattr(terminal.get(), &after);
    if (after.c_lflag == before.c_lflag)
      break;
  }
  expect_eq(after.c_lflag, before.c_lflag);
  expect_eq(after.c_oflag, before.c_oflag);
  expect_no_qemu_left();
}
