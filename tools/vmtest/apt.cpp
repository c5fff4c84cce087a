// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/apt.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <system_error>

#include "tools/lib/atomic_file.h"
#include "tools/vmtest/command.h"

namespace fs = std::filesystem;

namespace vmtest
{

// The hooks of the machine's own configuration (which is read, for its proxies) are about its own
// lists, and its default release is none of ours.
static constexpr const char *configuration = R"(#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear APT::Default-Release;
)";

static std::vector<std::string> lines_of(const std::string &text)
{
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

// apt's first error, or else its first warning.
static std::string complaint(const CommandResult &result)
{
  for (const char *kind : {"E: ", "W: "})
    for (const std::string &line : lines_of(result.err))
      if (line.starts_with(kind))
        return line.substr(3);
  return result.status > 128 ? "interrupted" : fmt::format("status {}", result.status);
}

static CommandResult run(const std::vector<std::string> &command)
{
  try {
    return run_command(command);
  } catch (const std::system_error &failure) {
    if (failure.code() == std::errc::no_such_file_or_directory)
      throw apt_missing(fmt::format("this machine has no {}", command[0]));
    throw;
  }
}

static std::string archive_keyring()
{
  for (const char *path : {"/usr/share/keyrings/debian-archive-keyring.pgp",
                           "/usr/share/keyrings/debian-archive-keyring.gpg"})
    if (fs::exists(path))
      return path;
  throw apt_missing(
      "the keyring of Debian's archive is not there (package debian-archive-keyring)");
}

// The sources as apt itself reads them, in both its formats: repositories with a component main.
// First those that it knows to be Debian's; without any, those that it has never asked yet, of
// which the signature will tell.
static std::vector<std::string> debian_mirrors()
{
  CommandResult result =
      run({"apt-get", "indextargets", "--format", "$(COMPONENT)|$(ORIGIN)|$(LABEL)|$(REPO_URI)",
           "Created-By: Packages"});
  if (result.status != 0)
    throw apt_error(fmt::format("apt-get indextargets: {}", complaint(result)));
  std::vector<std::string> mirrors;
  for (const std::string kind : {"main|Debian|Debian|", "main|$(ORIGIN)|$(LABEL)|"}) {
    for (const std::string &line : lines_of(result.out))
      if (line.starts_with(kind))
        mirrors.push_back(line.substr(kind.size()));
    if (!mirrors.empty())
      return mirrors;
  }
  throw apt_missing("this machine's apt has no Debian mirror");
}

Apt::Apt(fs::path directory)
    : x_directory(std::move(directory)), x_keyring(archive_keyring()), x_mirrors(debian_mirrors())
{
  for (const char *name : {"lists/partial", "archives/partial", "parts", "packages"})
    fs::create_directories(x_directory / name);
  write_file(x_directory / "apt.conf", configuration);
  write_file(x_directory / "status", "");
}

std::vector<std::string> Apt::command(const std::string &program,
                                      const std::vector<std::string> &arguments) const
{
  std::string here = x_directory;
  // An empty list of installed packages and no preferences: what counts is what the suite has.
  std::vector<std::string> words = {program, "-q", "-c", here + "/apt.conf"};
  for (const std::string &option :
       {"Dir::Etc::sourcelist=" + here + "/kernel.sources",
        "Dir::Etc::sourceparts=" + here + "/parts", std::string("Dir::Etc::preferences=/dev/null"),
        "Dir::Etc::preferencesparts=" + here + "/parts", "Dir::State=" + here,
        "Dir::State::lists=" + here + "/lists", "Dir::State::status=" + here + "/status",
        "Dir::Cache=" + here, "Dir::Cache::archives=" + here + "/archives",
        std::string("Dir::Cache::pkgcache=pkgcache.bin"), std::string("Acquire::PDiffs=false"),
        std::string("APT::Update::Error-Mode=any")}) {
    words.push_back("-o");
    words.push_back(option);
  }
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

void Apt::update_from(const std::string &mirror, const std::string &suite)
{
  fs::remove_all(x_directory / "lists");
  fs::create_directories(x_directory / "lists/partial");
  write_file(x_directory / "kernel.sources",
             fmt::format("Types: deb\nURIs: {}\nSuites: {}\nComponents: main\n"
                         "Targets: Packages\nSigned-By: {}\n",
                         mirror, suite, x_keyring));
  CommandResult result = run(command("apt-get", {"update"}));
  if (result.status == 0)
    return;
  std::string why = complaint(result);
  if (why.find("does not have a Release file") != std::string::npos)
    throw apt_missing(why);
  throw apt_error(fmt::format("apt-get update for {}: {}", suite, why));
}

// What went wrong with one mirror counts only where no other has the suite.
void Apt::use_suite(const std::string &suite)
{
  std::string error, missing;
  for (const std::string &mirror : std::set<std::string>(x_mirrors.begin(), x_mirrors.end())) {
    try {
      return update_from(mirror, suite);
    } catch (const apt_missing &failure) {
      missing = failure.what();
    } catch (const apt_error &failure) {
      error = failure.what();
    }
  }
  if (!error.empty())
    throw apt_error(error);
  throw apt_missing(missing);
}

std::vector<std::string> Apt::package_names(const std::string &prefix) const
{
  CommandResult result = run(command("apt-cache", {"pkgnames", prefix}));
  if (result.status != 0)
    throw apt_error(fmt::format("apt-cache pkgnames: {}", complaint(result)));
  return lines_of(result.out);
}

std::vector<fs::path> Apt::download(const std::vector<std::string> &names) const
{
  // apt-get writes into the directory that it is run in.
  std::vector<std::string> words = {"env", "-C", x_directory / "packages"};
  for (const std::string &word : command("apt-get", {"download"}))
    words.push_back(word);
  words.insert(words.end(), names.begin(), names.end());
  CommandResult result = run(words);
  if (result.status != 0)
    throw apt_error(fmt::format("apt-get download: {}", complaint(result)));
  std::vector<fs::path> packages;
  for (const fs::directory_entry &entry : fs::directory_iterator(x_directory / "packages"))
    if (entry.path().extension() == ".deb")
      packages.push_back(entry.path());
  std::sort(packages.begin(), packages.end());
  return packages;
}

} // namespace vmtest
