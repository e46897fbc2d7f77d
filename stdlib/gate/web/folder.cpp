// Folders of files in memory.
#include "stdlib/gate/folder.hpp"

#include <sys/stat.h>

#include <cerrno>

#include "stdlib/gate/web/files.hpp"

namespace covec::gate {

namespace {

std::string inside(const Descriptor& folder, const std::string& name) { return path_of(folder) + "/" + name; }

}  // namespace

Folder Folder::at(const std::string& path) {
  if (is_folder(path)) return Folder(open_at(path.empty() ? "/" : path));
  errno = file_at(path) != nullptr ? ENOTDIR : ENOENT;
  return {};
}

Descriptor Folder::open_beneath(const std::string& path, int, bool) const {
  return open_at(path.empty() ? path_of(descriptor_) : inside(descriptor_, path));
}

Descriptor Folder::open(const std::string& name) const { return open_at(inside(descriptor_, name)); }

Descriptor Folder::create(const std::string& name) const {
  const std::string path = inside(descriptor_, name);
  if (file_at(path) != nullptr || is_folder(path)) {
    errno = EEXIST;
    return {};
  }
  if (!create_file(path)) return {};
  return open_at(path);
}

Descriptor Folder::open_to_write(const std::string& name) const { return open(name); }

bool Folder::look_at(const std::string& name, struct stat& facts) const {
  const Descriptor found = open(name);
  return found.is_open() && found.look_at(facts);
}

bool Folder::is_writable(const std::string& name) const { return file_at(inside(descriptor_, name)) != nullptr; }

bool Folder::rename(const std::string& from, const std::string& to) const {
  const std::string source = inside(descriptor_, from), target = inside(descriptor_, to);
  const std::string* const bytes = file_at(source);
  if (bytes == nullptr || is_folder(target)) {
    errno = bytes == nullptr ? ENOENT : EISDIR;
    return false;
  }
  move_file(source, target);
  return true;
}

void Folder::remove(const std::string& name) const { remove_file(inside(descriptor_, name)); }

void Folder::sync() const {}

}  // namespace covec::gate
