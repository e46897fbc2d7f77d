// Places in texts as the protocol counts them: lines and, in each, UTF-16 code units or bytes, both from 0.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/source/source.hpp"
#include "interpreter/lsp/json.hpp"

namespace covec::lsp {

enum class Encoding : uint8_t { utf16, utf8 };

// The text itself is held by somebody else, and must not change meanwhile.
class Positions {
 public:
  Positions(std::string_view text, Encoding encoding);

  Json position(size_t offset) const;
  Json range(Span span) const { return range(span.begin, span.end); }
  Json range(size_t begin, size_t end) const { return {{"start", position(begin)}, {"end", position(end)}}; }
  // What lies behind the end of a line or of the text stands for that end. Throws where it is no position.
  uint32_t offset(const Json& position) const;

 private:
  size_t end_of_line(size_t line) const;
  size_t units(size_t at, size_t& bytes) const;

  std::string_view text_;
  Encoding encoding_;
  std::vector<size_t> starts_;  // of lines
};

}  // namespace covec::lsp
