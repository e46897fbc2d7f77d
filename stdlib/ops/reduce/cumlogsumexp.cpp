// cumlogsumexp: log of the running sum of exponentials, composed of operators with derivatives. Let m be the largest
// element so far (a constant to derivatives: the result does not depend on it). The sum of exp(x − m) is then a linear
// recurrence, h[i] = exp(m[i − 1] − m[i]) h[i − 1] + exp(x[i] − m[i]). Its numbers lie between 1 and their count.
#include <limits>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/elementwise/bodies/rounding.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/ops/reduce/family.hpp"
#include "stdlib/ops/reduce/scan.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

Value running_logsumexp(Builder& b, const Value& x, unsigned axis) {
  const Handles& h = handles();
  const Value along(int64_t{axis}), infinity = Value(-std::numeric_limits<double>::infinity());
  const auto is_empty = [&](const Value& largest) { return call(b, h.equal, {largest, infinity}, 2); };
  // Where all so far is -inf, and from inf or nan on, nothing is subtracted.
  const Value largest = call(b, running_extreme_entry(), {constant_of(x), along, Value(false)});
  const Value finite = call(b, entry_of<IsFinite>(), {largest});
  const Value shifted = call(b, h.where, {finite, largest, Value(0.0)}, 4);
  const Value before = call(b, shift_entry(), {largest, along, Value(int64_t{1}), infinity});
  const Value before_shifted = call(b, shift_entry(), {shifted, along, Value(int64_t{1}), Value(0.0)});
  const Value factor = call(b, h.exp, {call(b, h.subtract, {before_shifted, shifted})});
  const Value factors = call(b, h.where, {is_empty(before), Value(0.0), factor}, 2);
  const Value terms = call(b, h.exp, {call(b, h.subtract, {x, shifted})});
  const Value sums = call(b, recurrence_entry(), {factors, terms, along, Value(false), Value(true)});
  // Of nothing but -inf the derivative is 0, as that of logsumexp.
  const Value nothing = is_empty(largest);
  const Value logs = call(b, h.log, {call(b, h.where, {nothing, Value(1.0), sums}, 2)});
  return call(b, h.where, {nothing, infinity, call(b, h.add, {logs, shifted})}, 2);
}

Value cumlogsumexp_eager(Builder& builder, Call& call) {
  require_operand(builder, call, 0);
  const Type type = logical_type(call.args[0]);
  const Dtype dtype = is_float(type.dtype) ? type.dtype : Dtype::f64;
  Value x = cast_to(builder, std::move(call.args[0]), dtype);
  if (!call.args[1].is_none())
    return running_logsumexp(builder, x, normal_axis(call, integer_argument(call, 1), type.shape.rank()));
  return running_logsumexp(builder, flatten(builder, std::move(x)), 0);
}

}  // namespace

const Entry& cumlogsumexp_entry() {
  static const Entry entry{
      .name = "cumlogsumexp",
      .doc =
          "For each element `log(sum(exp(…)))` of it and all before it along `axis`; over all elements row by row when "
          "it "
          "is left out.\n\n"
          "Nothing overflows: `cumlogsumexp([1000.0, 1000.0])` is 1000 and 1000.693. The last differs from `logsumexp` "
          "by "
          "rounding alone. Where all so far are −inf the derivative is 0.",
      .parameters = {any_parameter("x"), attribute("axis", Value())},
      .eager = cumlogsumexp_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples =
          {{.arguments = "[0.5, 2.0, -1.0, 3.0]",
            .expected = "[0.5, 2.2014132779827524, 2.241311296657157, 3.3840917012886904]",
            .source = "mpmath",
            .ulp = 4,
            .differentiate = true},
           {.arguments = "[1000.0, 1000.0, -1000.0]",
            .expected = "[1000.0, 1000.6931471805599, 1000.6931471805599]",
            .source = "mpmath",
            .ulp = 1},
           {.arguments = "[[1.0, 2], [3, 4]], axis=0",
            .expected = "[[1.0, 2], [3.1269280110429727, 4.126928011042972]]",
            .source = "mpmath",
            .ulp = 4,
            .differentiate = true},
           {.arguments = "[[1.0, 2], [3, 4]], axis=-1",
            .expected = "[[1.0, 2.313261687518223], [3.0, 4.313261687518223]]",
            .source = "mpmath",
            .ulp = 4,
            .differentiate = true},
           {.arguments = "[-inf, -inf, -800.0, 2.0]", .expected = "[-inf, -inf, -800.0, 2.0]", .source = "mpmath"},
           {.arguments = "[1.0, inf, 2.0, nan, 1.0]", .expected = "[1.0, inf, inf, nan, nan]", .source = "mpmath"},
           {.arguments = "[0, 0]", .expected = "[0.0, 0.6931471805599453]", .source = "mpmath", .ulp = 2},
           {.arguments = "zeros(0, 2), axis=0", .expected = "zeros(0, 2)"}},
      .staging = Staging::structural,
  };
  return entry;
}

}  // namespace covec::ops
