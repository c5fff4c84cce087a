// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Functions of bench that uprobes are set on, each with a twin that has the same instructions and
// that nothing probes. By what they begin with, since the kernel emulates some instructions and
// steps over others: a nop, a push, a ret, and the five-byte nop, of which newer kernels make a
// call.
#pragma once

#include <cstddef>

namespace probed
{

using Function = void (*)();

struct Pair {
  Function hooked, twin;
};

} // namespace probed

#if defined(__x86_64__)

// NAME, and the instructions before its ret. In a section of their own, so that the compiler and
// the linker leave them as they are. .hidden: called without a detour.
#define PROBED_FUNCTION(name, instructions)                                                        \
  asm(".pushsection .text.bpfgate_probed,\"ax\",@progbits\n"                                       \
      ".globl " #name "\n.hidden " #name "\n.type " #name ", @function\n.balign 16\n" #name        \
      ":\n" instructions "\nret\n.size " #name ", . - " #name "\n.popsection\n");                  \
  extern "C" void name();

// The note that makes a USDT of the nop before it: provider bpfgate, no arguments, no semaphore
// (sourceware.org/systemtap/wiki/UserSpaceProbeImplementation).
#define PROBED_USDT(name, usdt, nop)                                                               \
  PROBED_FUNCTION(name, "990: " nop "\n"                                                           \
                        ".pushsection .note.stapsdt,\"\",\"note\"\n"                               \
                        ".balign 4\n"                                                              \
                        ".4byte 992f-991f, 994f-993f, 3\n"                                         \
                        "991: .asciz \"stapsdt\"\n"                                                \
                        "992: .balign 4\n"                                                         \
                        "993: .8byte 990b, 0, 0\n"                                                 \
                        ".asciz \"bpfgate\"\n"                                                     \
                        ".asciz \"" usdt "\"\n"                                                    \
                        ".asciz \"\"\n"                                                            \
                        "994: .balign 4\n"                                                         \
                        ".popsection")

#define NOP5 ".byte 0x0f, 0x1f, 0x44, 0x00, 0x00"
#define PUSH "push %rbp\npop %rbp"

PROBED_FUNCTION(bpfgate_hooked_nop, "nop")
PROBED_FUNCTION(bpfgate_twin_nop, "nop")
PROBED_FUNCTION(bpfgate_hooked_push, PUSH)
PROBED_FUNCTION(bpfgate_twin_push, PUSH)
PROBED_FUNCTION(bpfgate_hooked_ret, "")
PROBED_FUNCTION(bpfgate_twin_ret, "")
PROBED_FUNCTION(bpfgate_hooked_nop5, NOP5)
PROBED_FUNCTION(bpfgate_twin_nop5, NOP5)
PROBED_USDT(bpfgate_usdt_nop, "nop", "nop")
PROBED_USDT(bpfgate_usdt_nop5, "nop5", NOP5)

#undef NOP5
#undef PUSH
#undef PROBED_USDT
#undef PROBED_FUNCTION

namespace probed
{
constexpr Pair nop{bpfgate_hooked_nop, bpfgate_twin_nop};
constexpr Pair push{bpfgate_hooked_push, bpfgate_twin_push};
constexpr Pair ret{bpfgate_hooked_ret, bpfgate_twin_ret};
constexpr Pair nop5{bpfgate_hooked_nop5, bpfgate_twin_nop5};
constexpr Pair usdt_nop{bpfgate_usdt_nop, bpfgate_twin_nop};
constexpr Pair usdt_nop5{bpfgate_usdt_nop5, bpfgate_twin_nop5};
} // namespace probed

#else

namespace probed
{

// What the compiler makes of them; there are no benches of nop5 and USDT here.
template <int> [[gnu::noinline]] void nop_function() { asm volatile("nop"); }
template <int> [[gnu::noinline]] void ret_function() { asm volatile(""); }
template <int which> [[gnu::noinline]] void push_function()
{
  ret_function<which + 2>();
  asm volatile("");
}
constexpr Pair nop{nop_function<0>, nop_function<1>};
constexpr Pair push{push_function<0>, push_function<1>};
constexpr Pair ret{ret_function<0>, ret_function<1>};

} // namespace probed

#endif
