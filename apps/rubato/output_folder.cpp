#include "output_folder.hpp"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>

#include "command.hpp"
#include "print.hpp"
#include "rubato/io/file.hpp"
#include "task.hpp"

namespace rubato::app {

namespace {

/// "3.2 MB", rounded: of estimates.
std::string bytes_words(double bytes) {
  if (bytes < 1e6) return fmt::format("{:.3g} kB", 1e-3 * bytes);
  return bytes < 1e9 ? fmt::format("{:.3g} MB", 1e-6 * bytes) : fmt::format("{:.3g} GB", 1e-9 * bytes);
}

}  // namespace

OutputFolder::~OutputFolder() {
  lock_.reset();
  if (made_) ::rmdir(path_.c_str());  // fails where there is something in it
}

int OutputFolder::open(double bytes) {
  if (path_.empty()) return done;
  std::error_code ignored;
  const bool existed = std::filesystem::exists(path_, ignored);
  if (const auto folder = io::make_folder(path_); !folder) return complain(folder.error()), not_written;
  made_ = !existed;
  if (const int code = lock(); code != done) return code;
  if (lock_->state() == io::FolderLock::State::held) {  // else their writers may live on another machine
    io::remove_stale_parts(path_);
    if (!std::filesystem::is_symlink(path_ / "motion", ignored)) io::remove_stale_parts(path_ / "motion");
  }
  // A file system that does not tell its room has enough.
  struct statvfs room {};
  if (bytes <= 0 || ::statvfs(path_.c_str(), &room) != 0 || room.f_frsize == 0) return done;
  const double free = static_cast<double>(room.f_bavail) * static_cast<double>(room.f_frsize);
  if (free >= bytes) return done;
  note(fmt::format("{}: the results need about {}, {} are free there; make room, or choose another folder with -o",
                   path_.string(), bytes_words(bytes), bytes_words(free)));
  return not_written;
}

int OutputFolder::lock() {
  auto lock = io::FolderLock::take(path_);
  if (!lock) return complain(lock.error()), not_written;
  if (lock->state() == io::FolderLock::State::busy) {
    note(fmt::format("{}: another rubato{} writes there; wait for it, or choose another folder with -o", path_.string(),
                     lock->holder() > 0 ? fmt::format(" (process {})", lock->holder()) : ""));
    return wrong_input;
  }
  if (lock->state() == io::FolderLock::State::unsupported)
    note(fmt::format("{}: this file system has no locks: start nothing else that writes there", path_.string()));
  lock_.emplace(std::move(*lock));
  return done;
}

int OutputFolder::renew() {
  if (lost_) return not_written;
  if (path_.empty() || !lock_ || lock_->state() != io::FolderLock::State::held || lock_->in_force()) return done;
  lost_ = true;
  if (const auto folder = io::make_folder(path_); !folder) return complain(folder.error()), not_written;
  if (lock() != done) {
    troubles_.push_back(path_.string() + ": was removed meanwhile, and is no longer of this run");
    return not_written;
  }
  // Of who has been there in between.
  if (const auto fine = io::invalidate_manifest(path_); !fine) return complain(fine.error()), not_written;
  note(path_.string() + ": was removed meanwhile, and is made again");
  lost_ = false;
  return done;
}

void OutputFolder::begin_set() {
  if (path_.empty()) return;
  if (const auto fine = io::invalidate_manifest(path_); !fine) troubles_.push_back(fine.error().message);
}

bool OutputFolder::write(const std::string& name, std::string_view bytes) {
  const auto fine = io::write_file(path_ / name, bytes);
  if (fine)
    written_.push_back({.name = name, .content = io::digest(bytes)});
  else
    troubles_.push_back(fine.error().message);
  return fine.ok();
}

bool OutputFolder::add(const std::string& name, const Result<void>& written) {
  const auto found = written ? io::digest_of(path_ / name) : Result<io::FileDigest>(written.error());
  if (found)
    written_.push_back({.name = name, .content = *found});
  else
    troubles_.push_back(found.error().message);
  return found.ok();
}

bool OutputFolder::add(const Result<void>& written, const std::vector<io::ManifestEntry>& files) {
  if (written)
    written_.insert(written_.end(), files.begin(), files.end());
  else
    troubles_.push_back(written.error().message);
  return written.ok();
}

std::string OutputFolder::written() const {
  std::vector<std::string> names;
  for (const auto& file : written_) {
    const auto slash = file.name.find('/');
    std::string name = slash == std::string::npos ? file.name : file.name.substr(0, slash + 1);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  return fmt::format("{}{{{}}}", (path_ / "").string(), fmt::join(names, ","));
}

bool OutputFolder::seal(const std::string& version, std::initializer_list<std::string_view> varying) {
  if (!troubles_.empty()) return false;
  io::Manifest manifest{.version = version, .files = written_};
  for (auto& file : manifest.files)
    if (std::find(varying.begin(), varying.end(), file.name) != varying.end()) file.content.reset();
  const auto fine = io::write_manifest(path_, std::move(manifest));
  if (!fine) troubles_.push_back(fine.error().message);
  return sealed_ = fine.ok();
}

int OutputFolder::outcome(int outcome) const {
  if (troubles_.empty()) return outcome;
  for (const auto& sentence : troubles_) note(sentence);
  note(written_.empty() ? path_.string() + ": nothing was saved" : "not everything was saved, only " + written());
  return not_written;
}

int OutputFolder::finish(int outcome) const {
  for (const auto& file : written_) note("wrote " + (path_ / file.name).string());
  return this->outcome(outcome);
}

}  // namespace rubato::app
