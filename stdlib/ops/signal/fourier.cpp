// Discrete Fourier transforms along the last axis, on real and imaginary parts. The modules use three operators:
// complex numbers to complex ones, real ones to their spectrum, and back. The real and imaginary part of a result are
// one tensor, along a new first axis, so both are computed once. All are linear. The transpose of a transform is the
// one with the opposite direction. That of a real one is the inverse, with inner terms counted once or twice.
#include <cmath>

#include "stdlib/fourier/fourier.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/patterns/patterns.hpp"
#include "stdlib/ops/signal/family.hpp"
#include "stdlib/ops/signal/signal.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/tensor/views.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

// --- what operands share ---

Type row_operand(const Call& call, unsigned operand) {
  const Type type = operand_type(call, operand);
  if (type.shape.rank() == 0) fail(message("transform_rank"), {shown_name(call.entry), type.text()});
  return type;
}

unsigned last_axis(const Shape& shape) { return shape.rank() - 1; }
Dim length_of(const Shape& shape) { return shape[last_axis(shape)]; }

std::vector<std::string> parts_differ(const void* self, int64_t, int64_t) {
  const Call& call = *static_cast<const Call*>(self);
  return {shown_name(call.entry), operand_type(call, 0).text(), operand_type(call, 1).text()};
}
std::vector<ArgumentLabel> parts_labels(const void* self, int64_t, int64_t) {
  const Call& call = *static_cast<const Call*>(self);
  return {label_of(call, 0), label_of(call, 1)};
}

// The type of both parts of complex numbers.
Type complex_operand(ShapeBuilder& shapes, const Call& call) {
  const Type re = row_operand(call, 0), im = row_operand(call, 1);
  const Mismatch differ{&message("transform_parts"), parts_differ, parts_labels, &call};
  if (re.shape.rank() != im.shape.rank()) ShapeBuilder::raise(differ, 0, 0);
  for (unsigned i = 0; i < re.shape.rank(); ++i) shapes.require_equal(re.shape[i], im.shape[i], differ);
  return {float_dtype(product_dtype(re.dtype, im.dtype)), re.shape};
}

Type with_parts(Dtype dtype, Shape shape) {
  shape.insert(0, Dim(2));
  return {dtype, shape};
}

// k ≤ n / 2
Dim spectrum_length(ShapeBuilder& shapes, Dim n) { return n.known() ? Dim(n.number() / 2 + 1) : shapes.unknown_dim(); }

enum class Scale : int64_t { none, root, whole };  // 1, 1 / √n, 1 / n

double scale_argument(const Call& call, unsigned operand, int64_t n) {
  switch (static_cast<Scale>(integer_argument(call, operand))) {
    case Scale::root: return 1 / std::sqrt(static_cast<double>(n));
    case Scale::whole: return 1 / static_cast<double>(n);
    default: return 1;
  }
}

void require_length(const Call& call, int64_t n, unsigned operand) {
  if (n >= 1) return;
  fail(message("transform_length"), {shown_name(call.entry), std::to_string(n)}, {label_of(call, operand)});
}

// Calls f(T()) for the element type of a float that is computed with.
template <class F>
void with_numbers(Dtype dtype, F f) {
  dtype == Dtype::f32 ? f(float{}) : f(double{});
}

Value row_tensor(Builder& builder, Value x, Dtype dtype) {
  return contiguous(builder.pool(), cast_to(builder, std::move(x), dtype));
}

int64_t rows_of(const Shape& shape) {
  int64_t rows = 1;
  for (unsigned i = 0; i < last_axis(shape); ++i) rows *= shape[i].number();
  return rows;
}

template <class T>
kernels::Split<T> parts_of(Value& packed) {
  T* const data = packed.tensor().as<T>();
  return {data, data + packed.tensor().size() / 2};
}

// Part 0 or 1 of what a transform gives.
Value part(Builder& builder, const Value& packed, int64_t number) {
  Shape shape = logical_type(packed).shape;
  shape.erase(0);
  return reshape(builder, narrow(builder, packed, 0, Dim(number), Dim(1)), shape);
}

Value or_zeros(RuleContext& rule, const Value& tangent, const Type& type) {
  return tangent.is_none() ? rule.zeros(type) : tangent;
}

// The parts' axis comes first; examples before it.
Value packed_batch(Builder& builder, Value packed) { return move_axis_to_front(builder, std::move(packed), 1); }

// --- complex numbers ---

constexpr unsigned inverse_operand = 3;  // the operand of fft, counted from 0

