// Code points and their positions. A code point begins at each byte that is not a continuation byte, and at the first
// byte.
#include "stdlib/value/string.hpp"

#include <algorithm>
#include <cstring>

namespace covec {

namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The compiler's vectors of 16 bytes, for any machine.
typedef signed char Bytes __attribute__((vector_size(16)));
typedef unsigned char Counts __attribute__((vector_size(16)));
typedef uint64_t Sums __attribute__((vector_size(16)));

// All counts together: first in pairs, whose sums take 16 bits; the product adds four of those.
size_t sum_of(Counts counts) {
  const Sums even = (Sums)counts & 0x00ff00ff00ff00ff, odd = ((Sums)counts >> 8) & 0x00ff00ff00ff00ff;
  const Sums pairs = even + odd;
  return (pairs[0] + pairs[1]) * 0x0001000100010001 >> 48;
}

}  // namespace

// Those that continue a character are counted: as signed numbers they are less than -64. Sixteen are compared at once,
// and counted in bytes for as long as these hold them.
size_t count_beginnings(std::string_view text) {
  // Bytes: of a register, and until a count of 8 bits, one in each lane, is full.
  constexpr size_t width = sizeof(Bytes), most = 255 * width;
  size_t continuing = 0, at = 0;
  while (text.size() - at >= width) {
    const size_t end = at + std::min(most, (text.size() - at) / width * width);
    Counts counts{};
    for (; at < end; at += width) {
      Bytes bytes;
      std::memcpy(&bytes, text.data() + at, width);
      counts -= (Counts)(bytes < -64);  // true is a lane of ones: −1
    }
    continuing += sum_of(counts);
  }
  for (; at < text.size(); ++at) continuing += continues(text[at]);
  return text.size() - continuing;
}

void String::count_rest() const {
  if (counted_ == 0 && !text.empty() && continues(text[0])) ++length_;
  length_ += count_beginnings(std::string_view(text).substr(counted_));
  counted_ = text.size();
}

// The account first: where memory does not suffice, the table is as it was.
const String::Table& String::table() const {
  if (!table_) table_ = std::make_unique<Table>();
  Table& table = *table_;
  if (table.covered == text.size()) return table;
  const size_t wanted = (static_cast<size_t>(length()) + stride - 1) / stride;
  if (wanted > table.marks.capacity()) {
    const size_t room = std::max(wanted, 2 * table.marks.capacity());
    charge.change(bytes(text.capacity(), room));
    table.marks.reserve(room);
  }
  for (; table.covered < text.size(); ++table.covered) {
    if (table.covered != 0 && continues(text[table.covered])) continue;
    if (table.passed++ % stride == 0) table.marks.push_back(table.covered);
  }
  return table;
}

size_t String::place(size_t index) const {
  const Table& table = this->table();
  if (index == table.passed) return text.size();
  const size_t mark = index / stride;
  return after(table.marks[mark], mark * stride, static_cast<int64_t>(index - mark * stride));
}

// Few are walked over; of many the table knows the end.
size_t String::after(size_t begin, size_t start, int64_t count) const {
  if (count > static_cast<int64_t>(2 * stride)) return place(start + static_cast<size_t>(count));
  size_t at = begin;
  for (; count > 0; --count) {
    ++at;
    while (at < text.size() && continues(text[at])) ++at;
  }
  return at;
}

size_t String::bytes(size_t capacity, size_t marks) const {
  const size_t table = marks == 0 ? 0 : block_bytes(sizeof(Table)) + block_bytes(marks * sizeof(size_t));
  const bool inside = capacity < sizeof(std::string) / 2;
  return block_bytes(sizeof(String)) + (inside ? 0 : block_bytes(capacity + 1)) + table;
}

void String::append(std::string_view more) {
  const size_t size = text.size() + more.size();
  if (size > text.capacity()) {
    const size_t room = std::max(size, 2 * text.capacity());
    charge.change(bytes(room, table_ ? table_->marks.capacity() : 0));
    text.reserve(room);
  }
  text.append(more);
}

Value make_string(std::string text) { return Value::adopt(new String(std::move(text))); }
Value make_string(std::string text, int64_t length) { return Value::adopt(new String(std::move(text), length)); }

char32_t first_code_point(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(0);
  if (first < 0xC0) return first;
  const size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  char32_t character = first & (0x7Fu >> length);
  for (size_t i = 1; i < length; ++i) character = (character << 6) | (byte(i) & 0x3F);
  return character;
}

void append_code_point(std::string& text, char32_t c) {
  const auto put = [&](char32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (c < 0x80) return put(c);
  if (c < 0x800) {
    put(0xC0 | (c >> 6));
  } else {
    if (c >= 0x10000) put(0xF0 | (c >> 18));
    put(c >= 0x10000 ? 0x80 | ((c >> 12) & 0x3F) : 0xE0 | (c >> 12));
    put(0x80 | ((c >> 6) & 0x3F));
  }
  put(0x80 | (c & 0x3F));
}

std::string quoted(std::string_view text) {
  static constexpr char hex[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\t': out += "\\t"; break;
      case '\r': out += "\\r"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
          out += {'\\', 'x', hex[static_cast<unsigned char>(c) >> 4], hex[c & 15]};
        } else {
          out += c;
        }
    }
  }
  return out + "\"";
}

}  // namespace covec
