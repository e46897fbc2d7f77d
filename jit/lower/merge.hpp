// Merges the values of a variable where two paths meet (a phi), leaf by leaf. Numbers and tensors of one dtype and rank
// stay typed. Trees of one structure stay trees. Lists of one type whose lengths differ become one value. Everything
// else is boxed.
#pragma once

#include "jit/lower/conversions.hpp"
#include "jit/lower/graph/conditional_value.hpp"
#include "jit/lower/graph/region_tape.hpp"

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
  Value undefined_like(const Value& like, Region& region);
  Value result(Value a, Value b, const Type* type);

  GraphWriter& writer_;
  Conversions& conversions_;
  ConditionalValues& conditional_values_;
  RegionTapes& tapes_;
  const Paths paths_;
};

}  // namespace covec::ir
