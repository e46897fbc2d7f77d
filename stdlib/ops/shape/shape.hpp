// The shape family: operators that rearrange elements and compute nothing. Results are views if the layout allows. This
// header has the entries that other code needs.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

const Entry& reshape_entry();           // (x, *shape)
const Entry& adjoint_entry();           // (x): x.H
const Entry& transpose_entry();         // (x, *axes): reversed when there are none
const Entry& permute_entry();           // (x, *axes)
const Entry& squeeze_entry();           // (x, axis=none)
const Entry& unsqueeze_entry();         // (x, axis)
const Entry& flip_entry();              // (x, axis=none)
const Entry& broadcast_to_entry();      // (x, *shape)
const Entry& sum_to_entry();            // (x, *shape)
const Entry& concat_entry();            // (tensors, axis=0)
const Entry& stack_entry();             // (tensors, axis=0)
const Entry& stack_of_records_entry();  // (records, axis=0), internal: stack of each field
const Entry& narrow_entry();            // (x, axis, start, size): x[start:start+size] along an axis
const Entry& widen_entry();             // (x, axis, start, size): its transpose, zeros around x
// Of tensors whose sizes only the run knows:
const Entry& stack_examples_entry();  // (tensors, axis, what): stack, of what examples give
const Entry& fit_to_entry();          // (x, leading, *shape): summed to a shape, or broadcast to it, whichever fits
const Entry& expect_shape_entry();    // (x, what, *shape): x, which must have that shape
const Entry& max_apart_entry();       // (most, number): see jit/passes/examples_apart.cpp
const Entry& expect_size_entry();     // (size, other, what, name, other_name): numbers of examples, which must agree

}  // namespace covec::ops