Type fft_type(ShapeBuilder& shapes, const Call& call) {
  const Type type = complex_operand(shapes, call);
  return with_parts(type.dtype, type.shape);
}

Value fft_eager(Builder& builder, Call& call) {
  const Type type = complex_operand(builder, call);
  const int64_t n = length_of(type.shape).number();
  require_length(call, n, 0);
  const bool inverse = flag_argument(call, inverse_operand);
  const double scale = scale_argument(call, 2, n);
  Value result = make_tensor(builder.pool(), type.dtype, with_parts(type.dtype, type.shape).shape);
  const Value re = row_tensor(builder, std::move(call.args[0]), type.dtype);
  const Value im = row_tensor(builder, std::move(call.args[1]), type.dtype);
  with_numbers(type.dtype, [&](auto element) {
    using T = decltype(element);
    kernels::ConstSplit<T> x{re.tensor().as<T>(), im.tensor().as<T>()};
    kernels::Split<T> y = parts_of<T>(result);
    if (inverse) std::swap(x.re, x.im), std::swap(y.re, y.im);
    kernels::transform<T>(builder.context(), n, rows_of(type.shape), x, y, static_cast<T>(scale));
  });
  return result;
}

Value fft_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  return rule.call(fft_parts_entry(),
                   {or_zeros(rule, tangents[0], residuals.types[0]), or_zeros(rule, tangents[1], residuals.types[1]),
                    residuals.operands[2], residuals.operands[3]});
}

void fft_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  Builder& builder = rule.builder();
  const Value back = rule.call(fft_parts_entry(), {part(builder, cotangent, 0), part(builder, cotangent, 1),
                                                   residuals.operands[2], Value(!residuals.operands[3].boolean())});
  for (unsigned i = 0; i < 2; ++i) {
    if (out.wants(i)) out.add(i, rule.cast(part(builder, back, i), residuals.types[i].dtype));
  }
}

Value fft_batch(Builder& builder, Call& call, const Batching& batching) {
  for (unsigned i = 0; i < 2; ++i) {
    call.args[i] = with_batch_axis(builder, std::move(call.args[i]), batching.batched[i], batching.size);
  }
  return packed_batch(builder, ops::call(builder, call.entry, call.args));
}

// --- real numbers ---

Type rfft_type(ShapeBuilder& shapes, const Call& call) {
  Type type = row_operand(call, 0);
  Dim& last = type.shape[last_axis(type.shape)];
  last = spectrum_length(shapes, last);
  return with_parts(float_dtype(type.dtype), type.shape);
}

Value rfft_eager(Builder& builder, Call& call) {
  const Shape shape = row_operand(call, 0).shape;
  const int64_t n = length_of(shape).number();
  require_length(call, n, 0);
  const Type type = rfft_type(builder, call);
  const double scale = scale_argument(call, 1, n), inner = flag_argument(call, 2) ? 2 : 1;
  Value result = make_tensor(builder.pool(), type.dtype, type.shape);
  const Value x = row_tensor(builder, std::move(call.args[0]), type.dtype);
  with_numbers(type.dtype, [&](auto element) {
    using T = decltype(element);
    kernels::transform_real<T>(builder.context(), n, rows_of(shape), x.tensor().as<T>(), parts_of<T>(result),
                               static_cast<T>(scale), static_cast<T>(inner));
  });
  return result;
}

Value rfft_transpose(RuleContext& rule, unsigned, const Residuals& residuals, const Value& cotangent) {
  Builder& builder = rule.builder();
  const Value x = rule.call(irfft_parts_entry(), {part(builder, cotangent, 0), part(builder, cotangent, 1),
                                                  builder.extent(length_of(residuals.types[0].shape)),
                                                  residuals.operands[1], residuals.operands[2]});
  return rule.cast(x, residuals.types[0].dtype);
}

Value rfft_batch(Builder& builder, Call& call, const Batching&) {
  return packed_batch(builder, ops::call(builder, call.entry, call.args));
}

// --- and back ---

Type irfft_type(ShapeBuilder& shapes, const Call& call) {
  Type type = complex_operand(shapes, call);
  type.shape[last_axis(type.shape)] = size_argument(shapes, call, 2);
  return type;
}

