// conv1d and conv2d: what they are given is read and checked here, the sums are convolve's. A signal of one axis is an
// image of one row.
#include "stdlib/ops/signal.hpp"

#include "stdlib/ops/families.hpp"
#include "stdlib/ops/linalg.hpp"
#include "stdlib/ops/pointwise.hpp"
#include "stdlib/ops/pointwise/arithmetic.hpp"
#include "stdlib/ops/shape.hpp"
#include "stdlib/ops/signal_window.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

constexpr const char* composed = "is made of other operators, which have theirs";
constexpr unsigned bias = 2, stride = 3, padding = 4, dilation = 5, groups = 6;  // operands

struct Channels {
  const Call& call;
  const Type& w;
  int64_t groups;
};

std::vector<std::string> channel_parts(const void* self, int64_t of_x, int64_t of_w) {
  const Channels& c = *static_cast<const Channels*>(self);
  return {std::string(c.call.entry.name), std::to_string(of_x), c.w.text(), std::to_string(c.groups),
          std::to_string(of_w)};
}
std::vector<ArgumentLabel> channel_labels(const void* self, int64_t, int64_t) {
  const Channels& c = *static_cast<const Channels*>(self);
  return {label_of(c.call, 0), label_of(c.call, 1)};
}

struct Bias {
  const Call& call;
  const Type& type;
};

std::vector<std::string> bias_parts(const void* self, int64_t, int64_t out) {
  const Bias& b = *static_cast<const Bias*>(self);
  return {std::string(b.call.entry.name), std::to_string(out), b.type.text()};
}
std::vector<ArgumentLabel> bias_labels(const void* self, int64_t, int64_t) {
  return {label_of(static_cast<const Bias*>(self)->call, bias)};
}

void check_bias(Builder& builder, const Call& call, Dim out) {
  const Type type = logical_type(call.args[bias]);
  const Bias given{call, type};
  if (type.shape.rank() != 1) {
    fail(message("conv_bias"),
         {std::string(call.entry.name), out.known() ? std::to_string(out.number()) : "", type.text()},
         {label_of(call, bias)});
  }
  builder.require_equal(type.shape[0], out, {&message("conv_bias"), bias_parts, bias_labels, &given});
}

void check_operands_of(Builder& builder, Call& call, unsigned axes) {
  for (unsigned i = 0; i <= bias; ++i) {
    if (i < bias || !call.args[i].is_none()) require_operand(builder, call, i);
  }
  const std::string_view who = call.entry.name;
  const Type x = logical_type(call.args[0]), w = logical_type(call.args[1]);
  require_rank(who, call, 0, x, axes + 1, false, axes == 1 ? "channels, length" : "channels, height, width");
  require_rank(
      who, call, 1, w, axes + 2, true,
      axes == 1 ? "out channels, channels / groups, length" : "out channels, channels / groups, height, width");
  const int64_t parts = count_argument(call, groups);
  const Channels channels{call, w, parts};
  builder.require_equal(x.shape[x.shape.rank() - axes - 1], builder.multiply(w.shape[1], Dim(parts)),
                        {&message("conv_channels"), channel_parts, channel_labels, &channels});
  if (!call.args[bias].is_none()) check_bias(builder, call, w.shape[0]);
}

// The axis of a signal's only row goes in, or out.
Value with_row(Builder& builder, Value x) {
  const unsigned rank = logical_type(x).shape.rank();
  return unsqueeze(builder, std::move(x), rank - 1);
}
Value without_row(Builder& builder, Value y) {
  Shape shape = logical_type(y).shape;
  shape.erase(shape.rank() - 2);
  return reshape(builder, std::move(y), shape);
}

Value add_bias(Builder& builder, Value y, Value numbers, unsigned axes) {
  for (unsigned i = 1; i <= axes; ++i) numbers = unsqueeze(builder, std::move(numbers), i);
  return call(builder, entry_of<Add>(), {std::move(y), std::move(numbers)});
}

Value conv_eager(Builder& builder, Call& call, unsigned axes) {
  check_operands_of(builder, call, axes);
  const Pair steps = pair_argument(call, stride, 1, axes), around = padding_argument(call, padding, axes),
             apart = pair_argument(call, dilation, 1, axes);
  if (around.columns == same_padding && (steps.rows != 1 || steps.columns != 1)) {
    const std::string given = axes == 1 || steps.rows == steps.columns
                                  ? std::to_string(steps.columns)
                                  : "(" + std::to_string(steps.rows) + ", " + std::to_string(steps.columns) + ")";
    fail(message("conv_same"), {std::string(call.entry.name), given}, {label_of(call, stride)});
  }
  const Dtype dtype = product_dtype(operand_dtype(call.args[0]), operand_dtype(call.args[1]));
  Value x = cast_to(builder, std::move(call.args[0]), dtype), w = cast_to(builder, std::move(call.args[1]), dtype);
  if (axes == 1) x = with_row(builder, std::move(x)), w = with_row(builder, std::move(w));
  Value y = ops::call(
      builder, convolve_entry(),
      {std::move(x), std::move(w), Value(int64_t{axes}), Value(steps.rows), Value(steps.columns), Value(around.rows),
       Value(around.columns), Value(apart.rows), Value(apart.columns), Value(integer_argument(call, groups))});
  if (axes == 1) y = without_row(builder, std::move(y));
  if (call.args[bias].is_none()) return y;
  return add_bias(builder, std::move(y), std::move(call.args[bias]), axes);
}

