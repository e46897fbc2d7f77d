// The entries of pointwise operators, made from their structs (bodies/*.hpp), and the entries that replace some of them
// for other operands. A new operator goes into its family's list, in its own file; a new list goes into lists.hpp.
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/equality.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/elementwise/casts.hpp"
#include "stdlib/ops/elementwise/compose.hpp"
#include "stdlib/ops/elementwise/family.hpp"
#include "stdlib/ops/elementwise/lists.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

const PointwiseOperator& operator_in(Arithmetic family, size_t index) {
  return operator_at(family, COVEC_PER_ISA(arithmetic_rows), index);
}
const PointwiseOperator& operator_in(Comparisons family, size_t index) {
  return operator_at(family, COVEC_PER_ISA(comparison_rows), index);
}
const PointwiseOperator& operator_in(Logic family, size_t index) {
  return operator_at(family, COVEC_PER_ISA(logic_rows), index);
}
const PointwiseOperator& operator_in(Rounding family, size_t index) {
  return operator_at(family, COVEC_PER_ISA(rounding_rows), index);
}
const PointwiseOperator& operator_in(Functions family, size_t index) {
  return operator_at(family, COVEC_PER_ISA(function_rows), index);
}
const PointwiseOperator& operator_in(Casts family, size_t index) { return operator_at(family, {}, index); }

namespace {

template <class Operator, class Family>
struct IndexIn;
template <class Operator, class... All>
struct IndexIn<Operator, List<All...>> {
  static constexpr bool found = (std::is_same_v<Operator, All> || ...);
  static constexpr size_t index() {
    size_t i = 0;
    static_cast<void>(((std::is_same_v<Operator, All> || (++i, false)) || ...));
    return i;
  }
};

template <class Operator, class Family, class... More>
const PointwiseOperator& operator_of(List<Family, More...>) {
  if constexpr (IndexIn<Operator, Family>::found)
    return operator_in(Family{}, IndexIn<Operator, Family>::index());
  else
    return operator_of<Operator>(List<More...>{});
}

using Families =
    List<Arithmetic, Comparisons, Logic, Rounding, Functions, Roots, Logarithms, Angles, Hyperbolic, ErrorFunctions,
         GammaFunctions, Derivatives, ErrorDerivatives, PointDerivatives, PowerDerivatives, Casts>;

}  // namespace

template <class Operator>
[[gnu::noinline]] const Entry& entry_of() {
  static const Entry entry = make_entry<Operator>(operator_of<Operator>(Families{}));
  return entry;
}

namespace {

// --- what is not done elementwise: == of trees and strings ---

// "number" of numbers and tensors, ranges included; what else a value is.
std::string_view kind_name(const Value& value) {
  if (is_operand(value) || is_complex(value) || value.is(ObjectKind::sequence)) return "a number or tensor";
  if (!value.is_object()) return "none";
  switch (value.object()->kind) {
    case ObjectKind::string: return "a string";
    case ObjectKind::tuple: return "a tuple";
    case ObjectKind::list: return "a list";
    case ObjectKind::record: return "a record";
    case ObjectKind::map: return "a map";
    case ObjectKind::function: return "a function";
    default: return "a module";
  }
}

std::string cure_of(const Value& a, const Value& b) {
  const Value& number = is_operand(a) ? a : b;
  const Value& other = is_operand(a) ? b : a;
  if (is_operand(number) && other.is(ObjectKind::string))
    return "convert the text with f64(text) or i64(text), or the number with str(x)";
  if (is_operand(number) && (other.is(ObjectKind::tuple) || other.is(ObjectKind::list)))
    return "tensor(items) makes a tensor; `x in items` looks for one";
  return "use same(a, b) to compare values of any kind";
}

// A comparison that can only be false is a mistake; none is compared with everything, and inside trees kinds may
// differ.
void expect_one_kind(const Call& call) {
  const Value &a = call.args[0], &b = call.args[1];
  const std::string_view left = kind_name(a), right = kind_name(b);
  if (left == right || left == "none" || right == "none") return;
  fail(message("kinds_differ"), {std::string(left), std::string(right)}, {{0, ""}, {1, ""}}, cure_of(a, b));
}

Value equal_values(Builder& builder, Call& call) {
  expect_one_kind(call);
  return equality(builder, call.args[0], call.args[1], "whether two values are equal");
}
Value unequal_values(Builder& builder, Call& call) {
  const Value equal = equal_values(builder, call);
  return equal.is_scalar() ? Value(!equal.boolean()) : ops::call(builder, entry_of<LogicalNot>(), {equal});
}

Entry whole_entry(std::string_view name, std::string_view doc, Value (*eager)(Builder&, Call&)) {
  Entry entry{.name = name,
              .doc = doc,
              .parameters = {any_parameter("a"), any_parameter("b")},
              .derivative = Derivative::none("is not a function of numbers")};
  entry.eager = eager;
  entry.internal = true;
  entry.staging = Staging::structural;
  return entry;
}

const Entry& equal_entry() {
  static const Entry entry =
      whole_entry("equal_values", "Whether two values are the same: strings, none, trees.", equal_values);
  return entry;
}
const Entry& unequal_entry() {
  static const Entry entry =
      whole_entry("unequal_values", "Whether two values differ: strings, none, trees.", unequal_values);
  return entry;
}

bool elementwise(const Value& value) { return is_operand(value) || value.is(ObjectKind::sequence); }
// Two sequences are compared whole; a sequence beside a tensor is one.
bool compares_whole(std::span<const Value> args) {
  if (args.size() != 2 || args[0].is_unbound() || args[1].is_unbound()) return false;
  return !elementwise(args[0]) || !elementwise(args[1]) || (!is_operand(args[0]) && !is_operand(args[1]));
}

}  // namespace

