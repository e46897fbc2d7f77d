#include "stdlib/autodiff/not_finite.hpp"

#include <atomic>
#include <cmath>
#include <cstring>

#include "stdlib/kernels/not_finite.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/tensor/number_text.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/broadcast.hpp"
#include "stdlib/value/half.hpp"
#include "stdlib/value/small_vector.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::autodiff {

namespace {

// Elements that a thread looks at in one go: chosen, 256 KiB of f64 or more take longer than to hand them to a thread.
constexpr int64_t units_of_thread = int64_t{1} << 15;

template <class Bits>
kernels::AnyNotFinite<Bits> kernel_of(ops::Isa isa) {
  switch (isa) {
    case ops::Isa::avx512: return &avx512::any_not_finite;
    case ops::Isa::avx2: return &avx2::any_not_finite;
    default: return &baseline::any_not_finite;
  }
}

// `exponent`: the bits of one that numbers do not have.
template <class Bits>
NotFinite in_bits(ops::Context& context, const void* data, int64_t count, Bits exponent) {
  const Bits* const elements = static_cast<const Bits*>(data);
  const Bits lowest = static_cast<Bits>(exponent & -exponent);
  const kernels::AnyNotFinite<Bits> any_not_finite = kernel_of<Bits>(context.isa);
  const Bits magnitude = static_cast<Bits>(~(Bits{1} << (8 * sizeof(Bits) - 1)));
  if (count == 1) {
    const Bits bits = elements[0] & magnitude;
    return {.nan = bits > exponent, .infinite = bits == exponent};
  }
  std::atomic<bool> any{false};
  if (count <= units_of_thread) {
    any = any_not_finite(elements, count, lowest);
  } else {
    kernels::parallel_for(context, count, units_of_thread, [&](int64_t begin, int64_t end) {
      if (any_not_finite(elements + begin, end - begin, lowest)) any.store(true, std::memory_order_relaxed);
    });
  }
  NotFinite found;
  for (int64_t i = 0; any && i < count && !(found.nan && found.infinite); ++i) {
    const Bits bits = elements[i] & magnitude;
    found.nan |= bits > exponent;
    found.infinite |= bits == exponent;
  }
  return found;
}

NotFinite in_leaf(ops::Context& context, const Value& leaf) {
  const Value* at = &leaf;
  while (at->is_traced()) at = &at->traced().primal;
  if (!at->is_numeric() || !is_float(dtype_of(*at))) return {};
  const Value dense = contiguous(*context.pool, *at);
  const int64_t count = dense.is_scalar() ? 1 : dense.tensor().size();
  const void* const data = data_of(dense);
  switch (dtype_of(dense)) {
    case Dtype::f16: return in_bits<uint16_t>(context, data, count, 0x7c00);
    case Dtype::bf16: return in_bits<uint16_t>(context, data, count, 0x7f80);
    case Dtype::f32: return in_bits<uint32_t>(context, data, count, 0x7f800000);
    default: return in_bits<uint64_t>(context, data, count, 0x7ff0000000000000);
  }
}

// One element of a number or tensor, as a number.
Value element(const Value& of, int64_t offset) {
  if (of.is_scalar()) return of;
  const Tensor& tensor = of.tensor();
  const auto size = static_cast<int64_t>(size_of(tensor.dtype()));
  return Value::scalar(tensor.dtype(), tensor.data() + offset * size);
}

double float_of(const Value& number) {
  const Dtype dtype = number.scalar_dtype();
  if (!is_float(dtype)) return 0;  // finite
  if (dtype == Dtype::f64) return number.f64();
  if (dtype == Dtype::f32) return number.f32();
  uint16_t half = 0;
  std::memcpy(&half, number.scalar_data(), sizeof half);
  return float_of_half(dtype, half);
}

NotFinite kind_of(double number) { return {.nan = std::isnan(number), .infinite = std::isinf(number)}; }

bool is_made(NotFinite result, NotFinite operands) {
  return result.nan ? !operands.nan : result.infinite && !operands.any();
}

// Where an element of the result lies, and those of the operands that lead to it.
class ElementPlace {
 public:
  ElementPlace(const Value& result, int64_t number) : index_(rank_of(result)) {
    const Shape shape = shape_of(result);
    for (unsigned axis = shape.rank(); axis-- > 0;) {
      const int64_t extent = shape[axis].number();
      index_[axis] = number % extent;
      number /= extent;
    }
  }
  std::string text() const {
    if (index_.size() == 0) return {};
    std::string text;
    for (size_t i = 0; i < index_.size(); ++i) text += (i > 0 ? ", " : "[") + std::to_string(index_[i]);
    return text + "]";
  }
  Value element_of(const Value& operand) const {
    if (operand.is_scalar()) return operand;
    SmallVector<int64_t, 8> strides(index_.size());
    repeated_strides(operand.tensor().dims(), operand.tensor().strides(), span_of(strides));
    int64_t offset = 0;
    for (size_t axis = 0; axis < index_.size(); ++axis) offset += index_[axis] * strides[axis];
    return element(operand, offset);
  }

