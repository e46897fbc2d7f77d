// Where elements go: operators that only move elements are computed, when the file is written, on the numbers of the
// elements; what they give is a map, which becomes a few loops with strides. The trade-off: it takes time and memory
// for each element once, and no operator needs a writer of its own. Start at PlaceMap.
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
// What the entry gives of these operands now; nothing else happens.
Value computed(const Application& application, std::span<Value> operands);
constexpr int64_t most_mapped = int64_t{1} << 22;

// A part of a map in which places follow from indices by strides.
struct Piece {
  std::vector<int64_t> begin, extents;
  int64_t first = 0;
  std::vector<int64_t> strides;
};
// Nothing: too many pieces. `joins(a, b)`: whether places may belong to one piece.
std::optional<std::vector<Piece>> pieces_of(const PlaceMap& map, FunctionRef<bool(int64_t, int64_t)> joins);

// Loops over `extents`, in which `sides` lie at known places.
struct Side {
  std::string pointer;
  int64_t first = 0;
  std::vector<int64_t> strides;
};
void write_loops(Frame& frame, std::vector<int64_t> extents, std::vector<Side> sides,
                 FunctionRef<void(std::span<const std::string> places)> body);
void write_copy(Frame& frame, const std::vector<int64_t>& extents, Side to, Side from, size_t size);
std::vector<int64_t> row_major(std::span<const int64_t> extents);

// The writer of operators that only move elements.
void write_moved(const Application& application);

}  // namespace covec::emit
