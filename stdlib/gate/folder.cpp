#include "stdlib/gate/folder.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace covec::gate {

namespace {

constexpr int folder_flags = O_PATH | O_DIRECTORY | O_CLOEXEC;

// The kernel asks for another try where a folder was moved while it looked.
Descriptor open_by_kernel(int folder, const char* path, int flags) {
  constexpr int max_tries = 1000;  // in turn
  open_how how{};
  how.flags = static_cast<uint64_t>(flags);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  for (int i = 0; i < max_tries; ++i) {
    const auto number = static_cast<int>(syscall(SYS_openat2, folder, path, &how, sizeof how));
    if (number >= 0 || (errno != EAGAIN && errno != EINTR)) return Descriptor(number);
  }
  return {};
}

bool has_no_openat2(int error) { return error == ENOSYS || error == EPERM || error == EINVAL || error == E2BIG; }

Descriptor open_by_components(int folder, const std::string& path, int flags) {
  Descriptor held;
  size_t begin = 0;
  for (size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', begin)) {
    const std::string part = path.substr(begin, slash - begin);
    Descriptor next(openat(held.is_open() ? held.number() : folder, part.c_str(), folder_flags | O_NOFOLLOW));
    if (!next.is_open()) return {};
    held = std::move(next);
    begin = slash + 1;
  }
  return Descriptor(
      openat(held.is_open() ? held.number() : folder, path.substr(begin).c_str(), flags | O_NOFOLLOW | O_CLOEXEC));
}

}  // namespace

Folder Folder::at(const std::string& path) {
  return Folder(Descriptor(::open(path.empty() ? "." : path.c_str(), folder_flags)));
}

Descriptor Folder::open_beneath(const std::string& path, int flags, bool by_kernel) const {
  const std::string inside = path.empty() ? "." : path;
  if (by_kernel) {
    Descriptor opened = open_by_kernel(descriptor_.number(), inside.c_str(), flags | O_CLOEXEC);
    if (opened.is_open() || !has_no_openat2(errno)) return opened;
  }
  return open_by_components(descriptor_.number(), inside, flags);
}

Descriptor Folder::open(const std::string& name) const {
  return Descriptor(openat(descriptor_.number(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
}

Descriptor Folder::create(const std::string& name) const {
  return Descriptor(openat(descriptor_.number(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
}

Descriptor Folder::open_to_write(const std::string& name) const {
  return Descriptor(openat(descriptor_.number(), name.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
}

bool Folder::look_at(const std::string& name, struct stat& facts) const {
  return fstatat(descriptor_.number(), name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0;
}

bool Folder::is_writable(const std::string& name) const {
  return faccessat(descriptor_.number(), name.c_str(), W_OK, 0) == 0;
}

bool Folder::rename(const std::string& from, const std::string& to) const {
  return renameat(descriptor_.number(), from.c_str(), descriptor_.number(), to.c_str()) == 0;
}

void Folder::remove(const std::string& name) const { unlinkat(descriptor_.number(), name.c_str(), 0); }

void Folder::sync() const {
  const Descriptor readable(openat(descriptor_.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (readable.is_open()) fsync(readable.number());
}

}  // namespace covec::gate
