// Derivatives and batch rules of reductions. Every rule is composed of operators, so it can be differentiated in turn.
// The product is the subtle one: the derivative by an element is the product of the others. It is built from running
// products on both sides, never by division. Start at prod_others.
#include "stdlib/ops/reduce/rules.hpp"

#include <cmath>
#include <limits>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/elementwise/bodies/arithmetic.hpp"
#include "stdlib/ops/elementwise/bodies/compare.hpp"
#include "stdlib/ops/elementwise/bodies/functions.hpp"
#include "stdlib/ops/elementwise/bodies/logic.hpp"
#include "stdlib/ops/elementwise/bodies/rounding.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/ops/patterns/patterns.hpp"
#include "stdlib/ops/reduce/compose.hpp"
#include "stdlib/ops/reduce/family.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

ReduceArguments arguments_of(const Entry& entry, const Residuals& residuals) {
  return reduce_arguments(residual_call(entry, residuals), residuals.types[0].shape.rank());
}

Value pattern_of_reduction(Sets& sets, const Entry& entry, const Residuals& residuals, std::span<const Value> of) {
  return reshaped(sets, sets.along(of[0], arguments_of(entry, residuals).axes), residuals.result_type->shape);
}

Value pattern_along_axes(Sets& sets, const Entry& entry, const Residuals& residuals, std::span<const Value> of) {
  return sets.along(of[0], arguments_of(entry, residuals).axes);
}

Value sum_along(RuleContext& rule, Value x, const ReduceArguments& arguments) {
  return rule.call(sum_entry(), {std::move(x), axes_value(arguments.axes), Value(arguments.keepdims)});
}

Value reduced_count(RuleContext& rule, const Shape& x, uint32_t axes, Dtype dtype) {
  Dim n = 1;
  for (unsigned i = 0; i < x.rank(); ++i) {
    if ((axes >> i) & 1) n = rule.builder().multiply(n, x[i]);
  }
  if (n.known()) return rule.number(static_cast<double>(n.number()), dtype);
  return rule.cast(rule.cast(rule.builder().extent(n), Dtype::f64), dtype);
}

Value with_axes(RuleContext& rule, const Value& result, const Shape& x, ReduceArguments arguments) {
  arguments.keepdims = true;
  return reshape(rule.builder(), result, reduced_shape(x, arguments));
}

namespace {

// Of rank 0, and not wrapped.
bool is_number(const Value& value) {
  return value.is_scalar() || (value.is_symbol() && symbol_type(value).shape.empty());
}

}  // namespace

Value spread(RuleContext& rule, const Value& result, const Shape& x, const ReduceArguments& arguments) {
  if (is_number(result)) return broadcast_to(rule.builder(), result, x);
  return broadcast_to(rule.builder(), with_axes(rule, result, x, arguments), x);
}

