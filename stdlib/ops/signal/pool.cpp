// Pools. The derivative of a window's maximum is that of reading it from its position; the mean is linear.
#include <algorithm>
#include <limits>

#include "stdlib/convolution/pool.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/patterns/patterns.hpp"
#include "stdlib/ops/signal/family.hpp"
#include "stdlib/ops/signal/signal.hpp"
#include "stdlib/ops/signal/window.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

constexpr unsigned option_count = 6;                            // two each of size, stride, padding
constexpr unsigned options_of_pool = 1, options_of_spread = 3;  // operands before the options

std::string_view who_pools(const Entry& entry) {
  const bool mean = &entry == &mean_of_windows_entry() || &entry == &spread_over_windows_entry();
  return mean ? avg_pool2d_entry().name : max_pool2d_entry().name;
}

void check_padding(std::string_view who, int64_t padding, int64_t size) {
  if (padding <= size / 2) return;
  fail(message("pool_padding"), {std::string(who), std::to_string(padding), std::to_string(size)});
}

struct Options {
  Pair size;
  Sliding rows, columns;

  // Of a call whose operands before them are `first`.
  static Options of(const Call& call, unsigned first) {
    const std::string_view who = who_pools(call.entry);
    OptionReader read(who, call, first);
    const Pair size = read.pair("size", 1), stride = read.pair("stride", 1), padding = read.pair("padding", 0);
    check_padding(who, padding.rows, size.rows);
    check_padding(who, padding.columns, size.columns);
    return {size,
            {.who = who, .stride = stride.rows, .padding = padding.rows, .dilation = 1, .needs_elements = true},
            {.who = who, .stride = stride.columns, .padding = padding.columns, .dilation = 1, .needs_elements = true}};
  }
  kernels::Pool2d pool(Dtype dtype, const Shape& x) const {
    const unsigned rank = x.rank();
    return {dtype, elements(x, 0, rank - 2), rows.axis(x[rank - 2].number(), size.rows),
            columns.axis(x[rank - 1].number(), size.columns)};
  }
};

Shape pooled(ShapeBuilder& shapes, const Call& call, Shape x) {
  const unsigned rank = x.rank();
  if (!options_known(call, options_of_pool, option_count)) {
    x[rank - 2] = shapes.unknown_dim();
    x[rank - 1] = shapes.unknown_dim();
    return x;
  }
  const Options options = Options::of(call, options_of_pool);
  x[rank - 2] = options.rows.windows(shapes, x[rank - 2], Dim(options.size.rows));
  x[rank - 1] = options.columns.windows(shapes, x[rank - 1], Dim(options.size.columns));
  return x;
}

Type pool_type(ShapeBuilder& shapes, const Call& call) {
  const Type x = operand_type(call, 0);
  return {x.dtype, pooled(shapes, call, x.shape)};
}
Type places_type(ShapeBuilder& shapes, const Call& call) {
  return {Dtype::i64, pooled(shapes, call, operand_type(call, 0).shape)};
}

// Examples are one more axis in front.
Value plain_batch(Builder& builder, Call& call, const Batching&) { return ops::call(builder, call.entry, call.args); }

Value both_batch(Builder& builder, Call& call, const Batching& batching) {
  for (unsigned i = 0; i < 2; ++i)
    call.args[i] = with_batch_axis(builder, std::move(call.args[i]), batching.batched[i], batching.size);
  return ops::call(builder, call.entry, call.args);
}

Value apply(RuleContext& rule, const Entry& entry, std::initializer_list<Value> operands,
            std::span<const Value> options) {
  Value args[options_of_spread + option_count];
  unsigned count = 0;
  for (const Value& operand : operands) args[count++] = operand;
  for (const Value& option : options.first(option_count)) args[count++] = option;
  return call(rule.builder(), entry, std::span<Value>(args, count));
}

// A kernel over the windows of x.
template <class Kernel>
Value over_windows(Builder& builder, Call& call, Kernel kernel) {
  const Type type = call.entry.type(builder, call);
  const Value x = contiguous(builder.pool(), call.args[0]);
  Value result = make_tensor(builder.pool(), type.dtype, type.shape);
  if (result.tensor().size() == 0) return result;
  kernel(builder.context(), describe_pool(call), x.tensor().data(), result.tensor().data());
  return result;
}

