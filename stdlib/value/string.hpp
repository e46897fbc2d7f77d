// A string: UTF-8 text that the language sees as a sequence of code points. The length is counted at its first use,
// unless the code that made the string gave it. The first index into text that is not ASCII builds a table of
// positions; later indices take constant time. After the text has grown, both continue from where they were. Invalid
// UTF-8 is counted too: every byte that is not a continuation byte begins a code point.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "stdlib/value/memory.hpp"
#include "stdlib/value/value.hpp"

namespace covec {

struct String : Object {
  explicit String(std::string t)
      : Object(ObjectKind::string), text(std::move(t)), charge(block_bytes(sizeof(String)) + bytes_behind(text)) {}
  // Of a known length.
  String(std::string t, int64_t length) : String(std::move(t)) {
    counted_ = text.size();
    length_ = static_cast<size_t>(length);
  }

  int64_t length() const {  // in code points
    if (counted_ != text.size()) count_rest();
    return static_cast<int64_t>(length_);
  }
  // 0 ≤ index < length.
  std::string_view character(int64_t index) const { return part(index, 1); }
  // `count` code points from number `start` on; both lie inside.
  std::string_view part(int64_t start, int64_t count) const {
    if (is_ascii()) return std::string_view(text).substr(static_cast<size_t>(start), static_cast<size_t>(count));
    const size_t begin = place(static_cast<size_t>(start));
    return std::string_view(text).substr(begin, after(begin, static_cast<size_t>(start), count) - begin);
  }
  // Amortized constant time. Where memory does not suffice it stays as it was. `more` is no part of this text.
  void append(std::string_view more);

  std::string text;
  mutable MemoryCharge charge;

 private:
  static constexpr size_t stride = 16;  // of the table: every so many code points

  struct Table {
    std::vector<size_t> marks;       // where code points 0, 16, 32, … begin
    size_t covered = 0, passed = 0;  // bytes that have been looked at, and code points in them
  };

  bool is_ascii() const { return length() == static_cast<int64_t>(text.size()); }
  void count_rest() const;
  const Table& table() const;                                     // of the whole text
  size_t place(size_t index) const;                               // where code point `index` begins
  size_t after(size_t begin, size_t start, int64_t count) const;  // where `count` of them end
  size_t bytes(size_t capacity, size_t marks) const;

  mutable size_t counted_ = 0, length_ = 0;  // bytes that have been counted, and code points in them
  mutable std::unique_ptr<Table> table_;     // of a text that has been indexed and is not ASCII
};

Value make_string(std::string text);
Value make_string(std::string text, int64_t length);  // that has so many code points

// Where `part` first stands at byte `from` or behind it; npos: nowhere. The time grows with the sum of the sizes. All
// places: text_search.hpp.
size_t find_text(std::string_view text, std::string_view part, size_t from = 0);

// How many bytes begin a character: those that continue none.
size_t count_beginnings(std::string_view text);

inline String& Value::string() const noexcept { return *static_cast<String*>(object()); }

// The number of the code point that a text which is UTF-8 begins with; the text is not empty. Of other text: some
// number.
char32_t first_code_point(std::string_view text);
// Adds a code point to a text.
void append_code_point(std::string& text, char32_t character);
// As a literal has it: "a\n".
std::string quoted(std::string_view text);

}  // namespace covec