namespace {

// --- prod ---
//
// Why not cumprod's rule (scan.cpp), which needs no division either: it multiplies one after the other, and this
// in log2(n) steps, so the bits differ (of 8 random factors in 3 of 10 results, of 64 in 3 of 4). Each has its reason:
// a scan's own result is the products before each element, kept, and runs along any axis as it lies; here there are
// none to keep, and steps of whole rows are differentiated again, batched and fused like any other operators. Where the
// number of steps is not known the same steps are one operator, running_product, whose body is running_product() again.

// The axes of x with the reduced ones last, in order.
std::vector<unsigned> reduced_last(unsigned rank, uint32_t axes) {
  std::vector<unsigned> order;
  for (unsigned i = 0; i < rank; ++i) {
    if (((axes >> i) & 1) == 0) order.push_back(i);
  }
  for (unsigned i = 0; i < rank; ++i) {
    if ((axes >> i) & 1) order.push_back(i);
  }
  return order;
}

std::vector<unsigned> inverse(const std::vector<unsigned>& order) {
  std::vector<unsigned> back(order.size());
  for (unsigned i = 0; i < order.size(); ++i) back[order[i]] = i;
  return back;
}

// x moved by `distance` along the last axis (to the right, or to the left), `fill` coming in.
Value shifted(RuleContext& rule, const Value& x, const Type& type, int64_t distance, bool right, double fill) {
  const unsigned axis = type.shape.rank() - 1;
  const int64_t n = type.shape[axis].number();
  Shape rim = type.shape;
  rim[axis] = Dim(distance);
  Value filled = broadcast_to(rule.builder(), rule.number(fill, type.dtype), rim);
  Value kept = narrow(rule.builder(), x, axis, right ? 0 : distance, n - distance);
  Value parts[] = {std::move(right ? filled : kept), std::move(right ? kept : filled)};
  return concat(rule.builder(), parts, axis);
}

// A product as mantissa · 2^exponent with a mantissa from 1 to 2 (or 0, or not finite): products of many factors leave
// the range on the way though their result does not. Exponents are constants to derivatives.
struct Product {
  Value mantissa, exponent;
};

Product apart(RuleContext& rule, const Value& x) {
  Value exponent = rule.call(entry_of<BinaryExponent>(), {x});
  Value mantissa = rule.call(entry_of<ScaleExponent>(), {x, rule.neg(exponent)});
  return {std::move(mantissa), std::move(exponent)};
}

Value together(RuleContext& rule, const Product& product) {
  return rule.call(entry_of<ScaleExponent>(), {product.mantissa, product.exponent});
}

Product times(RuleContext& rule, const Product& a, const Product& b) {
  Product both = apart(rule, rule.mul(a.mantissa, b.mantissa));
  both.exponent = rule.add(std::move(both.exponent), rule.add(a.exponent, b.exponent));
  return both;
}

// Along the last axis, the product of all elements before (or after) each one, in log2(n) steps.
Product running_product(RuleContext& rule, const Value& x, const Type& type, bool right) {
  if (!type.shape.known()) {
    const auto part = [&](bool exponent) {
      return rule.call(running_product_entry(), {x, Value(right), Value(exponent)});
    };
    return {part(false), part(true)};
  }
  const auto moved = [&](const Product& all, int64_t distance) {
    return Product{shifted(rule, all.mantissa, type, distance, right, 1),
                   shifted(rule, all.exponent, type, distance, right, 0)};
  };
  const int64_t n = type.shape[type.shape.rank() - 1].number();
  Product product = moved(apart(rule, x), 1);
  for (int64_t distance = 1; distance < n; distance *= 2) product = times(rule, product, moved(product, distance));
  return product;
}

// For each element the product of the others that are reduced with it.
Value prod_others(RuleContext& rule, const Value& x, const Type& type, uint32_t axes) {
  Builder& builder = rule.builder();
  const unsigned rank = type.shape.rank();
  if (axes == 0 || (type.shape.known() && type.shape.elements() == 0))
    return broadcast_to(builder, rule.number(1, type.dtype), type.shape);
  const std::vector<unsigned> order = reduced_last(rank, axes);
  Type flat{type.dtype, {}};
  Shape permuted;
  Dim n = 1;
  for (unsigned axis : order) {
    permuted.push_back(type.shape[axis]);
    if ((axes >> axis) & 1) {
      n = builder.multiply(n, type.shape[axis]);
    } else {
      flat.shape.push_back(type.shape[axis]);
    }
  }
  flat.shape.push_back(n);
  const Value rows = reshape(builder, permute(builder, x, order), flat.shape);
  const Value others =
      together(rule, times(rule, running_product(rule, rows, flat, true), running_product(rule, rows, flat, false)));
  return permute(builder, reshape(builder, others, permuted), inverse(order));
}

// --- running_product, as one operator: how many steps it takes only the run knows ---

Type running_type(ShapeBuilder&, const Call& call) { return operand_type(call, 0); }

Value running_eager(Builder& builder, Call& call) {
  const Type type = operand_type(call, 0);
  if (type.shape.elements() == 0) return std::move(call.args[0]);
  RuleContext rule(builder, false);
  Product product = running_product(rule, call.args[0], type, flag_argument(call, 1));
  return std::move(flag_argument(call, 2) ? product.exponent : product.mantissa);
}

[[noreturn]] void fail_running() { fail_not_staged("the number of factors of a product"); }
Value running_jvp(RuleContext&, const Residuals&, std::span<const Value>) { fail_running(); }
void running_vjp(RuleContext&, const Residuals&, Value, Cotangents&) { fail_running(); }

Value running_batch(Builder& builder, Call& call, const Batching&) { return ops::call(builder, call.entry, call.args); }

Value prod_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  if (tangents[0].is_none()) return Value();
  const ReduceArguments arguments = arguments_of(prod_entry(), residuals);
  return sum_along(
      rule, rule.scale(tangents[0], prod_others(rule, residuals.operands[0], residuals.types[0], arguments.axes)),
      arguments);
}