Value irfft_eager(Builder& builder, Call& call) {
  const Shape spectrum = complex_operand(builder, call).shape;
  const Type type = irfft_type(builder, call);
  const int64_t n = length_of(type.shape).number(), given = length_of(spectrum).number();
  require_length(call, n, 2);
  if (given != n / 2 + 1) {
    fail(message("spectrum_length"),
         {shown_name(call.entry), std::to_string(n), std::to_string(n / 2 + 1), std::to_string(given)},
         {label_of(call, 0)});
  }
  const double scale = scale_argument(call, 3, n), inner = flag_argument(call, 4) ? 1 : 0.5;
  Value result = make_tensor(builder.pool(), type.dtype, type.shape);
  const Value re = row_tensor(builder, std::move(call.args[0]), type.dtype);
  const Value im = row_tensor(builder, std::move(call.args[1]), type.dtype);
  with_numbers(type.dtype, [&](auto element) {
    using T = decltype(element);
    kernels::transform_to_real<T>(builder.context(), n, rows_of(type.shape), {re.tensor().as<T>(), im.tensor().as<T>()},
                                  result.tensor().as<T>(), static_cast<T>(scale), static_cast<T>(inner));
  });
  return result;
}

Value irfft_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  return rule.call(irfft_parts_entry(),
                   {or_zeros(rule, tangents[0], residuals.types[0]), or_zeros(rule, tangents[1], residuals.types[1]),
                    residuals.operands[2], residuals.operands[3], residuals.operands[4]});
}

void irfft_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  Builder& builder = rule.builder();
  const Value back = rule.call(rfft_parts_entry(), {cotangent, residuals.operands[3], residuals.operands[4]});
  for (unsigned i = 0; i < 2; ++i) {
    if (!out.wants(i)) continue;
    // As long as the spectrum is, which a compiler may not know.
    const Value given = reshape(builder, part(builder, back, i), residuals.types[i].shape);
    out.add(i, rule.cast(given, residuals.types[i].dtype));
  }
}

Value irfft_batch(Builder& builder, Call& call, const Batching& batching) {
  for (unsigned i = 0; i < 2; ++i) {
    call.args[i] = with_batch_axis(builder, std::move(call.args[i]), batching.batched[i], batching.size);
  }
  return ops::call(builder, call.entry, call.args);
}

// --- to a length ---

Type resized_type(ShapeBuilder& shapes, const Call& call) {
  Type type = row_operand(call, 0);
  type.shape[last_axis(type.shape)] = size_argument(shapes, call, 1);
  return type;
}

Value resized_eager(Builder& builder, Call& call) {
  const Type from = row_operand(call, 0), type = resized_type(builder, call);
  const int64_t n = length_of(from.shape).number(), size = length_of(type.shape).number();
  if (size == n) return std::move(call.args[0]);
  if (size < n) return narrow(builder, std::move(call.args[0]), last_axis(type.shape), Dim(0), Dim(size));
  Value result = zeros(builder, type);
  const Value x = contiguous(builder.pool(), std::move(call.args[0]));
  const size_t width = size_of(type.dtype), row = static_cast<size_t>(n) * width;
  const int64_t rows = result.tensor().size() / std::max<int64_t>(size, 1);
  for (int64_t i = 0; i < rows && n > 0; ++i) {
    std::memcpy(result.tensor().data() + static_cast<size_t>(i * size) * width,
                x.tensor().data() + static_cast<size_t>(i) * row, row);
  }
  return result;
}

Value resized_transpose(RuleContext& rule, unsigned, const Residuals& residuals, const Value& cotangent) {
  return rule.call(resized_entry(), {cotangent, rule.builder().extent(length_of(residuals.types[0].shape))});
}

Value same_batch(Builder& builder, Call& call, const Batching&) { return ops::call(builder, call.entry, call.args); }

}  // namespace

const Entry& fft_parts_entry() {
  static const Entry entry{
      .name = "_fft_parts",
      .doc = "For modules: the Fourier transform of complex numbers, or its inverse, as [real parts, imaginary parts].",
      .parameters = {tensor_parameter("re"), tensor_parameter("im"), attribute("scale", int64_t{0}),
                     attribute("inverse", false)},
      .type = fft_type,
      .eager = fft_eager,
      .derivative = Derivative::by_hand(0, fft_jvp, fft_vjp),
      .batch = fft_batch,
      .pattern = pattern_of_blocks<1>,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.0, 2.0, 4.0, -1.0], [0.5, 0.0, -2.0, 3.0]",
                   .expected = "[[6.0, -6.0, 4.0, 0.0], [1.5, -0.5, -4.5, 5.5]]",
                   .differentiate = true},
                  {.arguments = "[1.0, 2.0, 4.0, -1.0], [0.5, 0.0, -2.0, 3.0], scale=2, inverse=true",
                   .expected = "[[1.5, 0.0, 1.0, -1.5], [0.375, 1.375, -1.125, -0.125]]",
                   .differentiate = true},
                  {.arguments = "[[1.0, 2.0, 4.0]], [[0.0, 1.0, 0.0]], scale=1",
                   .expected = "[[[4.041451884327381, -0.6547005383792515, -1.6547005383792515]], "
                               "[[0.5773502691896258, 0.7113248654051871, -1.2886751345948129]]]",
                   .ulp = 4,
                   .differentiate = true}},
      .internal = true,
      .part_of = "fft",
  };
  return entry;
}

