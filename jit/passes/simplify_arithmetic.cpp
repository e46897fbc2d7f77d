// Rules for arithmetic. Floats are IEEE's, rounded to nearest; c is a constant number, or a tensor filled with one.
#include <cmath>
#include <unordered_map>

#include "jit/passes/analysis/failures.hpp"
#include "jit/passes/simplify.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/elementwise/bodies/arithmetic.hpp"
#include "stdlib/ops/elementwise/bodies/casts.hpp"
#include "stdlib/ops/elementwise/bodies/logic.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::passes {

using namespace ir;
using ops::entry_of;

namespace {

bool is_float_result(Rewriter& rewriter, const Operation& operation) {
  return is_float(rewriter.graph().values[operation.results[0]].type.dtype);
}

// The operand of a negation; unbound when a value is none.
Value negated(const Rewriter& rewriter, const Value& value) {
  const Operation* negation = rewriter.maker(value, entry_of<ops::Negate>());
  if (negation == nullptr) return Value::unbound();
  const Value& operand = negation->args[0];
  return rewriter.type(operand).dtype == Dtype::boolean ? Value::unbound() : operand;
}

// A constant in the dtype that the operation computes in, where it may be another number (5e-324 is 0 as f32).
Value in_dtype(Rewriter& rewriter, const Value& constant, Dtype dtype) {
  if (constant.scalar_dtype() == dtype) return constant;
  return rewriter.evaluator().run(ops::cast_entry(dtype), {constant}).value_or(Value::unbound());
}

// x + −0 is x: −0 + −0 is −0, and nothing else is changed by adding zero. x + +0 is x but for −0. Integers wrap: x + 0
// is x.
bool add(Rewriter& rewriter, Operation& operation) {
  for (size_t i = 0; i < 2; ++i) {
    const Value c = constant_of(rewriter, operation.args[1 - i]);
    if (c.is_unbound() || !is_any_zero(c)) continue;
    const Value& x = operation.args[i];
    const bool is_safe =
        !is_float_result(rewriter, operation) || is_number(c, -0.0) || never_negative_zero(rewriter, x);
    if (is_safe && becomes(rewriter, operation, x)) return true;
  }
  return false;
}

// x − +0 is x: −0 − +0 is −0. x − −0 is x + +0. −0 − x is −x: −0 − −0 is +0, −0 − +0 is −0.
bool subtract(Rewriter& rewriter, Operation& operation) {
  const Value a = constant_of(rewriter, operation.args[0]), b = constant_of(rewriter, operation.args[1]);
  const Value x = operation.args[0], y = operation.args[1];
  const bool floats = is_float_result(rewriter, operation);
  if (!b.is_unbound() && is_any_zero(b) && (!floats || is_number(b, 0.0) || never_negative_zero(rewriter, x))) {
    if (becomes(rewriter, operation, x)) return true;
  }
  const bool from_zero = !a.is_unbound() && is_number(a, floats ? -0.0 : 0.0) && is_float(a.scalar_dtype()) == floats;
  return from_zero && rewriter.same_type(result_of(rewriter, operation), y) &&
         becomes(rewriter, operation, entry_of<ops::Negate>(), {y});
}

// 1·x is x, −1·x is −x (zeros and infinities too), 0·x is 0 of integers alone. (−x)·(−y) is x·y, where both are negated
// in the dtype of the product (−0 of integers is 0, and −0.0 is not).
bool multiply(Rewriter& rewriter, Operation& operation) {
  for (size_t i = 0; i < 2; ++i) {
    const Value x = operation.args[i];
    const Value c = constant_of(rewriter, operation.args[1 - i]);
    if (c.is_unbound()) continue;
    if (is_number(c, 1.0) && becomes(rewriter, operation, x)) return true;
    if (is_number(c, -1.0) && rewriter.same_type(result_of(rewriter, operation), x) &&
        becomes(rewriter, operation, entry_of<ops::Negate>(), {x})) {
      return true;
    }
    if (is_any_zero(c) && !is_float_result(rewriter, operation)) {
      if (becomes(rewriter, operation, in_dtype(rewriter, c, rewriter.type(result_of(rewriter, operation)).dtype)))
        return true;
    }
  }
  const Value x = negated(rewriter, operation.args[0]), y = negated(rewriter, operation.args[1]);
  if (x.is_unbound() || y.is_unbound()) return false;
  const Dtype dtype = rewriter.type(result_of(rewriter, operation)).dtype;
  return rewriter.type(x).dtype == dtype && rewriter.type(y).dtype == dtype &&
         becomes(rewriter, operation, *operation.entry, {x, y});
}

// 1/c for a power of two whose reciprocal is a number; unbound otherwise.
Value exact_reciprocal(const Value& c) {
  int exponent = 0;
  if (c.tag() == Tag::f64) {
    const double r = 1.0 / c.f64();
    return std::abs(std::frexp(c.f64(), &exponent)) == 0.5 && std::isfinite(r) && r != 0 ? Value(r) : Value::unbound();
  }
  if (c.tag() != Tag::f32) return Value::unbound();
  const float r = 1.0f / c.f32();
  return std::abs(std::frexp(c.f32(), &exponent)) == 0.5f && std::isfinite(r) && r != 0 ? Value(r) : Value::unbound();
}

// x / 1 is x, x / −1 is −x. x / 2^k is x·2^−k: the exact quotient is the exact product, and both are rounded once.
bool divide(Rewriter& rewriter, Operation& operation) {
  const Value x = operation.args[0];
  Value c = constant_of(rewriter, operation.args[1]);
  if (c.is_unbound()) return false;
  if (is_number(c, 1.0) && becomes(rewriter, operation, x)) return true;
  const Dtype dtype = rewriter.type(result_of(rewriter, operation)).dtype;
  c = in_dtype(rewriter, c, dtype);
  const Value reciprocal = exact_reciprocal(c);
  if (reciprocal.is_unbound() || !is_float(rewriter.type(x).dtype)) return false;
  const bool same = rewriter.same_type(result_of(rewriter, operation), x);
  if (is_number(c, -1.0) && same && becomes(rewriter, operation, entry_of<ops::Negate>(), {x})) return true;
  return same && becomes(rewriter, operation, entry_of<ops::Multiply>(), {x, reciprocal});
}

// Integers: x // 1 is x (a float's is its floor).
bool floor_divide(Rewriter& rewriter, Operation& operation) {
  const Value c = constant_of(rewriter, operation.args[1]);
  return !c.is_unbound() && is_number(c, 1.0) && !is_float_result(rewriter, operation) &&
         becomes(rewriter, operation, Value(operation.args[0]));
}

// Integers: x % 1 is 0.
bool modulo(Rewriter& rewriter, Operation& operation) {
  const Value c = constant_of(rewriter, operation.args[1]);
  const Dtype dtype = rewriter.type(result_of(rewriter, operation)).dtype;
  return !c.is_unbound() && is_number(c, 1.0) && !is_float(dtype) &&
         becomes(rewriter, operation, Evaluator::number(0, dtype));
}

// −−x is x: a sign bit, or 0 − (0 − x) modulo 2^n.
bool negate(Rewriter& rewriter, Operation& operation) {
  const Value x = negated(rewriter, operation.args[0]);
  return !x.is_unbound() && becomes(rewriter, operation, x);
}

bool positive(Rewriter& rewriter, Operation& operation) {
  return becomes(rewriter, operation, Value(operation.args[0]));
}

// |−x| is |x|, but where −x wraps to another number; ||x|| is |x|.
bool absolute(Rewriter& rewriter, Operation& operation) {
  const Value x = negated(rewriter, operation.args[0]);
  if (!x.is_unbound() && !is_unsigned(rewriter.type(x).dtype))
    return becomes(rewriter, operation, *operation.entry, {x});
  if (!is_float_result(rewriter, operation) || !rewriter.maker(operation.args[0], *operation.entry)) return false;
  return becomes(rewriter, operation, Value(operation.args[0]));
}

// A floor has no floor but itself; an integer is one.
bool floor(Rewriter& rewriter, Operation& operation) {
  const bool whole = !is_float_result(rewriter, operation) || rewriter.maker(operation.args[0], *operation.entry);
  return whole && becomes(rewriter, operation, Value(operation.args[0]));
}

// Of a number and itself; NaN stays NaN.
bool extreme(Rewriter& rewriter, Operation& operation) {
  return same_operand(operation.args[0], operation.args[1]) && becomes(rewriter, operation, Value(operation.args[0]));
}

// An extent is no less than 0.
bool maximum(Rewriter& rewriter, Operation& operation) {
  for (size_t i = 0; i < 2; ++i) {
    const Operation* const maker = rewriter.maker(operation.args[i]);
    const Value& other = operation.args[1 - i];
    const bool extent = maker != nullptr && maker->kind == Kind::dimension;
    if (extent && other.tag() == Tag::i64 && other.i64() <= 0) return becomes(rewriter, operation, operation.args[i]);
  }
  return extreme(rewriter, operation);
}

// ct ⊗ d is 0 where ct is ±0, else ct·d. A known ct that is not 0: the product (a NaN is not 0 either). A known ct of
// +0: +0 it is. A known factor 1: ct, but +0 for −0, which is what ct + +0 gives. Of a truth: d where it holds.
bool scale(Rewriter& rewriter, Operation& operation) {
  const Value ct = operation.args[0];
  const Operation* const cast = rewriter.maker(ct);
  if (cast != nullptr && cast->kind == Kind::apply && cast->entry->dtype &&
      rewriter.type(cast->args[0]).dtype == Dtype::boolean) {
    const Value zero = Evaluator::number(0, rewriter.type(result_of(rewriter, operation)).dtype);
    const std::vector<Value> args = {cast->args[0], operation.args[1], zero};
    if (becomes(rewriter, operation, entry_of<ops::Where>(), args)) return true;
  }
  Value c = constant_of(rewriter, ct);
  const Value d = constant_of(rewriter, operation.args[1]);
  if (!c.is_unbound()) c = in_dtype(rewriter, c, rewriter.type(result_of(rewriter, operation)).dtype);
  if (!c.is_unbound()) {
    if (!is_any_zero(c))
      return becomes(rewriter, operation, entry_of<ops::Multiply>(), operation.args, operation.literals);
    if (is_number(c, 0.0)) return becomes(rewriter, operation, ct);
  }
  if (d.is_unbound() || !is_number(d, 1.0) || !rewriter.same_type(result_of(rewriter, operation), ct)) return false;
  if (never_negative_zero(rewriter, ct)) return becomes(rewriter, operation, ct);
  const Value zero = Evaluator::number(0, rewriter.type(ct).dtype);
  return becomes(rewriter, operation, entry_of<ops::Add>(), {ct, zero});
}

// a·b, but 0 where either is ±0: with a known a that is not 0 it is b ⊗ a.
bool scale_both(Rewriter& rewriter, Operation& operation) {
  for (size_t i = 0; i < 2; ++i) {
    Value c = constant_of(rewriter, operation.args[i]);
    if (!c.is_unbound()) c = in_dtype(rewriter, c, rewriter.type(result_of(rewriter, operation)).dtype);
    if (c.is_unbound() || is_any_zero(c)) continue;
    if (becomes(rewriter, operation, entry_of<ops::Scale>(), {operation.args[1 - i], operation.args[i]})) return true;
  }
  return false;
}

// --- casts ---

// Every number of `from` is one of `to`.
bool widens(Dtype from, Dtype to) {
  if (from == to || from == Dtype::boolean) return true;
  if (to == Dtype::boolean || is_half(to) || (is_float(from) && !is_float(to))) return false;
  return kind_of(from) == kind_of(to) ? holds(to, from) : info_of(to).digits >= info_of(from).digits;
}

// A conversion depends on the number alone: after one that keeps it, it is the conversion of the operand.
bool cast(Rewriter& rewriter, Operation& operation) {
  const Value x = operation.args[0];
  if (becomes(rewriter, operation, x)) return true;
  const Operation* inner = rewriter.maker(x);
  if (inner == nullptr || inner->kind != Kind::apply || !inner->entry->dtype) return false;
  if (!widens(rewriter.type(inner->args[0]).dtype, *inner->entry->dtype)) return false;
  return becomes(rewriter, operation, *operation.entry, {inner->args[0]});
}

}  // namespace

Rule arithmetic_rule(const ops::Entry& entry) {
  static const std::unordered_map<const ops::Entry*, Rule> rules = {
      {&entry_of<ops::Add>(), add},
      {&entry_of<ops::Subtract>(), subtract},
      {&entry_of<ops::Multiply>(), multiply},
      {&entry_of<ops::Divide>(), divide},
      {&entry_of<ops::FloorDivide>(), floor_divide},
      {&entry_of<ops::Modulo>(), modulo},
      {&entry_of<ops::Negate>(), negate},
      {&entry_of<ops::Positive>(), positive},
      {&entry_of<ops::Absolute>(), absolute},
      {&entry_of<ops::Floor>(), floor},
      {&entry_of<ops::Minimum>(), extreme},
      {&entry_of<ops::Maximum>(), maximum},
      {&entry_of<ops::Scale>(), scale},
      {&entry_of<ops::ScaleBoth>(), scale_both},
  };
  if (entry.is_cast()) return cast;
  const auto found = rules.find(&entry);
  return found == rules.end() ? nullptr : found->second;
}

}  // namespace covec::passes