void prod_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  if (!out.wants(0)) return;
  const ReduceArguments arguments = arguments_of(prod_entry(), residuals);
  const Value others = prod_others(rule, residuals.operands[0], residuals.types[0], arguments.axes);
  out.add(0, rule.scale(spread(rule, cotangent, residuals.types[0].shape, arguments), others));
}

// --- max, min ---

template <bool Smallest>
const Entry& extreme_entry() {
  return Smallest ? min_entry() : max_entry();
}

template <bool Smallest>
Value mask_of(RuleContext& rule, const Residuals& residuals, const ReduceArguments& arguments) {
  return rule.call(extreme_mask_entry(), {residuals.operands[0], axes_value(arguments.axes), Value(Smallest)});
}

template <bool Smallest>
Value extreme_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  if (tangents[0].is_none()) return Value();
  const ReduceArguments arguments = arguments_of(extreme_entry<Smallest>(), residuals);
  return sum_along(
      rule,
      rule.where(mask_of<Smallest>(rule, residuals, arguments), tangents[0], rule.number(0, residuals.types[0].dtype)),
      arguments);
}

template <bool Smallest>
void extreme_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  if (!out.wants(0)) return;
  const ReduceArguments arguments = arguments_of(extreme_entry<Smallest>(), residuals);
  const Value spread_cotangent = spread(rule, cotangent, residuals.types[0].shape, arguments);
  out.add(0, rule.where(mask_of<Smallest>(rule, residuals, arguments), spread_cotangent,
                        rule.number(0, residuals.types[0].dtype)));
}

// --- logsumexp ---

constexpr double unbounded = std::numeric_limits<double>::infinity();

// exp(x − logsumexp(x)), 0 where all are −inf. Where it is differentiated again it is softmax by name, whose derivative
// loses no digits where a share is nearly 1.
Value softmax_of(RuleContext& rule, const Residuals& residuals, const ReduceArguments& arguments) {
  const Type& x = residuals.types[0];
  const Value zero = rule.number(0, x.dtype);
  const Value nothing = rule.call(handles().equal, {*residuals.result, rule.number(-unbounded, x.dtype)});
  if (is_differentiated(residuals.operands[0])) {
    const Value empty = with_axes(rule, constant_of(nothing), x.shape, arguments);
    const Value inside = rule.where(empty, zero, residuals.operands[0]);
    return rule.where(empty, zero, rule.call(softmax_entry(), {inside, axes_value(arguments.axes)}));
  }
  const Value total = rule.where(nothing, zero, *residuals.result);
  return rule.call(handles().exp, {rule.sub(residuals.operands[0], with_axes(rule, total, x.shape, arguments))});
}

Value logsumexp_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  if (tangents[0].is_none()) return Value();
  const ReduceArguments arguments = arguments_of(logsumexp_entry(), residuals);
  return sum_along(rule, rule.scale(tangents[0], softmax_of(rule, residuals, arguments)), arguments);
}

void logsumexp_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  if (!out.wants(0)) return;
  const ReduceArguments arguments = arguments_of(logsumexp_entry(), residuals);
  const Value softmax = softmax_of(rule, residuals, arguments);
  out.add(0, rule.scale(spread(rule, cotangent, residuals.types[0].shape, arguments), softmax));
}

}  // namespace

