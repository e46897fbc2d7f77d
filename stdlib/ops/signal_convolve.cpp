// convolve and its two transposes. Σ y·w·x over all windows is linear in each of the three; an operator is that sum's
// derivative by one of them, given the other two, so each one's derivatives are the other operators.
#include "stdlib/kernels/convolve.hpp"
#include "stdlib/ops/linalg.hpp"
#include "stdlib/ops/shape.hpp"
#include "stdlib/ops/signal.hpp"
#include "stdlib/ops/signal_window.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

using kernels::Convolution;
using kernels::WindowAxis;

constexpr unsigned option_count = 8;  // axes, two of each pair, groups

struct Options {
  unsigned axes;
  Pair stride, padding, dilation;
  int64_t groups;

  // Of a call whose operands before them are `first`.
  static Options of(const Call& call, unsigned first) {
    const auto number = [&](unsigned i) { return integer_argument(call, first + i); };
    return {static_cast<unsigned>(number(0)),
            {number(1), number(2)},
            {number(3), number(4)},
            {number(5), number(6)},
            number(7)};
  }
  std::string_view who() const { return axes == 1 ? "conv1d" : "conv2d"; }
  WindowAxis rows(int64_t in, int64_t window) const {
    return sliding(who(), in, window, stride.rows, padding.rows, dilation.rows);
  }
  WindowAxis columns(int64_t in, int64_t window) const {
    return sliding(who(), in, window, stride.columns, padding.columns, dilation.columns);
  }
};

constexpr unsigned options_of_convolve = 2, options_of_input = 4, options_of_weight = 6;

// Shapes end in (channels, rows, columns), those of weights in (channels of y, channels of a group, rows, columns).
struct Shapes {
  const Shape &x, &w, &y;
  unsigned leading() const { return w.rank() - 4; }  // axes that all three have
};

Convolution convolution_of(Dtype dtype, const Shapes& s, const Options& options) {
  const auto from_end = [](const Shape& shape, unsigned i) { return shape[shape.rank() - i].number(); };
  return {dtype,
          elements(s.x, s.leading(), s.x.rank() - 3),
          options.groups,
          from_end(s.w, 4) / options.groups,
          from_end(s.w, 3),
          options.rows(from_end(s.x, 2), from_end(s.w, 2)),
          options.columns(from_end(s.x, 1), from_end(s.w, 1))};
}

using Kernel = void (*)(Context&, const Convolution&, const std::byte*, const std::byte*, std::byte*);

// A kernel for each of the leading examples.
Value run(Builder& builder, Kernel kernel, const Convolution& c, int64_t leading, Value a, Value b, const Type& type) {
  const Value left = contiguous(builder.pool(), a), right = contiguous(builder.pool(), b);
  Value result = make_tensor(builder.pool(), type.dtype, type.shape);
  const int64_t size = static_cast<int64_t>(size_of(type.dtype));
  const auto step = [&](const Value& x) { return leading == 0 ? 0 : x.tensor().size() / leading * size; };
  const int64_t of_left = step(left), of_right = step(right), of_result = step(result);
  for (int64_t i = 0; i < leading; ++i) {
    kernel(builder.context(), c, left.tensor().data() + i * of_left, right.tensor().data() + i * of_right,
           result.tensor().data() + i * of_result);
  }
  return result;
}

Value apply(Builder& builder, const Entry& entry, std::initializer_list<Value> operands,
            std::span<const Value> options) {
  Value args[options_of_weight + option_count];
  unsigned count = 0;
  for (const Value& operand : operands) args[count++] = operand;
  for (const Value& option : options.first(option_count)) args[count++] = option;
  return call(builder, entry, std::span<Value>(args, count));
}

// --- convolve ---

Type convolve_type(ShapeBuilder& shapes, const Call& call) {
  const Type x = operand_type(call, 0), w = operand_type(call, 1);
  const Options options = Options::of(call, options_of_convolve);
  const unsigned rank = x.shape.rank(), of_w = w.shape.rank();
  Type y = x;
  y.shape[rank - 3] = w.shape[of_w - 4];
  y.shape[rank - 2] = windows(shapes, options.who(), x.shape[rank - 2], w.shape[of_w - 2], options.stride.rows,
                              options.padding.rows, options.dilation.rows);
  y.shape[rank - 1] = windows(shapes, options.who(), x.shape[rank - 1], w.shape[of_w - 1], options.stride.columns,
                              options.padding.columns, options.dilation.columns);
  return y;
}

