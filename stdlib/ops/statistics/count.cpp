// Counting: bincount, histogram, digitize. If the number of bins is not given, it is found first, so that the rest has
// a size. scatter_add, which has derivatives, adds the weights.
#include <algorithm>
#include <cmath>

#include "stdlib/kernels/interrupt_polls.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/contract/expect.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/reduce/reduce.hpp"
#include "stdlib/ops/statistics/family.hpp"
#include "stdlib/tensor/print.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

// --- how many bins ---

int64_t element_count(const Value& x) { return x.is_scalar() ? 1 : x.tensor().size(); }

// The largest number and one more, at least `least`.
Value bins_needed_eager(Builder& builder, Call& call) {
  const Value x = contiguous(builder.pool(), call.args[0]);
  const auto* numbers = static_cast<const int64_t*>(data_of(x));
  int64_t most = integer_argument(call, 1) - 1;
  const int64_t n = element_count(x);
  for (int64_t i = 0; i < n; ++i) most = std::max(most, numbers[i]);
  if (most == INT64_MAX) fail(message("out_of_memory"), {"2^63 bins", "less"});
  return Value(most + 1);
}

const Entry& bins_needed_entry() {
  static const Entry entry{.name = "bins_needed",
                           .doc = "How many bins the numbers of `x` need.",
                           .parameters = {tensor_parameter("x"), attribute("least")},
                           .type =
                               [](ShapeBuilder&, const Call&) {
                                 return Type{Dtype::i64, {}};
                               },
                           .eager = bins_needed_eager,
                           .derivative = Derivative::none("gives a size"),
                           .effects = {.may_fail = true},
                           .internal = true,
                           .part_of = "bincount"};
  return entry;
}

// --- counting ---

Type counts_type(ShapeBuilder& shapes, const Call& call) {
  Shape shape = operand_type(call, 0).shape;
  shape[shape.rank() - 1] = size_argument(shapes, call, 1);
  return {Dtype::i64, shape};
}

Value same_of_examples(Builder& builder, Call& call, const Batching&) {
  return ops::call(builder, call.entry, call.args);
}

// Along the last axis, how often each number below `count` is there; larger ones are not counted.
Value counts_eager(Builder& builder, Call& call) {
  const Type type = counts_type(builder, call);
  const Value x = contiguous(builder.pool(), call.args[0]);
  const int64_t length = x.tensor().dim(x.tensor().rank() - 1), count = type.shape[type.shape.rank() - 1].number();
  const int64_t rows = length == 0 ? 0 : x.tensor().size() / length;
  Value result = zeros(builder, type);
  const int64_t* numbers = x.tensor().as<int64_t>();
  int64_t* to = count == 0 ? nullptr : result.tensor().as<int64_t>();
  kernels::InterruptPolls polls(builder.context());
  for (int64_t row = 0; row < rows; ++row, numbers += length, to += count) {
    polls.in_chunks(length, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        if (numbers[i] < 0) fail(message("bin_number"), {"bincount", std::to_string(numbers[i]), std::to_string(i)});
        if (numbers[i] < count) ++to[numbers[i]];
      }
    });
  }
  kernels::poll_interrupt(builder.context());
  return result;
}

const Entry& counts_entry() {
  static const Entry entry{.name = "counts_of_numbers",
                           .doc = "How often each number below `count` is there, along the last axis.",
                           .parameters = {tensor_parameter("x"), attribute("count")},
                           .widens_integers = true,
                           .type = counts_type,
                           .eager = counts_eager,
                           .derivative = Derivative::none("counts"),
                           .batch = same_of_examples,
                           .effects = {.may_fail = true},
                           .internal = true,
                           .part_of = "bincount"};
  return entry;
}

