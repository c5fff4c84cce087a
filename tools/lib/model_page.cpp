// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/lib/model_page.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>
#include <sstream>

#include "tools/lib/fd.h"
#include "tools/lib/input.h"
#include "tools/lib/text.h"

static bool is_shared_memory(const std::filesystem::path &device)
{
  return read_small_file(device / "vendor") == "0x1af4" &&
         read_small_file(device / "device") == "0x1110";
}

static model_page *map_page()
{
  std::error_code none;
  for (const auto &device : std::filesystem::directory_iterator("/sys/bus/pci/devices", none)) {
    if (!is_shared_memory(device.path()))
      continue;
    Fd file(open((device.path() / "resource2").c_str(), O_RDWR | O_CLOEXEC));
    if (!file)
      continue;
    void *memory =
        mmap(nullptr, MODEL_MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    if (memory == MAP_FAILED)
      continue;
    auto *page = static_cast<model_page *>(memory);
    if (page->magic == MODEL_MAGIC && page->layout == MODEL_LAYOUT)
      return page;
    munmap(memory, MODEL_MEMORY_BYTES);
  }
  return nullptr;
}

ModelPage *ModelPage::find()
{
  static std::optional<ModelPage> found = []() -> std::optional<ModelPage> {
    if (model_page *page = map_page())
      return ModelPage(page);
    return std::nullopt;
  }();
  return found ? &*found : nullptr;
}

std::string ModelPage::model() const { return x_page->model; }

std::vector<std::string> ModelPage::names() const
{
  std::vector<std::string> names;
  for (uint64_t i = 0; i < x_page->nr_events; i++)
    names.emplace_back(x_page->names[i]);
  return names;
}

std::vector<uint64_t> ModelPage::events() const
{
  return {x_page->events, x_page->events + x_page->nr_events};
}

void ModelPage::watch(const volatile uint64_t *begin, const volatile uint64_t *end)
{
  model_watch(begin, end);
}

void ModelPage::unwatch() { model_mark(MODEL_UNWATCH); }

void ModelPage::reset() { model_mark(MODEL_RESET); }

void ModelPage::keep(bool keep, const std::string &subject)
{
  size_t size = std::min(subject.size(), sizeof(x_page->subject) - 1);
  memcpy(x_page->subject, subject.data(), size);
  x_page->subject[size] = '\0';
  x_page->keep = keep;
}

void ModelPage::follow_programs()
{
  if (profiling() && !x_programs)
    x_programs = std::make_unique<BpfNames>();
}

// What does not fit is left out; the addresses are then told as such.
void ModelPage::copy_symbols()
{
  char *text = reinterpret_cast<char *>(x_page) + MODEL_SYMBOLS_OFFSET;
  bool follows = x_programs && x_programs->complete();
  x_page->only_programs = follows && x_knows_kernel;
  if (x_page->only_programs) {
    x_page->symbols = x_programs->lines().copy(text, MODEL_SYMBOLS_BYTES);
    return;
  }
  x_knows_kernel = true;
  Fd file(open("/proc/kallsyms", O_RDONLY | O_CLOEXEC));
  uint64_t size = 0;
  while (file && size < MODEL_SYMBOLS_BYTES) {
    ssize_t got =
        read(file.get(), text + size, std::min<size_t>(MODEL_SYMBOLS_BYTES - size, 1 << 16));
    if (got <= 0)
      break;
    size += static_cast<uint64_t>(got);
  }
  x_page->symbols = size;
}

std::vector<ModelPage::Function> ModelPage::name_symbols()
{
  if (!profiling())
    return {};
  copy_symbols();
  model_mark(MODEL_SYMBOLS);
  std::istringstream text({reinterpret_cast<char *>(x_page) + MODEL_SYMBOLS_OFFSET,
                           std::min<size_t>(x_page->functions, MODEL_SYMBOLS_BYTES)});
  std::vector<Function> functions;
  for (;;) {
    Function function{"", std::vector<uint64_t>(x_page->nr_events)};
    for (uint64_t &events : function.events)
      text >> events;
    if (!std::getline(text >> std::ws, function.name))
      return functions;
    functions.push_back(std::move(function));
  }
}

void ModelPage::begin_whole() { model_mark(MODEL_WHOLE); }

void ModelPage::finish()
{
  if (x_page->whole)
    model_mark(MODEL_END);
  if (x_page->windows)
    name_symbols();
  model_mark(MODEL_FINISH);
}
