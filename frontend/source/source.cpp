// Texts and their lines. The offsets of all lines are found once, when a text is added. A position then takes a binary
// search, and a count of characters within one line.
#include "frontend/source/source.hpp"

#include <algorithm>
#include <cstring>

namespace covec {

SourceFile::SourceFile(std::string name, std::string text, std::string library)
    : name_(std::move(name)), text_(std::move(text)), library_(std::move(library)) {
  line_starts_.push_back(0);
  const char* begin = text_.data();
  const char* end = begin + text_.size();
  for (const char* p = begin; p != end;) {
    const char* newline = static_cast<const char*>(std::memchr(p, '\n', static_cast<size_t>(end - p)));
    if (newline == nullptr) break;
    p = newline + 1;
    line_starts_.push_back(static_cast<uint32_t>(p - begin));
  }
}

Position SourceFile::position(uint32_t offset) const {
  offset = std::min(offset, static_cast<uint32_t>(text_.size()));
  auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  uint32_t line = static_cast<uint32_t>(next - line_starts_.begin());
  uint32_t column = 1;
  for (uint32_t i = *(next - 1); i < offset; ++i) {
    if ((static_cast<unsigned char>(text_[i]) & 0xC0) != 0x80) ++column;
  }
  return {line, column};
}

std::string_view SourceFile::line(uint32_t number) const {
  if (number == 0 || number > line_starts_.size()) return {};
  uint32_t begin = line_starts_[number - 1];
  size_t end = number < line_starts_.size() ? line_starts_[number] - 1 : text_.size();
  if (end > begin && text_[end - 1] == '\r') --end;
  return std::string_view(text_).substr(begin, end - begin);
}

std::string_view SourceFile::slice(Span span) const {
  size_t begin = std::min<size_t>(span.begin, text_.size());
  size_t end = std::clamp<size_t>(span.end, begin, text_.size());
  return std::string_view(text_).substr(begin, end - begin);
}

uint32_t SourceMap::add(std::string name, std::string text, std::string library) {
  files_.emplace(++last_, SourceFile(std::move(name), std::move(text), std::move(library)));
  return last_;
}

const SourceFile& SourceMap::file(uint32_t id) const {
  const auto found = files_.find(id);
  return found != files_.end() ? found->second : removed_;
}

uint32_t SourceMap::find(std::string_view name) const {
  uint32_t found = 0;
  for (const auto& [id, file] : files_) {
    if (file.name() == name && (found == 0 || id < found)) found = id;
  }
  return found;
}

void SourceMap::remove(uint32_t id) { files_.erase(id); }

}  // namespace covec