// --- the largest ---

Value largest_eager(Builder& builder, Call& call) { return over_windows(builder, call, kernels::pool_largest); }

Value places_eager(Builder& builder, Call& call) {
  return over_windows(builder, call, [](auto& context, const auto& pool, const std::byte* x, std::byte* to) {
    kernels::pool_places(context, pool, x, reinterpret_cast<int64_t*>(to));
  });
}

Value places_of(RuleContext& rule, const Residuals& residuals) {
  return apply(rule, places_of_largest_entry(), {residuals.operands[0]}, residuals.operands.subspan(options_of_pool));
}

Value largest_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  return rule.call(read_places_entry(), {tangents[0], places_of(rule, residuals)});
}

Value add_at(RuleContext& rule, const Value& y, Value places, const Shape& x) {
  Builder& b = rule.builder();
  return rule.call(add_at_places_entry(), {y, std::move(places), b.extent(x[x.rank() - 2]), b.extent(x[x.rank() - 1])});
}

void largest_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  out.add(0, add_at(rule, cotangent, places_of(rule, residuals), residuals.types[0].shape));
}

Type read_places_type(ShapeBuilder&, const Call& call) {
  return {operand_type(call, 0).dtype, operand_type(call, 1).shape};
}

// images, and elements of one and of its results.
struct Sizes3 {
  int64_t images, inside, outside;
  Sizes3(const Shape& x, const Shape& y)
      : images(elements(x, 0, x.rank() - 2)),
        inside(elements(x, x.rank() - 2, x.rank())),
        outside(elements(y, y.rank() - 2, y.rank())) {}
};

template <class Kernel>
Value with_places(Builder& builder, Call& call, const Type& type, const Sizes3& sizes, Kernel kernel) {
  const Value from = contiguous(builder.pool(), call.args[0]), places = contiguous(builder.pool(), call.args[1]);
  Value result = make_tensor(builder.pool(), type.dtype, type.shape);
  kernel(builder.context(), type.dtype, sizes.images, sizes.inside, sizes.outside, from.tensor().data(),
         places.tensor().as<int64_t>(), result.tensor().data());
  return result;
}

Value read_places_eager(Builder& builder, Call& call) {
  const Type type = read_places_type(builder, call);
  const Sizes3 sizes(call.args[0].tensor().shape(), type.shape);
  return with_places(builder, call, type, sizes, kernels::read_places);
}

Value read_places_transpose(RuleContext& rule, unsigned, const Residuals& residuals, const Value& cotangent) {
  return add_at(rule, cotangent, residuals.operands[1], residuals.types[0].shape);
}

Type image_type(ShapeBuilder& shapes, const Call& call, unsigned rows) {
  Type x = operand_type(call, 0);
  const unsigned rank = x.shape.rank();
  x.shape[rank - 2] = size_argument(shapes, call, rows);
  x.shape[rank - 1] = size_argument(shapes, call, rows + 1);
  return x;
}

Type add_at_places_type(ShapeBuilder& shapes, const Call& call) { return image_type(shapes, call, 2); }

Value add_at_places_eager(Builder& builder, Call& call) {
  const Type type = add_at_places_type(builder, call);
  const Sizes3 sizes(type.shape, call.args[0].tensor().shape());
  return with_places(builder, call, type, sizes, kernels::add_at_places);
}

Value add_at_places_transpose(RuleContext& rule, unsigned, const Residuals& residuals, const Value& cotangent) {
  return rule.call(read_places_entry(), {cotangent, residuals.operands[1]});
}

// --- the mean ---

Value mean_eager(Builder& builder, Call& call) { return over_windows(builder, call, kernels::pool_mean); }

Value mean_transpose(RuleContext& rule, unsigned, const Residuals& residuals, const Value& cotangent) {
  const Shape& x = residuals.types[0].shape;
  Builder& b = rule.builder();
  return apply(rule, spread_over_windows_entry(), {cotangent, b.extent(x[x.rank() - 2]), b.extent(x[x.rank() - 1])},
               residuals.operands.subspan(options_of_pool));
}

