#include "stdlib/autodiff/safe_substitute.hpp"

#include <cstring>

#include "stdlib/autodiff/level.hpp"
#include "stdlib/autodiff/operands.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/half.hpp"

namespace covec::autodiff {

namespace {

using ops::Builder;
using ops::Call;

template <class T>
bool all_zero(const T* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    if (x[i] != T(0)) return false;
  }
  return true;
}

bool all_halves_zero(const uint16_t* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    if ((x[i] & 0x7fff) != 0) return false;  // but for the sign
  }
  return true;
}

bool all_zero(const std::byte* data, Dtype dtype, int64_t n) {
  if (is_half(dtype)) return all_halves_zero(reinterpret_cast<const uint16_t*>(data), n);
  return dtype == Dtype::f32 ? all_zero(reinterpret_cast<const float*>(data), n)
                             : all_zero(reinterpret_cast<const double*>(data), n);
}

// Numbers in [0, 1) without a pattern: no two are equal. Each operand has its own: three diagonals of the same numbers
// are a singular matrix. (splitmix64: Steele, Lea and Flood, 2014.)
double random_number(int64_t i, int64_t operand) {
  uint64_t z = (static_cast<uint64_t>(i) + 1 + (static_cast<uint64_t>(operand) << 48)) * 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return static_cast<double>((z ^ z >> 31) >> 11) * 0x1p-53;
}

constexpr int64_t zeros = -1;  // instead of an operand's number

// The numbers that a rule is given. Square matrices have a diagonal in [1.5, 2.5), and what lies beside it adds up to
// less than a half: so their eigenvalues lie to the right of 0 (Gershgorin), they have a root, and whatever their size
// neither their inverse nor their exponential is large. Everything else is in [0.5, 1.5).
struct SubstituteNumbers {
  int64_t operand, side = 0;  // of square matrices, else 0

  double operator()(int64_t i) const {
    if (operand == zeros) return 0;
    const double random = random_number(i, operand);
    if (side == 0) return 0.5 + random;
    const int64_t row = i / side % side, column = i % side;
    return row == column ? 1.5 + random : (random - 0.5) / static_cast<double>(side);
  }
};

SubstituteNumbers numbers_for(const Type& type, int64_t examples, int64_t operand) {
  const auto rank = static_cast<int64_t>(type.shape.rank());
  if (rank < examples + 2) return {operand};
  const int64_t rows = type.shape[type.shape.rank() - 2].number(), side = type.shape[type.shape.rank() - 1].number();
  return {operand, rows == side ? side : 0};
}

template <class T>
void fill(T* to, int64_t n, const SubstituteNumbers& numbers) {
  for (int64_t i = 0; i < n; ++i) to[i] = static_cast<T>(numbers(i));
}

void fill_half(uint16_t* to, Dtype dtype, int64_t n, const SubstituteNumbers& numbers) {
  for (int64_t i = 0; i < n; ++i) to[i] = half_of(dtype, odd_float_of(numbers(i)));
}

void fill(std::byte* to, Dtype dtype, int64_t n, const SubstituteNumbers& numbers) {
  if (is_half(dtype)) return fill_half(reinterpret_cast<uint16_t*>(to), dtype, n, numbers);
  if (dtype == Dtype::f32) return fill(reinterpret_cast<float*>(to), n, numbers);
  fill(reinterpret_cast<double*>(to), n, numbers);
}

int64_t size_of_tensor(const Value& x) { return x.is_scalar() ? 1 : x.tensor().size(); }

Value copy_of(Builder& builder, const Value& x, const Type& type) {
  const Value dense = contiguous(builder.pool(), x);
  Value copy = make_tensor(builder.pool(), type.dtype, type.shape);
  void* to = copy.is_scalar() ? copy.scalar_data() : copy.tensor().data();
  std::memcpy(to, data_of(dense), static_cast<size_t>(type.shape.elements()) * size_of(type.dtype));
  return copy;
}

Type unless_zero_type(ops::ShapeBuilder&, const Call& call) { return ops::operand_type(call, 0); }

Value unless_zero_eager(Builder& builder, Call& call) {
  const Type type = unless_zero_type(builder, call);
  const Value cotangent = contiguous(builder.pool(), call.args[1]);
  const int64_t example_axes = ops::integer_argument(call, 2);
  int64_t examples = 1;
  for (unsigned i = 0; i < example_axes; ++i) examples *= type.shape[i].number();
  if (examples == 0) return std::move(call.args[0]);
  const Dtype dtype = type_of(cotangent).dtype;
  const int64_t here = size_of_tensor(cotangent) / examples, count = type.shape.elements() / examples;
  const SubstituteNumbers numbers = numbers_for(type, example_axes, ops::integer_argument(call, 3));
  Value result;
  for (int64_t i = 0; i < examples; ++i) {
    const auto* data = static_cast<const std::byte*>(data_of(cotangent));
    if (!all_zero(data + i * here * static_cast<int64_t>(size_of(dtype)), dtype, here)) continue;
    if (result.is_none()) result = copy_of(builder, call.args[0], type);
    auto* to = static_cast<std::byte*>(result.is_scalar() ? result.scalar_data() : result.tensor().data());
    fill(to + i * count * static_cast<int64_t>(size_of(type.dtype)), type.dtype, count, numbers);
  }
  return result.is_none() ? std::move(call.args[0]) : result;
}

