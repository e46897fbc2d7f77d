// Files as the formats see them. A regular file has random access; a Source is a stream of bytes from it, and a Sink is
// one to somewhere. Buffers count against the session's memory limit. Nothing is allocated for a size that a file only
// claims: code that reads a size first compares it with the file's. Long reads check for Ctrl-C.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "stdlib/gate/descriptor.hpp"
#include "stdlib/tensor/scratch.hpp"
#include "stdlib/value/context.hpp"

namespace covec::files {

[[noreturn]] void fail_to_read(const std::string& path, std::string why, std::string hint = {});
[[noreturn]] void fail_damaged(const std::string& path, uint64_t at, std::string why);
[[noreturn]] void fail_to_write(const std::string& path, std::string why, std::string hint = {});
// out_of_memory when that many bytes are not left.
void require_memory(const Pool& pool, uint64_t bytes);
// The system's word for the last failure, and a hint for a relative path that leads nowhere.
std::string last_error();
std::string hint_for(int code, const std::string& path, const ops::Context& context);
// As much of a text as a message should show, what is no printable text as \xff; never half a code point. And in
// quotes.
std::string abridged(std::string_view text);
std::string shown(std::string_view text);

// Bytes that the UTF-8 sequence at the beginning of `text` takes, 0 when there is none. Overlong forms, surrogates and
// zero bytes are none.
size_t sequence_length(std::string_view text);
// Where the first byte lies that is not UTF-8; the length when all of it is.
size_t utf8_prefix(std::string_view text);

class File {
 public:
  File(const std::string& path, ops::Context& context);  // pipes and devices may have no end: only regular files
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  const std::string& path() const { return path_; }
  ops::Context& context() const { return context_; }
  Pool& pool() const { return *context_.pool; }
  uint64_t size() const { return size_; }
  void read(uint64_t offset, void* to, uint64_t bytes) const;  // all of it, or an error

 private:
  std::string path_;
  ops::Context& context_;
  gate::Descriptor descriptor_;
  uint64_t size_ = 0;
};

class Source {
 public:
  explicit Source(uint64_t size) : size_(size) {}
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;
  uint64_t size() const { return size_; }
  uint64_t left() const { return size_ - position_; }
  void read(void* to, uint64_t count);                   // the next bytes; more than are left is an error
  [[noreturn]] void fail(const std::string& why) const;  // something is wrong with what was read last

 protected:
  struct FileOffset {
    const std::string& path;
    uint64_t at;       // in the file
    std::string part;  // "the member 'a.npy': "
  };
  virtual FileOffset place() const = 0;
  virtual void take(void* to, uint64_t count) = 0;
  uint64_t position() const { return position_; }
  uint64_t last() const { return last_; }  // where the last reading began

 private:
  uint64_t size_, position_ = 0, last_ = 0;
};

class FileSource : public Source {
 public:
  FileSource(const File& file, uint64_t offset, uint64_t size) : Source(size), file_(file), offset_(offset) {}

 protected:
  FileOffset place() const override { return {file_.path(), offset_ + last(), {}}; }
  void take(void* to, uint64_t count) override { file_.read(offset_ + position(), to, count); }

 private:
  const File& file_;
  uint64_t offset_;
};

class Sink {
 public:
  virtual ~Sink() = default;
  virtual void write(const void* data, size_t count) = 0;
  void write(std::string_view text) { write(text.data(), text.size()); }
};

// Keeps in a string what would go to a file.
class TextSink final : public Sink {
 public:
  using Sink::write;
  void write(const void* data, size_t count) override { text.append(static_cast<const char*>(data), count); }
  std::string text;
};

}  // namespace covec::files