Value convolve_eager(Builder& builder, Call& call) {
  const Type y = convolve_type(builder, call);
  const Shape x = call.args[0].tensor().shape(), w = call.args[1].tensor().shape();
  const Options options = Options::of(call, options_of_convolve);
  const int64_t out = w[w.rank() - 4].number();
  if (out % options.groups != 0) {
    fail(message("conv_groups"), {std::string(options.who()), std::to_string(options.groups), std::to_string(out)});
  }
  const Shapes shapes{x, w, y.shape};
  return run(builder, kernels::convolve, convolution_of(y.dtype, shapes, options), elements(w, 0, shapes.leading()),
             std::move(call.args[0]), std::move(call.args[1]), y);
}

Value of_input(RuleContext& rule, const Value& y, const Value& w, const Shape& x, std::span<const Value> options) {
  Builder& b = rule.builder();
  return apply(b, convolve_input_entry(), {y, w, b.extent(x[x.rank() - 2]), b.extent(x[x.rank() - 1])}, options);
}

Value of_weight(RuleContext& rule, const Value& y, const Value& x, const Shape& w, std::span<const Value> options) {
  Builder& b = rule.builder();
  const unsigned rank = w.rank();
  return apply(b, convolve_weight_entry(),
               {y, x, Value(int64_t{rank} - 4), b.extent(w[rank - 3]), b.extent(w[rank - 2]), b.extent(w[rank - 1])},
               options);
}

// The operator, linear in both operands, on the tangents; `with` applies it.
template <class F>
Value both_tangents(RuleContext& rule, const Kept& kept, std::span<const Value> tangents, F with) {
  Value sum;
  if (!tangents[0].is_none()) sum = with(tangents[0], kept.operands[1]);
  if (tangents[1].is_none()) return sum;
  Value second = with(kept.operands[0], tangents[1]);
  return sum.is_none() ? second : rule.add(sum, second);
}

Value convolve_jvp(RuleContext& rule, const Kept& kept, std::span<const Value> tangents) {
  return both_tangents(rule, kept, tangents, [&](const Value& x, const Value& w) {
    return apply(rule.builder(), convolve_entry(), {x, w}, kept.operands.subspan(options_of_convolve));
  });
}

void convolve_vjp(RuleContext& rule, const Kept& kept, Value cotangent, Cotangents& out) {
  const std::span<const Value> options = kept.operands.subspan(options_of_convolve);
  if (out.wants(0)) out.add(0, of_input(rule, cotangent, kept.operands[1], kept.types[0].shape, options));
  if (out.wants(1)) out.add(1, of_weight(rule, cotangent, kept.operands[0], kept.types[1].shape, options));
}

// Weights that all examples share stay as they are: the examples are one more axis of the image.
Value image_batch(Builder& builder, Call& call, const Batching& batching) {
  if (batching.batched[1] || example_type(call, 1, batching).shape.rank() > 4) {
    for (unsigned i = 0; i < 2; ++i)
      call.args[i] = with_batch_axis(builder, std::move(call.args[i]), batching.batched[i], batching.size);
  }
  return ops::call(builder, call.entry, call.args);
}

// --- its transpose by the image ---

Type input_type(ShapeBuilder& shapes, const Call& call) {
  Type x = operand_type(call, 0);
  const Type w = operand_type(call, 1);
  const unsigned rank = x.shape.rank();
  x.shape[rank - 3] = shapes.multiply(w.shape[w.shape.rank() - 3], Dim(Options::of(call, options_of_input).groups));
  x.shape[rank - 2] = size_argument(shapes, call, 2);
  x.shape[rank - 1] = size_argument(shapes, call, 3);
  return x;
}

Value input_eager(Builder& builder, Call& call) {
  const Type x = input_type(builder, call);
  const Shape y = call.args[0].tensor().shape(), w = call.args[1].tensor().shape();
  const Shapes shapes{x.shape, w, y};
  const Convolution c = convolution_of(x.dtype, shapes, Options::of(call, options_of_input));
  return run(builder, kernels::convolve_input, c, elements(w, 0, shapes.leading()), std::move(call.args[0]),
             std::move(call.args[1]), x);
}

Value input_jvp(RuleContext& rule, const Kept& kept, std::span<const Value> tangents) {
  return both_tangents(rule, kept, tangents, [&](const Value& y, const Value& w) {
    return apply(rule.builder(), convolve_input_entry(), {y, w, kept.operands[2], kept.operands[3]},
                 kept.operands.subspan(options_of_input));
  });
}

