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
  // A number that follows from extents, and can be counted where it does; nothing: only the run knows.
  std::optional<Size> number(size_t operand) const;
  Size position(size_t operand) const;  // refuses where only the run knows, and what cannot be counted
  [[noreturn]] void refuse_number() const;

 private:
  const Application& application_;
  std::vector<Value> args_, rest_;
};

// Part of a table of numbers, row by row, in which they follow from indices by strides.
struct RegularPiece {
  std::vector<int64_t> begin, extents;
  int64_t first = 0;
  std::vector<int64_t> strides;
};
// Nothing: there would be too many.
std::optional<std::vector<RegularPiece>> regular_pieces(const Shape& shape, std::span<const int64_t> numbers);

}  // namespace covec::emit
