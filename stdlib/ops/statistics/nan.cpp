// Reductions that skip nan: nansum, nanprod, nanmean, nanvar, nanstd, nanmax, nanmin, nanargmax, nanargmin. Each
// replaces a nan by a neutral element. Start at Known.
#include <limits>

#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/reduce/reduce.hpp"
#include "stdlib/ops/statistics/family.hpp"

namespace covec::ops {

namespace {

// x, which elements of it are nan, and over what it is reduced.
struct Known {
  Steps steps;
  Value x, axis, missing;
  Dtype dtype;
  uint32_t axes = 0;
  bool keepdims;

  Known(Builder& builder, Call& call, unsigned keepdims_at, bool as_float) : steps(builder) {
    const Type type = operand_of(builder, call, 0);
    axes = reduce_arguments(call, type.shape.rank()).axes;
    axis = axes_value(axes);
    keepdims = flag_argument(call, keepdims_at);
    x = as_float ? float_operand(builder, call, 0) : std::move(call.args[0]);
    dtype = logical_type(x).dtype;
    if (is_float(dtype)) missing = steps.isnan(x);
  }
  // x with a number in the place of each nan.
  Value filled(double number) { return missing.is_none() ? x : steps.where(missing, steps.number(number, dtype), x); }
  Value reduced(const Entry& entry, double number) { return steps.reduce(entry, filled(number), axis, keepdims); }
  Value count(bool keep) { return steps.cast(steps.reduce(handles().sum, steps.inverse(missing), axis, keep), dtype); }
  Value none_known(bool keep) { return steps.reduce(handles().all, missing, axis, keep); }
};

Value nansum_eager(Builder& builder, Call& call) { return Known(builder, call, 2, false).reduced(handles().sum, 0); }
Value nanprod_eager(Builder& builder, Call& call) { return Known(builder, call, 2, false).reduced(handles().prod, 1); }

Value nanmean_eager(Builder& builder, Call& call) {
  Known known(builder, call, 2, true);
  Value sum = known.reduced(handles().sum, 0);
  return known.steps.div(std::move(sum), known.count(known.keepdims));
}

Value variance(Known& known, const Call& call) {
  Steps& steps = known.steps;
  const Value& correction = call.args[2];
  const Type type = is_operand(correction) ? logical_type(correction) : Type{Dtype::boolean, {}};
  if (type.shape.rank() != 0 || type.dtype == Dtype::boolean) fail_attribute(call, 2, "a number");
  const Value zero = steps.number(0, known.dtype);
  const Value sum = steps.reduce(handles().sum, known.filled(0), known.axis, true);
  const Value mean = steps.div(sum, known.count(true));
  const Value off = steps.where(known.missing, zero, steps.sub(known.x, mean));
  const Value squares = steps.reduce(handles().sum, steps.mul(off, off), known.axis, known.keepdims);
  const Value divisor = steps.sub(known.count(known.keepdims), steps.cast(correction, known.dtype));
  return steps.div(squares, steps.maximum(divisor, zero));
}

Value nanvar_eager(Builder& builder, Call& call) {
  Known known(builder, call, 3, true);
  return variance(known, call);
}

// Where it is 0 so is its derivative.
Value nanstd_eager(Builder& builder, Call& call) {
  Known known(builder, call, 3, true);
  Steps& steps = known.steps;
  const Value square = variance(known, call), zero = steps.number(0, known.dtype);
  const Value flat = steps.equal(square, zero);
  return steps.where(flat, zero, steps.sqrt(steps.where(flat, steps.number(1, known.dtype), square)));
}

template <bool largest>
Value extreme_eager(Builder& builder, Call& call) {
  operand_of(builder, call, 0);
  Known known(builder, call, 2, false);
  call.args[0] = known.x;
  expect_elements(builder, call, known.axes);
  const double end = largest ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  Value result = known.reduced(largest ? handles().max : handles().min, end);
  if (known.missing.is_none()) return result;
  const Value nan = known.steps.number(std::numeric_limits<double>::quiet_NaN(), known.dtype);
  return known.steps.where(known.none_known(known.keepdims), nan, std::move(result));
}

// An element that is infinite where others are nan must come before these, which are given the same number.
template <bool largest>
Value place_eager(Builder& builder, Call& call) {
  Known known(builder, call, 2, false);
  call.args[0] = known.x;
  expect_elements(builder, call, known.axes);
  const Entry& entry = largest ? handles().argmax : handles().argmin;
  if (known.missing.is_none()) return known.steps.reduce(entry, known.x, known.axis, known.keepdims);
  Steps& steps = known.steps;
  const double end = largest ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  const Value filled = known.filled(end);
  const Value best = steps.reduce(largest ? handles().max : handles().min, filled, known.axis, true);
  const Value is_best = steps.both(steps.equal(filled, best), steps.inverse(known.missing));
  const Value place = steps.reduce(handles().argmax, steps.cast(is_best, Dtype::i32), known.axis, known.keepdims);
  return steps.where(known.none_known(known.keepdims), Value(int64_t{-1}), place);
}

std::vector<Parameter> reduction_parameters() {
  return {any_parameter("x"), attribute("axis", Value()), attribute("keepdims", false)};
}
std::vector<Parameter> spread_parameters() {
  return {any_parameter("x"), attribute("axis", Value()), attribute("correction", int64_t{0}),
          attribute("keepdims", false)};
}

Entry reduction(std::string_view name, std::string_view doc, Value (*eager)(Builder&, Call&),
                std::vector<Sample> samples, std::vector<Parameter> parameters = reduction_parameters(),
                bool widens_integers = false) {
  return {.name = name,
          .doc = doc,
          .parameters = std::move(parameters),
          .widens_integers = widens_integers,
          .eager = eager,
          .derivative = Derivative::of_parts(),
          .effects = {.may_fail = true},
          .samples = std::move(samples),
          .staging = Staging::structural};
}

const Entry& nansum_entry() {
  static const Entry entry = reduction(
      "nansum", "`sum` of the elements that are not nan; 0 where there are none. The derivative by a nan is 0.",
      nansum_eager,
      {{.arguments = "[1.5, nan, 2.0]", .expected = "3.5", .differentiate = true},
       {.arguments = "[[1.0, nan], [nan, nan]], axis=1, keepdims=true", .expected = "[[1.0], [0.0]]"},
       {.arguments = "[1, 2]", .expected = "3"},
       {.arguments = "f32([1, 2])", .expected = "f32(3)"}},
      reduction_parameters(), true);
  return entry;
}

const Entry& nanprod_entry() {
  static const Entry entry =
      reduction("nanprod", "`prod` of the elements that are not nan; 1 where there are none.", nanprod_eager,
                {{.arguments = "[1.5, nan, 2.0]", .expected = "3.0", .differentiate = true},
                 {.arguments = "[[1.0, nan], [nan, nan]], axis=0", .expected = "[1.0, 1.0]"},
                 {.arguments = "[3, 2]", .expected = "6"}},
                reduction_parameters(), true);
  return entry;
}

const Entry& nanmean_entry() {
  static const Entry entry = reduction(
      "nanmean", "`mean` of the elements that are not nan; nan where there are none. The derivative by a nan is 0.",
      nanmean_eager,
      {{.arguments = "[1.5, nan, 2.0]", .expected = "1.75", .differentiate = true},
       {.arguments = "[[1.0, nan], [nan, nan]], axis=1", .expected = "[1.0, nan]"},
       {.arguments = "[[1.0, nan], [4.0, 2.0]], axis=0, keepdims=true", .expected = "[[2.5, 2.0]]"},
       {.arguments = "[1, 2]", .expected = "1.5"}});
  return entry;
}

const Entry& nanvar_entry() {
  static const Entry entry = reduction(
      "nanvar", "`var` of the elements that are not nan; nan where there are none.", nanvar_eager,
      {{.arguments = "[1.0, nan, 2.0, 6.0]", .expected = "4.666666666666667", .ulp = 1, .differentiate = true},
       {.arguments = "[1.0, nan, 2.0, 6.0], correction=1", .expected = "7.0", .differentiate = true},
       {.arguments = "[[1.0, nan], [3.0, nan]], axis=0", .expected = "[1.0, nan]"}},
      spread_parameters());
  return entry;
}

const Entry& nanstd_entry() {
  static const Entry entry = reduction(
      "nanstd", "`std` of the elements that are not nan; nan where there are none.", nanstd_eager,
      {{.arguments = "[1.0, nan, 2.0, 6.0]", .expected = "2.160246899469287", .ulp = 1, .differentiate = true},
       {.arguments = "[[1.0, 2.0], [3.0, nan]], axis=0, keepdims=true", .expected = "[[1.0, 0.0]]"}},
      spread_parameters());
  return entry;
}

const Entry& nanmax_entry() {
  static const Entry entry =
      reduction("nanmax", "`max` of the elements that are not nan; nan where there are none.", extreme_eager<true>,
                {{.arguments = "[1.5, nan, 2.0]", .expected = "2.0", .differentiate = true},
                 {.arguments = "[[1.0, nan], [nan, nan]], axis=1", .expected = "[1.0, nan]"},
                 {.arguments = "[nan, -inf]", .expected = "-inf"},
                 {.arguments = "[3, 7]", .expected = "7"}});
  return entry;
}

const Entry& nanmin_entry() {
  static const Entry entry =
      reduction("nanmin", "`min` of the elements that are not nan; nan where there are none.", extreme_eager<false>,
                {{.arguments = "[1.5, nan, 2.0]", .expected = "1.5", .differentiate = true},
                 {.arguments = "[[1.0, nan], [nan, nan]], axis=1", .expected = "[1.0, nan]"},
                 {.arguments = "[nan, inf]", .expected = "inf"}});
  return entry;
}

const Entry& nanargmax_entry() {
  static const Entry entry = reduction("nanargmax",
                                       "Where the largest of the elements that are not nan stands along `axis`, the "
                                       "first of equal ones; −1 where there are none.",
                                       place_eager<true>,
                                       {{.arguments = "[nan, 1.5, 2.0, 2.0]", .expected = "2"},
                                        {.arguments = "[[nan, -inf], [1.0, nan]], axis=1", .expected = "[1, 0]"},
                                        {.arguments = "[nan, nan]", .expected = "-1", .source = "jax"},
                                        {.arguments = "[3, 7]", .expected = "1"}});
  return entry;
}

const Entry& nanargmin_entry() {
  static const Entry entry = reduction("nanargmin",
                                       "Where the smallest of the elements that are not nan stands along `axis`, the "
                                       "first of equal ones; −1 where there are none.",
                                       place_eager<false>,
                                       {{.arguments = "[nan, 1.5, 2.0, 1.5]", .expected = "1"},
                                        {.arguments = "[[nan, inf], [1.0, nan]], axis=1", .expected = "[1, 0]"},
                                        {.arguments = "[nan]", .expected = "-1", .source = "jax"}});
  return entry;
}

}  // namespace

Family statistics_nan_entries() {
  static const Entry* const entries[] = {&nansum_entry(), &nanprod_entry(),   &nanmean_entry(),
                                         &nanvar_entry(), &nanstd_entry(),    &nanmax_entry(),
                                         &nanmin_entry(), &nanargmax_entry(), &nanargmin_entry()};
  return entries;
}

}  // namespace covec::ops
