// prod and cumprod of complex numbers, given by their parts: one factor after the other along an axis. Inside, both
// parts of a result are one tensor with a last axis of two. Derivatives are products with one factor left out, without
// division, so zeros do no harm. They use running products from both sides, and the recurrence that those satisfy.
#include "stdlib/ops/reduce/complex_product.hpp"

#include <vector>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/reduce/family.hpp"
#include "stdlib/ops/reduce/reduce.hpp"
#include "stdlib/ops/reduce/scan.hpp"
#include "stdlib/ops/reduce/walk.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

// --- the walk ---

template <class F>
void with_parts(Dtype dtype, const F& f) {
  if (dtype == Dtype::f32) return f(float{});
  f(double{});
}

unsigned axis_at(const Call& call, unsigned operand) { return static_cast<unsigned>(integer_argument(call, operand)); }

Type packed_type(ShapeBuilder&, const Call& call) {
  Type type = operand_type(call, 0);
  type.shape.push_back(Dim(2));
  return type;
}

Type product_type_of_parts(ShapeBuilder&, const Call& call) {
  Type type = operand_type(call, 0);
  type.shape.erase(axis_at(call, 2));
  type.shape.push_back(Dim(2));
  return type;
}

// to = x·y, of numbers whose parts are beside each other.
template <class T>
void put_product(T* to, const T* x, T re, T im) {
  const T product_re = x[0] * re - x[1] * im, product_im = x[0] * im + x[1] * re;
  to[0] = product_re;
  to[1] = product_im;
}

// A tensor of this type that f(walk, real parts, imaginary parts, elements of the result) has filled.
template <class F>
Value over_parts(Builder& builder, const Call& call, const Type& type, const F& f) {
  const Value re = contiguous(builder.pool(), call.args[0]), im = contiguous(builder.pool(), call.args[1]);
  Value result = make_tensor(builder.pool(), type.dtype, type.shape);
  const Walked walked(re.tensor(), axis_at(call, 2));
  with_parts(type.dtype, [&](auto zero) {
    using T = decltype(zero);
    f(walked, re.tensor().as<T>(), im.tensor().as<T>(), result.tensor().as<T>());
  });
  return result;
}

Value running_product_eager(Builder& builder, Call& call) {
  const auto fill = [&](const Walked& walked, const auto* x, const auto* y, auto* to) {
    scan_axis(
        builder, walked, flag_argument(call, 3),
        [&](int64_t at) {
          to[2 * at] = x[at];
          to[2 * at + 1] = y[at];
        },
        [&](int64_t at, int64_t before) { put_product(to + 2 * at, to + 2 * before, x[at], y[at]); });
  };
  return over_parts(builder, call, packed_type(builder, call), fill);
}

Value product_eager(Builder& builder, Call& call) {
  const auto fill = [&](const Walked& walked, const auto* x, const auto* y, auto* to) {
    const int64_t block = walked.length * walked.inner;
    if (walked.length == 0) {
      for (int64_t i = 0; i < walked.outer * walked.inner; ++i) {
        to[2 * i] = 1;
        to[2 * i + 1] = 0;
      }
    }
    const auto place = [&](int64_t at) { return 2 * (at / block * walked.inner + at % walked.inner); };
    scan_axis(
        builder, walked, false,
        [&](int64_t at) {
          to[place(at)] = x[at];
          to[place(at) + 1] = y[at];
        },
        [&](int64_t at, int64_t) { put_product(to + place(at), to + place(at), x[at], y[at]); });
  };
  return over_parts(builder, call, product_type_of_parts(builder, call), fill);
}

