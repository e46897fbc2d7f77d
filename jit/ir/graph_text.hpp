// The text of a graph: what print.cpp writes and text.cpp reads. An operation is a line:
//
//   %5: f64[x.1, v3] = multiply(%0, f64(2)')      results with their types; an entry and its operands; ' marks a
//   literal
//
// A size in a type is a number, `_` (the axis' own), `x.1` (that of parameter x along axis 1), `n` (the parameter
// itself, a number), or a sum and so on of these: `(x.0 + 1)`. A value that is no parameter, or a parameter whose name
// others have as well, is `v3` there.
#pragma once

#include <algorithm>
#include <cctype>
#include <string_view>

namespace covec::ir {

// A size refers to value 3 as `v3`, and `_` is an axis' own size: a parameter with such a name is referred to by
// number.
inline bool is_reserved_in_size(std::string_view name) {
  const auto is_digit = [](unsigned char c) { return std::isdigit(c) != 0; };
  return name == "_" || (name.size() > 1 && name[0] == 'v' && std::ranges::all_of(name.substr(1), is_digit));
}

}  // namespace covec::ir
