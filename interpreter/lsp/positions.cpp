#include "interpreter/lsp/positions.hpp"

#include <algorithm>

#include "frontend/source/unicode.hpp"

namespace covec::lsp {

// Lines end with "\n", "\r\n" or "\r".
Positions::Positions(std::string_view text, Encoding encoding) : text_(text), encoding_(encoding), starts_{0} {
  for (size_t i = text.find_first_of("\r\n"); i != text.npos; i = text.find_first_of("\r\n", i)) {
    i += text.substr(i).starts_with("\r\n") ? 2 : 1;
    starts_.push_back(i);
  }
}

// The units that the character at a byte counts for; `bytes`: how many it has.
size_t Positions::units(size_t at, size_t& bytes) const {
  constexpr char32_t first_of_two = 0x10000;
  const unicode::Decoded character = unicode::decode(text_, at);
  bytes = std::max<size_t>(character.length, 1);
  if (encoding_ == Encoding::utf8) return bytes;
  return character.length != 0 && character.character >= first_of_two ? 2 : 1;
}

size_t Positions::end_of_line(size_t line) const {
  if (line + 1 == starts_.size()) return text_.size();
  size_t end = starts_[line + 1];
  while (end > starts_[line] && (text_[end - 1] == '\n' || text_[end - 1] == '\r')) --end;
  return end;
}

Json Positions::position(size_t offset) const {
  offset = std::min(offset, text_.size());
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
  const auto line = static_cast<size_t>(after - starts_.begin()) - 1;
  size_t character = 0, bytes = 0;
  for (size_t at = starts_[line]; at < offset; at += bytes) character += units(at, bytes);
  return {{"line", line}, {"character", character}};
}

uint32_t Positions::offset(const Json& position) const {
  const auto line = position.at("line").get<size_t>(), wanted = position.at("character").get<size_t>();
  if (line >= starts_.size()) return static_cast<uint32_t>(text_.size());
  const size_t end = end_of_line(line);
  size_t at = starts_[line], bytes = 0;
  for (size_t character = 0; at < end && character < wanted; at += bytes) character += units(at, bytes);
  return static_cast<uint32_t>(std::min(at, end));
}

}  // namespace covec::lsp