// h_i = a_i·h_(i−1) + b_i: `b` and the results are cotangents or tangents, of which a part that is ±0 makes the
// products with it 0 where `zeros` says so.
Value complex_recurrence_eager(Builder& builder, Call& call) {
  const Type type = packed_type(builder, call);
  Value parts[4];
  for (unsigned i = 0; i < 4; ++i) parts[i] = contiguous(builder.pool(), call.args[i]);
  Value result = make_tensor(builder.pool(), type.dtype, type.shape);
  const Walked walked(parts[0].tensor(), axis_at(call, 4));
  const bool zeros = flag_argument(call, 6);
  with_parts(type.dtype, [&](auto zero) {
    using T = decltype(zero);
    const T *a_re = parts[0].tensor().as<T>(), *a_im = parts[1].tensor().as<T>();
    const T *b_re = parts[2].tensor().as<T>(), *b_im = parts[3].tensor().as<T>();
    T* to = result.tensor().as<T>();
    const auto times = [&](T factor, T h) { return zeros && h == T(0) ? T(0) : factor * h; };
    scan_axis(
        builder, walked, flag_argument(call, 5),
        [&](int64_t at) {
          to[2 * at] = b_re[at];
          to[2 * at + 1] = b_im[at];
        },
        [&](int64_t at, int64_t before) {
          const T re = to[2 * before], im = to[2 * before + 1];
          to[2 * at] = (times(a_re[at], re) - times(a_im[at], im)) + b_re[at];
          to[2 * at + 1] = (times(a_re[at], im) + times(a_im[at], re)) + b_im[at];
        });
  });
  return result;
}

// The same of every example, whose axis is one further.
template <unsigned axis>
Value examples_batch(Builder& builder, Call& call, const Batching& batching) {
  for (unsigned i = 0; i < axis; ++i)
    call.args[i] = with_batch_axis(builder, std::move(call.args[i]), batching.batched[i], batching.size);
  call.args[axis] = integer_argument(call, axis) + 1;
  return ops::call(builder, call.entry, call.args);
}

// --- derivatives ---

struct Pair {
  Value re, im;
};

struct Pairs {
  RuleContext& rule;

  unsigned rank(const Value& x) const { return logical_type(x).shape.rank(); }
  Pair unpacked(const Value& packed) const {
    Steps steps(rule.builder());
    const unsigned last = rank(packed) - 1;
    return {steps.take(packed, last, Value(int64_t{0})), steps.take(packed, last, Value(int64_t{1}))};
  }
  Value packed(const Pair& x) const {
    Value both[2] = {x.re, x.im};
    return stack(rule.builder(), both, rank(x.re));
  }
  Pair tangent(const Residuals& residuals, std::span<const Value> tangents, unsigned at) const {
    const auto part = [&](unsigned i) { return tangents[i].is_none() ? rule.zeros(residuals.types[i]) : tangents[i]; };
    return {part(at), part(at + 1)};
  }
  void give(Cotangents& out, unsigned at, const Pair& found) const {
    if (out.wants(at)) out.add(at, found.re);
    if (out.wants(at + 1)) out.add(at + 1, found.im);
  }
  Pair conj(const Pair& x) const { return {x.re, rule.neg(x.im)}; }
  Pair add(const Pair& x, const Pair& y) const { return {rule.add(x.re, y.re), rule.add(x.im, y.im)}; }
  template <class Product>
  Pair product(const Pair& x, const Pair& y, const Product& of) const {
    return {rule.sub(of(x.re, y.re), of(x.im, y.im)), rule.add(of(x.re, y.im), of(x.im, y.re))};
  }
  Pair times(const Pair& x, const Pair& y) const {
    return product(x, y, [&](const Value& a, const Value& b) { return rule.mul(a, b); });
  }
  Pair scale(const Pair& cotangent, const Pair& factor) const {
    return product(cotangent, factor, [&](const Value& a, const Value& b) { return rule.scale(a, b); });
  }
  Pair scale_both(const Pair& x, const Pair& y) const {
    return product(x, y, [&](const Value& a, const Value& b) { return rule.scale_both(a, b); });
  }
  // One place further along an axis (or back); `fill` comes in.
  Pair shifted(const Pair& x, const Value& axis, bool further, double fill) const {
    const auto part = [&](const Value& value, double in) {
      return rule.call(shift_entry(), {value, axis, Value(int64_t{further ? 1 : -1}), Value(in)});
    };
    return {part(x.re, fill), part(x.im, 0)};
  }
  Pair running(const Pair& x, const Value& axis, bool backwards) const {
    return unpacked(rule.call(complex_running_product_entry(), {x.re, x.im, axis, Value(backwards)}));
  }
  Pair recurrence(const Pair& a, const Pair& b, const Value& axis, bool backwards) const {
    return unpacked(
        rule.call(complex_recurrence_entry(), {a.re, a.im, b.re, b.im, axis, Value(backwards), Value(!rule.ieee())}));
  }
};