Type spread_type(ShapeBuilder& shapes, const Call& call) { return image_type(shapes, call, 1); }

Value spread_eager(Builder& builder, Call& call) {
  const Type type = spread_type(builder, call);
  const Value y = contiguous(builder.pool(), call.args[0]);
  Value result = make_tensor(builder.pool(), type.dtype, type.shape);
  if (result.tensor().size() == 0) return result;
  kernels::spread_mean(builder.context(), describe_spread(call, type), y.tensor().data(), result.tensor().data());
  return result;
}

Value spread_transpose(RuleContext& rule, unsigned, const Residuals& residuals, const Value& cotangent) {
  return apply(rule, mean_of_windows_entry(), {cotangent}, residuals.operands.subspan(options_of_spread));
}

// --- windows with gaps ---

// Windows with gaps are laid side by side and pooled as windows without: one axis is read at the places of all its
// windows, one after the other. For the largest, what stands in the padding is the nearest element of the same window,
// so the first of equals stays the first. For the mean it is -1, and becomes a zero.
struct Gaps {
  Sliding sliding;
  int64_t window;
  bool mean;

  static constexpr unsigned mean_operand = 5;  // behind the size of the axis and four options
  static Gaps of(const Call& call) {
    const bool mean = flag_argument(call, mean_operand);
    const std::string_view who = mean ? avg_pool2d_entry().name : max_pool2d_entry().name;
    OptionReader read(who, call, 1);
    const int64_t window = read.number("size", 1), stride = read.number("stride", 1);
    const int64_t padding = read.number("padding", 0), dilation = read.number("dilation", 1);
    check_padding(who, padding, window);
    return {
        {.who = who, .stride = stride, .padding = padding, .dilation = dilation, .needs_elements = true}, window, mean};
  }
  void fill(const kernels::WindowAxis& axis, int64_t o, int64_t* places) const {
    const int64_t start = o * axis.stride - axis.before;
    const int64_t first = start < 0 ? (-start + axis.dilation - 1) / axis.dilation : 0;
    const int64_t last = start < axis.in ? std::min(window - 1, (axis.in - 1 - start) / axis.dilation) : -1;
    if (first > last && !mean) {
      fail(message("window_fit"), {std::string(sliding.who), std::to_string((window - 1) * axis.dilation + 1),
                                   std::to_string(axis.in), std::to_string(axis.before)});
    }
    for (int64_t i = 0; i < window; ++i) {
      const bool inside = first <= i && i <= last;
      places[i] = mean && !inside ? -1 : start + std::clamp(i, first, std::max(first, last)) * axis.dilation;
    }
  }
};

Type window_places_type(ShapeBuilder& shapes, const Call& call) {
  const Dim size = size_argument(shapes, call, 0);
  if (!size.known() || !options_known(call, 1, Gaps::mean_operand - 1)) return {Dtype::i64, {shapes.unknown_dim()}};
  const Gaps gaps = Gaps::of(call);
  return {Dtype::i64, {Dim(gaps.sliding.axis(size.number(), gaps.window).out * gaps.window)}};
}

Value window_places_eager(Builder& builder, Call& call) {
  const Gaps gaps = Gaps::of(call);
  const kernels::WindowAxis axis = gaps.sliding.axis(integer_argument(call, 0), gaps.window);
  int64_t count;
  if (__builtin_mul_overflow(axis.out, axis.window, &count)) count = std::numeric_limits<int64_t>::max();
  Value result = make_tensor(builder.pool(), Dtype::i64, {Dim(count)});
  for (int64_t o = 0; o < axis.out; ++o) gaps.fill(axis, o, result.tensor().as<int64_t>() + o * axis.window);
  return result;
}

struct AxisOptions {
  Value size, stride, padding, dilation;
};

