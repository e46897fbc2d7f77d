// Makes an entry from a function of numbers (functions.hpp): it broadcasts operands and computes element by element.
// The derivative by an operand, if there is one, is another entry. Private to the family. Start at entry_of().
#pragma once

#include "stdlib/kernels/interrupt_polls.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/tensor/views.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops::special {

inline constexpr unsigned max_operands = 4;  // no function has more (functions.hpp)
inline constexpr int64_t grain = 256;        // elements in a piece for a thread

// "cannot take comb of f64[2] and f64[3]: dimensions 2 and 3 differ"
inline Shape common_shape(ShapeBuilder& shapes, const Call& call) {
  const auto parts = [](const void* self, int64_t a, int64_t b) -> std::vector<std::string> {
    const Call& of = *static_cast<const Call*>(self);
    const size_t count = of.args.size();
    std::string types;
    for (unsigned i = 0; i < count; ++i)
      types += (i == 0 ? "" : i + 1 == count ? " and " : ", ") + operand_type(of, i).text();
    return {"take " + shown_name(of.entry) + " of " + types, std::to_string(a), std::to_string(b)};
  };
  const auto labels = [](const void* self, int64_t, int64_t) {
    const Call& of = *static_cast<const Call*>(self);
    std::vector<ArgumentLabel> all;
    for (unsigned i = 0; i < of.args.size(); ++i) {
      if (operand_type(of, i).shape.rank() != 0) all.push_back(label_of(of, i));
    }
    return all;
  };
  const Mismatch mismatch{&message("special_shapes"), parts, labels, &call};
  Shape shape = operand_type(call, 0).shape;
  for (unsigned i = 1; i < call.args.size(); ++i)
    shape = shapes.broadcast(shape, operand_type(call, i).shape, mismatch);
  return shape;
}

template <class TypeOf>
Dtype result_dtype(const Call& call, TypeOf&& type_of_operand) {
  PromotionOperand operands[max_operands];
  for (unsigned i = 0; i < call.args.size(); ++i) {
    const Type type = type_of_operand(i);
    const bool literal = (call.literals >> i & 1) != 0;
    operands[i] = {type.dtype, literal                  ? OperandClass::literal
                               : type.shape.rank() == 0 ? OperandClass::rank0
                                                        : OperandClass::tensor};
  }
  return float_dtype(promote(std::span(operands, call.args.size())));
}

inline Dtype result_dtype(const Call& call) {
  return result_dtype(call, [&](unsigned i) { return operand_type(call, i); });
}

inline Type special_type(ShapeBuilder& shapes, const Call& call) {
  return {result_dtype(call), common_shape(shapes, call)};
}

// A function of numbers, or of numbers and what it keeps from element to element.
template <class Function>
struct Signature;
template <class... Numbers>
struct Signature<double (*)(double, Numbers...)> {
  static constexpr unsigned operands = 1 + sizeof...(Numbers);
  struct Memory {};
};
template <class Known, class... Numbers>
struct Signature<double (*)(Known&, Numbers...)> {
  static constexpr unsigned operands = sizeof...(Numbers);
  using Memory = Known;
};

template <auto function>
constexpr unsigned operands_of() {
  return Signature<decltype(function)>::operands;
}

template <auto function>
using MemoryOf = typename Signature<decltype(function)>::Memory;

template <auto function, size_t... i>
double apply_at(MemoryOf<function>& memory, const double* const (&x)[max_operands], int64_t at,
                std::index_sequence<i...>) {
  if constexpr (std::is_invocable_v<decltype(function), decltype(x[i][at])...>)
    return function(x[i][at]...);
  else
    return function(memory, x[i][at]...);
}

// In f64, whatever the result's dtype is.
template <auto function>
Value special_eager(Builder& builder, Call& call) {
  constexpr unsigned count = operands_of<function>();
  const Type type = special_type(builder, call);
  Value operands[count];
  const double* numbers[max_operands] = {};
  for (unsigned i = 0; i < count; ++i) {
    const Value x = cast_to(builder, call.args[i], Dtype::f64);
    operands[i] = type.shape.empty() ? x : contiguous(builder.pool(), broadcast_value(builder.pool(), x, type.shape));
    numbers[i] = static_cast<const double*>(data_of(operands[i]));
  }
  Value result = make_tensor(builder.pool(), Dtype::f64, type.shape);
  auto* to = static_cast<double*>(result.is_scalar() ? result.scalar_data() : result.tensor().data());
  const int64_t n = type.shape.elements();
  kernels::parallel_for(builder.context(), n, grain, [&](int64_t begin, int64_t end) {
    kernels::InterruptPolls polls(builder.context());
    MemoryOf<function> memory;
    for (int64_t i = begin; i < end && !polls.stop(1000); ++i) {
      to[i] = apply_at<function>(memory, numbers, i, std::make_index_sequence<count>());
    }
  });
  return cast_to(builder, std::move(result), type.dtype);
}

