// Merges the values of a variable where two paths meet (a phi), leaf by leaf. What it gives has the first of these
// forms that fits; loops carry the same forms (loop_carried.hpp):
//
//   itself             both paths leave the same value
//   ConditionalValue   one path leaves the variable unbound, or gives a value no tangent or cotangent: the value, a
//                      flag, and what the value is where the flag does not hold (graph/conditional_value.hpp)
//   optional value     one path leaves none: a ConditionalValue again, as a value with parts (optional.hpp)
//   one list           lists of one item type, whose lengths differ (graph/lists.hpp)
//   masked list        the tangent or cotangent of such a list: each item has a flag (list_levels.hpp)
//   a typed Symbol     numbers or tensors of one dtype and rank; an extent that differs is one that only the run knows
//   Chosen             two functions: all of them, and the number of the chosen one (chosen.hpp)
//   a tree             two of one structure: the leaves are merged
//   boxed              everything else: a value whose type only the interpreter knows
//
// Conversions (conversions.hpp) bring what a path leaves into the form, at the path's end. A derivative or vmap wraps
// any of these; the wrapper stays, and what it holds is merged.
#pragma once

#include "jit/lower/graph/conditional_value.hpp"
#include "jit/lower/graph/region_tape.hpp"
#include "jit/lower/paths/conversions.hpp"

namespace covec::ir {

// Two paths of an operation: its regions, by reference until they are moved into it.
struct Paths {
  Operation& operation;
  Region& first;
  Region& second;
};

// Adds to both regions' results and to the operation's; conversions that a path needs are appended at its end.
class Merger {
 public:
  Merger(GraphWriter& writer, Conversions& conversions, ConditionalValues& conditional_values, RegionTapes& tapes,
         const Paths& paths)
      : writer_(writer),
        conversions_(conversions),
        conditional_values_(conditional_values),
        tapes_(tapes),
        paths_(paths) {}
  // Of a variable that may be unbound on either path; gives what it is to hold.
  Value merge_variable(const Value& a, const Value& b);

 private:
  Value merge(const Value& a, const Value& b);
  Value merge_leaves(const Value& a, const Value& b);
  Value merge_boxed(const Value& a, const Value& b);
  Value merge_optional(const Value& a, const Value& b);
  Value merge_functions(const Value& a, const Value& b);
  Value as_list(const Value& items, const Value& like, Region& region);
  bool merge_lists(const Value& a, const Value& b, Value& result);
  Value merge_traced(const Value& a, const Value& b);
  Value merge_tape(const Value& a, const Value& b, const Value& leading);
  Value merge_jvp(uint64_t level, const Value& x, const Value& y, const Value& tangent_x, const Value& tangent_y);
  Value merge_batch(uint64_t level, const Value& a, const Value& b);
  ConditionalValue merge_conditional(const Value& a, const Value& b);
  ConditionalValue merge_both(const ConditionalValue& x, const ConditionalValue& y);
  Value undefined_like(const Value& like, Region& region);
  Value result(Value a, Value b, const Type* type);

  GraphWriter& writer_;
  Conversions& conversions_;
  ConditionalValues& conditional_values_;
  RegionTapes& tapes_;
  const Paths paths_;
};

}  // namespace covec::ir