// Weights of the numbers below `count`, added in order.
Value weighed(Builder& builder, Value x, Value weights, Dim count) {
  Steps steps(builder);
  const Dtype dtype = float_dtype(logical_type(weights).dtype);
  weights = steps.cast(std::move(weights), dtype);
  const Value last = builder.extent(count), outside = steps.less_equal(last, x);
  const Value places = steps.where(outside, last, x);
  const Value sums = steps.zeros({dtype, {builder.add(count, Dim(1))}});
  const Value added = steps.call(handles().scatter_add, {sums, places, std::move(weights), Value(int64_t{0})});
  return narrow(builder, added, 0, Dim(0), count);
}

void require_shape(Builder& builder, const Call& call, unsigned weights, const Type& x) {
  const Type type = logical_type(call.args[weights]);
  if (type.shape.rank() != x.shape.rank())
    fail(message("bin_weights"), {std::string(call.entry.name), x.shape.text(), type.text()},
         {label_of(call, weights)});
  for (unsigned i = 0; i < x.shape.rank(); ++i)
    Steps(builder).same_length(x.shape[i], type.shape[i], call.entry.name, "x", "weights");
}

// --- bincount ---

// Operand numbers, in the order of bincount's parameters.
constexpr unsigned of_weights = 1, of_minlength = 2, of_length = 3;

Value checked_numbers(Builder& builder, const Value& x);

Value bincount_eager(Builder& builder, Call& call) {
  const Type type = vector_operand(builder, call, 0);
  if (kind_of(type.dtype) != DtypeKind::integer) fail_attribute(call, 0, "a vector of integers");
  if (!call.args[of_weights].is_none()) {
    operand_of(builder, call, of_weights);
    require_shape(builder, call, of_weights, type);
  }
  const Value x = cast_to(builder, std::move(call.args[0]), Dtype::i64);
  const bool given = !call.args[of_length].is_none();
  Steps(builder).at_least(call, of_minlength, 0, "0 or more");
  if (given) Steps(builder).at_least(call, of_length, 0, "0 or more");
  const Dim count = given ? size_argument(builder, call, of_length)
                          : Steps(builder).size(ops::call(builder, bins_needed_entry(), {x, call.args[of_minlength]}));
  if (call.args[of_weights].is_none()) return ops::call(builder, counts_entry(), {x, builder.extent(count)});
  return weighed(builder, checked_numbers(builder, x), std::move(call.args[of_weights]), count);
}

// --- into bins ---

// Which bin a number lies in: [edges[i], edges[i + 1]), the last one with its end; `bins` where in none.
struct Bins {
  const double* edges;
  int64_t bins;
  double scale = 0;
  bool even = true;

  Bins(const double* numbers, int64_t count) : edges(numbers), bins(count - 1) {
    require_ascending({edges, static_cast<size_t>(count)}, "histogram", "bins", 1);
    const double step = (edges[bins] - edges[0]) / static_cast<double>(bins);
    scale = 1 / step;
    even = std::isfinite(scale) && std::isfinite(step);
    for (int64_t i = 0; i <= bins && even; ++i) {
      even = std::abs(edges[i] - edges[0] - static_cast<double>(i) * step) < 0.5 * step;
    }
  }
  // What the even distance says is off by one at most.
  int64_t operator()(double x) const {
    if (!(x >= edges[0] && x <= edges[bins])) return bins;
    if (!even) return std::min<int64_t>(std::upper_bound(edges, edges + bins + 1, x) - edges, bins) - 1;
    int64_t i = std::min(static_cast<int64_t>((x - edges[0]) * scale), bins - 1);
    while (x < edges[i]) --i;
    while (i + 1 < bins && x >= edges[i + 1]) ++i;
    return i;
  }
};

template <class F>
void each_bin(Builder& builder, Call& call, const F& f) {
  const Value x = contiguous(builder.pool(), call.args[0]), edges = contiguous(builder.pool(), call.args[1]);
  const Bins bins(edges.tensor().as<double>(), edges.tensor().size());
  const int64_t n = element_count(x);
  const auto run = [&](const auto* numbers) {
    kernels::InterruptPolls polls(builder.context());
    polls.in_chunks(n, 4, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) f(i, bins(static_cast<double>(numbers[i])));
    });
  };
  dtype_of(x) == Dtype::f32 ? run(static_cast<const float*>(data_of(x))) : run(static_cast<const double*>(data_of(x)));
  kernels::poll_interrupt(builder.context());
}

