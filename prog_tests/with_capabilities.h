// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Runs something with fewer capabilities, on a thread of its own: capabilities belong to the
// thread, so the rest of the test keeps its own, and nothing has to be put back.
#pragma once

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <future>
#include <initializer_list>
#include <thread>
#include <type_traits>

#include "tools/lib/bpf_error.h"

namespace test
{

// Leaves the calling thread the capabilities kept (CAP_*) and no other. Throws bpf::error.
inline void keep_capabilities(std::initializer_list<int> kept)
{
  __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct data[2] = {};
  for (int cap : kept) {
    data[CAP_TO_INDEX(cap)].effective |= CAP_TO_MASK(cap);
    data[CAP_TO_INDEX(cap)].permitted |= CAP_TO_MASK(cap);
  }
  if (syscall(SYS_capset, &header, data))
    throw bpf::error("drop capabilities", "", errno);
}

// What body returns, or throws, when only the capabilities kept are there. body runs on another
// thread: CHECK_* on what it returns.
template <class Body>
std::invoke_result_t<Body> with_capabilities(std::initializer_list<int> kept, Body body)
{
  std::packaged_task<std::invoke_result_t<Body>()> task([&] {
    keep_capabilities(kept);
    return body();
  });
  auto result = task.get_future();
  std::thread(std::move(task)).join();
  return result.get();
}

} // namespace test
