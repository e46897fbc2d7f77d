// A file that appears at once or not at all: written under another name in the same folder, and renamed when it is
// complete and on the disk. Whatever goes wrong before (a full disk, no permission, Ctrl-C), the file that was there
// stays as it was and nothing is left over. The file that is replaced leaves its permissions to the new one. Whether a
// link of that name is followed is the gate's to say.
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
  ops::Gate::Place place_;
  std::string temporary_;  // what is written to, in the place's folder
  ops::Context& context_;
  std::string buffer_;
  uint64_t written_ = 0;
  gate::Descriptor descriptor_;
  int mode_ = -1;  // of the file that is replaced; -1: there is none
};

}  // namespace covec::files
