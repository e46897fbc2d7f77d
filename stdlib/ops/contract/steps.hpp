// The vocabulary for operators composed of others: the rules' vocabulary, comparisons, reductions and parts of an axis.
// Each word is the operator of that name, so derivatives, batches and all engines follow automatically.
#pragma once

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/rules.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

class Steps : public RuleContext {
 public:
  explicit Steps(Builder& builder) : RuleContext(builder, true) {}

  Value less(Value a, Value b);
  Value less_equal(Value a, Value b);
  Value greater(Value a, Value b);
  Value equal(Value a, Value b);
  Value both(Value a, Value b);    // bools
  Value either(Value a, Value b);  // bools
  Value inverse(Value a);          // a bool
  Value isnan(Value a);
  Value absolute(Value a);
  Value floor(Value a);
  Value sqrt(Value a);
  Value maximum(Value a, Value b);
  Value minimum(Value a, Value b);
  // `axis` as the reductions take it: an integer, a tuple or none.
  Value reduce(const Entry& entry, Value x, const Value& axis, bool keepdims = false);
  // The positions `items` of an axis; a number takes the axis away.
  Value take(Value x, unsigned axis, const Value& items);
  // Along an axis, all elements but the last and all but the first: of one size, which a compiler knows.
  struct Neighbours {
    Value before, after;
  };
  Neighbours neighbours(const Value& x, unsigned axis);
  Value extent(Dim dim, Dtype dtype);  // as a number
  Dim size(const Value& number);       // an integer of the run as a dimension; of a batch, the same for all examples
  Dim without(Dim dim, Dim part);      // no less than 0, where both are known
  // An error of `function` where two of its arguments have not as many elements: now, or when the run knows.
  void same_length(Dim a, Dim b, std::string_view function, std::string_view name_of_a, std::string_view name_of_b);
  // An error where an argument of `call`, an integer or a vector's length, is below `least`: now, or when the run
  // knows.
  void at_least(const Call& call, unsigned operand, int64_t least, std::string_view must_be);
  // The dtype that an operator on the first operands of `call` promotes them to, as a float.
  Dtype common_float(const Call& call, unsigned operands);
  Value move_axis(Value x, unsigned from, unsigned to);
};

const Entry& expect_lengths_entry();  // (a, b, function, name of a, name of b), internal
const Entry& expect_least_entry();    // (x, least, function, parameter, what it must be, operand), internal

// The operand of an operator that is made of others: a tensor of numbers; its type.
Type operand_of(Builder& builder, Call& call, unsigned operand);
// The same of rank 1: "bincount: x must be a vector, got f64[2, 2]".
Type vector_operand(Builder& builder, Call& call, unsigned operand);
// The same as a float: of what is none, as f64.
Value float_operand(Builder& builder, Call& call, unsigned operand);
// One of a few texts, the first where it is none; an error names them.
unsigned choice_argument(const Call& call, unsigned operand, std::span<const std::string_view> texts);

}  // namespace covec::ops