Value running_product_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const Pairs c{rule};
  const Value& axis = residuals.operands[2];
  const bool backwards = residuals.operands[3].boolean();
  const Pair before = c.shifted(c.unpacked(*residuals.result), axis, !backwards, 1);
  const Pair added = c.scale(c.tangent(residuals, tangents, 0), before);
  return c.packed(c.recurrence({residuals.operands[0], residuals.operands[1]}, added, axis, backwards));
}

void running_product_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  const Pairs c{rule};
  const Value& axis = residuals.operands[2];
  const bool backwards = residuals.operands[3].boolean();
  const Pair factors = c.conj(c.shifted({residuals.operands[0], residuals.operands[1]}, axis, backwards, 0));
  const Pair before = c.shifted(c.unpacked(*residuals.result), axis, !backwards, 1);
  c.give(out, 0, c.scale(c.recurrence(factors, c.unpacked(cotangent), axis, !backwards), c.conj(before)));
}

Value complex_recurrence_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const Pairs c{rule};
  const Value& axis = residuals.operands[4];
  const bool backwards = residuals.operands[5].boolean();
  const Pair before = c.shifted(c.unpacked(*residuals.result), axis, !backwards, 0);
  const Pair added = c.add(c.scale_both(c.tangent(residuals, tangents, 0), before), c.tangent(residuals, tangents, 2));
  return c.packed(c.recurrence({residuals.operands[0], residuals.operands[1]}, added, axis, backwards));
}

void complex_recurrence_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  const Pairs c{rule};
  const Value& axis = residuals.operands[4];
  const bool backwards = residuals.operands[5].boolean();
  const Pair factors = c.conj(c.shifted({residuals.operands[0], residuals.operands[1]}, axis, backwards, 0));
  const Pair back = c.recurrence(factors, c.unpacked(cotangent), axis, !backwards);
  const Pair before = c.shifted(c.unpacked(*residuals.result), axis, !backwards, 0);
  c.give(out, 0, c.scale_both(back, c.conj(before)));
  c.give(out, 2, back);
}

// For each factor the product of the others.
Pair others(const Pairs& c, const Residuals& residuals) {
  const Pair x{residuals.operands[0], residuals.operands[1]};
  const Value& axis = residuals.operands[2];
  return c.times(c.shifted(c.running(x, axis, false), axis, true, 1),
                 c.shifted(c.running(x, axis, true), axis, false, 1));
}

Value product_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const Pairs c{rule};
  const Pair moved = c.scale(c.tangent(residuals, tangents, 0), others(c, residuals));
  const auto sum = [&](const Value& x) { return rule.call(handles().sum, {x, residuals.operands[2], Value(false)}); };
  return c.packed({sum(moved.re), sum(moved.im)});
}

void product_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  const Pairs c{rule};
  const auto axis = static_cast<unsigned>(integer_of(residuals.operands[2]));
  const Pair given = c.unpacked(cotangent);
  const auto spread = [&](const Value& x) {
    return rule.broadcast_to(unsqueeze(rule.builder(), x, axis), residuals.types[0].shape);
  };
  c.give(out, 0, c.scale({spread(given.re), spread(given.im)}, c.conj(others(c, residuals))));
}

Value value_of_packed(Builder& builder, const Value& packed, const Shape& shape) {
  RuleContext rule(builder, true);
  const Pair parts = Pairs{rule}.unpacked(packed);
  return complex_value(builder, rule.reshape(parts.re, shape), rule.reshape(parts.im, shape));
}

}  // namespace

// --- entries ---

const Entry& complex_running_product_entry() {
  static const Entry entry{
      .name = "complex_running_product",
      .doc = "For each complex number its product with those before it (or after) along an axis.",
      .parameters = {tensor_parameter("re"), tensor_parameter("im"), attribute("axis"), attribute("backwards")},
      .type = packed_type,
      .eager = running_product_eager,
      .derivative = Derivative::by_hand(3 | Derivative::result_bit, running_product_jvp, running_product_vjp),
      .batch = examples_batch<2>,
      .samples = {{.arguments = "[1.0, 2.0, 0.0], [2.0, -1.0, 1.0], 0, false",
                   .expected = "[[1.0, 2.0], [4.0, 3.0], [-3.0, 4.0]]",
                   .differentiate = true},
                  {.arguments = "[1.0, 0.0, 2.0], [2.0, 0.0, 1.0], 0, true",
                   .expected = "[[0.0, 0.0], [0.0, 0.0], [2.0, 1.0]]",
                   .differentiate = true}},
      .internal = true,
      .part_of = "cumprod"};
  return entry;
}

