#include "stdlib/gate/descriptor.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace covec::gate {

bool Descriptor::close() {
  if (number_ < 0) return true;
  const int number = std::exchange(number_, -1);
  return ::close(number) == 0;
}

int64_t Descriptor::read_at(uint64_t offset, void* to, size_t count) const {
  ssize_t got;
  do {
    got = pread(number_, to, count, static_cast<off_t>(offset));
  } while (got < 0 && errno == EINTR);
  return got;
}

int64_t Descriptor::write_at(uint64_t offset, const void* from, size_t count) const {
  ssize_t done;
  do {
    done = pwrite(number_, from, count, static_cast<off_t>(offset));
  } while (done < 0 && errno == EINTR);
  return done;
}

bool Descriptor::look_at(struct stat& facts) const { return fstat(number_, &facts) == 0; }

bool Descriptor::set_mode(unsigned mode) const { return fchmod(number_, static_cast<mode_t>(mode)) == 0; }

// Some file systems have no fsync.
bool Descriptor::sync() const { return fsync(number_) == 0 || errno == EINVAL || errno == ENOTSUP; }

std::string reason_of(int code) { return std::strerror(code); }

int64_t read_next(int number, void* to, size_t count) {
  ssize_t got;
  do {
    got = ::read(number, to, count);
  } while (got < 0 && errno == EINTR);
  return got;
}

}  // namespace covec::gate
