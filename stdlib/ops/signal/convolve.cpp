// convolve and its two transposes. Σ y·w·x over all windows is linear in each of the three. Each operator is that sum's
// derivative by one of them, given the other two, so each one's derivatives are the other operators. Their last
// argument, `zeros`, says which operand is a cotangent, by bit 0 or 1. Such an operand makes a term 0 where it is ±0
// (stdlib/convolution/repair_nan.hpp).
#include "stdlib/convolution/repair_nan.hpp"
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

using kernels::Convolution;
using kernels::WindowAxis;
using Part = kernels::ConvolutionPart;

constexpr unsigned option_count = 9;  // axes, same, two of each pair, groups
constexpr unsigned options_of_convolve = 2, options_of_input = 4, options_of_weight = 6;  // operands before the options

struct Options {
  std::string_view who;
  Sliding rows, columns;
  int64_t groups;

  // Of a call whose operands before them are `first`.
  static Options of(const Call& call, unsigned first) {
    const std::string_view who = name_of_caller(call, first);
    const bool same = flag_argument(call, first + 1);
    OptionReader read(who, call, first + 2);
    const Pair stride = read.pair("stride", 1), padding = read.pair("padding", 0), dilation = read.pair("dilation", 1);
    if (same && (stride.rows != 1 || stride.columns != 1)) {
      const int64_t given = stride.columns != 1 ? stride.columns : stride.rows;
      fail(message("conv_same"), {std::string(who), std::to_string(given)});
    }
    return {who,
            {who, stride.rows, padding.rows, dilation.rows, same},
            {who, stride.columns, padding.columns, dilation.columns, same},
            read.number("groups", 1)};
  }
  static std::string_view name_of_caller(const Call& call, unsigned first) {
    return integer_argument(call, first) == 1 ? conv1d_entry().name : conv2d_entry().name;
  }
};

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
          options.rows.axis(from_end(s.x, 2), from_end(s.w, 2)),
          options.columns.axis(from_end(s.x, 1), from_end(s.w, 1))};
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

Value apply(Builder& builder, const Entry& entry, std::initializer_list<Value> operands, std::span<const Value> options,
            uint64_t zeros) {
  Value args[options_of_weight + option_count + 1];
  unsigned count = 0;
  for (const Value& operand : operands) args[count++] = operand;
  for (const Value& option : options.first(option_count)) args[count++] = option;
  args[count++] = Value(static_cast<int64_t>(zeros));
  return call(builder, entry, std::span<Value>(args, count));
}

// Which operands of an operator are cotangents; `options` are those of its call.
uint64_t zeros_of(std::span<const Value> options) { return static_cast<uint64_t>(options[option_count].i64()); }
// The same in its derivative by operand `by`, whose operands are the new cotangent and the one that stays: this one
// still counts where it has counted.
bool other_counts(std::span<const Value> options, unsigned by) { return (zeros_of(options) >> (1 - by) & 1) != 0; }
uint64_t zeros_back(const RuleContext& rule, std::span<const Value> options, unsigned by, unsigned cotangent) {
  if (rule.ieee()) return 0;
  return other_counts(options, by) ? 3 : uint64_t{1} << cotangent;
}
// With a tangent in the place of operand `which`.
uint64_t zeros_along(std::span<const Value> options, unsigned which) {
  const uint64_t zeros = zeros_of(options);
  return zeros == 0 ? 0 : zeros | uint64_t{1} << which;
}

