// SPDX-License-Identifier: GPL-2.0-or-later
// The model as a plugin of QEMU's TCG: watches what the guest executes, counts between its marks
// (tools/lib/model_marks.h), and puts the sums into memory that the guest sees. Nothing here
// changes what the guest does. Arguments: page=FILE, the shared memory; machine=FILE, TOML;
// profile=DIR or none; build=TEXT, which must be ours.
// Licence: that of QEMU's header.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

extern "C" {
#include "third_party/qemu/qemu-plugin.h"
}
#include "tools/lib/model_marks.h"
#include "tools/model/flow.h"
#include "tools/model/machine.h"
#include "tools/model/recorder.h"

using namespace model;

namespace
{

struct Translation;

// What a callback gets about one instruction.
struct Insn {
  const Translation *translation;
  uint32_t index;
  uint32_t mark : 31, switches : 1;
};

struct Translation {
  Block block;
  std::vector<Insn> insns;
};

// Physical lines of code: QEMU tells host addresses, which differ from run to run, but for the last
// 21 bits, since guest memory is aligned to 2 MiB. So frames are numbered as they come.
class CodeFrames {
public:
  uint64_t physical(const void *host)
  {
    uint64_t address = reinterpret_cast<uint64_t>(host);
    auto [found, fresh] = x_frames.try_emplace(address >> 21, x_frames.size());
    return above_memory | found->second << 21 | (address & 0x1fffff);
  }

private:
  static constexpr uint64_t above_memory = uint64_t(1) << 52;
  std::unordered_map<uint64_t, uint64_t> x_frames;
};

class Model {
public:
  Model(const Machine &machine, model_page *page, std::string directory)
      : x_line(machine.line), x_page(page), x_directory(std::move(directory)), x_recorder(machine)
  {
  }

  Translation *translate(qemu_plugin_tb *tb);
  void enter(const Translation &translation);
  void access(qemu_plugin_meminfo_t info, uint64_t address, const Insn &insn);
  void mark(const Insn &insn);

private:
  bool counts() const { return x_page->counting && x_flow.counts(); }
  // By the part of an address that pages leave as it is: the physical one takes longer.
  bool may_be_watched(uint64_t address) const
  {
    constexpr uint64_t in_page = 4095;
    return x_begin_at &&
           (((address ^ x_begin_at) & in_page) == 0 || ((address ^ x_end_at) & in_page) == 0);
  }
  void begin(bool keep, const Insn &insn, bool whole);
  void end(const Insn &insn);
  void publish();
  void watch(const Insn &insn);
  bool take_watched(uint64_t physical, uint64_t pc);
  void see_watched(uint64_t physical, bool store, const Insn &insn);
  void take_back_whole();
  void reset();
  void name_symbols();
  void finish();
  std::string subject() const;

  unsigned x_line;
  model_page *x_page;
  std::string x_directory; // empty: no profile
  Flow x_flow;
  Recorder x_recorder;
  CodeFrames x_frames;
  uint64_t x_interrupts = 0;
  uint64_t x_arming = 0; // address of the mark that announces two loads
  uint64_t x_begin_at = 0, x_end_at = 0;
  Symbols x_symbols;
  std::map<std::string, NamedProfile> x_named;
};

} // namespace

// Until QEMU's end.
static Model *the_model;

// The lines that a block's code lies in: one after another, each once.
static void add_fetch(Block &block, uint64_t line)
{
  if (block.fetches.empty() || block.fetches.back() != line)
    block.fetches.push_back(line);
}

Translation *Model::translate(qemu_plugin_tb *tb)
{
  auto *translation = new Translation; // QEMU may run it as long as it lives
  Block &block = translation->block;
  block.start = qemu_plugin_tb_vaddr(tb);
  block.insns = static_cast<uint32_t>(qemu_plugin_tb_n_insns(tb));
  for (uint32_t i = 0; i < block.insns; i++) {
    qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
    auto *bytes = static_cast<const uint8_t *>(qemu_plugin_insn_data(insn));
    size_t size = qemu_plugin_insn_size(insn);
    Decoded decoded = decode(bytes, size, qemu_plugin_insn_vaddr(insn));
    block.kind = decoded.kind;
    block.target = decoded.target;
    block.last = qemu_plugin_insn_vaddr(insn);
    block.end = block.last + size;
    block.starts.push_back(block.last);
    translation->insns.push_back(
        {translation, i, decode_mark(bytes, size), switches_task(bytes, size, block.last)});
    if (void *host = qemu_plugin_insn_haddr(insn))
      add_fetch(block, x_frames.physical(host) / x_line);
  }
  return translation;
}

