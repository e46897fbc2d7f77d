// Writing beside the target and renaming. Start reading at the constructor, then commit().
#include "stdlib/files/atomic.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>

#include "stdlib/kernels/parallel.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/world.hpp"

namespace covec::files {

namespace {

constexpr size_t buffer_bytes = size_t{1} << 16;

// Up to the last slash, with it.
std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

// Where a chain of links ends; there need be nothing.
std::string end_of_links(const std::string& path) {
  constexpr int most_links = 40;
  std::string at = path;
  for (int i = 0; i < most_links; ++i) {
    char next[PATH_MAX];
    const ssize_t length = readlink(at.c_str(), next, sizeof next);
    if (length < 0) return at;
    const std::string link(next, static_cast<size_t>(length));
    at = link.starts_with('/') ? link : folder_of(at) + link;
  }
  errno = ELOOP;
  fail_to_write(path, last_error());
}

std::string random_name() {
  uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number) number = static_cast<uint64_t>(getpid());
  char name[40];
  std::snprintf(name, sizeof name, ".covec-%016llx.part", static_cast<unsigned long long>(number));
  return name;
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path, ops::Context& context) : path_(path), context_(context) {
  const size_t zero = path.find('\0');
  if (zero != std::string::npos) fail_to_write(path.substr(0, zero), "its name has a zero byte");
  target_ = end_of_links(path);
  look_at_target();
  open_temporary();
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::discard() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void AtomicFile::look_at_target() {
  struct stat facts {};
  if (stat(target_.c_str(), &facts) != 0) return;  // opening says what is wrong, if anything is
  if (S_ISDIR(facts.st_mode)) fail_to_write(path_, "it is a directory");
  if (!S_ISREG(facts.st_mode)) fail_to_write(path_, "it is not a regular file");
  if (access(target_.c_str(), W_OK) != 0) fail_to_write(path_, last_error());
  mode_ = static_cast<int>(facts.st_mode & 07777);
}

void AtomicFile::open_temporary() {
  constexpr int most_tries = 100;
  for (int i = 0; i < most_tries && descriptor_ < 0; ++i) {
    temporary_ = folder_of(target_) + random_name();
    descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST) break;
  }
  if (descriptor_ < 0) {
    const int code = errno;
    temporary_.clear();
    fail_to_write(path_, std::strerror(code), hint_for(code, path_));
  }
  if (mode_ >= 0 && fchmod(descriptor_, static_cast<mode_t>(mode_)) != 0) {
    const std::string why = last_error();
    discard();  // what is not made has no destructor
    fail_to_write(path_, why);
  }
}

void AtomicFile::put(uint64_t offset, const char* data, size_t count) {
  constexpr size_t piece = size_t{1} << 22;
  while (count > 0) {
    kernels::poll_interrupt(context_);
    const ssize_t done = pwrite(descriptor_, data, std::min(count, piece), static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail_to_write(path_, last_error());
    data += done;
    offset += static_cast<uint64_t>(done);
    count -= static_cast<size_t>(done);
  }
}

void AtomicFile::flush() {
  put(written_, buffer_.data(), buffer_.size());
  written_ += buffer_.size();
  buffer_.clear();
}

void AtomicFile::write(const void* data, size_t count) {
  if (buffer_.size() + count > buffer_bytes) flush();
  if (count < buffer_bytes) {
    buffer_.append(static_cast<const char*>(data), count);
  } else {
    put(written_, static_cast<const char*>(data), count);
    written_ += count;
  }
}

void AtomicFile::patch(uint64_t offset, const void* data, size_t count) {
  flush();
  put(offset, static_cast<const char*>(data), count);
}

void AtomicFile::commit() {
  flush();
  kernels::poll_interrupt(context_);
  // Some file systems have no fsync: that is no failure to write.
  if (fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOTSUP) fail_to_write(path_, last_error());
  const int closed = close(descriptor_);
  descriptor_ = -1;
  if (closed != 0) fail_to_write(path_, last_error());
  if (context_.world != nullptr && !context_.world->replaced(path_, temporary_)) return;
  if (rename(temporary_.c_str(), target_.c_str()) != 0) fail_to_write(path_, last_error());
  temporary_.clear();
  const std::string folder = folder_of(target_);
  const int handle = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (handle < 0) return;  // the new name is there; only whether it outlives a power cut is open
  fsync(handle);
  close(handle);
}

}  // namespace covec::files
