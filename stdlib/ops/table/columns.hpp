// Columns as operators read them: a vector, a list of strings (none where one is missing), or a record {seconds} of
// dates. A table is a record of columns of one length.
#pragma once

#include <string>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/builder.hpp"

namespace covec::ops {

// "table.FUNCTION: `ARGUMENT` must be …, got …", where an entry is told both.
struct Asker {
  std::string function, argument;
};
Asker asker_argument(const Call& call, unsigned function, unsigned argument);
[[noreturn]] void refuse(const Asker& asker, const std::string& must_be, const std::string& got);
// Numbers in rank-0 tensors as they are, other values described.
std::string shown_value(const Value& value);

// A table or a column without what derivatives have wrapped around its numbers; where those differ between the examples
// of a vmap, it goes example by example. Lists that are columns hold none: a million strings are not looked at for
// that.
Value without_traces(const Value& value);

// The number of rows; an error where it is no table.
int64_t check_table(const Value& value, const Asker& asker);

// Vectors of the language, in memory: made row-major.
Value i64_argument(const Call& call, unsigned operand);
const std::vector<Value>& texts_argument(const Call& call, unsigned operand);

inline Effects table_effects() { return {.may_fail = true}; }

}  // namespace covec::ops
