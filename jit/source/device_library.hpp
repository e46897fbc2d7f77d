// Kernel texts that belong to no single function: products and copies. Start at device_product().
#pragma once

#include <string>

#include "jit/source/device.hpp"

namespace covec::source {

inline constexpr unsigned max_batch_axes = 4;  // merged ones

// c(i, j) = Σ_t a(i, t) · b(t, j) of floats in the language's order (f16 and bf16 are summed in f32 and rounded once):
// k in blocks of 512, a block one chain of fused multiply-adds from zero, blocks added in order. One group of
// device_tile_items items a tile of device_tile² results. Parameters: m, n, k, batches (int64); a, its steps from row
// to row and from column to column (int64); the same of b; c, row-major; the batch (int32[1 + 3 · max_batch_axes]:
// axes, extents, strides of a, of b); a flag that is raised where a result is not a number (int32*).
inline constexpr int64_t device_tile = 64;
std::string device_product(Dtype dtype, const std::string& name);

// The same of f32 and f64 by larger tiles, for products that have enough of them to keep the device busy: of
// device_wide_rows × device_wide_columns results, a group of device_tile_items items each.
inline constexpr int64_t device_wide_rows = 128;
constexpr int64_t device_wide_columns(Dtype dtype) { return dtype == Dtype::f32 ? 128 : 64; }
std::string device_wide_product(Dtype dtype, const std::string& name);

// Either of the two, of f32 and f64, whose results go into `end` at once. c, which has as many elements, may be the
// array of its first output. Parameters: those of the product, then the end's.
std::string device_ended_product(Dtype dtype, bool wide, const DeviceEnd& end, const std::string& name);

// By the rule of zero cotangents (convolution/repair_nan.hpp) what is not a number in a product of f32 or f64 is
// computed again. The product's flag is the first of four words (int32*): NAME_begin lowers them; NAME_look, where it
// is raised, raises the second where a factor that is no cotangent is not finite, or `always` says so, and the third
// and fourth where the first and second factor are cotangents and not 0 throughout; NAME_repair does it, where the
// second is raised. Parameters of NAME_begin: the words; of the others m, n, k, batches, a, b, c and the batch as
// above, then zeros: the bits of factors that are cotangents, always (int64), the words.
std::string device_nan_repair(Dtype dtype, const std::string& name);

// A flag that is raised where an element is not a number. Parameters: n (int64); x; the flag (int32*).
std::string device_nan_check(Dtype dtype, const std::string& name);

// Elements of `bytes` each: NAME_copy between arrays of any strides, with n (int64), to, from, their common axes
// (int32[1 + 3 · max_axes]: axes, extents, strides of to, of from); NAME_clear, with n and to, which is row-major.
std::string device_copy(size_t bytes, const std::string& name);

// What an index with tensors in it names: NAME_read, other = x[…]; NAME_write, x[…] = other, but not where an offset is
// negative; NAME_add, x[…] += other, for each different offset the terms order[begins[k]] … in turn, `step` apart, each
// sum rounded to the dtype. Parameters: n (int64); x; other; offsets (int64*); for NAME_add begins, order (int64*) and
// step; the axes (int32[2 + 3 · max_axes]: axes, which of them is that of the offsets or −1, extents, strides of x, of
// other).
// NAME_add_equal: the same with offsets in order, a term for each, and how many there are in place of begins.
std::string device_places(Dtype dtype, const std::string& name);

// Adds to offsets what indices (i32, i64) say. Parameters: n (int64); offsets (int64*); indices; the extent of their
// axis and its stride (int64); a flag that is raised where one is out of range (int32*); the axes (int32[1 + 2 ·
// max_axes]: axes, extents, strides).
std::string device_offsets(Dtype dtype, const std::string& name);

// The windows of an image as rows of a matrix, zero outside of it (f32, f64). Parameters: n (int64); to, which is
// (groups, channels, rows and columns of the window, examples, rows and columns of positions); the image, (examples,
// groups · channels, rows, columns); 15 int32: groups, channels, window, examples, positions, and of rows and columns
// the source's extents, what lies before, strides, dilations.
std::string device_windows(Dtype dtype, const std::string& name);

// Of pools (f32, f64). NAME_places: where the largest of each window is, the first one, NaN before all: n, to (int64),
// images, and of rows and columns extents, positions, windows, strides, what lies before (int32[10]). NAME_mean, and
// NAME_spread, its transpose: the same. NAME_read, with n
// elements, and NAME_add, with n images: to, from, places, elements of an image and of its places (int64).
std::string device_pools(Dtype dtype, const std::string& name);

// Sorting rows by bitonic merges (Batcher, "Sorting networks and their applications", 1968) of keys with the places
// they come from, which makes it stable: NaN last, −0 and +0 equal. Rows are filled up to `padded` elements, a power of
// two. NAME_start, with n = rows · padded: n, length, padded (int64), x, keys and places (int64*), whether the largest
// come first (int64). NAME_step, which compares `reach` apart in sequences of `size`, with n pairs: n, keys, places,
// padded, size, reach. NAME_local, the same for all reaches below device_sort_block of the sizes from first to last, in
// groups of device_sort_block / 2 items, with n elements: n, keys, places, padded, first, last. NAME_places and
// NAME_values, with n = rows · count results: n, length, padded, count, x, places, results.
inline constexpr int64_t device_sort_block = 512;
std::string device_sort(Dtype dtype, const std::string& name);

// Running sums and products along an axis (f32, f64, i64), one after the other: NAME_sum and NAME_product. Parameters:
// n, the axis's length, what is outside it and inside (int64); x and results; whether it starts at the end (int64).
std::string device_scan(Dtype dtype, const std::string& name);

// The largest or smallest element up to each along an axis, nan before all and −0 below 0 (no f16 or bf16):
// NAME_elements, and NAME_places, where along it they stand (int64), the first of equal ones. Parameters: n, the axis's
// length, what is outside it and inside (int64); x and results.
std::string device_running_extremes(Dtype dtype, bool smallest, const std::string& name);

}  // namespace covec::source
