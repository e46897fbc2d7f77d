// Lists the parts of a failed assertion, outer before inner, each once and on one line; a large tensor is shown by its
// most informative elements.
#include "interpreter/eval/walk/assertions.hpp"

#include "interpreter/eval/walk/parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "interpreter/eval/report/messages.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/tensor/format.hpp"
#include "stdlib/tensor/print.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/traced.hpp"

namespace covec {

using eval::row;

namespace {

constexpr size_t max_parts = 8, longest_text = 72;  // operands that are shown, and bytes of one

// "-0.5 to 2.25, 3 NaN".
template <class T>
std::string range_of(std::span<const T> numbers) {
  int64_t nans = 0;
  T least = std::numeric_limits<T>::max(), most = std::numeric_limits<T>::lowest();
  bool any = false;
  for (const T number : numbers) {
    if (number != number) {
      ++nans;
      continue;
    }
    any = true;
    least = std::min(least, number);
    most = std::max(most, number);
  }
  std::string text;
  if (any) text = ", " + text_of(Value(least), 4) + " to " + text_of(Value(most), 4);
  return nans == 0 ? text : text + ", " + std::to_string(nans) + " NaN";
}

// "f64[1000], -0.5 to 2.25", "bool[9], 7 true": what of a large tensor tells most.
std::string summary(ops::Builder& builder, const Value& value) {
  const std::string text = describe(value);
  if (!value.is(ObjectKind::tensor)) return text;
  const Dtype dtype = value.tensor().dtype(), wide = is_float(dtype) ? Dtype::f64 : Dtype::i64;
  const Value numbers = contiguous(builder.pool(), ops::cast_to(builder, value, wide));
  const auto count = static_cast<size_t>(numbers.tensor().size());
  if (wide == Dtype::f64) return text + range_of(std::span<const double>(numbers.tensor().as<double>(), count));
  const std::span<const int64_t> integers(numbers.tensor().as<int64_t>(), count);
  if (dtype != Dtype::boolean) return text + range_of(integers);
  return text + ", " + std::to_string(std::count(integers.begin(), integers.end(), 1)) + " true";
}

std::string shown(ops::Builder& builder, const Value& value) {
  constexpr int64_t max_numbers = 64;  // elements that are shown one by one
  if (value.is(ObjectKind::tensor) && value.tensor().size() > max_numbers) return summary(builder, value);
  std::string text = repr_of(value);
  return text.size() > longest_text || text.find('\n') != std::string::npos ? summary(builder, value) : text;
}

}  // namespace

bool Assertions::holds(const core::Expr& condition, const char* name, Operands& operands, Frame& f) {
  return parts_.expressions.truth(value_of(condition, operands, f), condition, f, name);
}

Value Assertions::choice(const core::Select& node, Operands& operands, Frame& f) {
  using Form = core::Select::Form;
  const char* name = node.form == Form::and_ ? "and" : node.form == Form::or_ ? "or" : nullptr;
  const bool left = holds(*node.condition, name, operands, f);
  if (node.form == Form::conditional) return value_of(left ? *node.then : *node.otherwise, operands, f);
  if (left != (node.form == Form::and_)) return Value(left);
  return Value(holds(node.form == Form::and_ ? *node.then : *node.otherwise, name, operands, f));
}

// The value, after those of its operands, each put into `operands`.
Value Assertions::value_of(const core::Expr& expr, Operands& operands, Frame& f) {
  if (expr.kind == core::ExprKind::select) return choice(static_cast<const core::Select&>(expr), operands, f);
  if (expr.kind != core::ExprKind::op) return parts_.expressions.value_of(expr, f);
  const auto& op = static_cast<const core::Op&>(expr);
  parts_.stack.check(f, op.span);
  Window args(parts_.stack, op.args.size()), rest(parts_.stack, op.rest.size());
  uint32_t literals = 0;
  const auto part = [&](const core::Expr& operand) {
    const size_t place = operands.size();
    Value value = value_of(operand, operands, f);
    if (!operand.literal && operand.kind != core::ExprKind::constant && !value.is(ObjectKind::function))
      operands.insert(operands.begin() + static_cast<std::ptrdiff_t>(place), {operand.span, value});
    return value;
  };
  for (size_t i = 0; i < op.args.size(); ++i) {
    if (op.args[i] == nullptr) continue;
    args[i] = part(*op.args[i]);
    if (i < 32) literals |= uint32_t{op.args[i]->literal} << i;
  }
  for (size_t i = 0; i < op.rest.size(); ++i) rest[i] = part(*op.rest[i]);
  return own(parts_.operators.call_operator(op, args.span(), rest.span(), literals, f));
}

// "a - b is 0.25" for each part, the outer ones before what they are made of.
std::vector<std::string> Assertions::told(const Operands& operands) const {
  std::vector<std::string> notes;
  for (const auto& [span, value] : operands) {
    std::string text = parts_.reporter.source_of(span);
    if (text.empty() || text.find('\n') != std::string::npos || text.size() > longest_text) continue;
    const std::string is = shown(parts_.applier.builder(), value);
    if (is == text) continue;
    std::string note = text + " is " + is;
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
    if (notes.size() == max_parts) break;
  }
  return notes;
}

void Assertions::check(const core::Assert& node, Frame& f) {
  Operands operands;
  if (!holds(*node.condition, nullptr, operands, f)) fail(node, operands, f);
}

void Assertions::fail(const core::Assert& node, const Operands& operands, Frame& f) {
  std::vector<std::string> notes = told(operands);
  std::vector<std::string> said;
  if (node.message) {
    const Value text = parts_.expressions.value_of(*node.message, f);
    try {
      said.push_back(format_value(text, ""));
    } catch (...) {
      parts_.reporter.raise(current_error(), node.message->span, {}, &f);
    }
  }
  const Message& what = node.message ? row("assertion_message") : row("assertion");
  Diagnostic diagnostic = parts_.reporter.diagnosis(what, said, {{node.condition->span, ""}}, &f, "");
  diagnostic.notes = std::move(notes);
  throw CovecError(std::move(diagnostic));
}

}  // namespace covec