// The windows of one axis, counted from the end, side by side.
Value side_by_side(Steps& steps, Value x, unsigned from_end, const AxisOptions& options, bool mean) {
  Builder& builder = steps.builder();
  const Type type = logical_type(x);
  const unsigned axis = type.shape.rank() - from_end;
  Value places = ops::call(
      builder, window_places_entry(),
      {builder.extent(type.shape[axis]), options.size, options.stride, options.padding, options.dilation, Value(mean)});
  if (!mean) return steps.take(std::move(x), axis, places);
  Value inside = steps.call(handles().greater_equal, {places, Value(int64_t{0})});
  if (from_end == 2) inside = unsqueeze(builder, std::move(inside), 1);
  Value taken = steps.take(std::move(x), axis, steps.maximum(std::move(places), Value(int64_t{0})));
  return steps.call(handles().where, {std::move(inside), std::move(taken), steps.number(0, type.dtype)});
}

// --- what the language calls ---

// Whether windows have gaps decides what is called, so the numbers must be known here.
bool has_gaps(const Call& call, const PairOption& dilation) {
  if (!is_integer(dilation.rows) || !is_integer(dilation.columns))
    fail_attribute(call, 4, "an integer or a pair of integers");
  return integer_of(dilation.rows) != 1 || integer_of(dilation.columns) != 1;
}

Value pool_eager(Builder& builder, Call& call, const Entry& windows_entry, bool floats) {
  require_operand(builder, call, 0);
  require_rank(call, 0, 2, false, "height, width");
  const PairOption size = pair_option(call, 1), stride = call.args[2].is_none() ? size : pair_option(call, 2),
                   padding = pair_option(call, 3), dilation = pair_option(call, 4);
  const bool gaps = has_gaps(call, dilation);
  Value image = std::move(call.args[0]);
  if (floats) {
    const Dtype dtype = float_dtype(operand_dtype(image));
    image = cast_to(builder, std::move(image), dtype);
  }
  if (gaps) {
    Steps steps(builder);
    image = side_by_side(steps, std::move(image), 2, {size.rows, stride.rows, padding.rows, dilation.rows}, floats);
    image = side_by_side(steps, std::move(image), 1, {size.columns, stride.columns, padding.columns, dilation.columns},
                         floats);
    const Value none = int64_t{0};
    return ops::call(builder, windows_entry,
                     {std::move(image), size.rows, size.columns, size.rows, size.columns, none, none});
  }
  return ops::call(
      builder, windows_entry,
      {std::move(image), size.rows, size.columns, stride.rows, stride.columns, padding.rows, padding.columns});
}

Value max_pool2d_eager(Builder& builder, Call& call) {
  return pool_eager(builder, call, largest_of_windows_entry(), false);
}
Value avg_pool2d_eager(Builder& builder, Call& call) {
  return pool_eager(builder, call, mean_of_windows_entry(), true);
}

std::vector<Parameter> pool_parameters() {
  return {any_parameter("x"), attribute("size"), attribute("stride", Value()), attribute("padding", int64_t{0}),
          attribute("dilation", int64_t{1})};
}

std::vector<Parameter> with_options(std::vector<Parameter> parameters) {
  for (const char* name : {"row_size", "column_size", "row_stride", "column_stride", "row_padding", "column_padding"})
    parameters.push_back(attribute(name));
  return parameters;
}

Value pattern_of_pool(Sets& sets, const Entry& entry, const Residuals& residuals, std::span<const Value> of) {
  const Shape& shape = residuals.types[0].shape;
  const Call call = residual_call(entry, residuals);
  const kernels::Pool2d pool = Options::of(call, options_of_pool).pool(Dtype::f64, shape);
  return sets.link(of[0], residuals.result_type->shape, shape.rank() - 2, [&](Sets::Link link) {
    each_place(pool.rows, pool.columns, [&](int64_t window, int64_t place, int64_t) { link(window, place); });
  });
}

Value pattern_of_spread(Sets& sets, const Entry& entry, const Residuals& residuals, std::span<const Value> of) {
  const Shape& shape = residuals.result_type->shape;
  const Call call = residual_call(entry, residuals);
  const kernels::Pool2d pool = Options::of(call, options_of_spread).pool(Dtype::f64, shape);
  return sets.link(of[0], shape, shape.rank() - 2, [&](Sets::Link link) {
    each_place(pool.rows, pool.columns, [&](int64_t window, int64_t place, int64_t) { link(place, window); });
  });
}

}  // namespace

