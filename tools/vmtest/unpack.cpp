// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <memory>
#include <vector>

namespace vmtest
{

namespace
{

struct Freed {
  void operator()(archive *reader) const { archive_read_free(reader); }
};
using Reader = std::unique_ptr<archive, Freed>;

} // namespace

[[noreturn]] static void fail(archive *reader)
{
  const char *why = archive_error_string(reader);
  throw archive_error(why ? why : "cannot be read");
}

// Each filter by name: "all" would bring libraries for formats that nothing here has.
static Reader make_reader()
{
  Reader reader(archive_read_new());
  if (!reader)
    throw std::bad_alloc();
  for (auto support : {archive_read_support_filter_gzip, archive_read_support_filter_bzip2,
                       archive_read_support_filter_xz, archive_read_support_filter_lzma,
                       archive_read_support_filter_lz4, archive_read_support_filter_zstd})
    support(reader.get());
  return reader;
}

static std::string read_entry(archive *reader, size_t limit)
{
  std::string content;
  std::vector<char> part(1 << 20);
  while (la_ssize_t got = archive_read_data(reader, part.data(), part.size())) {
    if (got < 0)
      fail(reader);
    content.append(part.data(), got);
    if (content.size() > limit)
      throw archive_error(fmt::format("gives more than {} bytes", limit));
  }
  return content;
}

std::string decompress(std::string_view bytes, size_t limit)
{
  Reader reader = make_reader();
  archive_read_support_format_raw(reader.get());
  archive_entry *entry = nullptr;
  if (archive_read_open_memory(reader.get(), bytes.data(), bytes.size()) != ARCHIVE_OK ||
      archive_read_next_header(reader.get(), &entry) != ARCHIVE_OK)
    fail(reader.get());
  // Besides the filter of the bytes themselves there is always one that does nothing.
  if (archive_filter_count(reader.get()) < 2)
    throw archive_error("is compressed by nothing that is known");
  return read_entry(reader.get(), limit);
}

namespace
{

// The data part of a .deb as a stream: the package is an ar archive, the part a tar within it.
struct DataPart {
  archive *package;
  std::vector<char> buffer = std::vector<char>(1 << 18);

  static la_ssize_t read(archive *data, void *self, const void **bytes)
  {
    auto &part = *static_cast<DataPart *>(self);
    *bytes = part.buffer.data();
    la_ssize_t got = archive_read_data(part.package, part.buffer.data(), part.buffer.size());
    if (got < 0)
      archive_set_error(data, archive_errno(part.package), "%s",
                        archive_error_string(part.package));
    return got;
  }
};

} // namespace

static Reader open_package(const std::filesystem::path &path)
{
  Reader package(archive_read_new());
  if (!package)
    throw std::bad_alloc();
  archive_read_support_format_ar(package.get());
  if (archive_read_open_filename(package.get(), path.c_str(), 1 << 18) != ARCHIVE_OK)
    fail(package.get());
  archive_entry *entry = nullptr;
  while (archive_read_next_header(package.get(), &entry) == ARCHIVE_OK)
    if (std::string_view(archive_entry_pathname(entry)).starts_with("data.tar"))
      return package;
  throw archive_error("is no Debian package");
}

static std::string plain_path(archive_entry *entry)
{
  const char *name = archive_entry_pathname(entry);
  std::string path = name ? name : "";
  path.erase(0, path.find_first_not_of("./"));
  return path;
}

static void walk(archive *data, const std::function<bool(const std::string &)> &wanted,
                 const std::function<void(const std::string &, std::string)> &take, size_t limit)
{
  archive_entry *entry = nullptr;
  int state;
  while ((state = archive_read_next_header(data, &entry)) == ARCHIVE_OK) {
    std::string path = plain_path(entry);
    if (archive_entry_filetype(entry) == AE_IFREG && wanted(path))
      take(path, read_entry(data, limit));
  }
  if (state != ARCHIVE_EOF)
    fail(data);
}

void read_package(const std::filesystem::path &path,
                  const std::function<bool(const std::string &)> &wanted,
                  const std::function<void(const std::string &, std::string)> &take, size_t limit)
{
  try {
    Reader package = open_package(path);
    Reader data = make_reader();
    archive_read_support_format_tar(data.get());
    DataPart part = {package.get()};
    if (archive_read_open(data.get(), &part, nullptr, DataPart::read, nullptr) != ARCHIVE_OK)
      fail(data.get());
    walk(data.get(), wanted, take, limit);
  } catch (const archive_error &failure) {
    throw archive_error(fmt::format("{}: {}", path.string(), failure.what()));
  }
}

} // namespace vmtest
