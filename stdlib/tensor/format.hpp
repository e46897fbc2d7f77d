// Formats values by Python's format mini-language, for f-strings and format(): elementwise on tensors, and on the
// numbers of a tree.
#pragma once

#include <string>
#include <string_view>

#include "stdlib/tensor/format_spec.hpp"
#include "stdlib/value/value.hpp"

namespace covec {

// An empty spec gives text_of. Throws OpError(format_spec or format_value). A value that differs between the examples
// of an open vmap makes that run example by example.
std::string format_value(const Value& value, std::string_view spec);

// What is shown of a value: derivatives' wrapping goes, a batch asks to be run example by example.
Value plain_tree(const Value& value);

// One rank-0 number.
std::string format_number(const Value& scalar, const FormatSpec& spec);

}  // namespace covec
