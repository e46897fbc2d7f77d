// A folder that is held open, and access to its contents. open_beneath() never leaves the folder, whatever links are
// made or exchanged meanwhile. The kernel checks each step of the one call that opens (openat2). On a kernel without
// this call, the path is opened component by component, and links are refused. Checking a path first and opening it
// later would lose the race against another process that changes the path in between.
#pragma once

#include <string>
#include <vector>

#include "stdlib/gate/descriptor.hpp"

struct stat;

namespace covec::gate {

class Folder {
 public:
  Folder() = default;
  explicit Folder(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}
  // "" is the working directory. Without such a folder it is not open, and errno says why.
  static Folder at(const std::string& path);
  bool is_open() const { return descriptor_.is_open(); }

  // Of what lies in it at `path` ("" or "a/b": relative, without ".."), or deeper by links that stay inside. Not open:
  // errno says why; EXDEV or ELOOP where a link leads out. by_kernel: false does without openat2.
  Descriptor open_beneath(const std::string& path, int flags, bool by_kernel = true) const;

  // Of the file `name` right in it; a link is not followed. False or not open: errno says why.
  Descriptor open(const std::string& name) const;
  Descriptor create(const std::string& name) const;         // it must not be there yet
  Descriptor open_to_write(const std::string& name) const;  // it must be there
  bool look_at(const std::string& name, struct stat& facts) const;
  bool is_writable(const std::string& name) const;
  bool rename(const std::string& from, const std::string& to) const;
  void remove(const std::string& name) const;
  void sync() const;  // so that names outlive a power cut, where that can be had

 private:
  Descriptor descriptor_;
};

}  // namespace covec::gate
