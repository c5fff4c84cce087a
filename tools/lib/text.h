// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Small things on text: strict numbers, the nearest of several names, small files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// A whole decimal number and nothing else; nullopt otherwise. Never follows the locale.
std::optional<uint64_t> parse_whole(std::string_view text);

// The ends of a range as they stand: "5" is from 1 to it, "6-10" from one to the other.
std::pair<std::string, std::string> range_ends(const std::string &text);

// A finite decimal number and nothing else; nullopt otherwise. Never follows the locale.
std::optional<double> parse_number(std::string_view text);

// Levenshtein distance: insertions, deletions and replacements of bytes from one to the other.
size_t edit_distance(std::string_view a, std::string_view b);

// The candidate with the fewest edits to name, if these are at most two or a third of its length.
std::optional<std::string> nearest_name(std::string_view name,
                                        const std::vector<std::string> &among);

// FNV-1a, 64 bits (Fowler, Noll, Vo): the same on every machine, so that it may be stored. Not for
// what somebody may want to collide.
uint64_t fnv1a(std::string_view text);

// All of a file that may vanish, also while it is read (below /proc, /sys, a cgroup tree); nullopt
// where it is not there to its end. An ifstream throws there: it has no errno of read() to return.
std::optional<std::string> read_if_there(const std::string &path);
// The same of a file that is open already. The descriptor stays open.
std::optional<std::string> read_if_there(int fd);

// The entries of a directory that may vanish, also while it is read, without "." and ".."; what was
// read until then. Throws nothing but bad_alloc, unlike ++ of a directory_iterator.
std::vector<std::string> names_if_there(const std::string &directory);

// The file's content without trailing white space; nullopt where it cannot be read.
std::optional<std::string> read_small_file(const std::string &path);