const Entry& rfft_parts_entry() {
  static const Entry entry{
      .name = "_rfft_parts",
      .doc =
          "For modules: the Fourier transform of real numbers, up to half their rate, as [real parts, imaginary "
          "parts]; `doubled`: twice, but for what has no counterpart.",
      .parameters = {tensor_parameter("x"), attribute("scale", int64_t{0}), attribute("doubled", false)},
      .type = rfft_type,
      .eager = rfft_eager,
      .derivative = Derivative::linearly(1, rfft_transpose),
      .batch = rfft_batch,
      .pattern = pattern_of_blocks<1>,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.0, 2.0, 4.0, -1.0]",
                   .expected = "[[6.0, -3.0, 4.0], [0.0, -3.0, 0.0]]",
                   .differentiate = true},
                  {.arguments = "[[1.0, 2.0, 4.0, -1.0]], doubled=true",
                   .expected = "[[[6.0, -6.0, 4.0]], [[0.0, -6.0, 0.0]]]",
                   .differentiate = true},
                  {.arguments = "[1.0, 2.0, 4.0]",
                   .expected = "[[7.0, -2.0], [0.0, 1.7320508075688772]]",
                   .ulp = 4,
                   .differentiate = true}},
      .internal = true,
      .part_of = "rfft",
  };
  return entry;
}

const Entry& irfft_parts_entry() {
  static const Entry entry{
      .name = "_irfft_parts",
      .doc =
          "For modules: n real numbers from the first n // 2 + 1 of their spectrum; without `doubled` as if those "
          "that they come with were 0.",
      .parameters = {tensor_parameter("re"), tensor_parameter("im"), attribute("n"), attribute("scale", int64_t{0}),
                     attribute("doubled", true)},
      .type = irfft_type,
      .eager = irfft_eager,
      .derivative = Derivative::by_hand(0, irfft_jvp, irfft_vjp),
      .batch = irfft_batch,
      .pattern = pattern_of_blocks<1>,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[6.0, -3.0, 4.0], [0.0, -3.0, 0.0], 4, scale=2",
                   .expected = "[1.0, 2.0, 4.0, -1.0]",
                   .differentiate = true},
                  {.arguments = "[6.0, -3.0, 4.0], [1.0, -3.0, 2.0], 4, doubled=false",
                   .expected = "[7.0, 5.0, 13.0, -1.0]",
                   .differentiate = true},
                  {.arguments = "[7.0, -2.0], [0.0, 1.5], 3",
                   .expected = "[3.0, 6.401923788646684, 11.598076211353316]",
                   .ulp = 4,
                   .differentiate = true}},
      .internal = true,
      .part_of = "irfft",
  };
  return entry;
}

const Entry& resized_entry() {
  static const Entry entry{
      .name = "_resized",
      .doc = "For modules: the last axis cut to a length, or filled up with zeros.",
      .parameters = {tensor_parameter("x"), attribute("size")},
      .carries = true,
      .type = resized_type,
      .eager = resized_eager,
      .derivative = Derivative::linearly(1, resized_transpose),
      .batch = same_batch,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[1.0, 2.0], [3.0, 4.0]], 3",
                   .expected = "[[1.0, 2.0, 0.0], [3.0, 4.0, 0.0]]",
                   .differentiate = true},
                  {.arguments = "[1.0, 2.0, 3.0], 2", .expected = "[1.0, 2.0]", .differentiate = true},
                  {.arguments = "[1.0, 2.0], 2", .expected = "[1.0, 2.0]"}},
      .internal = true,
      .part_of = "fft",
  };
  return entry;
}

Family signal_fourier_entries() {
  static const Entry* const entries[] = {&fft_parts_entry(), &rfft_parts_entry(), &irfft_parts_entry(),
                                         &resized_entry()};
  return entries;
}

}  // namespace covec::ops
