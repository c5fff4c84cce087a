// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The reports of single families of the kernel's bench, with the same lines; those that several
// share are in reports.h.
#pragma once

#include "tools/bench/bench.h"

namespace bench
{

// Events per second by CPU (per_cpu_rates.h), and no lines of intervals.
std::shared_ptr<const Report> full_update_report();
// The same with a spread, ± of which is a standard deviation here and two of them upstream.
std::shared_ptr<const Report> lookup_report();

// Gets of local storage, of which Counts::absent are those of map 0.
std::shared_ptr<const Report> local_storage_report();
// The middle and the spread of ns per op, of which an interval is a sample, and no lines of
// intervals.
std::shared_ptr<const Report> timing_report(const char *name);
// Bytes by readings "sent", "sends", "received", "receives" and "processed" of the interval. What
// stands behind ± in the Summary is the mean of what the program saw, as upstream prints it.
std::shared_ptr<const Report> sockmap_report();
// Grace periods by readings "periods", "period_ns" and, where they were asked for, "ticks" of the
// interval. An interval without one has no line.
std::shared_ptr<const Report> tasks_trace_report();
// Storages created.
std::shared_ptr<const Report> storage_create_report();

} // namespace bench
