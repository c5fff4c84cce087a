// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The machine's apt with a suite of its own: lists, cache and sources lie in a directory of ours,
// the mirror is the machine's, and the signature is checked by the Debian archive's keyring.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace vmtest
{

// One line: what apt could not do.
struct apt_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The machine has no apt, no Debian mirror or no keyring, or the mirror has not this suite. What
// goes wrong on the way (no network, a bad signature) is a plain apt_error.
struct apt_missing : apt_error {
  using apt_error::apt_error;
};

class Apt {
public:
  // directory: made, for this alone. Throws apt_missing, or std::system_error.
  explicit Apt(std::filesystem::path directory);

  // Fetches a suite's list of packages; the calls below then mean it. Throws apt_error.
  void use_suite(const std::string &suite);
  // The names of all packages that begin so. Throws apt_error.
  std::vector<std::string> package_names(const std::string &prefix) const;
  // Fetches packages of the suite: one file each, checked by apt. Throws apt_error.
  std::vector<std::filesystem::path> download(const std::vector<std::string> &names) const;

private:
  std::vector<std::string> command(const std::string &program,
                                   const std::vector<std::string> &arguments) const;
  void update_from(const std::string &mirror, const std::string &suite);

  std::filesystem::path x_directory;
  std::string x_keyring;
  std::vector<std::string> x_mirrors;
};

} // namespace vmtest
