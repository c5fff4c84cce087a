// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/lib/environment.h"

#include <sys/utsname.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "tools/lib/text.h"

using json = nlohmann::ordered_json;

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

static void add_number(json &out, const char *name, const std::string &path)
{
  if (auto text = read_small_file(path))
    if (auto value = parse_whole(*text))
      out[name] = *value;
}

static json mitigations()
{
  json out = json::object();
  std::error_code error;
  for (const auto &entry :
       std::filesystem::directory_iterator("/sys/devices/system/cpu/vulnerabilities", error))
    if (auto text = read_small_file(entry.path()); text && *text != "Not affected")
      out[entry.path().filename()] = *text;
  return out;
}

static void add_text(json &out, const char *name, const std::string &path)
{
  if (auto text = read_small_file(path); text && !text->empty())
    out[name] = *text;
}

json read_environment()
{
  json out = json::object();
  utsname kernel = {};
  uname(&kernel);
  if (std::string model = cpu_model(); !model.empty())
    out["cpu_model"] = model;
  out["cpus"] = sysconf(_SC_NPROCESSORS_ONLN);
  out["arch"] = kernel.machine;
  out["hypervisor"] = hypervisor();
  out["accelerator"] = "native";
  out["kernel"] = kernel.release;
  out["kernel_version"] = kernel.version;
  add_number(out, "jit", "/proc/sys/net/core/bpf_jit_enable");
  add_number(out, "jit_harden", "/proc/sys/net/core/bpf_jit_harden");
  add_number(out, "bpf_stats", "/proc/sys/kernel/bpf_stats_enabled");
  add_text(out, "clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource");
  add_text(out, "governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  add_text(out, "smt", "/sys/devices/system/cpu/smt/control");
  out["memory_mib"] = sysconf(_SC_PHYS_PAGES) / (1024 * 1024 / sysconf(_SC_PAGESIZE));
  out["mitigations"] = mitigations();
  double load[3];
  if (getloadavg(load, 3) == 3)
    out["load"] = {load[0], load[1], load[2]};
  return out;
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