const Entry& bin_counts_entry() {
  static const Entry entry{.name = "bin_counts",
                           .doc = "How many elements lie in each bin.",
                           .parameters = {tensor_parameter("x"), tensor_parameter("bins"), attribute("count")},
                           .type =
                               [](ShapeBuilder& shapes, const Call& call) {
                                 return Type{Dtype::i64, {size_argument(shapes, call, 2)}};
                               },
                           .eager =
                               [](Builder& builder, Call& call) {
                                 Value result = zeros(builder, call.entry.type(builder, call));
                                 int64_t* to = result.tensor().as<int64_t>();
                                 const int64_t bins = result.tensor().size();
                                 std::vector<int64_t> counts(size_for<int64_t>(bins) + 1);
                                 each_bin(builder, call,
                                          [&](int64_t, int64_t bin) { ++counts[static_cast<size_t>(bin)]; });
                                 std::copy_n(counts.begin(), bins, to);
                                 return result;
                               },
                           .derivative = Derivative::piecewise_constant(),
                           .effects = {.may_fail = true},
                           .internal = true,
                           .part_of = "histogram"};
  return entry;
}

const Entry& bin_places_entry() {
  static const Entry entry{.name = "bin_places",
                           .doc = "In which bin each element lies; the number of bins where in none.",
                           .parameters = {tensor_parameter("x"), tensor_parameter("bins")},
                           .type =
                               [](ShapeBuilder&, const Call& call) {
                                 return Type{Dtype::i64, operand_type(call, 0).shape};
                               },
                           .eager =
                               [](Builder& builder, Call& call) {
                                 Value result = make_tensor(builder.pool(), Dtype::i64, operand_type(call, 0).shape);
                                 int64_t* to = result.tensor().as<int64_t>();
                                 each_bin(builder, call, [&](int64_t i, int64_t bin) { to[i] = bin; });
                                 return result;
                               },
                           .derivative = Derivative::piecewise_constant(),
                           .effects = {.may_fail = true},
                           .internal = true,
                           .part_of = "histogram"};
  return entry;
}

// --- histogram ---

// Operand numbers, in the order of histogram's parameters.
constexpr unsigned of_bins = 1, of_range = 2, of_bin_weights = 3, of_density = 4;

// What only the run can see: that there is something between the ends.
const Entry& expect_range_entry() {
  static const Entry entry{.name = "expect_range",
                           .doc = "Checks the range of a histogram.",
                           .parameters = {tensor_parameter("low"), tensor_parameter("high")},
                           .type =
                               [](ShapeBuilder&, const Call&) {
                                 return Type{Dtype::boolean, {}};
                               },
                           .eager =
                               [](Builder&, Call& call) {
                                 const double low = number_argument(call, 0), high = number_argument(call, 1);
                                 if (!(std::isfinite(low) && std::isfinite(high) && low <= high))
                                   fail(message("bin_range"), {repr_of(Value(low)), repr_of(Value(high))});
                                 return Value(true);
                               },
                           .derivative = Derivative::none("checks"),
                           .effects = {.may_fail = true},
                           .internal = true,
                           .part_of = "histogram"};
  return entry;
}

struct Range {
  Value low, high;
};

Range given_range(Builder& builder, Call& call) {
  const std::vector<Value>* ends = call.args[of_range].is(ObjectKind::tuple) || call.args[of_range].is(ObjectKind::list)
                                       ? children(call.args[of_range])
                                       : nullptr;
  if (ends == nullptr || ends->size() != 2) fail_attribute(call, of_range, "a pair of numbers");
  for (const Value& end : *ends) {
    if (!is_operand(end) || logical_type(end).shape.rank() != 0) fail_attribute(call, of_range, "a pair of numbers");
  }
  return {cast_to(builder, (*ends)[0], Dtype::f64), cast_to(builder, (*ends)[1], Dtype::f64)};
}