// Promotion looks at one example's ranks: where the operands' dtypes are not the result's, they are made f64, in which
// it is computed anyway. Examples of different ranks broadcast from the right.
inline Value special_batch(Builder& builder, Call& call, const Batching& batching) {
  const auto example = [&](unsigned i) { return example_type(call, i, batching); };
  const Dtype result = result_dtype(call, example);
  unsigned rank = 0;
  bool mixed = false;
  for (unsigned i = 0; i < call.args.size(); ++i) {
    rank = std::max(rank, example(i).shape.rank());
    mixed |= example(i).dtype != result;
  }
  for (unsigned i = 0; i < call.args.size(); ++i) {
    Value& operand = call.args[i];
    if (batching.batched[i]) operand = align_batch(builder, std::move(operand), rank);
    if (mixed) operand = ops::call(builder, cast_entry(Dtype::f64), {std::move(operand)});
  }
  Value value = ops::call(builder, call.entry, call.args);
  return mixed && result != Dtype::f64 ? ops::call(builder, cast_entry(result), {std::move(value)}) : value;
}

// ∂f/∂x of the operand that has one: `partial` of what a rule keeps.
using PartialDerivative = Value (*)(RuleContext&, const Residuals&);

[[noreturn]] inline void fail_shape(std::string_view name, std::string_view parameter) {
  fail(message("shape_derivative"), {std::string(name), std::string(parameter)});
}

template <const Entry& (*entry)(), unsigned at, PartialDerivative partial>
Value derivative_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  for (unsigned i = 0; i < tangents.size(); ++i) {
    if (i != at && !tangents[i].is_none()) fail_shape(entry().name, entry().parameters[i].name);
  }
  return tangents[at].is_none() ? Value() : rule.scale(tangents[at], partial(rule, residuals));
}

template <const Entry& (*entry)(), unsigned at, PartialDerivative partial>
void derivative_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  for (unsigned i = 0; i < residuals.types.size(); ++i) {
    if (i != at && out.wants(i)) out.refuse(i, [i] { fail_shape(entry().name, entry().parameters[i].name); });
  }
  if (out.wants(at))
    out.add(at, rule.sum_to(rule.scale(std::move(cotangent), partial(rule, residuals)), residuals.types[at]));
}

struct Text {
  std::string_view name, doc;
  std::vector<std::string_view> parameters;
  bool last_is_one = false;  // when it is left out
  bool of_result = false;    // its derivative reads the result
};

template <auto function, const Entry& (*entry)(), unsigned at, PartialDerivative partial>
Entry entry_of(const Text& text, std::vector<Sample> samples, bool internal = false) {
  std::vector<Parameter> parameters;
  for (const std::string_view name : text.parameters) parameters.push_back(tensor_parameter(name));
  if (text.last_is_one) parameters.back() = {.name = text.parameters.back(), .required = false, .fallback = Value(1.0)};
  return {
      .name = text.name,
      .doc = text.doc,
      .parameters = std::move(parameters),
      .type = special_type,
      .eager = special_eager<function>,
      .derivative = Derivative::by_hand(((uint64_t{1} << operands_of<function>()) - 1) | uint64_t{text.of_result} << 63,
                                        derivative_jvp<entry, at, partial>, derivative_vjp<entry, at, partial>),
      .batch = special_batch,
      .effects = {.may_fail = operands_of<function>() > 1},
      .samples = std::move(samples),
      .internal = internal};
}

const Entry& zeta_entry();
const Entry& real_combinations_entry();  // (n, k): floats; internal

// Those of bessel_entries.cpp, combinations.cpp, gamma_entries.cpp and sinc_entries.cpp.
Family bessel_entries();
Family combination_entries();
Family gamma_entries();
Family sinc_entries();

}  // namespace covec::ops::special
