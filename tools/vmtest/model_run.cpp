// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/model_run.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "tools/lib/hash.h"
#include "tools/lib/model_marks.h"
#ifdef MODEL_BUILD
#include "tools/model/machine.h"
#endif
#include "tools/vmtest/options.h"
#include "tools/vmtest/outcome.h"

namespace fs = std::filesystem;

namespace vmtest
{

#ifdef MODEL_BUILD

static std::string find_plugin()
{
  fs::path own = fs::read_symlink("/proc/self/exe").parent_path();
  std::string name = MODEL_PLUGIN;
  std::error_code none;
  for (const fs::path &path :
       {own / name, own.parent_path() / "model" / name, (own / MODEL_INSTALLED).lexically_normal()})
    if (fs::is_regular_file(path, none))
      return path;
  throw outcome_error(
      Outcome::QemuError,
      fmt::format("--model: no {} beside {} nor where it is installed", name, own.string()));
}

Model find_model(const std::string &machine)
{
  try {
    model::Machine found = model::find_machine(machine);
    std::string text = to_text(found);
    std::string identity = fmt::format("{} ({})", found.name, sha256_hex(text).substr(0, 8));
    return {find_plugin(), text, "", identity};
  } catch (const model::machine_error &failure) {
    throw usage_error(fmt::format("--model: {}", failure.what()));
  }
}

#else

static constexpr const char *MODEL_BUILD = "none";

Model find_model(const std::string &)
{
  throw usage_error("--model: this vmtest was built without it (-Dmodel=disabled)");
}

#endif

std::string model_build() { return MODEL_BUILD; }

static Fd make_memory(const char *name, uint64_t size)
{
  Fd file(memfd_create(name, MFD_CLOEXEC));
  if (!file || ftruncate(file.get(), static_cast<off_t>(size)) < 0)
    throw std::system_error(errno, std::generic_category(), "cannot make memory for the model");
  return file;
}

ModelMemory::ModelMemory(const Model &model)
    : x_page_file(make_memory("model-page", MODEL_MEMORY_BYTES)),
      x_machine(make_memory("model-machine", 0))
{
  if (write(x_machine.get(), model.text.data(), model.text.size()) !=
      static_cast<ssize_t>(model.text.size()))
    throw std::system_error(errno, std::generic_category(), "cannot write the model");
  void *memory = mmap(nullptr, MODEL_MEMORY_BYTES, PROT_READ, MAP_SHARED, x_page_file.get(), 0);
  if (memory == MAP_FAILED)
    throw std::system_error(errno, std::generic_category(), "cannot map the model's memory");
  x_page = static_cast<model_page *>(memory);
}

ModelMemory::~ModelMemory() { munmap(x_page, MODEL_MEMORY_BYTES); }

std::string ModelMemory::error() const
{
  return {x_page->error, strnlen(x_page->error, sizeof(x_page->error))};
}

std::string ModelMemory::complaint(bool profiling) const
{
  if (x_page->magic != MODEL_MAGIC)
    return "the model did not start";
  if (!error().empty())
    return "the model " + error();
  if (x_page->counting)
    return "the model was told to begin and never to end";
  if (x_page->lost)
    return fmt::format("the model lost track in {} of {} windows", x_page->lost, x_page->windows);
  if (profiling && !x_page->profiles)
    return "nothing was counted, so there is no profile";
  return "";
}

std::optional<std::string> ModelMemory::sums() const
{
  if (!x_page->windows)
    return std::nullopt;
  std::string text;
  for (uint64_t i = 0; i < x_page->nr_events && i < MODEL_MOST_EVENTS; i++)
    text += fmt::format("{}{} {}", i ? ", " : "", x_page->events[i], x_page->names[i]);
  return fmt::format("modelled ({}): {}; {} interrupts left out", x_page->model, text,
                     x_page->interrupts);
}

// QEMU's option parser ends a value at a comma, and takes two for one.
static std::string commas_doubled(const std::string &text)
{
  std::string out;
  for (char c : text)
    out += c == ',' ? ",," : std::string(1, c);
  return out;
}

std::vector<std::string> model_arguments(const Model &model, int page, int machine)
{
  std::string plugin =
      fmt::format("file={},page=/proc/self/fd/{},machine=/proc/self/fd/{},build={}",
                  commas_doubled(model.plugin), page, machine, MODEL_BUILD);
  if (!model.profile.empty())
    plugin += ",profile=" + commas_doubled(fs::absolute(model.profile));
  return {"-object",
          fmt::format("memory-backend-file,id=model,share=on,mem-path=/proc/self/fd/{},size={}M",
                      page, MODEL_MEMORY_BYTES >> 20),
          "-device",
          "ivshmem-plain,memdev=model",
          "-plugin",
          plugin};
}

} // namespace vmtest