// The result of an operator, which it has computed as `part` of c, with its NaN computed again.
void repair_nan(Builder& builder, const Convolution& c, int64_t leading, const Value& a, const Value& b, Value& result,
                kernels::ConvolutionPart part, uint64_t zeros) {
  if (zeros == 0 || leading == 0) return;
  const Value left = contiguous(builder.pool(), a), right = contiguous(builder.pool(), b);
  const int64_t size = static_cast<int64_t>(size_of(c.dtype));
  const auto example = [&](const Value& x, int64_t i) {
    return static_cast<std::byte*>(x.tensor().data()) + i * (x.tensor().size() / leading) * size;
  };
  for (int64_t i = 0; i < leading; ++i) {
    std::byte *to = example(result, i), *first = example(left, i), *second = example(right, i);
    const kernels::ConvolutionParts parts = part == Part::y   ? kernels::ConvolutionParts{first, second, to}
                                            : part == Part::x ? kernels::ConvolutionParts{to, second, first}
                                                              : kernels::ConvolutionParts{second, to, first};
    kernels::repair_nan(builder.context(), c, parts, part, zeros);
  }
}

// --- convolve ---

// Of the weights, as the user knows them.
std::string weight_text(const Call& call) {
  Type w = operand_type(call, 1);
  if (integer_argument(call, options_of_convolve) == 1) w.shape.erase(w.shape.rank() - 2);
  return w.text();
}

std::vector<std::string> channel_parts(const void* self, int64_t of_x, int64_t of_w) {
  const Call& call = *static_cast<const Call*>(self);
  return {std::string(Options::name_of_caller(call, options_of_convolve)), std::to_string(of_x), weight_text(call),
          std::to_string(integer_argument(call, options_of_convolve + option_count - 1)), std::to_string(of_w)};
}

void check_channels(ShapeBuilder& shapes, const Call& call, const Shape& x, const Shape& w, const Options& options) {
  const Dim given = x[x.rank() - 3], out = w[w.rank() - 4];
  shapes.require_equal(given, shapes.multiply(w[w.rank() - 3], Dim(options.groups)),
                       {&message("conv_channels"), channel_parts, nullptr, &call});
  if (out.known() && out.number() % options.groups != 0) {
    fail(message("conv_groups"),
         {std::string(options.who), std::to_string(options.groups), std::to_string(out.number())});
  }
}

Type convolve_type(ShapeBuilder& shapes, const Call& call) {
  const Type x = operand_type(call, 0);
  const Shape w = operand_type(call, 1).shape;
  const unsigned rank = x.shape.rank();
  Type y = x;
  y.shape[rank - 3] = w[w.rank() - 4];
  if (!options_known(call, options_of_convolve, option_count)) {
    y.shape[rank - 2] = shapes.unknown_dim();
    y.shape[rank - 1] = shapes.unknown_dim();
    return y;
  }
  const Options options = Options::of(call, options_of_convolve);
  check_channels(shapes, call, x.shape, w, options);
  y.shape[rank - 2] = options.rows.windows(shapes, x.shape[rank - 2], w[w.rank() - 2]);
  y.shape[rank - 1] = options.columns.windows(shapes, x.shape[rank - 1], w[w.rank() - 1]);
  return y;
}

// One of the three sums: `part` of the convolution.
Value compute(Builder& builder, Call& call, Kernel kernel, kernels::ConvolutionPart part) {
  const ConvolutionCall given = describe_convolution(builder, call);
  Value result = run(builder, kernel, given.convolution, given.leading, call.args[0], call.args[1], given.type);
  repair_nan(builder, given.convolution, given.leading, call.args[0], call.args[1], result, part, given.zeros);
  return result;
}

Value convolve_eager(Builder& builder, Call& call) {
  return compute(builder, call, kernels::convolve, kernels::ConvolutionPart::y);
}

Value of_input(RuleContext& rule, const Value& y, const Value& w, const Shape& x, std::span<const Value> options,
               uint64_t zeros) {
  Builder& b = rule.builder();
  return apply(b, convolve_input_entry(), {y, w, b.extent(x[x.rank() - 2]), b.extent(x[x.rank() - 1])}, options, zeros);
}

Value of_weight(RuleContext& rule, const Value& y, const Value& x, const Shape& w, std::span<const Value> options,
                uint64_t zeros) {
  Builder& b = rule.builder();
  const unsigned rank = w.rank();
  return apply(b, convolve_weight_entry(),
               {y, x, Value(int64_t{rank} - 4), b.extent(w[rank - 3]), b.extent(w[rank - 2]), b.extent(w[rank - 1])},
               options, zeros);
}