kernels::Pool2d describe_pool(const Call& call) {
  const Tensor& x = call.args[0].tensor();
  return Options::of(call, options_of_pool).pool(x.dtype(), x.shape());
}

kernels::Pool2d describe_spread(const Call& call, const Type& image) {
  return Options::of(call, options_of_spread).pool(image.dtype, image.shape);
}

const Entry& max_pool2d_entry() {
  static const Entry entry{
      .name = "max_pool2d",
      .doc =
          "The largest element of each window of `size` over the last two axes of `x`.\n\n"
          "`size`, `stride` (the size unless given) and `padding` are an integer or a pair; padding is at most half of "
          "the size and never the largest. `dilation` is how far apart a window's elements are. NaN where a window has "
          "one; the first of equals takes the derivative.",
      .parameters = pool_parameters(),
      .eager = max_pool2d_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[1.0, 5, 2, 0], [3, 4, 8, 1]], 2",
                   .expected = "[[5.0, 8]]",
                   .source = "torch",
                   .differentiate = true},
                  {.arguments = "[[[1.0, 5, 2], [3, 4, 8], [-1, 0, 7]]], (3, 2), stride=1, padding=(1, 1)",
                   .expected = "[[[3.0, 5, 8, 8], [3, 5, 8, 8], [3, 4, 8, 8]]]",
                   .source = "torch",
                   .differentiate = true},
                  {.arguments = "[[1.0, nan], [3, 4]], 2", .expected = "[[nan]]", .source = "torch"},
                  {.arguments = "[[1, -5, 2], [3, 4, -8]], (1, 2), 1",
                   .expected = "[[1, 2], [4, 4]]",
                   .source = "torch"},
                  {.arguments = "[[true, false], [false, false]], (1, 2)",
                   .expected = "[[true], [false]]",
                   .source = "the definition"},
                  {.arguments = "[[1.0, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]], 2, 1, dilation=2",
                   .expected = "[[11.0, 12], [15, 16]]",
                   .source = "ONNX",
                   .differentiate = true},
                  {.arguments = "[[1.0, 8, -2, 3, 4], [3, 0, 7, -1, 5]], (1, 2), (1, 1), (0, 1), (1, 3)",
                   .expected = "[[-2.0, 3, 8, -2], [7, 3, 5, 7]]",
                   .source = "the definition",
                   .differentiate = true},
                  {.arguments = "zeros(0, 4, 4), 2", .expected = "zeros(0, 2, 2)", .source = "torch"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& avg_pool2d_entry() {
  static const Entry entry{
      .name = "avg_pool2d",
      .doc =
          "The mean of each window of `size` over the last two axes of `x`, as floats.\n\n"
          "`size`, `stride` (the size unless given) and `padding` are an integer or a pair; padding is at most half of "
          "the size and counts as zeros. `dilation` is how far apart a window's elements are. A window is added row by "
          "row and divided by its size.",
      .parameters = pool_parameters(),
      .eager = avg_pool2d_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[1.0, 5, 2, 0], [3, 4, 8, 1]], 2",
                   .expected = "[[3.25, 2.75]]",
                   .source = "torch",
                   .differentiate = true},
                  {.arguments = "[[[1.0, 5, 2], [3, 4, 8], [-1, 0, 7]]], 2, stride=2, padding=1",
                   .expected = "[[[0.25, 1.75], [0.5, 4.75]]]",
                   .source = "torch",
                   .differentiate = true},
                  {.arguments = "[[1, 2], [3, 5]], 2", .expected = "[[2.75]]", .source = "torch"},
                  {.arguments = "f32([[1, 2], [3, 5]]), (2, 1), 1", .expected = "f32([[2, 3.5]])", .source = "torch"},
                  {.arguments = "[[1.0, 2, 3], [4, 5, 6], [7, 8, 9]], 2, 1, dilation=2",
                   .expected = "[[5.0]]",
                   .source = "the definition",
                   .differentiate = true},
                  {.arguments = "[[1.0, 8, -2, 3]], (1, 2), 1, (0, 1), (1, 2)",
                   .expected = "[[4.0, -0.5, 5.5, -1.0]]",
                   .source = "the definition",
                   .differentiate = true},
                  {.arguments = "zeros(3, 0, 2, 2), 2", .expected = "zeros(3, 0, 1, 1)", .source = "the definition"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& window_places_entry() {
  static const Entry entry{
      .name = "window_places",
      .doc = "The positions of an axis that its windows cover, one window after the other.",
      .parameters = {attribute("length"), attribute("size"), attribute("stride"), attribute("padding"),
                     attribute("dilation"), attribute("mean")},
      .type = window_places_type,
      .eager = window_places_eager,
      .derivative = Derivative::none("gives positions"),
      .effects = {.may_fail = true},
      .internal = true,
  };
  return entry;
}

const Entry& largest_of_windows_entry() {
  static const Entry entry{
      .name = "largest_of_windows",
      .doc = "The largest element of each window.",
      .parameters = with_options({tensor_parameter("x")}),
      .type = pool_type,
      .eager = largest_eager,
      .device = DeviceForm::window_max,
      .derivative = Derivative::by_hand(1, largest_jvp, largest_vjp),
      .batch = plain_batch,
      .pattern = pattern_of_pool,
      .effects = {.may_fail = true},
      .internal = true,
  };
  return entry;
}

const Entry& places_of_largest_entry() {
  static const Entry entry{
      .name = "places_of_largest",
      .doc = "Where in its image the largest element of each window is, row by row.",
      .parameters = with_options({tensor_parameter("x")}),
      .type = places_type,
      .eager = places_eager,
      .device = DeviceForm::window_argmax,
      .derivative = Derivative::piecewise_constant(),
      .batch = plain_batch,
      .effects = {.may_fail = true},
      .internal = true,
  };
  return entry;
}

const Entry& read_places_entry() {
  static const Entry entry{
      .name = "read_places",
      .doc = "Elements of each image.",
      .parameters = {tensor_parameter("x"), tensor_parameter("places")},
      .type = read_places_type,
      .eager = read_places_eager,
      .device = DeviceForm::read_at_positions,
      .derivative = Derivative::linearly(1, read_places_transpose, 2),
      .batch = both_batch,
      .internal = true,
  };
  return entry;
}

const Entry& add_at_places_entry() {
  static const Entry entry{
      .name = "add_at_places",
      .doc = "Images of zeros to which `y` is added, each element at its place, in order.",
      .parameters = {tensor_parameter("y"), tensor_parameter("places"), attribute("rows"), attribute("columns")},
      .type = add_at_places_type,
      .eager = add_at_places_eager,
      .device = DeviceForm::add_at_positions,
      .derivative = Derivative::linearly(1, add_at_places_transpose, 2),
      .batch = both_batch,
      .internal = true,
  };
  return entry;
}

const Entry& mean_of_windows_entry() {
  static const Entry entry{
      .name = "mean_of_windows",
      .doc = "The mean of each window.",
      .parameters = with_options({tensor_parameter("x")}),
      .type = pool_type,
      .eager = mean_eager,
      .device = DeviceForm::window_mean,
      .derivative = Derivative::linearly(1, mean_transpose),
      .batch = plain_batch,
      .pattern = pattern_of_pool,
      .effects = {.may_fail = true},
      .internal = true,
  };
  return entry;
}

const Entry& spread_over_windows_entry() {
  static const Entry entry{
      .name = "spread_over_windows",
      .doc = "Images to which each window adds its share of `y`, in the windows' order.",
      .parameters = with_options({tensor_parameter("y"), attribute("rows"), attribute("columns")}),
      .type = spread_type,
      .eager = spread_eager,
      .device = DeviceForm::window_mean_spread,
      .derivative = Derivative::linearly(1, spread_transpose),
      .batch = plain_batch,
      .pattern = pattern_of_spread,
      .effects = {.may_fail = true},
      .internal = true,
  };
  return entry;
}

Family signal_pool_entries() {
  static const Entry* const entries[] = {
      &max_pool2d_entry(),        &avg_pool2d_entry(),          &largest_of_windows_entry(),
      &places_of_largest_entry(), &read_places_entry(),         &add_at_places_entry(),
      &mean_of_windows_entry(),   &spread_over_windows_entry(), &window_places_entry()};
  return entries;
}

}  // namespace covec::ops
