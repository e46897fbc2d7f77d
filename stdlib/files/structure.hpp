// The structure of trees: walks that know the names of leaves, trees made from names, and the note. The note is a text
// in which * is a leaf, {"name": …} a record, (…) a tuple and […] a list.
#pragma once

#include <optional>
#include <string>

#include "stdlib/files/leaves.hpp"
#include "stdlib/value/function_ref.hpp"
#include "stdlib/value/value.hpp"

namespace covec::files {

void each_named_leaf(const Value& tree, FunctionRef<void(const std::string& name, const Value& leaf)> f);
Value map_named_leaves(const Value& tree, FunctionRef<Value(const std::string& name, const Value& leaf)> f);

std::string structure_text(const Value& tree);
// Names that make no tree ("a" beside "a.b", or too deep) are the fields of one record.
Value tree_of_names(const NamedTensors& leaves);
// Nothing where the note does not fit the names: somebody has changed one of them.
std::optional<Value> tree_of_note(const NamedTensors& leaves);

}  // namespace covec::files