// The operator, linear in both operands, on the tangents; `with` applies it, told which operand is one.
template <class F>
Value both_tangents(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents, F with) {
  Value sum;
  if (!tangents[0].is_none()) sum = with(tangents[0], residuals.operands[1], 0u);
  if (tangents[1].is_none()) return sum;
  Value second = with(residuals.operands[0], tangents[1], 1u);
  return sum.is_none() ? second : rule.add(sum, second);
}

Value convolve_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const std::span<const Value> options = residuals.operands.subspan(options_of_convolve);
  return both_tangents(rule, residuals, tangents, [&](const Value& x, const Value& w, unsigned which) {
    return apply(rule.builder(), convolve_entry(), {x, w}, options, zeros_along(options, which));
  });
}

void convolve_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  const std::span<const Value> options = residuals.operands.subspan(options_of_convolve);
  if (out.wants(0))
    out.add(0, of_input(rule, cotangent, residuals.operands[1], residuals.types[0].shape, options,
                        zeros_back(rule, options, 0, 0)));
  if (out.wants(1))
    out.add(1, of_weight(rule, cotangent, residuals.operands[0], residuals.types[1].shape, options,
                         zeros_back(rule, options, 1, 0)));
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
  if (options_known(call, options_of_input, option_count)) Options::of(call, options_of_input);
  const Dim groups = size_argument(shapes, call, options_of_input + option_count - 1);
  x.shape[rank - 3] = shapes.multiply(w.shape[w.shape.rank() - 3], groups);
  x.shape[rank - 2] = size_argument(shapes, call, 2);
  x.shape[rank - 1] = size_argument(shapes, call, 3);
  return x;
}

Value input_eager(Builder& builder, Call& call) {
  return compute(builder, call, kernels::convolve_input, kernels::ConvolutionPart::x);
}

Value input_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const std::span<const Value> options = residuals.operands.subspan(options_of_input);
  return both_tangents(rule, residuals, tangents, [&](const Value& y, const Value& w, unsigned which) {
    return apply(rule.builder(), convolve_input_entry(), {y, w, residuals.operands[2], residuals.operands[3]}, options,
                 zeros_along(options, which));
  });
}

void input_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  const std::span<const Value> options = residuals.operands.subspan(options_of_input);
  if (out.wants(0))
    out.add(0, apply(rule.builder(), convolve_entry(), {cotangent, residuals.operands[1]}, options,
                     zeros_back(rule, options, 0, 0)));
  if (out.wants(1))
    out.add(1, of_weight(rule, residuals.operands[0], cotangent, residuals.types[1].shape, options,
                         zeros_back(rule, options, 1, 1)));
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
  return compute(builder, call, kernels::convolve_weight, kernels::ConvolutionPart::w);
}

Value weight_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const std::span<const Value> options = residuals.operands.subspan(options_of_weight);
  return both_tangents(rule, residuals, tangents, [&](const Value& y, const Value& x, unsigned which) {
    return apply(rule.builder(), convolve_weight_entry(),
                 {y, x, residuals.operands[2], residuals.operands[3], residuals.operands[4], residuals.operands[5]},
                 options, zeros_along(options, which));
  });
}

void weight_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  const std::span<const Value> options = residuals.operands.subspan(options_of_weight);
  if (out.wants(0))
    out.add(0, apply(rule.builder(), convolve_entry(), {residuals.operands[1], cotangent}, options,
                     zeros_back(rule, options, 0, 1)));
  if (out.wants(1))
    out.add(1, of_input(rule, residuals.operands[0], cotangent, residuals.types[1].shape, options,
                        zeros_back(rule, options, 1, 1)));
}

