#include "stdlib/ops/contract/complex.hpp"

#include <algorithm>
#include <vector>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/value/broadcast.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

PromotionOperand promoted(const Type& type, bool literal) {
  const OperandClass of_rank0 = literal ? OperandClass::literal : OperandClass::rank0;
  return {type.dtype, type.shape.rank() > 0 ? OperandClass::tensor : of_rank0};
}

Dtype part_dtype(const Type& re, const Type& im, uint32_t literals) {
  const PromotionOperand operands[] = {promoted(re, (literals & 1) != 0), promoted(im, (literals & 2) != 0)};
  const Dtype dtype = promote(operands);
  return is_half(dtype) ? Dtype::f32 : float_dtype(dtype);
}

// Of parts that do not go together too: broadcasting one of them to it is the error then, on every engine.
Shape shape_of_both(Builder& builder, const Shape& a, const Shape& b) {
  const Mismatch unused{};  // no axis fails
  return broadcast(a, b, [&](unsigned, Dim x, Dim y) {
    return x.known() && y.known() ? (x == Dim(1) ? y : x) : builder.broadcast(x, y, unused);
  });
}

using Part = Value (*)(Builder&, const Value&);
Value re_of(Builder&, const Value& value) { return real_part(value); }

void assume_one_shape(Builder& builder, const Value& z) {
  const Shape re = logical_type(complex_of(z).re()).shape, im = logical_type(complex_of(z).im()).shape;
  for (unsigned axis = 0; axis < re.rank(); ++axis) builder.assume_equal(re[axis], im[axis]);
}

// The operator on parts of the operands that `takes` names.
template <class Takes>
Value on_parts(Builder& builder, const Call& call, Part part, Takes takes) {
  std::vector<Value> args(call.args.begin(), call.args.end()), rest(call.rest.begin(), call.rest.end());
  for (size_t i = 0; i < args.size() + rest.size(); ++i) {
    Value& value = i < args.size() ? args[i] : rest[i - args.size()];
    if (takes(i)) value = part(builder, value);
  }
  return ops::call(builder, call.entry, args, rest, call.literals);
}

template <class Takes>
Value parts(Builder& builder, Call& call, Takes takes) {
  const size_t operands = call.args.size() + call.rest.size();
  for (unsigned i = 0; i < operands; ++i) {
    const bool complex = is_complex(call.operand(i));
    if (!takes(i) && complex) fail_attribute(call, i, "real");
    if (takes(i) && !complex && !call.operand(i).is_none()) require_operand(builder, call, i);
  }
  Value re = on_parts(builder, call, re_of, takes);
  Value im = on_parts(builder, call, imaginary_part, takes);
  if (!is_operand(re))
    return map_trees(std::array{re, im}, [&](std::span<const Value> both) {
      return is_operand(both[0]) ? complex_value(builder, both[0], both[1]) : both[0];
    });
  return complex_value(builder, std::move(re), std::move(im));
}

}  // namespace

Value complex_value(Builder& builder, Value re, Value im, uint32_t literals) {
  const Type types[] = {logical_type(re), logical_type(im)};
  const Dtype dtype = part_dtype(types[0], types[1], literals);
  if (types[0].dtype != dtype) re = cast_to(builder, std::move(re), dtype);
  if (types[1].dtype != dtype) im = cast_to(builder, std::move(im), dtype);
  if (types[0].shape != types[1].shape) {
    const Shape shape = shape_of_both(builder, types[0].shape, types[1].shape);
    if (types[0].shape != shape) re = broadcast_to(builder, std::move(re), shape);
    if (types[1].shape != shape) im = broadcast_to(builder, std::move(im), shape);
  }
  return make_complex(std::move(re), std::move(im));
}

Value real_part(const Value& value) { return is_complex(value) ? complex_of(value).re() : value; }

Value imaginary_part(Builder& builder, const Value& value) {
  return is_complex(value) ? complex_of(value).im() : zeros(builder, logical_type(value));
}

Value by_parts(Builder& builder, Call& call) {
  return parts(builder, call, [](size_t i) { return i == 0; });
}

Value call_by_parts(Builder& builder, Call& call, uint32_t bits) {
  return parts(builder, call, [&](size_t i) { return i < 32 && (bits >> i & 1) != 0; });
}

Value by_parts_of_rest(Builder& builder, Call& call) {
  return parts(builder, call, [&](size_t i) { return i >= call.args.size(); });
}

std::vector<Value> real_arguments(const Call& call) {
  const std::optional<Dtype> dtype = asked_part_dtype(call.entry, call.args);
  if (!dtype || std::ranges::any_of(call.args, is_complex) || std::ranges::any_of(call.rest, is_complex))
    fail(message("no_complex"), {shown_name(call.entry)});
  std::vector<Value> args(call.args.begin(), call.args.end());
  for (size_t i = 0; i < args.size(); ++i) {
    if (dtype && call.entry.parameters[i].name == "dtype") args[i] = function_of(cast_entry(*dtype));
  }
  return args;
}