// Each on those before it along the last axis, or behind it.
Value pattern_of_others(Sets& sets, const Entry& entry, const Residuals& residuals, std::span<const Value> of) {
  const Shape& shape = residuals.types[0].shape;
  const unsigned axis = shape.rank() - 1;
  const Dim size = shape[axis];
  if (of[0].is_none() || size == Dim(0)) return of[0];
  const bool right = flag_argument(residual_call(entry, residuals), 1);
  Builder& b = sets.builder();
  Type edge{Dtype::i64, shape};
  edge.shape[axis] = Dim(1);
  Value none = zeros(b, edge);
  Value some = narrow(b, sets.running(of[0], axis, right), axis, Dim(right ? 1 : 0), Dim(size.number() - 1));
  Value parts[] = {right ? some : none, right ? none : some};
  return concat(b, parts, axis);
}

const Entry& running_product_entry() {
  static const Entry entry{
      .name = "running_product",
      .doc =
          "Along the last axis, the product of all elements before (or after) each one: its mantissa, or its exponent.",
      .parameters = {tensor_parameter("x"), attribute("right"), attribute("exponent")},
      .type = running_type,
      .eager = running_eager,
      .derivative = Derivative::by_hand(1, running_jvp, running_vjp),
      .batch = running_batch,
      .pattern = pattern_of_others,
      .internal = true,
  };
  return entry;
}

// The same reduction of every example: its axes are one further. Whether the last axis is among them does not change,
// so neither do the bits.
Value reduce_batch(Builder& builder, Call& call, const Batching& batching) {
  const unsigned rank = example_type(call, 0, batching).shape.rank();
  call.args[1] = axes_value(reduce_arguments(call, rank).axes << 1);
  return ops::call(builder, call.entry, call.args);
}

Value sum_transpose(RuleContext& rule, unsigned, const Residuals& residuals, const Value& cotangent) {
  return spread(rule, cotangent, residuals.types[0].shape, arguments_of(sum_entry(), residuals));
}

Value mean_transpose(RuleContext& rule, unsigned, const Residuals& residuals, const Value& cotangent) {
  const ReduceArguments arguments = arguments_of(mean_entry(), residuals);
  const Type& x = residuals.types[0];
  const Value share = rule.div(cotangent, reduced_count(rule, x.shape, arguments.axes, x.dtype));
  return spread(rule, share, x.shape, arguments);
}

Derivative prod_derivative() { return Derivative::by_hand(1, prod_jvp, prod_vjp); }
Derivative max_derivative() { return Derivative::by_hand(1, extreme_jvp<false>, extreme_vjp<false>); }
Derivative min_derivative() { return Derivative::by_hand(1, extreme_jvp<true>, extreme_vjp<true>); }
Derivative logsumexp_derivative() {
  return Derivative::by_hand(1 | Derivative::result_bit, logsumexp_jvp, logsumexp_vjp);
}

Value logsumexp_composed(Builder& builder, Call& call) {
  RuleContext rule(builder, true);
  const Type type = operand_type(call, 0);
  ReduceArguments arguments = reduce_arguments(call, type.shape.rank());
  const Dtype dtype = is_float(type.dtype) ? type.dtype : Dtype::f64;
  const Value x = cast_to(builder, std::move(call.args[0]), dtype);
  const Value axes = axes_value(arguments.axes);
  const Value largest = rule.call(max_entry(), {x, axes, Value(true)});
  const Value infinite =
      rule.call(handles().equal, {rule.call(handles().absolute, {largest}), rule.number(unbounded, dtype)});
  const Value shift = rule.where(infinite, rule.number(0, dtype), largest);
  const Value sum = rule.call(sum_entry(), {rule.call(handles().exp, {rule.sub(x, shift)}), axes, Value(true)});
  const Value result = rule.add(shift, rule.call(handles().log, {sum}));
  // Sizes that only the run will know: a sum over axes of extent 1 drops them and keeps every bit.
  if (!type.shape.known()) return arguments.keepdims ? result : rule.call(sum_entry(), {result, axes, Value(false)});
  return reshape(builder, result, reduced_shape(type.shape, arguments));
}

Family reduce_rules_entries() {
  static const Entry* const entries[] = {&running_product_entry()};
  return entries;
}

}  // namespace covec::ops
