// Finds the pieces of a table in which its numbers follow from indices by strides.
#include <algorithm>

#include "jit/emit/moves.hpp"

namespace covec::emit {

namespace {

// How far elements lie from the next one along each axis, row by row.
std::vector<int64_t> steps_of(std::span<const int64_t> extents) {
  std::vector<int64_t> steps(extents.size());
  int64_t step = 1;
  for (size_t axis = extents.size(); axis-- > 0;) {
    steps[axis] = step;
    step *= std::max<int64_t>(1, extents[axis]);
  }
  return steps;
}

class Splitter {
 public:
  Splitter(std::span<const int64_t> extents, std::span<const int64_t> numbers)
      : numbers_(numbers), strides_(steps_of(extents)) {}

  bool split(std::vector<int64_t> begin, std::vector<int64_t> extents) {
    RegularPiece piece{std::move(begin), std::move(extents), 0, {}};
    piece.first = at(piece.begin);
    for (size_t axis = 0; axis < piece.extents.size(); ++axis)
      piece.strides.push_back(piece.extents[axis] > 1 ? along(piece, axis, 1) - piece.first : 0);
    if (is_regular(piece)) {
      pieces.push_back(std::move(piece));
      return pieces.size() <= most;
    }
    const auto [axis, where] = find_break(piece);
    std::vector<int64_t> left = piece.extents, right = piece.extents, second = piece.begin;
    left[axis] = where;
    right[axis] -= where;
    second[axis] += where;
    return split(piece.begin, std::move(left)) && split(std::move(second), std::move(right));
  }

  std::vector<RegularPiece> pieces;

 private:
  static constexpr size_t most = 64;  // pieces of a map
  int64_t at(std::span<const int64_t> index) const {
    int64_t place = 0;
    for (size_t axis = 0; axis < index.size(); ++axis) place += index[axis] * strides_[axis];
    return numbers_[static_cast<size_t>(place)];
  }
  int64_t along(const RegularPiece& piece, size_t axis, int64_t by) const {
    std::vector<int64_t> index = piece.begin;
    index[axis] += by;
    return at(index);
  }
  bool is_regular(const RegularPiece& piece) const {
    std::vector<int64_t> index(piece.extents.size(), 0);
    for (;;) {
      std::vector<int64_t> absolute = piece.begin;
      int64_t wanted = piece.first;
      for (size_t axis = 0; axis < index.size(); ++axis) {
        absolute[axis] += index[axis];
        wanted += index[axis] * piece.strides[axis];
      }
      const int64_t found = at(absolute);
      if (found != wanted) return false;
      size_t axis = index.size();
      while (axis > 0 && ++index[axis - 1] == piece.extents[axis - 1]) index[--axis] = 0;
      if (axis == 0) return true;
    }
  }
  // The first place along an axis where the stride changes, else the middle.
  std::pair<size_t, int64_t> find_break(const RegularPiece& piece) const {
    for (size_t axis = 0; axis < piece.extents.size(); ++axis) {
      const int64_t extent = piece.extents[axis];
      for (int64_t by = 1; by < extent; ++by) {
        const int64_t before = along(piece, axis, by - 1), here = along(piece, axis, by);
        if (here - before == piece.strides[axis]) continue;
        if (by == 2 && extent > 3 && along(piece, axis, 3) - here == here - before) return {axis, 1};
        return {axis, by};
      }
    }
    for (size_t axis = 0; axis < piece.extents.size(); ++axis) {
      if (piece.extents[axis] > 1) return {axis, piece.extents[axis] / 2};
    }
    return {0, 1};
  }

  std::span<const int64_t> numbers_;
  const std::vector<int64_t> strides_;
};

}  // namespace

std::optional<std::vector<RegularPiece>> regular_pieces(const Shape& shape, std::span<const int64_t> numbers) {
  std::vector<int64_t> extents;
  for (const Dim extent : shape) extents.push_back(extent.number());
  if (numbers.empty()) return std::vector<RegularPiece>();
  Splitter splitter(extents, numbers);
  if (!splitter.split(std::vector<int64_t>(extents.size(), 0), extents)) return std::nullopt;
  return std::move(splitter.pieces);
}

}  // namespace covec::emit