// Each example has weights of its own.
Value weight_batch(Builder& builder, Call& call, const Batching& batching) {
  for (unsigned i = 0; i < 2; ++i)
    call.args[i] = with_batch_axis(builder, std::move(call.args[i]), batching.batched[i], batching.size);
  call.args[2] = integer_argument(call, 2) + 1;
  return ops::call(builder, call.entry, call.args);
}

// --- bias ---

Type per_channel_type(ShapeBuilder& shapes, const Call& call) {
  Type type = operand_type(call, 0);
  type.shape[type.shape.rank() - 1] = size_argument(shapes, call, 1);
  for (int64_t i = 0; i < integer_argument(call, 2); ++i) type.shape.push_back(Dim(1));
  return type;
}

Value per_channel_eager(Builder& builder, Call& call) {
  const Type type = per_channel_type(builder, call), given = operand_type(call, 0);
  const int64_t channels = size_argument(builder, call, 1).number();
  if (given.shape[given.shape.rank() - 1].number() != channels) {
    constexpr int bias = 2;  // of conv1d and conv2d
    fail(message("conv_bias"),
         {integer_argument(call, 2) == 1 ? "conv1d" : "conv2d", std::to_string(channels), given.text()},
         {{bias, "bias is " + given.text()}});
  }
  return reshape(builder, std::move(call.args[0]), type.shape);
}

Value per_channel_transpose(RuleContext& rule, unsigned, const Residuals& residuals, const Value& cotangent) {
  return rule.reshape(cotangent, residuals.types[0].shape);
}

Value per_channel_batch(Builder& builder, Call& call, const Batching&) {
  return ops::call(builder, call.entry, call.args);
}

std::vector<Parameter> with_options(std::vector<Parameter> parameters) {
  for (const char* name : {"axes", "same", "row_stride", "column_stride", "row_padding", "column_padding",
                           "row_dilation", "column_dilation", "groups"})
    parameters.push_back(attribute(name));
  parameters.push_back(attribute("zeros", int64_t{0}));
  return parameters;
}

// --- patterns ---

// Calls each(y, x, w) for the elements of images and weights that meet, each counted from its image's first.
template <class Each>
void each_product(const Convolution& c, Each each) {
  const int64_t places = c.rows.in * c.columns.in, windows = c.rows.out * c.columns.out;
  const int64_t taps = c.rows.window * c.columns.window;
  for (int64_t out = 0; out < c.groups * c.out_channels; ++out) {
    for (int64_t in = 0; in < c.in_channels; ++in) {
      const int64_t channel = out / c.out_channels * c.in_channels + in;
      each_place(c.rows, c.columns, [&](int64_t window, int64_t place, int64_t tap) {
        each(out * windows + window, channel * places + place, (out * c.in_channels + in) * taps + tap);
      });
    }
  }
}

// The elements of one image, or of all weights.
int64_t size_of_part(const Convolution& c, Part part) {
  if (part == Part::w) return c.groups * c.out_channels * c.in_channels * c.rows.window * c.columns.window;
  return part == Part::x ? c.groups * c.in_channels * c.rows.in * c.columns.in
                         : c.groups * c.out_channels * c.rows.out * c.columns.out;
}