// The smallest and the largest element; nan is none.
Range range_of(Builder& builder, Call& call, const Value& x) {
  Steps steps(builder);
  Value args[] = {x, Value()};
  expect_elements(builder, Call{call.entry, args, {}}, (uint32_t{1} << logical_type(x).shape.rank()) - 1);
  const Value missing = steps.isnan(x);
  const Dtype dtype = logical_type(x).dtype;
  const double inf = std::numeric_limits<double>::infinity();
  const Value low = steps.reduce(handles().min, steps.where(missing, steps.number(inf, dtype), x), Value());
  const Value high = steps.reduce(handles().max, steps.where(missing, steps.number(-inf, dtype), x), Value());
  return {steps.cast(low, Dtype::f64), steps.cast(high, Dtype::f64)};
}

// What only the run can see: that f64 has numbers enough for the edges.
const Entry& expect_edges_entry() {
  static const Entry entry{
      .name = "expect_edges",
      .doc = "Checks that even edges rise.",
      .parameters = {tensor_parameter("edges")},
      .type =
          [](ShapeBuilder&, const Call&) {
            return Type{Dtype::boolean, {}};
          },
      .eager =
          [](Builder& builder, Call& call) {
            const Value edges = contiguous(builder.pool(), call.args[0]);
            const double* at = edges.tensor().as<double>();
            const int64_t bins = edges.tensor().size() - 1;
            for (int64_t i = 0; i < bins; ++i) {
              if (at[i] < at[i + 1] && std::isfinite(at[i]) && std::isfinite(at[i + 1])) continue;
              const std::string ends = repr_of(Value(at[0])) + " and " + repr_of(Value(at[bins]));
              fail(message("bad_attribute"),
                   {"histogram", "bins", "fewer: f64 has too few numbers between " + ends, std::to_string(bins)});
            }
            return Value(true);
          },
      .derivative = Derivative::none("checks"),
      .effects = {.may_fail = true},
      .internal = true,
      .part_of = "histogram"};
  return entry;
}

// Ends that are one are half a unit away from it, or far enough for the edges to differ.
Value even_edges(Builder& builder, Call& call, const Value& x) {
  Steps steps(builder);
  steps.at_least(call, of_bins, 1, "a number of bins, 1 or more, or their edges");
  Range range = call.args[of_range].is_none() ? range_of(builder, call, x) : given_range(builder, call);
  steps.call(expect_range_entry(), {constant_of(range.low), constant_of(range.high)});
  const Value bins = steps.cast(call.args[of_bins], Dtype::i64), count = steps.add(bins, Value(int64_t{1}));
  const Value spacing = steps.mul(steps.absolute(range.low), steps.number(0x1p-52, Dtype::f64));
  const Value wide = steps.maximum(steps.number(0.5, Dtype::f64), steps.mul(spacing, steps.cast(bins, Dtype::f64)));
  const Value half = steps.where(steps.equal(range.low, range.high), wide, steps.number(0, Dtype::f64));
  const Value high = steps.add(range.high, half);
  // Steps of subnormal numbers are rounded so much that the sum of some may pass the end.
  const Value edges = steps.minimum(
      steps.call(handles().linspace, {steps.sub(range.low, half), high, count, Value(true), Value()}), high);
  steps.call(expect_edges_entry(), {constant_of(edges)});
  return edges;
}

Value edges_of(Builder& builder, Call& call, const Value& x) {
  const Type bins = operand_of(builder, call, of_bins);
  if (bins.shape.rank() == 0) {
    if (kind_of(bins.dtype) != DtypeKind::integer) fail_attribute(call, of_bins, "a number of bins or their edges");
    return even_edges(builder, call, x);
  }
  const bool few = bins.shape.rank() == 1 && bins.shape[0].known() && bins.shape[0].number() < 2;
  if (bins.shape.rank() != 1 || few) fail_attribute(call, of_bins, "a number of bins or a vector of two edges or more");
  if (!bins.shape[0].known()) fail_not_staged("how many edges there are");
  if (!call.args[of_range].is_none()) fail_attribute(call, of_range, "none where the edges are given");
  return cast_to(builder, call.args[of_bins], Dtype::f64);
}