 private:
  SmallVector<int64_t, 8> index_;
};

std::optional<Made> made_elementwise(const ops::Entry& entry, std::span<const Value> operands, const Value& dense) {
  const int64_t count = dense.is_scalar() ? 1 : dense.tensor().size();
  for (int64_t i = 0; i < count; ++i) {
    const Value number = element(dense, i);
    const NotFinite kind = kind_of(float_of(number));
    if (!kind.any()) continue;
    const ElementPlace place(dense, i);
    NotFinite given;
    std::string text;
    for (size_t k = 0; k < operands.size(); ++k) {
      if (!operands[k].is_numeric() || rank_of(operands[k]) > rank_of(dense)) continue;
      const Value operand = place.element_of(operands[k]);
      given |= kind_of(float_of(operand));
      const std::string_view name =
          k < entry.parameters.size() ? entry.parameters[k].name : std::string_view("operand");
      text += (text.empty() ? "" : ", ") + std::string(name) + " is " + number_text(operand);
    }
    if (is_made(kind, given)) return Made{number_text(number), place.text(), text};
  }
  return std::nullopt;
}

bool has_number(const Value& value) {
  bool any = false;
  each_leaf(value, [&](const Value& leaf) { any |= leaf.is_numeric() || leaf.is_traced(); });
  return any;
}

// A leaf of a result that is a tree has no index of its own that a reader could use.
std::optional<Made> made_as_a_whole(ops::Context& context, std::span<const Value> operands, const Value& result) {
  NotFinite given;
  bool of_numbers = false;
  for (const Value& operand : operands) {
    given |= not_finite(context, operand);
    of_numbers = of_numbers || has_number(operand);
  }
  std::optional<Made> made;
  if (!of_numbers) return made;
  each_leaf(result, [&](const Value& leaf) {
    if (made || !leaf.is_numeric() || !is_float(dtype_of(leaf)) || !is_made(in_leaf(context, leaf), given)) return;
    const Value dense = contiguous(*context.pool, leaf);
    for (int64_t i = 0;; ++i) {
      const Value number = element(dense, i);
      if (!is_made(kind_of(float_of(number)), given)) continue;
      made = Made{number_text(number), result.is_numeric() ? ElementPlace(dense, i).text() : "", ""};
      return;
    }
  });
  return made;
}

}  // namespace

NotFinite not_finite(ops::Context& context, const Value& tree) {
  NotFinite found;
  each_leaf(tree, [&](const Value& leaf) { found |= in_leaf(context, leaf); });
  return found;
}

std::optional<Made> made_of_numbers(ops::Context& context, const ops::Entry& entry, std::span<const Value> operands,
                                    const Value& result) {
  if (!not_finite(context, result).any()) return std::nullopt;
  if (entry.pointwise != nullptr && result.is_numeric())
    return made_elementwise(entry, operands, contiguous(*context.pool, result));
  return made_as_a_whole(context, operands, result);
}

}  // namespace covec::autodiff
