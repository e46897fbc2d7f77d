// Source texts and places in them. A Span is a half-open range of bytes of one file; a SourceMap owns the
// texts of one session and turns bytes into lines and columns. Start reading at Span.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace covec {

struct Span {
  uint32_t file = 0;   // index in the session's SourceMap; 0 means "no file"
  uint32_t begin = 0;  // byte offsets, half open
  uint32_t end = 0;
  bool known() const { return file != 0; }
  Span to(Span last) const { return {file, begin, last.end}; }
  bool contains(Span inner) const { return file == inner.file && begin <= inner.begin && inner.end <= end; }
};

// Line and column count from 1; the column counts Unicode code points.
struct Position {
  uint32_t line = 0;
  uint32_t column = 0;
};

class SourceFile {
 public:
  SourceFile(std::string name, std::string text, std::string library = {});
  const std::string& name() const { return name_; }
  const std::string& library() const { return library_; }  // "nn" of the built-in module nn; "" of a program's own text
  const std::string& text() const { return text_; }
  Position position(uint32_t offset) const;
  std::string_view line(uint32_t number) const;  // without its newline; number counts from 1
  std::string_view slice(Span span) const;

 private:
  std::string name_;
  std::string text_;
  std::string library_;
  std::vector<uint32_t> line_starts_;
};

class SourceMap {
 public:
  uint32_t add(std::string name, std::string text,
               std::string library = {});      // gives the id to use in Span::file (1, 2, …)
  const SourceFile& file(uint32_t id) const;   // of one that was removed: an empty one called "?"
  void remove(uint32_t id);                    // nothing is to be shown of it any more; its id is not used again
  uint32_t find(std::string_view name) const;  // the first file with that name; 0: there is none
  Position position(Span span) const { return file(span.file).position(span.begin); }

 private:
  std::unordered_map<uint32_t, SourceFile> files_;
  uint32_t last_ = 0;
  const SourceFile removed_{"?", ""};
};

}  // namespace covec
