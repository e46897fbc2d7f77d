// Writes kernels of the loop IR as text for devices, in two dialects of C (device/device.hpp). The dialects differ only
// in the definitions at the front (device_prelude). The scalar operations are those of the C99 text, so the numbers are
// the same. Each kernel becomes two. NAME_flat takes arrays that lie as the result does or are one element for all.
// NAME_strided takes any strides of up to `max_axes` merged axes. Start at device_kernel().
#pragma once

#include <string>

#include "jit/loops/program.hpp"
#include "stdlib/device/device.hpp"
#include "stdlib/ops/reduce/reduce.hpp"

namespace covec::source {

inline constexpr unsigned max_axes = 8;  // merged ones
// Work items of a group.
inline constexpr int64_t device_row_items = 256, device_tile_items = 256;

std::string device_prelude(device::Dialect dialect);

// The parameters, in order: n, the number of elements (int64); a flag that is set where an element fails (int32*; only
// where one may); for each output its array and the place of its first element there (int64); for each input the same
// and, in the flat form, the step from element to element (int64: 0 or 1); in the strided form the walk (int32[1 +
// max_axes · (1 + inputs)]: axes, extents, strides of input 0, …); the numbers (uint64), each that may lie there
// followed by its array and its place in it (int64; −1: it is the word).
std::string device_kernel(const loops::Kernel& kernel, const std::string& name);

// Neighbouring elements that an item of NAME_flat takes at a time: where they lie side by side and aligned, it reads
// and writes up to 16 bytes at once.
int64_t device_width(const loops::Kernel& kernel);

// NAME_transposed: the same where inputs run along another axis than the result does (x.T + y): by tiles of
// device_side² elements, which such inputs reach by way of local memory, so that what is read and what is written lies
// side by side. A group of device_tile_items items takes a tile. Parameters: those of NAME_strided, the axis of the
// walk along which such inputs run (int64; not the last one), and which ones do (int64: bits).
inline constexpr int64_t device_side = 32;
std::string device_transposed_kernel(const loops::Kernel& kernel, const std::string& name);
// Whether local memory holds a tile of each input.
bool device_can_cross(const loops::Kernel& kernel);

// A kernel as a function of one element of a matrix product, which takes the place of the inputs `products` (bits), for
// a kernel that multiplies (device_product): it stores what is stored of element i.
struct DeviceEnd {
  std::string text, parameters;  // those of NAME_strided, but for n
  std::string call;              // with element `place` of the product, which lies in c
};
DeviceEnd device_end(const loops::Kernel& kernel, uint32_t products, Dtype dtype, const std::string& name);

// A kernel whose only input is the elements' numbers from 0 on. Parameters: n; the output's array; the numbers.
std::string device_numbered_kernel(const loops::Kernel& kernel, const std::string& name);

// A kernel whose last output is reduced instead of being stored, in the language's order: of `outer` · `n` · `inner`
// elements the middle ones. The work is cut into blocks; where there are several, each leaves partial results, which
// NAME_join combines in pairs. The parameters of NAME_flat and NAME_strided: n, outer, inner, blocks (int64); the flag;
// partial results and results, arrays like outputs; then outputs, inputs, walk and numbers as above.
struct DeviceReduction {
  ops::ReduceKind kind = ops::ReduceKind::sum;
  Dtype element = Dtype::f64;
  bool last_axis = true;  // inner is 1, and the elements are spread over lanes: one group a block, of lanes() items

  bool operator==(const DeviceReduction&) const = default;
  Dtype accumulator() const;
  Dtype result() const;
  int64_t lanes() const;
  int64_t block() const;  // elements of the reduced axis
  // Blocks that one unit of NAME_join combines (a group of lanes() items; without lanes all of them, and one item).
  static constexpr int64_t joined = 64;
};
// Where the largest or smallest of n elements is, the first one, NaN before all: NAME_rows, a group of
// device_row_items items for each of `outer` rows, and NAME_columns, where inner is not 1. Parameters: n, outer, inner
// (int64); x; places (int64). No f16 or bf16.
std::string device_extreme_places(Dtype dtype, bool smallest, const std::string& name);

// NAME_join's parameters: n, outer, inner, blocks (int64); partial results, where what is combined goes if that is not
// all, and results (arrays).
std::string device_reduction(const loops::Kernel& kernel, const DeviceReduction& reduction, const std::string& name);

}  // namespace covec::source
