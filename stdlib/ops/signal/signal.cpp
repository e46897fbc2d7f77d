// conv1d and conv2d: they read and check their arguments; convolve computes the sums. A signal of one axis is an image
// of one row.
#include "stdlib/ops/signal/signal.hpp"

#include <utility>
#include <vector>

#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/signal/family.hpp"
#include "stdlib/ops/signal/window.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

constexpr unsigned bias = 2, stride = 3, padding = 4, dilation = 5, groups = 6;  // operands

void check_ranks(Builder& builder, Call& call, unsigned axes) {
  for (unsigned i = 0; i <= bias; ++i) {
    if (i < bias || !call.args[i].is_none()) require_operand(builder, call, i);
  }
  const bool one = axes == 1;
  require_rank(call, 0, axes + 1, false, one ? "channels, length" : "channels, height, width");
  require_rank(call, 1, axes + 2, true,
               one ? "out channels, channels / groups, length" : "out channels, channels / groups, height, width");
  if (!call.args[bias].is_none()) require_rank(call, bias, 1, true, "out channels");
}

// "same", or zeros as many as are given.
bool padding_is_same(const Call& call) {
  const Value& value = call.args[padding];
  if (!value.is(ObjectKind::string)) return false;
  const std::string& text = value.string().text;
  if (text == "same") return true;
  if (text == "valid") return false;
  fail(message("bad_choice"),
       {std::string(call.entry.name), "padding", "\"same\", \"valid\" and numbers", "\"" + text + "\""},
       {label_of(call, padding)});
}

PairOption padding_option(const Call& call, unsigned axes) {
  if (call.args[padding].is(ObjectKind::string)) return {Value(int64_t{0}), Value(int64_t{0})};
  return pair_option(call, padding, axes, 0);
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

Value conv_eager(Builder& builder, Call& call, unsigned axes) {
  check_ranks(builder, call, axes);
  const bool same = padding_is_same(call);
  const PairOption steps = pair_option(call, stride, axes, 1), around = padding_option(call, axes),
                   apart = pair_option(call, dilation, axes, 1);
  if (!is_whole_number(call.args[groups])) fail_attribute(call, groups, "an integer");
  const Dtype dtype = product_dtype(operand_dtype(call.args[0]), operand_dtype(call.args[1]));
  Value x = cast_to(builder, std::move(call.args[0]), dtype), w = cast_to(builder, std::move(call.args[1]), dtype);
  Value numbers = std::move(call.args[bias]);
  if (!numbers.is_none()) {
    const Value channels = builder.extent(logical_type(w).shape[0]);
    numbers = ops::call(builder, per_channel_entry(), {std::move(numbers), channels, Value(int64_t{axes})});
  }
  if (axes == 1) x = with_row(builder, std::move(x)), w = with_row(builder, std::move(w));
  Value y = ops::call(builder, convolve_entry(),
                      {std::move(x), std::move(w), Value(int64_t{axes}), Value(same), steps.rows, steps.columns,
                       around.rows, around.columns, apart.rows, apart.columns, call.args[groups]});
  if (axes == 1) y = without_row(builder, std::move(y));
  if (numbers.is_none()) return y;
  return ops::call(builder, handles().add, {std::move(y), std::move(numbers)});
}

Value conv1d_eager(Builder& builder, Call& call) { return conv_eager(builder, call, 1); }
Value conv2d_eager(Builder& builder, Call& call) { return conv_eager(builder, call, 2); }

// Bilinear in x and w; a bias is added to the result.
template <unsigned axes>
Value complex_conv(Builder& builder, Call& call) {
  const Value numbers = std::exchange(call.args[bias], Value());
  const Value y = multilinear(builder, call);
  if (numbers.is_none()) return y;
  std::vector<Value> args(call.args.begin(), call.args.end());
  args[bias] = real_part(numbers);
  for (const unsigned i : {0U, 1U}) args[i] = real_part(args[i]);
  Call with_bias{call.entry, args, {}};
  check_ranks(builder, with_bias, axes);
  const Value channels = builder.extent(logical_type(args[1]).shape[0]);
  const auto per_channel = [&](const Value& part) {
    return ops::call(builder, per_channel_entry(), {part, channels, Value(int64_t{axes})});
  };
  return ops::call(
      builder, handles().add,
      {y, complex_value(builder, per_channel(real_part(numbers)), per_channel(imaginary_part(builder, numbers)))});
}

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
      .widens_integers = true,
      .eager = conv1d_eager,
      .complex = complex_conv<1>,
      .derivative = Derivative::of_parts(),
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
      .widens_integers = true,
      .eager = conv2d_eager,
      .complex = complex_conv<2>,
      .derivative = Derivative::of_parts(),
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

Family signal_entries() {
  static const Entry* const entries[] = {&conv1d_entry(), &conv2d_entry()};
  return entries;
}

}  // namespace covec::ops
