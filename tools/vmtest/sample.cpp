// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// For the unit tests: an executable with a library of its own beside it.
int vmtest_sample();

int main() { return vmtest_sample(); }
