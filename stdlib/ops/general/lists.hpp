// Operators on lists of one type whose length only the run knows. Compiled functions apply them; the interpreter works
// on a list itself. The list is an ordinary one. So nothing is converted where a compiled function takes or gives a
// list, or leaves a statement to the interpreter.
#pragma once

#include <optional>

#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

const Entry& list_of_entry();      // (*items): a list of them
const Entry& list_push_entry();    // (xs, item): xs with one more at its end
const Entry& list_item_entry();    // (xs, index): one of its items
const Entry& list_set_entry();     // (xs, index, item): xs with another one there
const Entry& list_slice_entry();   // (xs, spec, *parts): some of its items; the step is known, and not 0
const Entry& list_length_entry();  // (xs): how many, an i64
// Of what stands beside a list item by item, tangents or cotangents: of those that it is too short for there is none
// yet, and `otherwise` stands for them. The index counts from 0.
const Entry& list_at_entry();   // (xs, index, otherwise): its item, or `otherwise`
const Entry& list_put_entry();  // (xs, index, item, otherwise): xs with that item there, as long as it takes
const Entry& list_cut_entry();  // (xs, count): no more than its first `count` items

// The place of an item of what has `length` of them; negative indices count from the end. Nothing where there is none.
inline std::optional<int64_t> place_of(int64_t index, int64_t length) {
  const int64_t place = index < 0 ? index + length : index;
  if (place < 0 || place >= length) return std::nullopt;
  return place;
}

// Which items a slice has, by Python's rule: `count` of them from `start` on, each `step` further. Bounds may be left
// out; the step is not 0.
struct ListSlice {
  int64_t start = 0, step = 1, count = 0;
  static ListSlice of(int64_t length, std::optional<int64_t> first, std::optional<int64_t> last, int64_t step);
  // A list that nobody else holds may keep the part where it is, and lose the others. Where more go than stay, these
  // are better copied: the room goes with the others.
  bool keeps_most(const covec::List& list) const;
  void keep(covec::List& list) const;
};

}  // namespace covec::ops
