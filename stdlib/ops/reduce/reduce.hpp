// The reduce family: sum, mean, prod, max, min, any, all, argmax, argmin, logsumexp. All take (x, axis=none,
// keepdims=false). The language fixes the order in which floats are combined, as a function of shape and axes alone
// (stdlib/kernels/reduce.hpp). ReduceOperator holds what another engine needs to lower one.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

const Entry& sum_entry();
const Entry& mean_entry();
const Entry& prod_entry();
const Entry& max_entry();
const Entry& min_entry();
const Entry& any_entry();
const Entry& all_entry();
const Entry& argmax_entry();
const Entry& argmin_entry();
const Entry& logsumexp_entry();
// (x, axis, smallest): whether an element is the first largest (smallest) of those reduced with it; of x's shape.
const Entry& extreme_mask_entry();
// (x, name): x, with a warning where the reduction `name` of a vector along axis 0 may be meant to bound it.
const Entry& reduced_not_bounded_entry();

enum class ReduceKind : uint8_t { sum, mean, prod, max, min, any, all, argmax, argmin, logsumexp };

// How two partial results become one.
enum class Combine : uint8_t {
  add,
  multiply,
  maximum,
  minimum,
  logical_or,
  logical_and,
  first_largest,
  first_smallest
};

struct ReduceOperator {
  ReduceKind kind;
  Combine combine;
  bool has_empty;  // an empty axis has a value
  // What a lane or a column begins with: −0 for sums, 1 for products; where !has_empty, the first element.
  double start;
  double empty;                 // the value of an empty axis: +0 for sums (which is not `start`)
  bool divides;                 // mean: the sum is divided by the number of elements, which is converted first
  bool composed;                // logsumexp: expressed by other operators; it has no loop of its own
  Dtype (*accumulator)(Dtype);  // elements are converted to it before they are combined (any and all: by x != 0)
  Dtype (*result)(Dtype);
};

struct ReduceArguments {
  uint32_t axes = 0;  // bit i: axis i is reduced; all of them when `axis` is none
  bool keepdims = false;
};
// Reads and checks the attributes of a reduction of an x of this rank. `axis`: which argument that is.
ReduceArguments reduce_arguments(const Call& call, unsigned rank, unsigned axis = 1);
// What may be meant where there is no such axis; empty: nothing.
std::string hint_of_axis(const Entry& entry);
Shape reduced_shape(const Shape& shape, const ReduceArguments& arguments);
// Fails where one of the axes of x, the first argument, has no elements: now, or when the run knows its sizes.
void expect_elements(Builder& builder, const Call& call, uint32_t axes);
const Entry& expect_elements_entry();  // which is what waits for the run
Value axes_value(uint32_t axes);       // the tuple that `axis` is

}  // namespace covec::ops
