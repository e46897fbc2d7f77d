// Replaces a file at once or not at all. The new file is written under another name in the same folder, and renamed
// when it is complete and on the disk. If anything fails before (a full disk, no permission, Ctrl-C), the old file is
// unchanged and nothing is left over. The new file takes the permissions of the old one. The gate decides whether a
// link of that name is followed.
#pragma once

#include "stdlib/files/file.hpp"
#include "stdlib/gate/gate.hpp"

namespace covec::files {

class AtomicFile : public Sink {
 public:
  AtomicFile(const std::string& path, ops::Context& context);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile() override;
  const std::string& path() const { return path_; }
  uint64_t position() const { return written_ + buffer_.size(); }
  using Sink::write;
  void write(const void* data, size_t count) override;
  void patch(uint64_t offset, const void* data, size_t count);  // over what has been written
  void commit();

 private:
  [[noreturn]] void fail_to_open();
  void look_at_target();
  void open_temporary();
  void put(uint64_t offset, const char* data, size_t count);
  void flush();
  void discard();

  std::string path_;  // as the program named it
  ops::Gate::WriteTarget place_;
  std::string temporary_;  // what is written to, in the place's folder
  ops::Context& context_;
  std::string buffer_;
  uint64_t written_ = 0;
  gate::Descriptor descriptor_;
  int mode_ = -1;  // of the file that is replaced; -1: there is none
};

}  // namespace covec::files