Value histogram_eager(Builder& builder, Call& call) {
  Steps steps(builder);
  const Type type = operand_of(builder, call, 0);
  const bool weights = !call.args[of_bin_weights].is_none(), density = flag_argument(call, of_density);
  if (weights) {
    operand_of(builder, call, of_bin_weights);
    require_shape(builder, call, of_bin_weights, type);
  }
  const Value x = flatten(builder, float_operand(builder, call, 0));
  const Value edges = edges_of(builder, call, x);
  const Dim count = steps.without(logical_type(edges).shape[0], Dim(1));
  Value counts;
  if (weights) {
    const Value places = steps.call(bin_places_entry(), {x, edges});
    counts = weighed(builder, places, flatten(builder, std::move(call.args[of_bin_weights])), count);
  } else {
    counts = steps.call(bin_counts_entry(), {x, edges, builder.extent(count)});
  }
  if (density) {
    const Value widths = steps.sub(narrow(builder, edges, 0, Dim(1), count), narrow(builder, edges, 0, Dim(0), count));
    const Value numbers = steps.cast(counts, Dtype::f64);
    counts = steps.div(numbers, steps.mul(steps.reduce(handles().sum, numbers, Value()), widths));
  }
  return make_tuple({std::move(counts), edges});
}

// --- digitize ---

Value digitize_eager(Builder& builder, Call& call) {
  operand_of(builder, call, 0);
  vector_operand(builder, call, 1);
  const Value edges = cast_to(builder, constant_of(call.args[1]), Dtype::f64);
  ops::call(builder, expect_ascending_entry(),
            {edges, make_string("digitize"), make_string("bins"), Value(int64_t{1})});
  const Value side = make_string(flag_argument(call, 2) ? "left" : "right");
  return ops::call(builder, handles().searchsorted, {call.args[1], call.args[0], side});
}

const Entry& checked_numbers_entry() {
  static const Entry entry{
      .name = "checked_numbers",
      .doc = "`x`, of which none may be negative.",
      .parameters = {tensor_parameter("x")},
      .type =
          [](ShapeBuilder&, const Call& call) {
            return Type{Dtype::i64, operand_type(call, 0).shape};
          },
      .eager =
          [](Builder& builder, Call& call) {
            const Value x = contiguous(builder.pool(), call.args[0]);
            const auto* numbers = static_cast<const int64_t*>(data_of(x));
            for (int64_t i = 0; i < element_count(x); ++i) {
              if (numbers[i] < 0)
                fail(message("bin_number"), {"bincount", std::to_string(numbers[i]), std::to_string(i)});
            }
            return call.args[0];
          },
      .derivative = Derivative::none("gives integers"),
      .batch = same_of_examples,
      .effects = {.may_fail = true},
      .internal = true,
      .part_of = "bincount"};
  return entry;
}

Value checked_numbers(Builder& builder, const Value& x) { return ops::call(builder, checked_numbers_entry(), {x}); }