Value positive_eager(Builder& builder, Call& call) {
  const bool same = logical_type(call.args[0]).dtype != Dtype::boolean;
  return same ? std::move(call.args[0]) : pointwise_eager(builder, call);
}

const Entry* equal_instead(std::span<const Value> args, uint32_t) {
  return compares_whole(args) ? &equal_entry() : nullptr;
}
const Entry* not_equal_instead(std::span<const Value> args, uint32_t) {
  return compares_whole(args) ? &unequal_entry() : nullptr;
}
// Digits that are 0 change nothing.
const Entry* round_instead(std::span<const Value> args, uint32_t) {
  if (args.size() < 2 || args[1].is_unbound() || (is_integer(args[1]) && integer_of(args[1]) == 0)) return nullptr;
  return &entry_of<RoundDigits>();
}
const Entry* integer_power_instead(std::span<const Value> args, uint32_t literals) {
  if ((literals & 2) == 0 || args.size() != 2 || args[1].tag() != Tag::i64 || !is_operand(args[0])) return nullptr;
  const int64_t n = args[1].i64();
  if (n < -16 || n > 16) return nullptr;
  if (n < 0 && !is_float(logical_type(args[0]).dtype)) return nullptr;  // the general way reports it
  return &entry_of<IntegerPower>();
}

void set_plain_dtypes(PointwiseOperator& op) {
  const TypeClass types = op.info.types;
  if (types == TypeClass::cast || types == TypeClass::choice || op.info.parameter) return;
  for (const Dtype dtype : all_dtypes) {
    const bool comparison = types == TypeClass::comparison;
    if (!is_narrow(dtype) && op.kernel(Isa::baseline, dtype) != nullptr)
      op.plain[static_cast<size_t>(dtype)] = static_cast<uint8_t>(comparison ? Dtype::boolean : dtype);
  }
}

std::vector<Parameter> pointwise_parameters(const PointwiseInfo& info) {
  std::vector<Parameter> parameters;
  for (unsigned i = 0; i < info.arity; ++i) {
    const bool number = info.parameter && i + 1 == info.arity;
    parameters.push_back(number ? attribute(info.parameters[i]) : tensor_parameter(info.parameters[i]));
  }
  if (&info == &Round::info) parameters.push_back(attribute("digits", int64_t{0}));  // see round_instead
  return parameters;
}

std::vector<Sample> pointwise_samples(std::span<const PointwiseSample> samples) {
  std::vector<Sample> result;
  for (const PointwiseSample& s : samples)
    result.push_back({s.arguments, s.expected, s.source, s.ulp, s.differentiate});
  return result;
}

// --- the family ---

namespace {

template <class... Operators>
void append(std::vector<const Entry*>& entries, List<Operators...>) {
  // Addresses, so that every entry_of is emitted for other files to link.
  const Entry& (*functions[])() = {&entry_of<Operators>...};
  for (auto* function : functions) entries.push_back(&function());
}

template <class... Each>
std::vector<const Entry*> gather_entries(List<Each...>) {
  std::vector<const Entry*> entries;
  (append(entries, Each{}), ...);
  entries.insert(entries.end(), {&equal_entry(), &unequal_entry()});
  for (const Family& texts : {elementwise_text_entries(), elementwise_number_text_entries(),
                              elementwise_compose_entries(), elementwise_between_entries()})
    entries.insert(entries.end(), texts.begin(), texts.end());
  return entries;
}

}  // namespace

Family elementwise_family() {
  static const std::vector<const Entry*> entries = gather_entries(Families{});
  return entries;
}

kernels::PointwiseKernel cast_kernel_for(Isa isa, Dtype from, Dtype to) {
  static constexpr PerIsa<kernels::PointwiseKernel(uint8_t, uint8_t)> kernels = COVEC_PER_ISA(cast_kernel);
  return kernels[isa](static_cast<uint8_t>(from), static_cast<uint8_t>(to));
}

}  // namespace covec::ops