Value same_where(ops::RuleContext& rule, const ops::Residuals& residuals, const Value& x) {
  return rule.call(unless_zero_entry(), {x, residuals.operands[1], residuals.operands[2], Value(zeros)});
}

Value unless_zero_jvp(ops::RuleContext& rule, const ops::Residuals& residuals, std::span<const Value> tangents) {
  return tangents[0].is_none() ? Value() : same_where(rule, residuals, tangents[0]);
}

void unless_zero_vjp(ops::RuleContext& rule, const ops::Residuals& residuals, Value cotangent, ops::Cotangents& out) {
  if (out.wants(0)) out.add(0, same_where(rule, residuals, cotangent));
}

Value unless_zero_batch(Builder& builder, Call& call, const ops::Batching& batching) {
  for (unsigned i = 0; i < 2; ++i) {
    call.args[i] = ops::with_batch_axis(builder, std::move(call.args[i]), batching.batched[i], batching.size);
  }
  call.args[2] = Value(ops::integer_argument(call, 2) + 1);
  return ops::call(builder, call.entry, call.args);
}

bool is_active_in_derivative(const ops::Context& context, const Value& value) {
  for (const Value* at = &value; at->is_traced(); at = &at->traced().primal) {
    if (at->traced().trace != TraceKind::batch && find_level(context, at->traced().level) != nullptr) return true;
  }
  return false;
}

// Known to be something else than zeros: most often, and then nothing is asked of the operator.
bool is_surely_nonzero(const Value& cotangent) {
  if (cotangent.is_tensor() && cotangent.tensor().size() > 0) {
    const auto* first = static_cast<const std::byte*>(data_of(cotangent));
    const int64_t seen = cotangent.tensor().contiguous() ? cotangent.tensor().size() : 1;
    return !all_zero(first, cotangent.tensor().dtype(), seen);
  }
  return cotangent.is_scalar() &&
         !all_zero(static_cast<const std::byte*>(data_of(cotangent)), cotangent.scalar_dtype(), 1);
}

}  // namespace

const ops::Entry& unless_zero_entry() {
  static const ops::Entry entry{
      .name = "unless_zero",
      .doc =
          "`x`, but safe substitutes, other ones for each operand of a rule, where all of the cotangent is ±0 (operand "
          "-1: zeros); `examples` axes in front are examples, asked one by one.",
      .parameters = {ops::tensor_parameter("x"), ops::tensor_parameter("cotangent"),
                     ops::attribute("examples", int64_t{0}), ops::attribute("operand", int64_t{0})},
      .carries = true,
      .type = unless_zero_type,
      .eager = unless_zero_eager,
      .derivative = ops::Derivative::by_hand(2, unless_zero_jvp, unless_zero_vjp),
      .batch = unless_zero_batch,
      .pattern = [](ops::Sets&, const ops::Entry&, const ops::Residuals&, std::span<const Value> of) { return of[0]; },
      .samples = {{.arguments = "[nan, 2.0], [0.0, 3.0]", .expected = "[nan, 2.0]", .source = "the definition"},
                  {.arguments = "[nan, 2.0], [0.0, -0.0], 0, -1", .expected = "[0.0, 0.0]", .source = "the definition"},
                  {.arguments = "[[nan, 2.0], [3.0, 4.0]], [0.0, 1.0], 1, -1",
                   .expected = "[[0.0, 0.0], [3.0, 4.0]]",
                   .source = "the definition"}},
      .internal = true};
  return entry;
}

const ops::Residuals& SafeSubstitute::of(Builder& builder, const ops::Entry& entry, const ops::Residuals& residuals,
                                         const Value& cotangent) {
  if (is_active_in_derivative(builder.context(), cotangent)) return residuals;
  // What is active in an outer derivative is asked in any case, as it is where nothing is known of the cotangent: its
  // own cotangents are then added up in the same groups.
  const bool needless = is_surely_nonzero(cotangent);
  const auto guarded = [&](const Value& x, size_t operand) {
    if (x.is_none() || (needless && !is_active_in_derivative(builder.context(), x))) return x;
    return ops::call(builder, unless_zero_entry(),
                     {x, cotangent, Value(int64_t{0}), Value(static_cast<int64_t>(operand))});
  };
  operands_.assign(residuals.operands.begin(), residuals.operands.end());
  for (size_t i = 0; i < operands_.size(); ++i) {
    if (is_tensor_operand(entry, residuals.parameters, i)) operands_[i] = guarded(operands_[i], i);
  }
  result_ = guarded(*residuals.result, operands_.size());
  residuals_ = residuals;
  residuals_.operands = operands_;
  residuals_.result = &result_;
  return residuals_;
}

}  // namespace covec::autodiff
