// Reads how windows slide from the arguments of convolutions and pools, and how many there are. The operators of the
// language pass their options on as they are, including numbers that only the run knows. The internal operators check
// them. Private to the family.
#pragma once

#include <span>

#include "stdlib/convolution/window_axis.hpp"
#include "stdlib/ops/contract/attributes.hpp"

namespace covec::ops {

// An option of rows and columns.
struct PairOption {
  Value rows, columns;
};
// From an integer or a pair of them; of signals of one axis, whose rows have `of_rows`, from an integer.
PairOption pair_option(const Call& call, unsigned operand, unsigned axes = 2, int64_t of_rows = 0);
bool is_whole_number(const Value& value);  // an integer, or a number of the run's that is one

struct Pair {
  int64_t rows, columns;
};

// Options that an operator has from operand `first` on.
class OptionReader {
 public:
  OptionReader(std::string_view who, const Call& call, unsigned first) : who_(who), call_(call), next_(first) {}
  // An error names the option where it is less than `least` or out of range.
  int64_t number(std::string_view name, int64_t least);
  Pair pair(std::string_view name, int64_t least) {
    const int64_t rows = number(name, least);
    return {rows, number(name, least)};
  }

 private:
  std::string_view who_;
  const Call& call_;
  unsigned next_;
};
// Whether the `count` options from `first` on are numbers, not the run's.
bool options_known(const Call& call, unsigned first, unsigned count);

// An axis of an image with windows of `window` elements; an error names `who` when not even one fits.
struct Sliding {
  std::string_view who;
  int64_t stride, padding, dilation;
  bool same = false;            // padding that makes the result as long as the input
  bool needs_elements = false;  // padding alone fills no window

  kernels::WindowAxis axis(int64_t in, int64_t window) const;
  // How many windows there are, of sizes that may not be known.
  Dim windows(ShapeBuilder& shapes, Dim in, Dim window) const;
};

// Fails unless the operand has so many axes; `axes` says which: "channels, height, width".
void require_rank(const Call& call, unsigned operand, unsigned least, bool exact, std::string_view axes);

int64_t elements(const Shape& shape, unsigned begin, unsigned end);  // of known sizes

// each(window, place, tap) for the places of an image that its windows cover, all counted row by row.
template <class Each>
void each_place(const kernels::WindowAxis& rows, const kernels::WindowAxis& columns, Each each) {
  for (int64_t window = 0; window < rows.out * columns.out; ++window) {
    const int64_t top = window / columns.out * rows.stride - rows.before;
    const int64_t left = window % columns.out * columns.stride - columns.before;
    for (int64_t tap = 0; tap < rows.window * columns.window; ++tap) {
      const int64_t row = top + tap / columns.window * rows.dilation;
      const int64_t column = left + tap % columns.window * columns.dilation;
      if (row < 0 || row >= rows.in || column < 0 || column >= columns.in) continue;
      each(window, row * columns.in + column, tap);
    }
  }
}

}  // namespace covec::ops