const Entry& bincount_entry() {
  static const Entry entry{
      .name = "bincount",
      .doc =
          "How often each of the integers 0, 1, 2, … is in the vector `x`; with `weights` the sum of the weights that "
          "stand where it does, as floats.\n\n"
          "The result goes up to the largest number in `x`, or has `minlength` elements if that is more. With `length` "
          "it has as many, and what does not fit is not counted: then its size does not depend on the data, and `vmap` "
          "takes it. Negative numbers are an error. Differentiable by `weights`.",
      .parameters = {any_parameter("x"),
                     {.name = "weights", .kind = ParameterKind::any, .required = false, .fallback = {}},
                     attribute("minlength", int64_t{0}),
                     attribute("length", Value())},
      .widens_integers = true,
      .eager = bincount_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1, 3, 1, 0]", .expected = "[1, 2, 0, 1]"},
                  {.arguments = "[1, 3, 1], minlength=6", .expected = "[0, 2, 0, 1, 0, 0]"},
                  {.arguments = "[1, 3, 1], length=2", .expected = "[0, 2]", .source = "jax"},
                  {.arguments = "[1, 3, 1], [0.5, 1.0, 2.0]", .expected = "[0.0, 2.5, 0.0, 1.0]"},
                  {.arguments = "[1, 3, 1], [0.5, 1.0, 2.0], length=3", .expected = "[0.0, 2.5, 0.0]", .source = "jax"},
                  {.arguments = "i32([2, 2])", .expected = "[0, 0, 2]"},
                  {.arguments = "i64(zeros(0))", .expected = "i64(zeros(0))"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& histogram_entry() {
  static const Entry entry{
      .name = "histogram",
      .doc =
          "How many elements of `x` lie in each of the bins, and the bins' edges, as `(counts, edges)`.\n\n"
          "`bins` is how many there are, of one width from the smallest element to the largest (or over `range`, a "
          "pair), or a vector of their ascending edges. A bin has its lower edge, the last one its upper edge too. "
          "What "
          "lies outside, and nan, is in none. `weights`, of the shape of `x`, are added up instead of counting; "
          "`density=true` divides by the sum and the widths, so that the area is 1. Differentiable by `weights` and, "
          "as to the edges, by `x`.",
      .parameters = {any_parameter("x"),
                     {.name = "bins", .kind = ParameterKind::any, .required = false, .fallback = Value(int64_t{10})},
                     {.name = "range", .kind = ParameterKind::any, .required = false, .fallback = {}},
                     {.name = "weights", .kind = ParameterKind::any, .required = false, .fallback = {}},
                     attribute("density", false)},
      .widens_integers = true,
      .eager = histogram_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.0, 2.0, 2.5, 5.0], 4", .expected = "([1, 2, 0, 1], [1.0, 2, 3, 4, 5])"},
                  {.arguments = "[1.0, 2.0, nan, 2.5, 5.0, 9.0], 2, range=(1, 5)",
                   .expected = "([3, 1], [1.0, 3, 5])",
                   .source = "the definition"},
                  {.arguments = "[1.0, 2.0, 2.5], 2, weights=[1.0, 0.5, 0.25]",
                   .expected = "([1.0, 0.75], [1.0, 1.75, 2.5])"},
                  {.arguments = "[1.0, 2.0, 2.5, 5.0], 2, density=true",
                   .expected = "([0.375, 0.125], [1.0, 3.0, 5.0])"},
                  {.arguments = "[3.0, 3.0], 2", .expected = "([0, 2], [2.5, 3.0, 3.5])"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& digitize_entry() {
  static const Entry entry{
      .name = "digitize",
      .doc =
          "For each element of `x` the number of its bin: i where bins[i − 1] <= x < bins[i] (bins[i − 1] < x <= "
          "bins[i] with `right=true`), of `bins`, which must rise; 0 below them, len(bins) above, and for nan.",
      .parameters = {any_parameter("x"), any_parameter("bins"), attribute("right", false)},
      .widens_integers = true,
      .eager = digitize_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[0.5, 1.0, 2.5, 9.0, nan], [1.0, 2.0, 3.0]", .expected = "[0, 1, 2, 3, 3]"},
                  {.arguments = "[0.5, 1.0, 2.5], [1.0, 2.0, 3.0], right=true", .expected = "[0, 0, 2]"},
                  {.arguments = "[[1, 5]], [2, 4]", .expected = "[[0, 2]]"}},
      .staging = Staging::structural,
  };
  return entry;
}

}  // namespace

Family statistics_count_entries() {
  static const Entry* const entries[] = {
      &bincount_entry(),   &histogram_entry(),  &digitize_entry(),     &bins_needed_entry(),     &counts_entry(),
      &bin_counts_entry(), &bin_places_entry(), &expect_range_entry(), &checked_numbers_entry(), &expect_edges_entry()};
  return entries;
}

}  // namespace covec::ops
