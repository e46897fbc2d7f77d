// Zip archives, as far as arrays need them. Reading supports stored and deflated members, with 64-bit sizes where the
// others are too small (zip64). Writing stores members uncompressed. No claim of a directory is trusted before it is
// checked. No part of the file may be listed twice, no member may unpack to more than deflate can, and its checksum
// must match.
//
// Why not libzip: Debian has it as a shared library only, which brings libcrypto and libbz2 with it. Loaded into the
// command, a start (`covec -e 1`) takes 6.2 ms instead of 4.8 (the best of 200, in turn). It adds 4.8 MB where covec is
// installed, which today needs no library for its formats (zlib is linked statically). It has none of the checks above,
// reads members that we refuse (encrypted, other methods), and allocates beside the session's account. It would only
// replace the parsing of the records' fields, a third of these 470 lines.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stdlib/files/atomic.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec::files {

struct Member {
  std::string name;
  uint64_t header = 0;  // where its local header lies
  uint64_t packed = 0, size = 0;
  uint32_t checksum = 0;
  uint16_t method = 0;
};

// What a member unpacks to. finish(), after the last byte, checks that it is all and as it was written.
class MemberSource : public Source {
 public:
  MemberSource(const File& file, const Member& member) : Source(member.size), file_(file), member_(member) {}
  virtual void finish();

 protected:
  FileOffset place() const override {
    return {file_.path(), member_.header, "the member " + shown(member_.name) + ": "};
  }
  void sum(const void* data, size_t count);
  const File& file_;
  const Member& member_;

 private:
  uint32_t checksum_ = 0;
};

class ZipReader {
 public:
  explicit ZipReader(const File& file);
  const std::vector<Member>& members() const { return members_; }
  const std::string& comment() const { return comment_; }
  std::unique_ptr<MemberSource> open(const Member& member) const;

 private:
  struct Directory {
    uint64_t offset, size, count;
  };
  Directory find_directory();
  void read_zip64_end(Directory& directory, uint64_t end) const;
  void read_directory(const Directory& directory);
  void require_apart(uint64_t end) const;

  const File& file_;
  std::vector<Member> members_;
  std::string comment_;
};

class ZipWriter {
 public:
  explicit ZipWriter(AtomicFile& file) : file_(file) {}
  // A member of exactly `size` bytes, which `put` writes.
  void add(std::string name, uint64_t size, FunctionRef<void(Sink&)> put);
  void finish(std::string_view comment);

 private:
  AtomicFile& file_;
  std::vector<Member> members_;
};

inline constexpr size_t longest_zip_text = 0xffff;  // of a name, of the comment

}  // namespace covec::files
