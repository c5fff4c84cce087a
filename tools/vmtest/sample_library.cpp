// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The library of sample.cpp.
int vmtest_sample();

int vmtest_sample() { return 0; }
