// Operations on rows, written for one element of each row: which ones keep every bit, and how.
#pragma once

#include <optional>
#include <vector>

#include "jit/ir/graph.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec::passes {

// One number, which every element of a row meets.
bool is_number(const ir::Graph& graph, const Value& value);
// A part of args[0] that an index names: by numbers along the first axes, whole along others, but for a piece of the
// last.
struct RowPart {
  std::vector<Value> at;
  std::optional<Value> start, stop;
  size_t axes = 0;  // of the part
  bool is_piece() const { return start || stop; }
};
// The index has its spec in args[spec]; nothing where it is another one.
std::optional<RowPart> row_part(const ir::Graph& graph, const ir::Operation& operation, size_t spec);
// Without a piece, and of so many axes.
bool names_part(const ir::Graph& graph, const ir::Operation& operation, size_t spec, size_t axes);
// Elementwise of numbers and of what is_row says, with the same bits element by element, and it cannot fail there.
bool works_by_element(const ir::Graph& graph, const ir::Operation& operation, FunctionRef<bool(const Value&)> is_row);
// Appends such an operation for one element: `element` gives that of an operand that is a row.
Value write_for_element(ir::Graph& graph, const ir::Operation& operation, FunctionRef<Value(const Value& row)> element,
                        std::vector<ir::Operation>& to);

}  // namespace covec::passes