const Entry& complex_recurrence_entry() {
  static const Entry entry{
      .name = "complex_recurrence",
      .doc = "Along an axis, each complex number of `b` with `a` times the result before (or after).",
      .parameters = {tensor_parameter("a_re"), tensor_parameter("a_im"), tensor_parameter("b_re"),
                     tensor_parameter("b_im"), attribute("axis"), attribute("backwards"), attribute("zeros")},
      .type = packed_type,
      .eager = complex_recurrence_eager,
      .derivative = Derivative::by_hand(3 | Derivative::result_bit, complex_recurrence_jvp, complex_recurrence_vjp),
      .batch = examples_batch<4>,
      .samples = {{.arguments = "[1.0, 2.0, 0.0], [2.0, -1.0, 1.0], [1.0, 0.5, 2.0], [0.0, 1.0, -1.0], 0, false, false",
                   .expected = "[[1.0, 0.0], [2.5, 0.0], [2.0, 1.5]]",
                   .differentiate = true}},
      .internal = true,
      .part_of = "cumprod"};
  return entry;
}

const Entry& complex_product_entry() {
  static const Entry entry{.name = "complex_product",
                           .doc = "The product of complex numbers along an axis.",
                           .parameters = {tensor_parameter("re"), tensor_parameter("im"), attribute("axis")},
                           .type = product_type_of_parts,
                           .eager = product_eager,
                           .derivative = Derivative::by_hand(3, product_jvp, product_vjp),
                           .batch = examples_batch<2>,
                           .samples = {{.arguments = "[[1.0, 2.0], [0.0, 1.0]], [[2.0, -1.0], [1.0, 0.5]], 1",
                                        .expected = "[[4.0, 3.0], [-0.5, 1.0]]",
                                        .differentiate = true},
                                       {.arguments = "[[0.0, 2.0], [0.0, 1.0]], [[0.0, -1.0], [0.0, 0.5]], 0",
                                        .expected = "[[0.0, 0.0], [2.5, 0.0]]",
                                        .differentiate = true},
                                       {.arguments = "zeros(0), zeros(0), 0", .expected = "[1.0, 0.0]"}},
                           .internal = true,
                           .part_of = "prod"};
  return entry;
}

// The axes that go come last, in their order, as one.
Value complex_prod(Builder& builder, Call& call) {
  RuleContext rule(builder, true);
  const Value given = call.args[0];
  Value re = real_part(given), im = imaginary_part(builder, given);
  call.args[0] = re;
  const Shape shape = logical_type(re).shape;
  const ReduceArguments arguments = reduce_arguments(call, shape.rank());
  std::vector<unsigned> order;
  Shape kept, gone;
  for (const bool goes : {false, true}) {
    for (unsigned i = 0; i < shape.rank(); ++i) {
      if ((arguments.axes >> i & 1) != (goes ? 1U : 0U)) continue;
      order.push_back(i);
      (goes ? gone : kept).push_back(shape[i]);
    }
  }
  const int64_t axis = kept.rank();
  kept.push_back(elements_of(builder, gone));
  const auto in_order = [&](Value x) { return rule.reshape(permute(builder, std::move(x), order), kept); };
  const Value packed =
      ops::call(builder, complex_product_entry(), {in_order(std::move(re)), in_order(std::move(im)), Value(axis)});
  return value_of_packed(builder, packed, reduced_shape(shape, arguments));
}

Value complex_cumprod(Builder& builder, Call& call) {
  const Value given = call.args[0];
  Value re = real_part(given), im = imaginary_part(builder, given);
  call.args[0] = re;
  int64_t axis = 0;
  if (call.args[1].is_none()) {
    re = flatten(builder, std::move(re));
    im = flatten(builder, std::move(im));
  } else {
    axis = normal_axis(call, integer_argument(call, 1), logical_type(re).shape.rank());
  }
  const Shape shape = logical_type(re).shape;
  return value_of_packed(
      builder, ops::call(builder, complex_running_product_entry(), {re, im, Value(axis), Value(false)}), shape);
}

Family reduce_complex_entries() {
  static const Entry* const entries[] = {&complex_running_product_entry(), &complex_recurrence_entry(),
                                         &complex_product_entry()};
  return entries;
}

}  // namespace covec::ops
