#include "stdlib/ops/contract/number_row.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::ops {

namespace {

bool is_literal(uint64_t literals, size_t i) { return i < 64 && ((literals >> i) & 1) != 0; }

bool are_of(std::span<const Value> items, Dtype dtype) {
  return std::all_of(items.begin(), items.end(), [&](const Value& item) { return item.scalar_dtype() == dtype; });
}

// Many numbers have few dtypes: each counts once.
Dtype common_dtype(std::span<const Value> items, uint64_t literals) {
  if (are_of(items, items[0].scalar_dtype())) return items[0].scalar_dtype();
  constexpr size_t dtypes = std::size(all_dtypes);
  std::array<std::array<bool, dtypes>, 2> seen = {};
  for (size_t i = 0; i < items.size(); ++i)
    seen[is_literal(literals, i) ? 1 : 0][static_cast<size_t>(items[i].scalar_dtype())] = true;
  std::array<PromotionOperand, 2 * dtypes> operands;
  size_t count = 0;
  for (const Dtype dtype : all_dtypes) {
    if (seen[0][static_cast<size_t>(dtype)]) operands[count++] = {dtype, OperandClass::rank0};
    if (seen[1][static_cast<size_t>(dtype)]) operands[count++] = {dtype, OperandClass::literal};
  }
  return promote({operands.data(), count});
}

template <size_t width>
void write_numbers(std::span<const Value> items, Dtype dtype, std::byte* to) {
  for (const Value& item : items) {
    if (item.scalar_dtype() == dtype) [[likely]]
      std::memcpy(to, item.scalar_data(), width);
    else
      std::memcpy(to, converted_number(item, dtype).scalar_data(), width);
    to += width;
  }
}

}  // namespace

bool all_numbers(std::span<const Value> items) {
  return std::all_of(items.begin(), items.end(), [](const Value& item) { return item.is_scalar(); });
}

Value tensor_of_numbers(Pool& pool, std::span<const Value> items, uint64_t literals) {
  const Dtype dtype = common_dtype(items, literals);
  Value result = make_tensor(pool, dtype, {Dim(static_cast<int64_t>(items.size()))});
  std::byte* const to = result.tensor().data();
  switch (size_of(dtype)) {
    case 1: write_numbers<1>(items, dtype, to); break;
    case 2: write_numbers<2>(items, dtype, to); break;
    case 4: write_numbers<4>(items, dtype, to); break;
    default: write_numbers<8>(items, dtype, to); break;
  }
  return result;
}

}  // namespace covec::ops