void Model::enter(const Translation &translation)
{
  const Block &block = translation.block;
  bool counting = x_page->counting;
  Step step = x_flow.enter(block);
  if (!counting)
    return;
  x_interrupts += step.interrupt;
  if (step.cut && step.cut_counts)
    x_recorder.cut(step.unexecuted);
  if (step.from && step.from_counts)
    x_recorder.lead(*step.from, block.start);
  if (x_flow.counts())
    x_recorder.enter(block);
}

// Blocks are counted when they are entered: from the middle of one counts what comes behind.
static int64_t insns_behind(const Insn &insn)
{
  return static_cast<int64_t>(insn.translation->block.insns) - insn.index - 1;
}

void Model::begin(bool keep, const Insn &insn, bool whole)
{
  if (x_page->counting)
    x_page->lost++; // the last one had no end
  x_flow.restart(whole);
  x_recorder.begin(keep && !x_directory.empty(), &insn.translation->block);
  x_recorder.add_insns(insns_behind(insn));
  x_page->whole = whole;
  x_page->counting = 1;
}

void Model::end(const Insn &insn)
{
  if (!x_page->counting)
    return;
  if (!x_flow.counts())
    x_page->lost++;
  x_recorder.add_insns(-insns_behind(insn));
  x_page->counting = 0;
  x_page->windows++;
  publish();
}

void Model::publish()
{
  std::copy(x_recorder.sums().begin(), x_recorder.sums().end(), x_page->events);
  x_page->interrupts = x_interrupts;
}

void Model::reset()
{
  x_recorder.reset();
  x_interrupts = 0;
  x_page->windows = x_page->lost = 0;
  publish();
}

void Model::take_back_whole()
{
  if (!x_page->whole)
    return;
  x_page->whole = x_page->counting = 0;
  reset();
}

std::string Model::subject() const
{
  std::string text(x_page->subject, strnlen(x_page->subject, sizeof(x_page->subject)));
  for (char &c : text)
    if (c == '/' || c <= ' ')
      c = '_';
  return text.empty() ? "command" : text;
}

void Model::name_symbols()
{
  if (x_directory.empty())
    return;
  char *text = reinterpret_cast<char *>(x_page) + MODEL_SYMBOLS_OFFSET;
  uint64_t size = std::min<uint64_t>(x_page->symbols, MODEL_SYMBOLS_BYTES);
  if (x_page->only_programs)
    x_symbols.renew_programs({text, size});
  else
    x_symbols = Symbols({text, size});
  x_recorder.profile().add_to(x_named[subject()], x_symbols);
  std::string functions = x_recorder.profile().functions(x_symbols);
  x_page->functions = functions.copy(text, MODEL_SYMBOLS_BYTES);
}

// Under another name until it is whole.
static void write_whole(const std::string &path, const std::string &text)
{
  std::string partial = path + ".partial";
  std::ofstream file(partial);
  file << text;
  file.close();
  if (!file || rename(partial.c_str(), path.c_str()) != 0)
    throw std::runtime_error(fmt::format("cannot write {}: {}", path, strerror(errno)));
}

void Model::finish()
{
  try {
    for (const auto &[name, profile] : x_named) {
      write_whole(fmt::format("{}/{}.callgrind", x_directory, name), profile.callgrind(name));
      write_whole(fmt::format("{}/{}.folded", x_directory, name), profile.folded(Insns));
      x_page->profiles++;
    }
  } catch (const std::runtime_error &failure) {
    snprintf(x_page->error, sizeof(x_page->error), "%s", failure.what());
  }
}

void Model::mark(const Insn &insn)
{
  // Only init's, which does not know yet what the command is, is taken back by others.
  if (insn.mark != MODEL_END && insn.mark != MODEL_SYMBOLS && insn.mark != MODEL_FINISH)
    take_back_whole();
  switch (insn.mark) {
  case MODEL_BEGIN:
    return begin(x_page->keep, insn, false);
  case MODEL_WHOLE:
    return begin(true, insn, true);
  case MODEL_END:
    return end(insn);
  case MODEL_WATCH:
    x_arming = insn.translation->block.starts[insn.index];
    return;
  case MODEL_UNWATCH:
    x_begin_at = x_end_at = 0;
    return;
  case MODEL_RESET:
    return reset();
  case MODEL_SYMBOLS:
    return name_symbols();
  case MODEL_FINISH:
    return finish();
  default:
    return;
  }
}

// Whether this is one of the two loads behind the mark.
bool Model::take_watched(uint64_t physical, uint64_t pc)
{
  constexpr uint64_t load_bytes = 3;
  if (pc == x_arming + MODEL_MARK_BYTES) {
    x_begin_at = physical;
    return true;
  }
  if (pc == x_arming + MODEL_MARK_BYTES + load_bytes) {
    x_end_at = physical;
    x_arming = 0;
    return true;
  }
  return false;
}