void input_vjp(RuleContext& rule, const Kept& kept, Value cotangent, Cotangents& out) {
  const std::span<const Value> options = kept.operands.subspan(options_of_input);
  if (out.wants(0)) out.add(0, apply(rule.builder(), convolve_entry(), {cotangent, kept.operands[1]}, options));
  if (out.wants(1)) out.add(1, of_weight(rule, kept.operands[0], cotangent, kept.types[1].shape, options));
}

// --- its transpose by the weights ---

Type weight_type(ShapeBuilder& shapes, const Call& call) {
  const Type y = operand_type(call, 0);
  Type w{y.dtype, Shape(y.shape.begin(), static_cast<unsigned>(integer_argument(call, 2)))};
  w.shape.push_back(y.shape[y.shape.rank() - 3]);
  for (unsigned i = 3; i < 6; ++i) w.shape.push_back(size_argument(shapes, call, i));
  return w;
}

Value weight_eager(Builder& builder, Call& call) {
  const Type w = weight_type(builder, call);
  const Shape y = call.args[0].tensor().shape(), x = call.args[1].tensor().shape();
  const Shapes shapes{x, w.shape, y};
  const Convolution c = convolution_of(w.dtype, shapes, Options::of(call, options_of_weight));
  return run(builder, kernels::convolve_weight, c, elements(w.shape, 0, shapes.leading()), std::move(call.args[0]),
             std::move(call.args[1]), w);
}

Value weight_jvp(RuleContext& rule, const Kept& kept, std::span<const Value> tangents) {
  return both_tangents(rule, kept, tangents, [&](const Value& y, const Value& x) {
    return apply(rule.builder(), convolve_weight_entry(),
                 {y, x, kept.operands[2], kept.operands[3], kept.operands[4], kept.operands[5]},
                 kept.operands.subspan(options_of_weight));
  });
}

void weight_vjp(RuleContext& rule, const Kept& kept, Value cotangent, Cotangents& out) {
  const std::span<const Value> options = kept.operands.subspan(options_of_weight);
  if (out.wants(0)) out.add(0, apply(rule.builder(), convolve_entry(), {kept.operands[1], cotangent}, options));
  if (out.wants(1)) out.add(1, of_input(rule, kept.operands[0], cotangent, kept.types[1].shape, options));
}

// Each example has weights of its own.
Value weight_batch(Builder& builder, Call& call, const Batching& batching) {
  for (unsigned i = 0; i < 2; ++i)
    call.args[i] = with_batch_axis(builder, std::move(call.args[i]), batching.batched[i], batching.size);
  call.args[2] = integer_argument(call, 2) + 1;
  return ops::call(builder, call.entry, call.args);
}

std::vector<Parameter> with_options(std::vector<Parameter> parameters) {
  for (const char* name : {"axes", "row_stride", "column_stride", "row_padding", "column_padding", "row_dilation",
                           "column_dilation", "groups"})
    parameters.push_back(attribute(name));
  return parameters;
}

}  // namespace

const Entry& convolve_entry() {
  static const Entry entry{
      .name = "convolve",
      .doc = "The sums of products of `w` with the windows of `x`, images of one or more channels.",
      .parameters = with_options({tensor_parameter("x"), tensor_parameter("w")}),
      .type = convolve_type,
      .eager = convolve_eager,
      .derivative = Derivative::by_hand(3, convolve_jvp, convolve_vjp),
      .batch = image_batch,
      .effects = {.may_fail = true},
      .internal = true,
  };
  return entry;
}

const Entry& convolve_input_entry() {
  static const Entry entry{
      .name = "convolve_input",
      .doc = "The images of which convolve with `w` would have the cotangent `y`: its transpose.",
      .parameters =
          with_options({tensor_parameter("y"), tensor_parameter("w"), attribute("rows"), attribute("columns")}),
      .type = input_type,
      .eager = input_eager,
      .derivative = Derivative::by_hand(3, input_jvp, input_vjp),
      .batch = image_batch,
      .effects = {.may_fail = true},
      .internal = true,
  };
  return entry;
}

const Entry& convolve_weight_entry() {
  static const Entry entry{
      .name = "convolve_weight",
      .doc = "The cotangent of the weights with which convolve of `x` has the cotangent `y`.",
      .parameters = with_options({tensor_parameter("y"), tensor_parameter("x"), attribute("leading"),
                                  attribute("channels"), attribute("rows"), attribute("columns")}),
      .type = weight_type,
      .eager = weight_eager,
      .derivative = Derivative::by_hand(3, weight_jvp, weight_vjp),
      .batch = weight_batch,
      .effects = {.may_fail = true},
      .internal = true,
  };
  return entry;
}

}  // namespace covec::ops
