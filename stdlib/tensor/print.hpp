// Values as text: what print, str, f-strings and the REPL show.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stdlib/value/value.hpp"

namespace covec {

struct Complex;

// Numbers in the shortest form that reads back, tensors with 8 significant digits; `digits` 1 … 17 sets both. Lines are
// 80 columns wide; of tensors past 1000 elements the edges are shown. A string is bare, inside a tree it is quoted.
std::string text_of(const Value& value, int digits = 0);
// The same with a string quoted at the top too: what the REPL shows.
std::string repr_of(const Value& value, int digits = 0);
// The same, but of a tree only as much as a person reads, with the count of what is left out: what prompts show.
std::string abridged_repr_of(const Value& value);

// A tensor or tree whose numbers are written by a format specification.
struct FormatSpec;
std::string formatted_text(const Value& value, const FormatSpec& spec);

// How numbers are written.
struct NumberStyle {
  int digits = 0;                    // 0: 8 in tensors, the shortest form outside
  const FormatSpec* spec = nullptr;  // instead, when there is one
};

// The text of a tensor (rank ≥ 1) whose first line starts at `column`; later lines are indented accordingly.
std::string tensor_text(const Value& tensor, const NumberStyle& style, unsigned column);

// The words of some elements of a tensor or complex tensor, all of one width: those at these places, which count
// elements in row-major order. Only they are read, and share one form.
std::vector<std::string> element_words(const Value& tensor, const std::vector<int64_t>& places);

// The same of a complex tensor, and one number's text from those of its parts.
std::string complex_tensor_text(const Complex& z, const NumberStyle& style, unsigned column);
struct ComplexWords {
  std::string re, im;
};
std::string complex_word(const ComplexWords& words, double real, double imaginary, const FormatSpec* spec);
// What its parts are written by: the width is that of the whole.
FormatSpec spec_of_parts(const FormatSpec& spec);

inline constexpr unsigned line_width = 80;  // columns; those of a usual terminal

}  // namespace covec
