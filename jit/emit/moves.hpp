// Writes loops in which elements lie at known places, and operators that only move elements. Such an operator's result
// consists of pieces, in which the places of elements follow from indices by strides. The rule of the operator's shape
// says what they are, for all extents. Start at Piece.
#pragma once

#include "jit/emit/operators.hpp"

namespace covec::emit {

// Part of a result: where it begins, and where its elements come from. These begin at `first`, one stride apart.
struct Piece {
  std::vector<Size> begin, extents;
  Size first = 0;
  std::vector<Size> strides;
};

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
// Where a piece's elements lie in a row-major tensor of these extents.
Side side_of(const std::string& pointer, std::span<const Size> extents, const Piece& piece);
// Axes that all go through in one stride become one.
void merge_axes(std::vector<Size>& extents, std::span<std::vector<Size>* const> strides);

// The result, or a piece of it, from an operand.
Piece whole(const Argument& result, Size first, std::vector<Size> strides);
void write_piece(const Application& application, size_t operand, const Piece& piece);
// The first operand's elements in the same order. Where the caller gives extents, they must be as many.
void write_reshaped(const Application& application);
// A piece whose elements are all this number, as they lie in memory.
void write_filled(const Application& application, const std::string& element, const Piece& piece);

// What the entry gives of these operands now; nothing else happens.
Value computed(const Application& application, std::span<Value> operands);
// What an operator's rules read: the call with its attributes. Operands that only the run knows are Symbols.
class Attributes {
 public:
  explicit Attributes(const Application& application);
  ops::Call call() { return {application_.entry(), args_, rest_, application_.apply.op.literals}; }
  // A number that follows from extents; nothing: only the run knows.
  std::optional<Size> number(size_t operand) const;
  Size position(size_t operand) const;  // the same; refuses where only the run knows

 private:
  const Application& application_;
  std::vector<Value> args_, rest_;
};

// --- reads whose indices the shape rules do not know (pieces.cpp) ---
// The operator is applied to the numbers of the elements, for some values of the extents that the caller gives. Pieces
// are fitted to what it gives. Further values are tried, but nothing proves the rest.

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
constexpr int64_t max_mapped = int64_t{1} << 22;  // elements
// A number of the program where its operands are `sample`; nothing: only the run knows.
std::optional<Value> known_operand(const Application& application, size_t operand, const Sample& sample);
std::set<std::string> names_of(const SlotType& type);
std::set<std::string> names_of_operand(const Application& application, size_t operand);
// The largest whole number in a value.
int64_t largest_in(const Value& value);

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

}  // namespace covec::emit
