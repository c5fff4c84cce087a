// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/kvm.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/kvm.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <string_view>
#include <system_error>

#include "tools/lib/process.h"

namespace vmtest
{

#ifdef __x86_64__

static constexpr int patience_ms = 2000; // for a machine where much else runs
// The guest's loop takes 3 to 10 ms of a CPU.
static constexpr int cpu_patience_ms = 150;
static constexpr size_t memory_size = 0x10000;
static constexpr uint16_t port = 0x3f8;

// A few bytes of guest code, and what they write to the port before they halt.
struct Code {
  std::string_view bytes;
  uint8_t answer;
};

// mov ax, 40; add al, 2; mov dx, 0x3f8; out dx, al; hlt
static constexpr Code real_mode_code = {{"\xb8\x28\x00\x04\x02\xba\xf8\x03\xee\xf4", 10}, 42};

// movabs rax, 1 << 32; mov ecx, 10000000; again: add rbx, rax; dec ecx; jnz again;
// movq xmm0, rbx; movq rax, xmm0; shr rax, 32; mov edx, 0x3f8; out dx, al; hlt
// A CPU needs milliseconds for that. Where KVM emulates the kernel's instructions one by one, it
// needs seconds, and a whole kernel hours.
static constexpr Code long_mode_code = {
    {"\x48\xb8\x00\x00\x00\x00\x01\x00\x00\x00\xb9\x80\x96\x98\x00\x48\x01\xc3\xff\xc9\x75\xf9"
     "\x66\x48\x0f\x6e\xc3\x66\x48\x0f\x7e\xc0\x48\xc1\xe8\x20\xba\xf8\x03\x00\x00\xee\xf4",
     43},
    10000000 & 0xff};

// What the child was at, for the message; it ends by _exit, all else is told through the pipe.
enum Step : int { Open, Version, Machine, Memory, Processor, Registers, Run, WrongAnswer, Done };

namespace
{

struct Report {
  int step;  // that failed, or Done
  int error; // errno, or an exit reason of KVM for Run
};

// Runs in the forked child: system calls only.
class Guest {
public:
  explicit Guest(int report) : x_report(report) {}

  [[noreturn]] void run()
  {
    x_kvm = check(Open, open("/dev/kvm", O_RDWR | O_CLOEXEC));
    if (check(Version, ioctl(x_kvm, KVM_GET_API_VERSION, 0)) != KVM_API_VERSION)
      end(Version, EINVAL);
    x_vm = check(Machine, ioctl(x_kvm, KVM_CREATE_VM, 0));
    ioctl(x_vm, KVM_SET_TSS_ADDR, 0xfffbd000); // older Intel CPUs need it for real mode
    make_memory();
    x_vcpu = check(Processor, ioctl(x_vm, KVM_CREATE_VCPU, 0));
    int size = check(Processor, ioctl(x_kvm, KVM_GET_VCPU_MMAP_SIZE, 0));
    void *state = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, x_vcpu, 0);
    if (state == MAP_FAILED)
      end(Processor, errno);
    x_run = static_cast<kvm_run *>(state);
    in_real_mode();
    in_long_mode();
    end(Done, 0);
  }

private:
  [[noreturn]] void end(int step, int error)
  {
    Report report = {step, error};
    _exit(write(x_report, &report, sizeof(report)) == sizeof(report) ? 0 : 1);
  }

  int check(int step, int result)
  {
    if (result < 0)
      end(step, errno);
    return result;
  }

