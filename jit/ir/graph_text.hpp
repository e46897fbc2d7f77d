// The text of a graph: print.cpp writes it and text.cpp reads it. An operation is a line:
//
//   %5: f64[x.1, v3] = multiply(%0, f64(2)')      results and their types, an entry, its operands (' is a literal)
//
// A size in a type is a number, `_` (the axis' own), `x.1` (that of parameter x along axis 1), or `n` (the parameter
// itself, a number). It may also be an expression of these: `(x.0 + 1)`. A value that is not a parameter is `v3` there;
// so is a parameter whose name others have as well.
//
// If an entry takes an index (IndexSpec, index_spec.hpp), it stands behind the operand, as in the language:
//
//   %6: f64[_] = index_read(%0[%3, 2:%4, ::-1, ..., newaxis])      a number i64(2) is just 2 here
//   %7: f64[_] = index_update(%0[%3], %5)                          %0 with [%3] = %5; index_add: += %5
#pragma once

#include <algorithm>
#include <cctype>
#include <optional>
#include <span>
#include <string_view>

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ir {

struct Graph;
// parse (graph.hpp) with operators that are not in the registry.
Graph parse(std::string_view text, std::span<const ops::Entry* const> more);

// Sizes have another meaning for such a name, so a parameter that has it is `v3` as well.
inline bool is_reserved_in_size(std::string_view name) {
  const auto is_digit = [](unsigned char c) { return std::isdigit(c) != 0; };
  return name == "_" || (name.size() > 1 && name[0] == 'v' && std::ranges::all_of(name.substr(1), is_digit));
}

// Which argument is a packed IndexSpec, for entries that take an index of their first one. (Other specs come first, or
// may be left out, as a format's.)
inline std::optional<size_t> index_parameter(const ops::Entry& entry) {
  const auto spec = std::ranges::find(entry.parameters, std::string_view("spec"), &ops::Parameter::name);
  if (spec == entry.parameters.end() || spec == entry.parameters.begin() || !spec->required) return std::nullopt;
  return static_cast<size_t>(spec - entry.parameters.begin());
}

}  // namespace covec::ir
