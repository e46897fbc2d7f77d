// How windows slide, read from the arguments of convolutions and pools, and how many there are. Private to signal*.cpp.
#pragma once

#include <span>

#include "stdlib/kernels/window_axis.hpp"
#include "stdlib/ops/attributes.hpp"

namespace covec::ops {

// Of rows and columns.
struct Pair {
  int64_t rows, columns;
};

inline constexpr int64_t same_padding = -1;  // as much as makes the result as long as the input

// An integer or a pair of them, each at least `least`; `axes` is 1 where only columns exist (rows is then `least`).
Pair pair_argument(const Call& call, unsigned operand, int64_t least, unsigned axes = 2);
// The same, or "same" or "valid".
Pair padding_argument(const Call& call, unsigned operand, unsigned axes);
// One integer, at least 1.
int64_t count_argument(const Call& call, unsigned operand);

// An axis of an image with windows of `window` elements; an error names `who` when not even one fits.
kernels::WindowAxis sliding(std::string_view who, int64_t in, int64_t window, int64_t stride, int64_t padding,
                            int64_t dilation);
// How many windows there are, of sizes that may not be known.
Dim windows(ShapeBuilder& shapes, std::string_view who, Dim in, Dim window, int64_t stride, int64_t padding,
            int64_t dilation);

// Fails unless operand `operand` has so many axes; `axes` says which: "channels, height, width".
void require_rank(std::string_view who, const Call& call, unsigned operand, const Type& type, unsigned least,
                  bool exact, std::string_view axes);

int64_t elements(const Shape& shape, unsigned begin, unsigned end);  // of known sizes

}  // namespace covec::ops
