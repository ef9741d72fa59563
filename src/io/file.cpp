#include "rubato/io/file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace rubato::io {

namespace {
struct Close {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using Stream = std::unique_ptr<std::FILE, Close>;

Error trouble(const std::filesystem::path& file, std::string_view what) {
  return Error{fmt::format("{}: {}: {}", file.string(), what, std::strerror(errno))};
}
}  // namespace

std::filesystem::path part_name(const std::filesystem::path& file) {
  auto part = file;
  part += ".part";
  return part;
}

Result<void> finish_file(const std::filesystem::path& file) {
  std::error_code failure;
  std::filesystem::rename(part_name(file), file, failure);
  if (failure) return Error{fmt::format("{}: cannot be replaced: {}", file.string(), failure.message())};
  return {};
}

Result<void> write_file(const std::filesystem::path& file, std::string_view bytes) {
  const auto part = part_name(file);
  Stream stream(std::fopen(part.c_str(), "wb"));
  if (!stream) return trouble(file, "cannot be written");
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), stream.get()) == bytes.size();
  if (!written || std::fclose(stream.release()) != 0) {
    const Error error = trouble(file, "cannot be written");
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
    return error;
  }
  return finish_file(file);
}

Result<void> make_folder(const std::filesystem::path& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) return Error{fmt::format("{}: the folder cannot be made: {}", folder.string(), failure.message())};
  return {};
}

}  // namespace rubato::io