// User space reads and writes these too, which is not meant.
void Model::see_watched(uint64_t physical, bool store, const Insn &insn)
{
  bool by_kernel = insn.translation->block.start >> 63;
  if (!by_kernel)
    return;
  if (!store && physical == x_begin_at && !x_page->counting)
    begin(x_page->keep, insn, false);
  else if (store && physical == x_end_at)
    end(insn);
}

void Model::access(qemu_plugin_meminfo_t info, uint64_t address, const Insn &insn)
{
  if (insn.switches) {
    x_flow.switch_task(address);
    x_recorder.switch_task(address);
  }
  if (!x_page->counting && !x_arming && !may_be_watched(address))
    return;
  bool store = qemu_plugin_mem_is_store(info);
  qemu_plugin_hwaddr *where = qemu_plugin_get_hwaddr(info, address);
  bool memory = where && !qemu_plugin_hwaddr_is_io(where);
  uint64_t physical = memory ? qemu_plugin_hwaddr_phys_addr(where) : 0;
  if (memory && x_arming && take_watched(physical, insn.translation->block.starts[insn.index]))
    return;
  if (counts() && memory)
    x_recorder.access(address, physical, 1u << qemu_plugin_mem_size_shift(info), store);
  else if (counts())
    x_recorder.access_device(store);
  if (memory && (physical == x_begin_at || physical == x_end_at))
    see_watched(physical, store, insn);
}

static void on_block(unsigned, void *data)
{
  the_model->enter(*static_cast<const Translation *>(data));
}

static void on_access(unsigned, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
  the_model->access(info, address, *static_cast<const Insn *>(data));
}

static void on_mark(unsigned, void *data) { the_model->mark(*static_cast<const Insn *>(data)); }

static void on_translation(qemu_plugin_id_t, qemu_plugin_tb *tb)
{
  Translation *translation = the_model->translate(tb);
  qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_NO_REGS, translation);
  for (Insn &insn : translation->insns) {
    qemu_plugin_insn *handle = qemu_plugin_tb_get_insn(tb, insn.index);
    qemu_plugin_register_vcpu_mem_cb(handle, on_access, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
                                     &insn);
    if (insn.mark)
      qemu_plugin_register_vcpu_insn_exec_cb(handle, on_mark, QEMU_PLUGIN_CB_NO_REGS, &insn);
  }
}

static model_page *map_page(const std::string &path)
{
  int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
  void *memory = fd < 0
                     ? MAP_FAILED
                     : mmap(nullptr, MODEL_MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED)
    throw std::runtime_error(fmt::format("cannot map {}: {}", path, strerror(errno)));
  close(fd);
  return static_cast<model_page *>(memory);
}

static void introduce(model_page *page, const Machine &machine, bool profiling)
{
  page->layout = MODEL_LAYOUT;
  page->profiling = profiling;
  page->keep = 1;
  page->nr_events = nr_events;
  for (unsigned i = 0; i < nr_events; i++)
    snprintf(page->names[i], sizeof(page->names[i]), "%s", event_names[i]);
  snprintf(page->model, sizeof(page->model), "%s", machine.name.c_str());
  page->magic = MODEL_MAGIC;
}

static std::map<std::string, std::string> take_arguments(int argc, char **argv)
{
  std::map<std::string, std::string> given;
  for (int i = 0; i < argc; i++) {
    std::string argument = argv[i];
    size_t equals = std::min(argument.find('='), argument.size());
    given[argument.substr(0, equals)] = argument.substr(std::min(equals + 1, argument.size()));
  }
  return given;
}

static void check(const qemu_info_t &info, const std::string &build)
{
  if (build != MODEL_BUILD)
    throw std::runtime_error(
        fmt::format("is of build {}, and vmtest of build {}", MODEL_BUILD, build));
  if (strcmp(info.target_name, "x86_64") != 0 || !info.system_emulation ||
      info.system.max_vcpus != 1)
    throw std::runtime_error("knows x86-64 machines with one CPU");
}

// Throws what vmtest shall say behind "the model".
static void install(qemu_plugin_id_t id, const qemu_info_t &info,
                    std::map<std::string, std::string> given)
{
  model_page *page = map_page(given["page"]);
  try {
    check(info, given["build"]);
    Machine machine = parse_machine(read_text(given["machine"]), "machine");
    the_model = new Model(machine, page, given["profile"]);
    introduce(page, machine, !given["profile"].empty());
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
  } catch (const std::exception &failure) {
    snprintf(page->error, sizeof(page->error), "%s", failure.what());
    throw;
  }
}

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

extern "C" QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info,
                                                      int argc, char **argv)
{
  try {
    install(id, *info, take_arguments(argc, argv));
    return 0;
  } catch (const std::exception &failure) {
    fmt::print(stderr, "model: {}\n", failure.what());
    return 1;
  }
}
