// Parameters that the ordering builtins of several families share: sort, max, min.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "stdlib/ops/contract/attributes.hpp"

namespace covec::ops {

// by=none, a function that gives what items are ordered by.
inline Parameter ordering_function() {
  return {.name = "by", .kind = ParameterKind::any, .required = false, .fallback = {}};
}

// Of max and min: of a tensor's elements, or of the items of any value.
inline std::vector<Parameter> extreme_parameters(Parameter x) {
  return {std::move(x), attribute("axis", Value()), attribute("keepdims", Value(false)), ordering_function()};
}

// Python's `key=` is another name of such a function; the `by` of split and join is a text.
inline std::string_view other_name(const Parameter& parameter) {
  return parameter.name == "by" && parameter.kind == ParameterKind::any ? "key" : "";
}

}  // namespace covec::ops
