// Every message of the standard library, once. `message("key")` finds one at compile time, so that a key without a row
// does not compile; the tests walk the table and ask that each row is provoked. {} marks a part to fill in.
#pragma once

#include <cstddef>
#include <string_view>

namespace covec {

struct Message {
  std::string_view key;
  std::string_view pattern;
};

inline constexpr Message message_table[] = {
    // memory and limits
    {"out_of_memory", "out of memory: {} are needed, the limit is {}"},
    {"rank_limit", "a tensor of rank {} is too deep: the limit is 16"},
    {"too_deep", "a value nested more than {} deep"},
    // trees
    {"tree_mismatch", "the trees differ: {}"},
    // files
    {"file_unreadable", "cannot read {}: {}"},
    {"file_not_utf8", "cannot read {}: line {} is not UTF-8 text"},
    {"csv_empty", "cannot read {}: it holds no rows"},
    {"csv_ragged", "cannot read {}: line {} has {} fields, line {} has {}"},
    {"csv_empty_field", "cannot read {}: line {}, field {} is empty"},
    {"csv_range", "cannot read {}: line {}, field {}: {} is outside the range of f64"},
    {"csv_not_a_number", "cannot read {}: line {}, field {}: '{}' is not a number"},
    {"path_type", "the path is a string, not {}"},
    {"header_type", "header is true or false, not {}"},
    // pointwise operators
    {"interrupted", "interrupted"},
    {"pointwise_shapes", "cannot {}: dimensions {} and {} differ on axis {}"},
    {"pointwise_operand", "cannot {}: {} is not a number or tensor"},
    {"pointwise_integers", "cannot {}: {} takes bools or integers"},
    {"pointwise_mixed", "cannot {}: {} takes two bools or two integers"},
    {"pointwise_condition", "cannot {}: the condition is a bool, not {}"},
    {"pointwise_not", "cannot {}: not takes a bool"},
    {"divide_by_zero", "integer division by zero at {}"},
    {"negative_exponent", "an integer cannot be raised to the negative power {}"},
    {"literal_range", "the number {} does not fit in {}"},
    // arguments and attributes
    {"argument_count", "{} takes {} arguments, got {}"},
    {"argument_missing", "{} needs the argument {}"},
    {"not_numeric", "{} needs a tensor of numbers, got {}"},
    {"bad_attribute", "{}: {} must be {}, got {}"},
    {"axis_range", "{}: axis {} is out of range for rank {}"},
    {"negative_size", "{}: a size cannot be negative, got {}"},
    // shape
    {"reshape_elements", "cannot reshape {} into {}: {} elements against {}"},
    {"reshape_unknown", "cannot reshape {}: at most one size may be -1"},
    {"reshape_infer", "cannot reshape {} into {}: {} elements do not divide evenly"},
    {"permutation", "{}: the axes must be a permutation of 0 to {}, got {}"},
    {"axis_repeated", "{}: axis {} is given twice"},
    {"squeeze_axis", "cannot squeeze axis {} of {}: its size is {}, not 1"},
    {"join_empty", "{} needs at least one tensor"},
    {"join_tensors", "{} needs a tuple or list of tensors, got {}"},
    {"concat_scalar", "cannot concat numbers: they have no axis (stack makes one)"},
    {"concat_rank", "cannot concat {} and {}: their ranks differ"},
    {"concat_shape", "cannot concat along axis {}: sizes {} and {} differ on axis {}"},
    {"stack_shape", "cannot stack {} and {}: their shapes differ"},
    {"broadcast_to", "cannot broadcast {} to {}: sizes {} and {} differ on axis {}"},
    {"broadcast_rank", "cannot broadcast {} to {}: rank {} is more than {}"},
    {"sum_to", "cannot sum {} to {}: it does not broadcast to that shape"},
    {"split_parts", "cannot split {} elements into {} equal parts"},
    {"split_points", "cannot split {} elements at {}: the places must rise from 0 to the size"},
    {"repeat_count", "{}: a count cannot be negative, got {}"},
    // indexing
    {"index_range", "index {} is out of range for axis {} of size {}"},
    {"index_too_many", "too many indices: {} for {} of rank {}"},
    {"index_ellipsis", "an index may have only one ..."},
    {"index_step", "the step of a slice cannot be 0"},
    {"index_kind", "an index must be an integer, a slice, a tensor of integers or a mask, got {}"},
    {"index_bound", "the bounds of a slice must be integers, got {}"},
    {"index_mask", "a mask of shape {} does not fit axes {} of {}"},
    {"index_broadcast", "the index tensors do not go together: {} and {}"},
    {"index_rank", "the result of this index would have rank {}: the limit is 16"},
    {"index_assign_shape", "cannot assign {} to a place of shape {}"},
    {"index_assign_dtype", "cannot store {} in a tensor of {}"},
    // making tensors
    {"ragged", "ragged literal: row {} has {}, row 0 has {}"},
    {"literal_element", "a tensor holds numbers, got {}"},
    {"arange_step", "arange: the step cannot be 0"},
    {"arange_size", "arange: {} elements are too many"},
    {"grid_bound", "{}: {} must be a finite number"},
    // random numbers
    {"random_dtype", "{}: random numbers are f32 or f64, got {}"},
    {"randint_range", "randint: low {} must be below high {}"},
    // internal
    {"internal", "this is a bug in covec: {}"},
};

struct UnknownMessageKey {};
consteval const Message& message(std::string_view key) {
  for (const Message& row : message_table) {
    if (row.key == key) return row;
  }
  throw UnknownMessageKey{};
}

}  // namespace covec
