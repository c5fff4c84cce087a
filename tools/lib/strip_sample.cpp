// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A unit with debug information, for strip_test.cpp to take away.
int strip_sample();

int strip_sample() { return 0; }