Value conv1d_eager(Builder& builder, Call& call) { return conv_eager(builder, call, 1); }
Value conv2d_eager(Builder& builder, Call& call) { return conv_eager(builder, call, 2); }

std::vector<Parameter> conv_parameters() {
  return {any_parameter("x"),
          any_parameter("w"),
          {.name = "bias", .kind = ParameterKind::any, .required = false, .fallback = {}},
          attribute("stride", int64_t{1}),
          attribute("padding", int64_t{0}),
          attribute("dilation", int64_t{1}),
          attribute("groups", int64_t{1})};
}

}  // namespace

const Entry& conv1d_entry() {
  static const Entry entry{
      .name = "conv1d",
      .doc =
          "Convolution of signals, as networks mean it (cross-correlation): `w` slides along the last axis of `x`.\n\n"
          "`x` is (…, channels, length), `w` is (out channels, channels / groups, k), the result (…, out channels, "
          "windows); `bias` has a number for each out channel. `padding` zeros stand at both ends, or \"same\": as "
          "many as keep the length (stride 1), or \"valid\": none. Windows are `stride` apart and take every "
          "`dilation`th element. Channels of x and out channels fall into `groups` that do not meet. Each element is "
          "a matrix product's: k counts (channel of the group, place in the window).",
      .parameters = conv_parameters(),
      .eager = conv1d_eager,
      .derivative = Derivative::none(composed),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[1.0, 2, 3, 4]], [[[1.0, 0, -1]]]",
                   .expected = "[[-2.0, -2]]",
                   .source = "torch",
                   .differentiate = true},
                  {.arguments = "[[1.0, 2, 3, 4]], [[[1.0, 2]], [[0.5, -1]]], [10.0, 20], stride=2, padding=1",
                   .expected = "[[12.0, 18, 14], [19.0, 18, 22]]",
                   .source = "torch",
                   .differentiate = true},
                  {.arguments = "[[[1.0, 2, 3], [4, 5, 6]]], [[[1.0, 2]], [[3, 4]]], groups=2, dilation=2",
                   .expected = "[[[7.0], [36]]]",
                   .source = "torch",
                   .differentiate = true},
                  {.arguments = "[[1, 2, 3]], [[[1, 1, 1]]], padding=\"same\"",
                   .expected = "[[3, 6, 5]]",
                   .source = "torch"},
                  {.arguments = "zeros(0, 2, 5), ones(3, 2, 2)", .expected = "zeros(0, 3, 4)", .source = "torch"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& conv2d_entry() {
  static const Entry entry{
      .name = "conv2d",
      .doc =
          "Convolution of images, as networks mean it (cross-correlation): `w` slides over the last two axes of "
          "`x`.\n\n"
          "`x` is (…, channels, height, width), `w` is (out channels, channels / groups, rows, columns), the result "
          "(…, out channels, windows down, windows across); `bias` has a number for each out channel. `stride`, "
          "`padding` and `dilation` are an integer or a pair, as conv1d has them; padding may be \"same\" or "
          "\"valid\". Each element is a matrix product's: k counts (channel of the group, row, column of the "
          "window).",
      .parameters = conv_parameters(),
      .eager = conv2d_eager,
      .derivative = Derivative::none(composed),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[[1.0, 2, 3], [4, 5, 6], [7, 8, 9]]], [[[[1.0, 0], [0, -1]]]]",
                   .expected = "[[[-4.0, -4], [-4, -4]]]",
                   .source = "torch",
                   .differentiate = true},
                  {.arguments = "[[[1.0, 2], [3, 4]]], [[[[1.0, 2], [3, 4]]]], [0.5], stride=(2, 1), padding=(1, 0)",
                   .expected = "[[[11.5], [11.5]]]",
                   .source = "torch",
                   .differentiate = true},
                  {.arguments = "[[[1.0, 2], [3, 4]], [[5, 6], [7, 8]]], [[[[2.0]]], [[[3]]]], groups=2",
                   .expected = "[[[2.0, 4], [6, 8]], [[15, 18], [21, 24]]]",
                   .source = "torch",
                   .differentiate = true},
                  {.arguments =
                       "[[[1, 2, 3], [4, 5, 6], [7, 8, 9]]], [[[[1, 1], [1, 1]]]], padding=\"same\", dilation=2",
                   .expected = "[[[5, 10, 5], [10, 20, 10], [5, 10, 5]]]",
                   .source = "torch"},
                  {.arguments = "zeros(2, 0, 3, 3), zeros(1, 0, 2, 2)",
                   .expected = "zeros(2, 1, 2, 2)",
                   .source = "the definition"}},
      .staging = Staging::structural,
  };
  return entry;
}

Family signal_family() {
  static const Entry* const family[] = {&conv1d_entry(),
                                        &conv2d_entry(),
                                        &max_pool2d_entry(),
                                        &avg_pool2d_entry(),
                                        &convolve_entry(),
                                        &convolve_input_entry(),
                                        &convolve_weight_entry(),
                                        &largest_of_windows_entry(),
                                        &places_of_largest_entry(),
                                        &read_places_entry(),
                                        &add_at_places_entry(),
                                        &mean_of_windows_entry(),
                                        &spread_over_windows_entry()};
  return family;
}

}  // namespace covec::ops
