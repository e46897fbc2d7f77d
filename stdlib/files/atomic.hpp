// Replaces a file at once or not at all. The new file is written under another name in the same folder, and renamed
// when it is complete and on the disk. If anything fails before (a full disk, no permission, Ctrl-C), the old file is
// unchanged and nothing is left over. The new file takes the permissions of the old one. The gate decides whether a
// link of that name is followed. Several processes may write one file: one of them replaces it, and the others write
// their bytes into its temporary file (AtomicFilePart).
#pragma once

#include "stdlib/files/file.hpp"
#include "stdlib/gate/gate.hpp"

namespace covec::files {

// Bytes into an open file, one after the other.
class OpenFile : public Sink {
 public:
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  const std::string& path() const { return path_; }
  uint64_t position() const { return written_ + buffer_.size(); }
  using Sink::write;
  void write(const void* data, size_t count) override;
  void patch(uint64_t offset, const void* data, size_t count);  // over what has been written

 protected:
  OpenFile(const std::string& path, ops::Context& context, uint64_t offset);
  [[noreturn]] void fail_to_open() const;
  void close();  // when everything is on the disk

  const std::string path_;  // as the program named it
  ops::Context& context_;
  ops::Gate::WriteTarget place_;
  gate::Descriptor descriptor_;

 private:
  void put(uint64_t offset, const char* data, size_t count);
  void flush();

  std::string buffer_;
  uint64_t written_;  // where in the file the buffer goes
};

class AtomicFile final : public OpenFile {
 public:
  AtomicFile(const std::string& path, ops::Context& context);
  ~AtomicFile() override;
  const std::string& temporary() const { return temporary_; }
  void commit();

 private:
  void look_at_target();
  void open_temporary();
  void discard();

  std::string temporary_;  // what is written to, in the place's folder
  int mode_ = -1;          // of the file that is replaced; -1: there is none
};

class AtomicFilePart final : public OpenFile {
 public:
  // Of the file `path`, which another process replaces: the bytes from `offset` on.
  AtomicFilePart(const std::string& path, const std::string& temporary, uint64_t offset, ops::Context& context);
  void complete() { close(); }
};

}  // namespace covec::files