// Each of y, x or w on those of the other two with which it is in a product.
template <Part part>
Value pattern_of_convolution(Sets& sets, const Entry& entry, const Residuals& residuals, std::span<const Value> of) {
  const Call call = residual_call(entry, residuals);
  const Shape &a = residuals.types[0].shape, &b = residuals.types[1].shape, &to = residuals.result_type->shape;
  const Shapes shapes = part == Part::y ? Shapes{a, b, to} : part == Part::x ? Shapes{to, b, a} : Shapes{b, to, a};
  const unsigned first = part == Part::y ? options_of_convolve : part == Part::x ? options_of_input : options_of_weight;
  const Convolution c = convolution_of(Dtype::f64, shapes, Options::of(call, first));
  const Part operands[] = {part == Part::y ? Part::x : Part::y, part == Part::w ? Part::x : Part::w};
  // The examples of x and y share the weights: of several, each is taken by itself.
  const unsigned leading = shapes.leading();
  const bool several = shapes.x.rank() > leading + 3 && c.examples != 1;
  Value all;
  for (unsigned i = 0; i < 2; ++i) {
    if (of[i].is_none()) continue;
    const int64_t from_examples = operands[i] == Part::w ? 1 : c.examples,
                  to_examples = part == Part::w ? 1 : c.examples;
    const int64_t of_from = size_of_part(c, operands[i]), of_to = size_of_part(c, part);
    const Value linked = sets.link(of[i], to, leading, [&](Sets::Link link) {
      for (int64_t example = 0; example < (several ? c.examples : 1); ++example) {
        const int64_t from_first = from_examples == 1 ? 0 : example * of_from;
        const int64_t to_first = to_examples == 1 ? 0 : example * of_to;
        each_product(c, [&](int64_t y, int64_t x, int64_t w) {
          const auto at = [&](Part which) { return which == Part::y ? y : which == Part::x ? x : w; };
          link(to_first + at(part), from_first + at(operands[i]));
        });
      }
    });
    all = sets.unite(all, linked, to);
  }
  return all;
}

}  // namespace

ConvolutionCall describe_convolution(Builder& builder, const Call& call) {
  const bool is_input = &call.entry == &convolve_input_entry(), is_weight = &call.entry == &convolve_weight_entry();
  const unsigned first = is_input ? options_of_input : is_weight ? options_of_weight : options_of_convolve;
  const Type type = call.entry.type(builder, call);
  const Shape a = call.args[0].tensor().shape(), b = call.args[1].tensor().shape();
  const Shapes shapes = is_input    ? Shapes{type.shape, b, a}
                        : is_weight ? Shapes{b, type.shape, a}
                                    : Shapes{a, b, type.shape};
  return {type, convolution_of(type.dtype, shapes, Options::of(call, first)), elements(shapes.w, 0, shapes.leading()),
          zeros_of(call.args.subspan(first))};
}

const Entry& per_channel_entry() {
  static const Entry entry{
      .name = "per_channel",
      .doc = "A bias with axes of one element for the positions; it must have a number for each channel.",
      .parameters = {tensor_parameter("bias"), attribute("channels"), attribute("axes")},
      .type = per_channel_type,
      .eager = per_channel_eager,
      .derivative = Derivative::linearly(1, per_channel_transpose),
      .batch = per_channel_batch,
      .effects = {.may_fail = true},
      .internal = true,
  };
  return entry;
}

const Entry& convolve_entry() {
  static const Entry entry{
      .name = "convolve_windows",
      .doc = "The sums of products of `w` with the windows of `x`, images of one or more channels.",
      .parameters = with_options({tensor_parameter("x"), tensor_parameter("w")}),
      .widens_integers = true,
      .type = convolve_type,
      .eager = convolve_eager,
      .device = DeviceForm::convolution,
      .derivative = Derivative::by_hand(3, convolve_jvp, convolve_vjp),
      .batch = image_batch,
      .pattern = pattern_of_convolution<Part::y>,
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
      .widens_integers = true,
      .type = input_type,
      .eager = input_eager,
      .device = DeviceForm::convolution_input,
      .derivative = Derivative::by_hand(3, input_jvp, input_vjp),
      .batch = image_batch,
      .pattern = pattern_of_convolution<Part::x>,
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
      .widens_integers = true,
      .type = weight_type,
      .eager = weight_eager,
      .device = DeviceForm::convolution_weight,
      .derivative = Derivative::by_hand(3, weight_jvp, weight_vjp),
      .batch = weight_batch,
      .pattern = pattern_of_convolution<Part::w>,
      .effects = {.may_fail = true},
      .internal = true,
  };
  return entry;
}

Family signal_convolve_entries() {
  static const Entry* const entries[] = {&per_channel_entry(), &convolve_entry(), &convolve_input_entry(),
                                         &convolve_weight_entry()};
  return entries;
}

}  // namespace covec::ops
