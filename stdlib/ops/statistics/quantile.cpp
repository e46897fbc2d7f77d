// quantile and median, and their variants without NaN. Selection finds the positions of the elements of two ranks
// (rank_places). Other operators read and interpolate them, so derivatives by x and by q follow automatically. Start at
// quantile_of.
#include <array>
#include <limits>
#include <numeric>

#include "stdlib/kernels/interrupt_polls.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/kernels/sort.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/reduce/reduce.hpp"
#include "stdlib/ops/statistics/family.hpp"
#include "stdlib/ops/statistics/selection.hpp"
#include "stdlib/tensor/print.hpp"
#include "stdlib/tensor/scratch.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::ops {

namespace {

const Entry& rank_places_entry();

// --- where ranks stand ---

Type places_type(ShapeBuilder& shapes, const Call& call) {
  Shape shape = operand_type(call, 0).shape;
  const Dim count = operand_type(call, 1).shape[0];
  shape[shape.rank() - 1] = shapes.add(count, count);
  return {Dtype::i64, shape};
}

// The ranks on both sides of a share; where it meets one, that one, or with `apart` it and the next one (at the end:
// the one before), whose difference is the slope there.
struct Ranks {
  int64_t low, high;
  Ranks(double share, int64_t numbers, bool apart) {
    const double at = share * static_cast<double>(numbers - 1);
    low = std::min(static_cast<int64_t>(at), std::max<int64_t>(numbers - (apart ? 2 : 1), 0));
    high = (apart || at > static_cast<double>(low)) && low + 1 < numbers ? low + 1 : low;
  }
};

// What is asked of each row.
struct Question {
  std::vector<double> shares;
  bool skip, apart;
};

constexpr int64_t max_selected_ranks = 16;  // of more ranks, or among fewer elements, an order of all is found sooner

// All places in order: NaNs behind the numbers. `order` has room for them.
template <class T>
void find_order(const T* row, int64_t n, int64_t* order) {
  std::iota(order, order + n, int64_t{0});
  std::sort(order, order + n, [row](int64_t a, int64_t b) {
    const bool none_a = row[a] != row[a], none_b = row[b] != row[b];
    if (none_a != none_b) return none_b;
    return row[a] < row[b] || (!(row[b] < row[a]) && a < b);
  });
}

// Without an order of all.
template <class T>
void select_places(kernels::InterruptPolls& polls, const T* row, int64_t n, int64_t numbers, const Question& question,
                   T* room, int64_t* to) {
  const size_t count = question.shares.size();
  T* rest = room;
  if (numbers < n) {  // in front those that are none
    int64_t kept = 0;
    for (int64_t i = 0; i < n; ++i) {
      if (row[i] == row[i]) room[kept++] = row[i];
    }
    rest = room + n;
  }
  const T* from = numbers < n ? room : row;
  for (size_t j = 0; j < count && !polls.stop(2 * n); ++j) {
    const Ranks ranks(question.shares[j], numbers, question.apart);
    const int64_t rank = ranks.low;
    const T low = select_rank(from, numbers, rank, rest);
    to[j] = to[count + j] = place_of_rank(row, n, low, rank);
    if (ranks.high == rank) continue;
    // The next one equals it, or is the smallest above it.
    int64_t at_most = 0;
    T next = std::numeric_limits<T>::infinity();
    for (int64_t i = 0; i < numbers; ++i) {
      at_most += from[i] <= low;
      next = from[i] > low && from[i] < next ? from[i] : next;
    }
    to[count + j] = place_of_rank(row, n, at_most > rank + 1 ? low : next, rank + 1);
  }
}

// The places of the ranks around each share in a row: the lower ones, then the upper ones. `room` has place for twice
// the row, and holds its order where that `is_found`.
template <class T>
void row_places(kernels::InterruptPolls& polls, const T* row, int64_t n, const Question& question, bool is_found,
                T* room, int64_t* to) {
  const size_t count = question.shares.size();
  int64_t numbers = 0, first_nan = -1;
  for (int64_t i = 0; i < n; ++i) {
    const bool is_nan = row[i] != row[i];
    if (is_nan && first_nan < 0) first_nan = i;
    numbers += !is_nan;
  }
  if (first_nan >= 0 && (!question.skip || numbers == 0)) {
    std::fill_n(to, 2 * count, first_nan);
    return;
  }
  if (!is_found && n > max_selected_ranks) return select_places(polls, row, n, numbers, question, room, to);
  auto* order = reinterpret_cast<int64_t*>(room);
  if (!is_found) find_order(row, n, order);
  for (size_t j = 0; j < count; ++j) {
    const Ranks ranks(question.shares[j], numbers, question.apart);
    to[j] = order[ranks.low];
    to[count + j] = order[ranks.high];
  }
}

std::vector<double> shares_of(const Call& call) {
  std::vector<double> shares;
  const Tensor& q = call.args[1].tensor();
  for (int64_t i = 0; i < q.size(); ++i) {
    const double share = *reinterpret_cast<const double*>(q.at(std::array{i}));
    const char* name = flag_argument(call, 2) ? "nanquantile" : "quantile";
    if (!(share >= 0 && share <= 1))
      fail(message("quantile_share"), {name, repr_of(Value(share))}, {label_of(call, 1)});
    shares.push_back(share);
  }
  return shares;
}

Value places_eager(Builder& builder, Call& call) {
  const Type type = places_type(builder, call);
  const Question question{shares_of(call), flag_argument(call, 2), flag_argument(call, 3)};
  const Value x = contiguous(builder.pool(), call.args[0]);
  const int64_t n = x.tensor().dim(x.tensor().rank() - 1);
  if (n == 0) fail(message("reduce_empty"), {"quantile"}, {label_of(call, 0)});
  Value result = make_tensor(builder.pool(), type.dtype, type.shape);
  const Dtype dtype = x.tensor().dtype();
  const auto count = std::ssize(question.shares);
  const int64_t rows = x.tensor().size() / n, width = 2 * count;
  const Scratch room(builder.pool(), static_cast<uint64_t>(2 * x.tensor().size()) * size_of(dtype));
  const bool in_order = n > max_selected_ranks && count > max_selected_ranks;
  if (in_order) {
    kernels::sort_positions(builder.context(), {x.tensor().data(), dtype, rows, n, false}, n, room.as<int64_t>());
  }
  int64_t* to = result.tensor().as<int64_t>();
  const auto run = [&](auto zero) {
    using T = decltype(zero);
    const int64_t grain = std::max<int64_t>(1, (int64_t{1} << 14) / n);
    kernels::parallel_for(builder.context(), rows, grain, [&](int64_t begin, int64_t end) {
      kernels::InterruptPolls polls(builder.context());
      for (int64_t i = begin; i < end && !polls.stop(n * width); ++i) {
        T* own = in_order ? reinterpret_cast<T*>(room.as<int64_t>() + i * n) : room.as<T>() + 2 * i * n;
        row_places(polls, x.tensor().as<T>() + i * n, n, question, in_order, own, to + i * width);
      }
    });
  };
  dtype == Dtype::f32 ? run(float{}) : run(double{});
  kernels::poll_interrupt(builder.context());
  return result;
}

Value places_batch(Builder& builder, Call& call, const Batching& batching) {
  if (batching.batched[1]) return Value::unbound();
  return ops::call(builder, call.entry, call.args);
}

// --- between two ranks ---

constexpr std::string_view methods[] = {"linear", "lower", "higher", "midpoint", "nearest"};
enum Method : unsigned { linear, lower, higher, midpoint, nearest };

// The axes that are reduced, as one at the end.
Value in_lines(Builder& builder, Value x, uint32_t axes) {
  const Shape shape = logical_type(x).shape;
  std::vector<unsigned> order;
  Shape merged;
  Dim length(1);
  for (unsigned i = 0; i < shape.rank(); ++i) {
    if (axes >> i & 1) continue;
    order.push_back(i);
    merged.push_back(shape[i]);
  }
  for (unsigned i = 0; i < shape.rank(); ++i) {
    if (!(axes >> i & 1)) continue;
    order.push_back(i);
    length = builder.multiply(length, shape[i]);
  }
  const bool one = order.size() == merged.rank() + 1;
  merged.push_back(length);
  x = permute(builder, std::move(x), order);
  return one ? x : reshape(builder, std::move(x), merged);
}

// The part of the way from the lower rank to the upper one: 1 at the last of ranks that are `apart`.
Value way_between(Steps& steps, const Value& x, const Value& q, bool skip, bool apart) {
  const Type type = logical_type(x);
  const unsigned last = type.shape.rank() - 1;
  Value count = steps.extent(type.shape[last], Dtype::f64);
  if (skip) {
    const Value numbers = steps.inverse(steps.isnan(x));
    count = steps.cast(steps.reduce(handles().sum, numbers, Value(int64_t{last}), true), Dtype::f64);
  }
  const auto number = [&](double value) { return steps.number(value, Dtype::f64); };
  const Value at = steps.mul(q, steps.sub(count, number(1)));
  Value from = steps.floor(at);
  if (apart) from = steps.minimum(from, steps.maximum(steps.sub(count, number(2)), number(0)));
  return steps.sub(at, from);
}

// a + (b − a)·t from the end that is nearer; a where both are the same infinity. Where b − a is no finite number,
// (1 − t)·a + t·b, but at the ends of the way.
Value between(Steps& steps, const Value& low, const Value& high, const Value& way, Dtype dtype) {
  const Value zero = steps.number(0, dtype), one = steps.number(1, dtype);
  const Value inf = steps.number(std::numeric_limits<double>::infinity(), dtype);
  const Value t = steps.cast(way, dtype), rest = steps.sub(one, t);
  const Value same = steps.both(steps.equal(low, high), steps.equal(steps.absolute(low), inf));
  const Value step = steps.where(same, zero, steps.sub(high, low));
  const Value infinite = steps.inverse(steps.less(steps.absolute(step), inf));
  const Value at_end = steps.either(steps.equal(t, zero), steps.equal(t, one));
  const Value finite_step = steps.where(infinite, zero, step);
  const Value from_low = steps.add(low, steps.mul(finite_step, t));
  const Value from_high = steps.sub(high, steps.mul(finite_step, rest));
  const Value nearer = steps.where(steps.less(t, steps.number(0.5, dtype)), from_low, from_high);
  const Value shares = steps.add(steps.mul(low, rest), steps.mul(high, t));
  return steps.where(steps.both(infinite, steps.inverse(at_end)), shares, nearer);
}

Value value_between(Steps& steps, const Value& low, const Value& high, const Value& way, unsigned method, Dtype dtype) {
  const auto half = [&] { return steps.number(0.5, Dtype::f64); };
  switch (method) {
    case lower: return low;
    case higher: return high;
    case midpoint: return between(steps, low, high, half(), dtype);
    case nearest: return steps.where(steps.greater(way, half()), high, low);
    default: return between(steps, low, high, way, dtype);
  }
}

// q is of rank 1; the quantiles lie along the last axis.
Value quantiles_in_lines(Steps& steps, const Value& x, const Value& q, bool skip, bool apart, unsigned method) {
  Builder& builder = steps.builder();
  const Type type = logical_type(x);
  const unsigned last = type.shape.rank() - 1;
  const Dim count = logical_type(q).shape[0];
  const Value places = steps.call(rank_places_entry(), {x, q, Value(skip), Value(apart)});
  const Value both = steps.call(handles().gather, {x, places, Value(int64_t{-1})});
  const Value low = narrow(builder, both, last, Dim(0), count), high = narrow(builder, both, last, count, count);
  const Value result = value_between(steps, low, high, way_between(steps, x, q, skip, apart), method, type.dtype);
  return result;
}

struct QuantileOptions {
  Value q;
  uint32_t axes;
  bool keepdims, skip, by_q;  // by_q: q may be what is differentiated by
  unsigned method;
};

// The axes of q come first.
Value quantile_of(Builder& builder, Value x, const QuantileOptions& options) {
  Steps steps(builder);
  const Shape given = logical_type(x).shape, of_q = logical_type(options.q).shape;
  x = in_lines(builder, std::move(x), options.axes);
  const Value q = flatten(builder, steps.cast(options.q, Dtype::f64));
  Value result =
      quantiles_in_lines(steps, x, q, options.skip, options.by_q && options.method == linear, options.method);
  const unsigned rank = logical_type(result).shape.rank();
  result = steps.move_axis(std::move(result), rank - 1, 0);
  Shape shape = of_q;
  for (const Dim dim : reduced_shape(given, {options.axes, options.keepdims})) shape.push_back(dim);
  return reshape(builder, std::move(result), shape);
}

QuantileOptions options_of(Builder& builder, Call& call, unsigned axis, bool skip) {
  const unsigned rank = operand_of(builder, call, 0).shape.rank();
  QuantileOptions options{Value(0.5), 0, flag_argument(call, axis + 1), skip, false, linear};
  options.axes = reduce_arguments(call, rank, axis).axes;
  expect_elements(builder, call, options.axes);
  call.args[0] = float_operand(builder, call, 0);
  if (rank == 0) call.args[0] = reshape(builder, std::move(call.args[0]), {Dim(1)});
  if (rank == 0) options.axes = 1, options.keepdims = false;
  return options;
}

template <bool skip>
Value median_eager(Builder& builder, Call& call) {
  const QuantileOptions options = options_of(builder, call, 1, skip);
  return quantile_of(builder, std::move(call.args[0]), options);
}

template <bool skip>
Value quantile_eager(Builder& builder, Call& call) {
  operand_of(builder, call, 1);
  const unsigned method = choice_argument(call, 4, methods);
  QuantileOptions options = options_of(builder, call, 2, skip);
  options.q = call.args[1];
  options.method = method;
  options.by_q = true;
  return quantile_of(builder, std::move(call.args[0]), options);
}

const Entry& rank_places_entry() {
  static const Entry entry{
      .name = "rank_places",
      .doc = "Along the last axis, where the elements around each share of the ranks stand: lower ones, upper ones.",
      .parameters = {tensor_parameter("x"), tensor_parameter("q"), attribute("skip"), attribute("apart")},
      .type = places_type,
      .eager = places_eager,
      .derivative = Derivative::none("gives positions"),
      .batch = places_batch,
      .effects = {.may_fail = true},
      .internal = true,
      .part_of = "quantile",
  };
  return entry;
}

std::vector<Parameter> median_parameters() {
  return {any_parameter("x"), attribute("axis", Value()), attribute("keepdims", false)};
}

std::vector<Parameter> quantile_parameters() {
  return {any_parameter("x"), any_parameter("q"), attribute("axis", Value()), attribute("keepdims", false),
          attribute("method", Value())};
}

const Entry& median_entry() {
  static const Entry entry{
      .name = "median",
      .doc =
          "The middle one of the elements along `axis` (an int, a tuple, or none for all) in order; of an even number "
          "the mean of the two in the middle.\n\n"
          "nan where one of them is nan (`nanmedian` leaves those out). Bools and integers are converted to `f64`. The "
          "derivative is that of the elements it is made of; of equal ones the first in order counts.",
      .parameters = median_parameters(),
      .eager = median_eager<false>,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[3.0, 1.0, 2.0]", .expected = "2.0", .differentiate = true},
                  {.arguments = "[4.0, 1.0, 2.0, 8.0]", .expected = "3.0", .differentiate = true},
                  {.arguments = "[[3.0, 1.0, 7.0], [2.0, 5.0, 4.0]], axis=0",
                   .expected = "[2.5, 3.0, 5.5]",
                   .differentiate = true},
                  {.arguments = "[[3, 1, 7], [2, 5, 4]], axis=1, keepdims=true", .expected = "[[3.0], [4.0]]"},
                  {.arguments = "reshape(arange(8.0), (2, 2, 2)), axis=(0, 2)", .expected = "[2.5, 4.5]"},
                  {.arguments = "[1.0, nan, 2.0]", .expected = "nan"},
                  {.arguments = "[inf, 1.0, inf, inf]", .expected = "inf", .source = "the definition"},
                  {.arguments = "f32([4, 1, 2])", .expected = "f32(2)"},
                  {.arguments = "[2.0, 2.0, 1.0, 2.0]", .expected = "2.0"},
                  {.arguments = "7", .expected = "7.0"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& nanmedian_entry() {
  static const Entry entry{
      .name = "nanmedian",
      .doc = "`median` of the elements that are not nan; nan where there are none.",
      .parameters = median_parameters(),
      .eager = median_eager<true>,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[3.0, nan, 2.0]", .expected = "2.5", .differentiate = true},
                  {.arguments = "[[3.0, nan, 7.0], [nan, nan, nan]], axis=1", .expected = "[5.0, nan]"},
                  {.arguments = "[nan, 1.0]", .expected = "1.0"},
                  {.arguments = "[4, 1, 2]", .expected = "2.0"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& quantile_entry() {
  static const Entry entry{
      .name = "quantile",
      .doc =
          "The number that the share `q` (0 to 1) of the elements along `axis` (an int, a tuple, or none for all) does "
          "not pass: at q·(n − 1) among the n elements in order, from 0.\n\n"
          "Where that is no whole number, `method` \"linear\" (also when it is none) goes between the two elements "
          "around it, \"lower\" and "
          "\"higher\" take one of them, \"midpoint\" their mean, \"nearest\" the nearer one (the lower one half-way). "
          "The axes of `q` come first in the result. nan where an element is nan (`nanquantile` leaves those out); a q "
          "outside is an error. Differentiable by `x` and by `q`.",
      .parameters = quantile_parameters(),
      .eager = quantile_eager<false>,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[4.0, 1.0, 3.0, 2.0], 0.25", .expected = "1.75", .differentiate = true},
                  {.arguments = "[4.0, 1.0, 3.0, 2.0], [0.0, 0.6, 1.0]", .expected = "[1.0, 2.8, 4.0]", .ulp = 2},
                  {.arguments = "[[3.0, 1.0], [2.0, 5.0], [7.0, 4.0]], 0.25, axis=0",
                   .expected = "[2.5, 2.5]",
                   .differentiate = true},
                  {.arguments = "[[3, 1], [2, 5], [7, 4]], [0.25, 0.5], axis=0, keepdims=true",
                   .expected = "[[[2.5, 2.5]], [[3.0, 4.0]]]"},
                  {.arguments = "[4.0, 1.0, 3.0, 2.0], 0.4, method=\"lower\"", .expected = "2.0"},
                  {.arguments = "[4.0, 1.0, 3.0, 2.0], 0.4, method=\"higher\"", .expected = "3.0"},
                  {.arguments = "[4.0, 1.0, 3.0, 2.0], 0.4, method=\"midpoint\"", .expected = "2.5"},
                  {.arguments = "[4.0, 1.0, 3.0, 2.0], 0.2, method=\"nearest\"", .expected = "2.0"},
                  {.arguments = "[1.0, nan], 0.0", .expected = "nan"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& nanquantile_entry() {
  static const Entry entry{
      .name = "nanquantile",
      .doc = "`quantile` of the elements that are not nan; nan where there are none.",
      .parameters = quantile_parameters(),
      .eager = quantile_eager<true>,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[4.0, nan, 1.0, 3.0, 2.0], 0.25", .expected = "1.75", .differentiate = true},
                  {.arguments = "[[4.0, nan], [1.0, nan], [3.0, 2.0]], 0.75, axis=0", .expected = "[3.5, 2.0]"}},
      .staging = Staging::structural,
  };
  return entry;
}

}  // namespace

Family statistics_quantile_entries() {
  static const Entry* const entries[] = {&median_entry(), &nanmedian_entry(), &quantile_entry(), &nanquantile_entry(),
                                         &rank_places_entry()};
  return entries;
}

}  // namespace covec::ops
