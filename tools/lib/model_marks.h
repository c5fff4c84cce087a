/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How a program in a guest tells the model (docs/model.md) what to count, and where it finds the
 * figures. A mark is a nop that does nothing anywhere else, so one binary serves with the model and
 * without. C and C++; any program may include it:
 *
 *	model_mark(MODEL_BEGIN);
 *	...
 *	model_mark(MODEL_END);
 */
#ifndef BPFGATE_MODEL_MARKS_H
#define BPFGATE_MODEL_MARKS_H

#include <stdint.h>

enum model_mark {
  MODEL_BEGIN = 1,   /* counts from here */
  MODEL_END = 2,     /* to here; the page has the sums */
  MODEL_WATCH = 3,   /* only inside model_watch() */
  MODEL_RESET = 4,   /* sums and profile start from 0; caches stay as they are */
  MODEL_SYMBOLS = 5, /* the page's symbols name what was counted since the last reset, and then
                        the functions take their place */
  MODEL_FINISH = 6,  /* nothing more comes: profiles are written */
  MODEL_WHOLE = 7,   /* as MODEL_BEGIN, taken back by any mark of a program's own */
  MODEL_UNWATCH = 8, /* ends what model_watch() asked for */
};

/* nopl imm32(%rax,%rax,1): the upper three bytes of imm32 are "BPF". */
#define MODEL_MARK_BYTES 8
#define MODEL_MARK_MAGIC 0x42504600u

#if defined(__x86_64__)
#define model_mark(mark)                                                                           \
  __asm__ volatile(".byte 0x0f, 0x1f, 0x84, 0x00\n\t.long %c0" ::"i"(MODEL_MARK_MAGIC | (mark))    \
                   : "memory")

/*
 * From now on counts from each load of *begin to each store to *end, by whatever virtual addresses:
 * a BPF program and user space know one map by two. The model sees the two loads, 3 bytes each.
 */
static inline void model_watch(const volatile uint64_t *begin, const volatile uint64_t *end)
{
  uint64_t sink = *begin + *end; /* mapped, or the loads below would fault */

  __asm__ volatile(".byte 0x0f, 0x1f, 0x84, 0x00\n\t.long %c3\n\t"
                   "movq (%%rsi), %0\n\t"
                   "movq (%%rdi), %0"
                   : "=&a"(sink)
                   : "S"(begin), "D"(end), "i"(MODEL_MARK_MAGIC | MODEL_WATCH)
                   : "memory");
}
#else
#define model_mark(mark) ((void)(mark))
static inline void model_watch(const volatile uint64_t *begin, const volatile uint64_t *end)
{
  (void)begin;
  (void)end;
}
#endif

#define MODEL_LAYOUT 2                    /* of struct model_page */
#define MODEL_MAGIC 0x006c65646f6d7062ull /* "bpmodel" */
#define MODEL_MOST_EVENTS 24
#define MODEL_SYMBOLS_OFFSET 65536
#define MODEL_MEMORY_BYTES (32u << 20)
#define MODEL_SYMBOLS_BYTES (MODEL_MEMORY_BYTES - MODEL_SYMBOLS_OFFSET)

/* Memory that guest and model share: BAR 2 of a PCI device, 1af4:1110. */
struct model_page {
  /* Written by the model. */
  uint64_t magic;      /* MODEL_MAGIC */
  uint32_t layout;     /* MODEL_LAYOUT */
  uint32_t profiling;  /* 1: wants names and symbols */
  uint64_t counting;   /* 1: between BEGIN and END */
  uint64_t whole;      /* 1: of a command that has no marks of its own */
  uint64_t windows;    /* begun and ended since the last reset */
  uint64_t interrupts; /* left out since then */
  uint64_t lost;       /* windows in which the model lost track: their sums are wrong */
  uint64_t profiles;   /* written, after FINISH */
  uint64_t nr_events;
  uint64_t events[MODEL_MOST_EVENTS]; /* since the last reset */
  char names[MODEL_MOST_EVENTS][24];
  char model[64];  /* its name */
  char error[256]; /* what went wrong, one sentence; empty: nothing */
  /* After SYMBOLS: bytes at MODEL_SYMBOLS_OFFSET, a line each: its events, in their order, and its
   * name. */
  uint64_t functions;
  /* Written by the guest. */
  char subject[128]; /* what is profiled: a benchmark's name */
  uint64_t keep;     /* 1: what is counted goes into the profile */
  uint64_t symbols;  /* bytes of /proc/kallsyms at MODEL_SYMBOLS_OFFSET */
  /* 1: these are the symbols of BPF programs, all others are as they were the last time. */
  uint64_t only_programs;
};

#endif