Value with_zeros(Builder& builder, Call& call) {
  std::vector<Value> args = real_arguments(call);
  Value re = ops::call(builder, call.entry, args, call.rest, call.literals);
  Value im = zeros(builder, logical_type(re));
  return make_complex(std::move(re), std::move(im));
}

Value multilinear(Builder& builder, Call& call) {
  std::vector<Value> args(call.args.begin(), call.args.end()), rest(call.rest.begin(), call.rest.end());
  for (size_t i = 0; i < args.size() + rest.size(); ++i) {
    Value& operand = i < args.size() ? args[i] : rest[i - args.size()];
    if (!is_complex(operand)) continue;
    const Value z = operand;
    operand = complex_of(z).re();
    std::vector<Value> others = args, more = rest;
    (i < args.size() ? others[i] : more[i - args.size()]) = complex_of(z).im();
    const Value of_re = ops::call(builder, call.entry, args, rest, call.literals);
    const Value of_im = ops::call(builder, call.entry, others, more, call.literals);
    if (!is_complex(of_re)) return complex_value(builder, of_re, of_im);
    RuleContext rules(builder, false);
    const Complex &a = complex_of(of_re), &b = complex_of(of_im);
    return complex_value(builder, rules.sub(a.re(), b.im()), rules.add(a.im(), b.re()));
  }
  return ops::call(builder, call.entry, args, rest, call.literals);
}

Value complex_dtype_value(Dtype part) { return function_of(part == Dtype::f32 ? handles().c64 : handles().c128); }

std::optional<Dtype> asked_part_dtype(const Entry& entry, std::span<const Value> args) {
  for (size_t i = 0; i < std::min(args.size(), entry.parameters.size()); ++i) {
    if (!args[i].is(ObjectKind::function) || entry.parameters[i].name != "dtype") continue;
    if (const Entry* const cast = args[i].function().entry()) return cast->part_dtype;
  }
  return std::nullopt;
}

bool has_complex(const Entry& entry, const Value& value, ParameterKind kind, unsigned depth) {
  constexpr unsigned deepest = 5000;  // what is deeper is an error of the walk that follows
  if (is_complex(value)) {
    const bool takes = kind == ParameterKind::tensor || kind == ParameterKind::tensors;
    return takes || entry.complex != nullptr || (entry.carries && entry.derivative.by_parts());
  }
  if (value.is(ObjectKind::function)) {
    const Entry* const cast = value.function().entry();
    return cast != nullptr && cast->part_dtype && kind == ParameterKind::attribute;
  }
  if (kind != ParameterKind::tensors || !is_tree(value) || depth > deepest) return false;
  if (value.is(ObjectKind::list) && value.list().of_one_kind()) return false;
  const std::vector<Value>& items = *children(value);
  return std::ranges::any_of(items, [&](const Value& item) { return has_complex(entry, item, kind, depth + 1); });
}

bool is_of_complex(const Entry& entry, std::span<const Value> args, std::span<const Value> rest) {
  return asked_part_dtype(entry, args) || std::ranges::any_of(args, holds_complex) ||
         std::ranges::any_of(rest, holds_complex);
}

void fail_complex(const Call& call, unsigned operand) {
  // Operators of several families that compare elements; elementwise ones have hints of their own.
  constexpr std::string_view of_order[] = {
      "argmax", "argmin", "bincount", "cummax", "cummin",       "max",    "min",  "digitize", "histogram", "median",
      "nanmax", "nanmin", "quantile", "topk",   "searchsorted", "unique", "isin", "union",    "intersect", "setdiff"};
  std::string hint(call.entry.instead_of_complex);
  if (hint.empty() && std::ranges::find(of_order, call.entry.name) != std::end(of_order))
    hint = "complex numbers have no order: use abs(z), real(z) or imag(z)";
  fail(message("no_complex"), {shown_name(call.entry)}, {label_of(call, operand)}, std::move(hint));
}

Value call_complex(Builder& builder, Call& call) {
  const Entry& entry = call.entry;
  for (unsigned i = 0; i < call.operands(); ++i) {
    if (!is_complex(call.operand(i))) continue;
    if (i < call.args.size() && entry.parameters[i].kind == ParameterKind::attribute) fail_attribute(call, i, "real");
    assume_one_shape(builder, call.operand(i));
  }
  const bool moves = entry.carries && !call.args.empty() && is_complex(call.args[0]);
  if (entry.complex != nullptr) return entry.complex(builder, call);
  if (moves) return by_parts(builder, call);
  for (unsigned i = 0; i < call.operands(); ++i) {
    if (is_complex(call.operand(i))) fail_complex(call, i);
  }
  fail(message("no_complex_dtype"), {shown_name(entry)});
}

}  // namespace covec::ops
