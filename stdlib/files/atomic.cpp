// Writes beside the target and renames. Start reading at the constructor, then commit().
#include "stdlib/files/atomic.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "stdlib/gate/system.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/value/error.hpp"

namespace covec::files {

namespace {

constexpr size_t buffer_bytes = size_t{1} << 16;  // bytes

std::string random_name() {
  char name[40];
  std::snprintf(name, sizeof name, ".covec-%016llx.part", static_cast<unsigned long long>(gate::random_number()));
  return name;
}

}  // namespace

// --- an open file ---

OpenFile::OpenFile(const std::string& path, ops::Context& context, uint64_t offset)
    : path_(path), context_(context), written_(offset) {
  const size_t zero = path.find('\0');
  if (zero != std::string::npos) fail_to_write(path.substr(0, zero), "its name has a zero byte");
  place_ = context.gate->write_target(path);
  if (!place_.folder.is_open()) fail_to_open();
}

void OpenFile::fail_to_open() const {
  const int code = errno;
  fail_to_write(path_, gate::reason_of(code), hint_for(code, path_, context_));
}

void OpenFile::put(uint64_t offset, const char* data, size_t count) {
  // Bytes from one look at the interrupt flag to the next.
  constexpr size_t piece = size_t{1} << 22;
  while (count > 0) {
    kernels::poll_interrupt(context_);
    const int64_t done = descriptor_.write_at(offset, data, std::min(count, piece));
    if (done < 0) fail_to_write(path_, last_error());
    data += done;
    offset += static_cast<uint64_t>(done);
    count -= static_cast<size_t>(done);
  }
}

void OpenFile::flush() {
  put(written_, buffer_.data(), buffer_.size());
  written_ += buffer_.size();
  buffer_.clear();
}

void OpenFile::write(const void* data, size_t count) {
  if (buffer_.size() + count > buffer_bytes) flush();
  if (count < buffer_bytes) {
    buffer_.append(static_cast<const char*>(data), count);
  } else {
    put(written_, static_cast<const char*>(data), count);
    written_ += count;
  }
}

void OpenFile::patch(uint64_t offset, const void* data, size_t count) {
  flush();
  put(offset, static_cast<const char*>(data), count);
}

void OpenFile::close() {
  flush();
  kernels::poll_interrupt(context_);
  if (!descriptor_.sync()) fail_to_write(path_, last_error());
  if (!descriptor_.close()) fail_to_write(path_, last_error());
}

// --- a file that is replaced ---

AtomicFile::AtomicFile(const std::string& path, ops::Context& context) : OpenFile(path, context, 0) {
  look_at_target();
  open_temporary();
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::discard() {
  if (!temporary_.empty()) place_.folder.remove(temporary_);
}

void AtomicFile::look_at_target() {
  struct stat facts {};
  if (!place_.folder.look_at(place_.name, facts)) return;  // opening says what is wrong, if anything is
  if (S_ISLNK(facts.st_mode)) return;                      // it is replaced
  if (S_ISDIR(facts.st_mode)) fail_to_write(path_, "it is a directory");
  if (!S_ISREG(facts.st_mode)) fail_to_write(path_, "it is not a regular file");
  if (!place_.folder.is_writable(place_.name)) fail_to_write(path_, last_error());
  mode_ = static_cast<int>(facts.st_mode & 07777);
}

void AtomicFile::open_temporary() {
  constexpr int max_tries = 100;  // names that others may have taken
  for (int i = 0; i < max_tries && !descriptor_.is_open(); ++i) {
    temporary_ = random_name();
    descriptor_ = place_.folder.create(temporary_);
    if (!descriptor_.is_open() && errno != EEXIST) break;
  }
  if (!descriptor_.is_open()) {
    temporary_.clear();
    fail_to_open();
  }
  if (mode_ >= 0 && !descriptor_.set_mode(static_cast<unsigned>(mode_))) {
    const std::string why = last_error();
    discard();  // what is not made has no destructor
    fail_to_write(path_, why);
  }
}

void AtomicFile::commit() {
  close();
  if (!context_.gate->may_replace(path_, place_.folder, temporary_)) return;
  if (!place_.folder.rename(temporary_, place_.name)) fail_to_write(path_, last_error());
  temporary_.clear();
  place_.folder.sync();  // the new name is there; this is about a power cut
}

// --- a part of a file that another process replaces ---

AtomicFilePart::AtomicFilePart(const std::string& path, const std::string& temporary, uint64_t offset,
                               ops::Context& context)
    : OpenFile(path, context, offset) {
  descriptor_ = place_.folder.open_to_write(temporary);
  if (descriptor_.is_open()) return;
  fail_to_write(path, "what another process has begun cannot be opened here: " + last_error(),
                "all processes that write the file need its folder, on a disk that they share");
}

}  // namespace covec::files
