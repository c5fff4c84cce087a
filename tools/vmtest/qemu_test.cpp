// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/qemu.h"

#include <fmt/ranges.h>

#include "tools/lib/unit_test.h"
#include "tools/vmtest/outcome.h"
#include "tools/vmtest/run_config.h"

using namespace unit_test;
using namespace vmtest;

static Machine machine(Accelerator accelerator, int major)
{
  Machine machine;
  machine.qemu = {"qemu-system-x86_64", fmt::format("{}.0.0", major), major};
  machine.accelerator = accelerator;
  machine.seed = 42;
  return machine;
}

static std::string line(const Machine &machine, const Wires &wires = {3, 4, 5, 6, 7})
{
  return fmt::format(" {} ", fmt::join(qemu_command(machine, "/k/vmlinux", wires), " "));
}

static void expect_lacks(const std::string &text, const std::string &part)
{
  expect(text.find(part) == std::string::npos, fmt::format("'{}' has '{}'", text, part));
}

TEST(version_is_read)
{
  expect_eq(parse_qemu_version("QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7+deb12u18)\n"),
            "7.2.22");
  expect_eq(parse_qemu_version("QEMU emulator version 10.0.0\nCopyright"), "10.0.0");
  expect_eq(parse_qemu_version("bash: no such thing"), "");
}

TEST(cmpxchg16b_is_taken_off_where_qemu_gets_it_wrong)
{
  expect_eq(cpu_model(machine(Accelerator::Tcg, 7)), "max,-cx16");
  expect_eq(cpu_model(machine(Accelerator::Tcg, 10)), "max");
  expect_eq(cpu_model(machine(Accelerator::Kvm, 7)), "host");
}

TEST(counting_looks_the_same_on_every_qemu)
{
  expect_eq(line(machine(Accelerator::Icount, 7)), line(machine(Accelerator::Icount, 10)));
  std::string counting = line(machine(Accelerator::Icount, 7));
  for (const char *part : {" -icount shift=0,sleep=off ", " -seed 42 ", " -smp 1 ",
                           " -rtc base=2026-01-01T00:00:00,clock=vm ", "thread=single"})
    expect_has(counting, part);
  // The host's reading must not be felt by the guest: no line that can be full.
  expect_has(counting, "null,id=result,logfile=/proc/self/fd/4");
  expect_lacks(counting, "socket,id=result");
  // Nor when it gets around to answering the driver of the port.
  expect_has(counting, "virtio-serial-pci,id=files,ioeventfd=off");
  expect_has(line(machine(Accelerator::Tcg, 7)), "socket,id=result,fd=4");
}

TEST(there_is_no_network_and_no_file_that_is_left)
{
  std::string tcg = line(machine(Accelerator::Tcg, 7));
  for (const char *part : {" -nic none ", " -nodefaults ", " -no-user-config ", " -no-reboot ",
                           " -initrd /proc/self/fd/7 ", " -kernel /k/vmlinux "})
    expect_has(tcg, part);
  expect_lacks(tcg, "/tmp");
}

TEST(virtio_is_there_only_for_files)
{
  expect_has(line(machine(Accelerator::Tcg, 7)), "virtserialport");
  expect_lacks(line(machine(Accelerator::Tcg, 7), {3, 4, -1, 6, 7}), "virtio");
}

TEST(model_is_a_plugin_and_memory_that_is_shared)
{
  Machine modelled = machine(Accelerator::Icount, 7);
  expect_lacks(line(modelled), "-plugin");
  modelled.model = Model{"/a,b/model.so", "name = 'x'", "/p,q"};
  Wires wires{3, 4, 5, 6, 7};
  wires.model_page = 8;
  wires.model_machine = 9;
  std::string text = line(modelled, wires);
  expect_has(text,
             " -object memory-backend-file,id=model,share=on,mem-path=/proc/self/fd/8,size=32M ");
  expect_has(text, " -device ivshmem-plain,memdev=model ");
  // Two commas are one to QEMU.
  expect_has(text,
             " -plugin file=/a,,b/model.so,page=/proc/self/fd/8,machine=/proc/self/fd/9,build=");
  expect_has(text, ",profile=/p,,q ");
}

TEST(the_users_words_come_last)
{
  Machine own = machine(Accelerator::Tcg, 7);
  own.append = "loglevel=8 foo";
  own.warn_fatal = true;
  expect(kernel_command_line(own).ends_with(" loglevel=8 foo"), kernel_command_line(own));
  expect_has(kernel_command_line(own), "panic_on_warn=1");
  expect_lacks(kernel_command_line(machine(Accelerator::Kvm, 7)), "watchdog_thresh");
}

TEST(host_files_come_by_virtiofs_and_shared_memory)
{
  expect_lacks(line(machine(Accelerator::Tcg, 7)), "memory-backend");
  Wires wires{3, 4, 5, 6, 7};
  wires.host_files = 8;
  std::string text = line(machine(Accelerator::Tcg, 7), wires);
  expect_has(text, " -object memory-backend-memfd,id=memory,size=1024M "
                   "-machine memory-backend=memory ");
  expect_has(text, " -chardev socket,id=host,fd=8 -device vhost-user-fs-pci,chardev=host,tag=");
}

TEST(what_init_is_told_comes_back)
{
  RunConfig config;
  config.nonce = 0xfedcba9876543210;
  config.command = {"/bin/x", "", "a b", "ü\n'\""};
  config.argv0 = "x";
  config.environment = {{"A", "b"}};
  config.send_files = true;
  config.modules = {"/lib/modules/a.ko"};
  std::string text = to_text(config);
  expect_eq(text.size() % 4096, 0u);
  RunConfig back = parse_run_config(text);
  expect_eq(back.nonce, config.nonce);
  expect(back.command == config.command && back.environment == config.environment);
  expect(back.send_files && !back.shell && back.modules == config.modules);
  expect(back.host_directory.empty());
  config.host_directory = "/here";
  config.root_modules = {"/lib/modules/overlay.ko"};
  config.host_user = true;
  back = parse_run_config(to_text(config));
  expect(back.host_directory == "/here" && back.root_modules == config.root_modules &&
         back.host_user);
  config.command.push_back("\xff");
  expect_throws([&] { to_text(config); }, "no UTF-8");
  expect_throws([&] { parse_run_config("{}"); }, "/vmtest.json");
  expect_throws([&] { parse_run_config(text.substr(0, 100)); }, "/vmtest.json");
}

TEST(qemu_that_is_not_there_is_named)
{
  expect_throws([] { find_qemu("/nonexistent/qemu"); }, "/nonexistent/qemu");
  expect_throws([] { find_qemu("true"); }, "is no QEMU");
}
