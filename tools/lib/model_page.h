// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The guest's side of the model (docs/model.md): finds the memory that is shared with it, and reads
// what it counted. On a machine without the model there is none, and the marks are nops.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/lib/bpf_names.h"
#include "tools/lib/model_marks.h"

class ModelPage {
public:
  // Null where no model runs. Mapped once.
  static ModelPage *find();
  explicit ModelPage(model_page *page) : x_page(page) {}

  bool profiling() const { return x_page->profiling; }
  std::string model() const;
  std::vector<std::string> names() const;
  std::vector<uint64_t> events() const; // since the last reset, as names
  uint64_t windows() const { return x_page->windows; }
  uint64_t interrupts() const { return x_page->interrupts; }
  uint64_t lost() const { return x_page->lost; }
  bool counting() const { return x_page->counting; }

  // From now on counts from the kernel's loads of *begin to its stores to *end.
  void watch(const volatile uint64_t *begin, const volatile uint64_t *end);
  void unwatch(); // before that memory is somebody else's
  void reset();
  // Whether what is counted from now on goes into the profile, and under which name.
  void keep(bool keep, const std::string &subject);
  struct Function {
    std::string name;
    std::vector<uint64_t> events; // its own, as names
  };
  // Of a program that names symbols more than once: before it loads any BPF program.
  void follow_programs();
  // Names what is in the profile since the last reset, while its BPF programs are loaded. Without a
  // profile there are no functions.
  std::vector<Function> name_symbols();

  // Of init: counts a whole command, unless the command has marks of its own. finish() names what a
  // command has not named itself, which bench has.
  void begin_whole();
  void finish();

private:
  void copy_symbols();

  model_page *x_page;
  std::unique_ptr<BpfNames> x_programs;
  bool x_knows_kernel = false; // the model does, from an earlier time
};