  void make_memory()
  {
    void *memory =
        mmap(nullptr, memory_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      end(Memory, errno);
    x_memory = static_cast<uint8_t *>(memory);
    kvm_userspace_memory_region region = {};
    region.memory_size = memory_size;
    region.userspace_addr = reinterpret_cast<uintptr_t>(memory);
    check(Memory, ioctl(x_vm, KVM_SET_USER_MEMORY_REGION, &region));
  }

  void execute(const Code &code)
  {
    memcpy(x_memory + 0x1000, code.bytes.data(), code.bytes.size());
    kvm_regs registers = {};
    registers.rip = 0x1000;
    registers.rflags = 2;
    check(Registers, ioctl(x_vcpu, KVM_SET_REGS, &registers));
    check(Run, ioctl(x_vcpu, KVM_RUN, 0));
    if (x_run->exit_reason != KVM_EXIT_IO || x_run->io.port != port)
      end(Run, x_run->exit_reason);
    if (reinterpret_cast<uint8_t *>(x_run)[x_run->io.data_offset] != code.answer)
      end(WrongAnswer, 0);
    check(Run, ioctl(x_vcpu, KVM_RUN, 0));
    if (x_run->exit_reason != KVM_EXIT_HLT)
      end(Run, x_run->exit_reason);
  }

  void in_real_mode()
  {
    kvm_sregs special = {};
    check(Registers, ioctl(x_vcpu, KVM_GET_SREGS, &special));
    special.cs.base = special.cs.selector = 0;
    check(Registers, ioctl(x_vcpu, KVM_SET_SREGS, &special));
    execute(real_mode_code);
  }

  // Page tables at 0x2000, 0x3000 and 0x4000 map the first 2 MiB to themselves.
  void in_long_mode()
  {
    auto set_entry = [&](size_t table, uint64_t entry) {
      memcpy(x_memory + table, &entry, sizeof(entry));
    };
    set_entry(0x2000, 0x3003);
    set_entry(0x3000, 0x4003);
    set_entry(0x4000, 0x83);
    kvm_sregs special = {};
    check(Registers, ioctl(x_vcpu, KVM_GET_SREGS, &special));
    special.cr3 = 0x2000;
    special.cr4 = 1 << 5 | 1 << 9;   // PAE, SSE
    special.cr0 = 0x80000001;        // paging, protected mode
    special.efer = 1 << 8 | 1 << 10; // long mode enabled and active
    kvm_segment code = {};
    code.limit = 0xffffffff;
    code.selector = 8;
    code.type = 11; // execute, read, accessed
    code.present = code.s = code.l = code.g = 1;
    special.cs = code;
    code.type = 3; // read, write, accessed
    code.selector = 16;
    code.l = 0;
    code.db = 1;
    special.ds = special.es = special.fs = special.gs = special.ss = code;
    check(Registers, ioctl(x_vcpu, KVM_SET_SREGS, &special));
    execute(long_mode_code);
  }

  int x_report;
  int x_kvm = -1, x_vm = -1, x_vcpu = -1;
  kvm_run *x_run = nullptr;
  uint8_t *x_memory = nullptr;
};

} // namespace

static std::string describe(const Report &report)
{
  const char *error = strerror(report.error);
  switch (report.step) {
  case Open:
    return fmt::format("/dev/kvm: {}", error);
  case Version:
    return "/dev/kvm speaks another version";
  case Machine:
    return fmt::format("/dev/kvm makes no machine: {}", error);
  case Memory:
    return fmt::format("/dev/kvm takes no memory: {}", error);
  case Processor:
    return fmt::format("/dev/kvm makes no CPU: {}", error);
  case Registers:
    return fmt::format("/dev/kvm sets no registers: {}", error);
  case Run:
    return fmt::format("/dev/kvm does not run guest code (exit reason or error {})", report.error);
  case WrongAnswer:
    return "/dev/kvm runs guest code wrongly";
  default:
    return "runs guest code";
  }
}

static long cpu_time_ms(pid_t child)
{
  clockid_t clock;
  timespec used = {};
  if (clock_getcpuclockid(child, &clock) != 0 || clock_gettime(clock, &used) != 0)
    return 0;
  return used.tv_sec * 1000 + used.tv_nsec / 1000000;
}

// Until the child has told something or ended, or has had time enough.
static bool wait_readable(pid_t child, int pipe)
{
  auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(patience_ms);
  while (std::chrono::steady_clock::now() < until && cpu_time_ms(child) < cpu_patience_ms) {
    pollfd wanted = {pipe, POLLIN, 0};
    if (poll(&wanted, 1, 10) > 0)
      return true;
  }
  return false;
}

static KvmState await(process::Child &child, int pipe)
{
  bool ready = wait_readable(child.pid(), pipe);
  Report report = {};
  bool told = ready && read(pipe, &report, sizeof(report)) == sizeof(report);
  child.signal(SIGKILL); // all that ends a child in KVM_RUN, and on a broken host not even that
  bool gone = child.wait(patience_ms);
  if (!gone)
    child.release();
  if (told)
    return {report.step == Done, describe(report)};
  std::string why = ready ? "the child that tried /dev/kvm died"
                          : "/dev/kvm opens, but does not run guest code at a CPU's speed";
  return {false, why + (gone ? "" : ", nor does its process end on SIGKILL")};
}

KvmState kvm_works()
{
  try {
    process::Pipe pipe = process::make_pipe();
    auto body = [&]() -> int { Guest(pipe.write.get()).run(); };
    process::Child child = process::fork_child(body, SIGKILL);
    pipe.write.reset();
    return await(child, pipe.read.get());
  } catch (const std::system_error &failure) {
    return {false, failure.what()};
  }
}

#else

KvmState kvm_works() { return {false, "KVM is tried on x86-64 only"}; }

#endif

} // namespace vmtest
