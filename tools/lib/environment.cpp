// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/lib/environment.h"

#include <elf.h>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tools/lib/cpus.h"
#include "tools/lib/hardware.h"
#include "tools/lib/hash.h"
#include "tools/lib/instruction_clock.h"
#include "tools/lib/text.h"

static std::string cpuinfo(const std::string &member)
{
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    auto colon = line.find(':');
    if (colon != line.npos && line.compare(0, member.size(), member) == 0 &&
        line.find_first_not_of(" \t", member.size()) == colon)
      return colon + 2 < line.size() ? line.substr(colon + 2) : "";
  }
  return "";
}

// Model names of virtual machines say little; family, model and stepping tell them apart.
static std::string cpu_model()
{
  std::string model = cpuinfo("model name");
  std::string family = cpuinfo("cpu family");
  if (!family.empty())
    model += " (family " + family + ", model " + cpuinfo("model") + ", stepping " +
             cpuinfo("stepping") + ")";
  return model;
}

// The signature that a hypervisor shows to its guests (CPUID leaf 0x40000000).
static std::string hypervisor()
{
  if ((" " + cpuinfo("flags") + " ").find(" hypervisor ") == std::string::npos)
    return "none";
#if defined(__x86_64__) || defined(__i386__)
  unsigned words[4] = {};
  __cpuid(0x40000000, words[0], words[1], words[2], words[3]);
  std::string signature(reinterpret_cast<const char *>(&words[1]), 12);
  signature.erase(signature.find_last_not_of('\0') + 1);
  if (signature == "KVMKVMKVM")
    return "kvm";
  if (signature == "TCGTCGTCGTCG")
    return "tcg";
  return signature;
#else
  return "unknown";
#endif
}

static void add_number(Value &out, const char *name, const std::string &path)
{
  if (auto text = read_small_file(path))
    if (auto value = parse_whole(*text))
      out[name] = *value;
}

static Value mitigations()
{
  Value out = Value::object();
  const std::string directory = "/sys/devices/system/cpu/vulnerabilities";
  for (const std::string &name : names_if_there(directory))
    if (auto text = read_small_file(directory + "/" + name); text && *text != "Not affected")
      out[name] = *text;
  return out;
}

static void add_text(Value &out, const char *name, const std::string &path)
{
  if (auto text = read_small_file(path); text && !text->empty())
    out[name] = *text;
}

Value read_environment()
{
  Value out = Value::object();
  utsname kernel = {};
  uname(&kernel);
  if (std::string model = cpu_model(); !model.empty())
    out["cpu_model"] = model;
  out["cpus"] = sysconf(_SC_NPROCESSORS_ONLN);
  out["arch"] = kernel.machine;
  out["hypervisor"] = hypervisor();
  out["accelerator"] = accelerator_of(out.text_of("hypervisor"), clock_counts_instructions());
  out["kernel"] = kernel.release;
  out["kernel_version"] = kernel.version;
  add_number(out, "jit", "/proc/sys/net/core/bpf_jit_enable");
  add_number(out, "jit_harden", "/proc/sys/net/core/bpf_jit_harden");
  add_number(out, "bpf_stats", "/proc/sys/kernel/bpf_stats_enabled");
  add_text(out, "clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource");
  add_text(out, "governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  add_text(out, "smt", "/sys/devices/system/cpu/smt/control");
  out["memory_mib"] = sysconf(_SC_PHYS_PAGES) / (1024 * 1024 / sysconf(_SC_PAGESIZE));
  if (Value caches = cache_sizes(); !caches.empty())
    out["caches"] = caches;
  out["usable_cpus"] = allowed_cpus().size();
  if (std::string microcode = cpuinfo("microcode"); !microcode.empty())
    out["microcode"] = microcode;
  if (auto pages = read_small_file("/sys/kernel/mm/transparent_hugepage/enabled"))
    if (std::string chosen = chosen_in_brackets(*pages); !chosen.empty())
      out["transparent_hugepages"] = chosen;
  if (Value libraries = shared_libraries(); !libraries.empty())
    out["libraries"] = libraries;
  out["mitigations"] = mitigations();
  double load[3];
  if (getloadavg(load, 3) == 3)
    out["load"] = Value::List{load[0], load[1], load[2]};
  if (Value vm = read_vm(); !vm.empty())
    out["vm"] = vm;
  return out;
}

std::string accelerator_of(const std::string &hypervisor, bool counts_instructions)
{
  if (counts_instructions)
    return "icount";
  return hypervisor == "tcg" || hypervisor == "kvm" ? hypervisor : "native";
}

// The build id among the notes of the running kernel, "" where it has none.
static std::string kernel_build_id()
{
  std::string notes = read_if_there("/sys/kernel/notes").value_or("");
  auto padded = [](size_t size) { return (size + 3) / 4 * 4; };
  for (size_t at = 0; at + sizeof(Elf64_Nhdr) <= notes.size();) {
    Elf64_Nhdr header;
    memcpy(&header, &notes[at], sizeof(header));
    size_t name = at + sizeof(header), text = name + padded(header.n_namesz);
    at = text + padded(header.n_descsz);
    if (at > notes.size() || header.n_type != NT_GNU_BUILD_ID ||
        notes.compare(name, header.n_namesz, "GNU", 4) != 0)
      continue;
    return to_hex(std::string_view(notes).substr(text, header.n_descsz));
  }
  return "";
}

static std::optional<std::string> variable(const char *name)
{
  const char *value = getenv(name);
  return value && *value ? std::optional<std::string>(value) : std::nullopt;
}

Value read_vm()
{
  Value vm = Value::object();
  for (auto [member, name] :
       {std::pair{"qemu", "VMTEST_QEMU"}, std::pair{"cpu", "VMTEST_CPU"},
        std::pair{"seed", "VMTEST_SEED"}, std::pair{"initramfs", "VMTEST_INITRAMFS"},
        std::pair{"model", "VMTEST_MODEL"}, std::pair{"model_build", "VMTEST_MODEL_BUILD"}})
    if (auto value = variable(name))
      vm[member] = *value;
  bool told = !vm.empty() || variable("VMTEST_ACCELERATOR") || variable("VMTEST_KERNEL");
  if (std::string id = kernel_build_id(); told && !id.empty())
    vm["kernel_build_id"] = id;
  return vm;
}

std::vector<std::string> contradictions(const Value &environment,
                                        const std::optional<std::string> &accelerator,
                                        const std::optional<std::string> &kernel)
{
  std::vector<std::string> found;
  auto compare = [&](const char *name, const std::optional<std::string> &told,
                     const std::string &is) {
    if (told && !is.empty() && *told != is)
      found.push_back(
          fmt::format("{} says {}, but this is {}, which is recorded", name, *told, is));
  };
  const Value *vm = environment.find("vm");
  compare("VMTEST_ACCELERATOR", accelerator, environment.text_of("accelerator"));
  compare("VMTEST_KERNEL", kernel, vm ? vm->text_of("kernel_build_id") : "");
  return found;
}

std::vector<std::string> contradictions(const Value &environment)
{
  return contradictions(environment, variable("VMTEST_ACCELERATOR"), variable("VMTEST_KERNEL"));
}

std::string utc_now()
{
  time_t now = time(nullptr);
  tm parts = {};
  gmtime_r(&now, &parts);
  char text[sizeof("2026-11-30T10:30:25Z")];
  strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}
