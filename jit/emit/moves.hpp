// Writes operators that only move elements. When the file is written, the operator is applied to the numbers of the
// elements. Its result is a map of elements, which becomes a few loops with strides. If the caller gives extents,
// several values of them are tried. If the loops follow from the extents by sums and products, and further values
// confirm it, they are written so. The trade-off: this takes time and memory for each element, but no operator needs a
// writer of its own. Start at PlaceMap.
#pragma once

#include "jit/emit/operators.hpp"

namespace covec::emit {

// For each element of `extents`, row by row, a number.
struct PlaceMap {
  std::vector<int64_t> extents;
  std::vector<int64_t> places;
};

// The tensor of the numbers first, first + 1, …
Value numbered(ops::Builder& eager, const SlotType& type, int64_t first);
PlaceMap map_of(const Value& tensor);
// How far elements lie from the next one along each axis, row by row.
std::vector<int64_t> steps_of(std::span<const int64_t> extents);
// What the entry gives of these operands now; nothing else happens.
Value computed(const Application& application, std::span<Value> operands);
constexpr int64_t max_mapped = int64_t{1} << 22;  // elements
// A number of the program where its operands are `sample`; nothing: only the run knows.
std::optional<Value> known_operand(const Application& application, size_t operand, const Sample& sample);
std::set<std::string> names_of(const SlotType& type);
std::set<std::string> names_of_operand(const Application& application, size_t operand);
// The largest whole number in a value.
int64_t largest_in(const Value& value);

// A part of a map in which places follow from indices by strides.
struct Piece {
  std::vector<Size> begin, extents;
  Size first = 0;
  std::vector<Size> strides;
};
// `joins(a, b)`: whether places may belong to one piece.
using Joins = FunctionRef<bool(int64_t, int64_t)>;
// Nothing: the function has failed before.
using MapAt = FunctionRef<std::optional<PlaceMap>(const Sample&)>;
struct Pieces {
  std::vector<Piece> all;
  bool guarded = false;  // they are there only where the result has elements
};
// Of all maps for extents of these names. Operators treat extents below `largest` in another way than others. Nothing:
// there is no pattern, or too many pieces.
std::optional<Pieces> pieces_of(const std::set<std::string>& names, int64_t largest, MapAt map_at, Joins joins);
// The extents of the maps.
std::optional<std::vector<Size>> extents_of(const std::set<std::string>& names, int64_t largest, MapAt map_at);

// Loops over `extents`, in which `sides` lie at known places.
struct Side {
  std::string pointer;
  Size first = 0;
  std::vector<Size> strides;
};
void write_loops(Frame& frame, std::vector<Size> extents, std::vector<Side> sides,
                 FunctionRef<void(std::span<const std::string> places)> body);
void write_copy(Frame& frame, const std::vector<Size>& extents, Side to, Side from, size_t size);
std::vector<Size> row_major(std::span<const Size> extents);
// Axes that all go through in one stride become one.
void merge_axes(std::vector<Size>& extents, std::span<std::vector<Size>* const> strides);

// The writer of operators that only move elements.
void write_moved(const Application& application);

}  // namespace covec::emit
