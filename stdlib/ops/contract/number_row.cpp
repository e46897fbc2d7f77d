#include "stdlib/ops/contract/number_row.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::ops {

namespace {

using Row = std::span<const Value>;

bool are_of(Row items, Dtype dtype) {
  return std::all_of(items.begin(), items.end(), [&](const Value& item) { return item.scalar_dtype() == dtype; });
}

// Many numbers have few dtypes: each counts once.
class Dtypes {
 public:
  void add(Dtype dtype, OperandClass operand_class) {
    bool& seen = seen_[operand_class == OperandClass::literal ? 1 : 0][static_cast<size_t>(dtype)];
    if (!std::exchange(seen, true)) operands_[count_++] = {dtype, operand_class};
  }
  void add(Row items) {
    if (items.empty()) return;
    if (are_of(items, items[0].scalar_dtype())) return add(items[0].scalar_dtype(), OperandClass::rank0);
    for (const Value& item : items) add(item.scalar_dtype(), OperandClass::rank0);
  }
  Dtype promoted() const { return promote({operands_.data(), count_}); }

 private:
  static constexpr size_t dtypes = std::size(all_dtypes);
  std::array<std::array<bool, dtypes>, 2> seen_ = {};
  std::array<PromotionOperand, 2 * dtypes> operands_ = {};
  size_t count_ = 0;
};

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

std::byte* write_row(Row items, Dtype dtype, std::byte* to) {
  switch (size_of(dtype)) {
    case 1: write_numbers<1>(items, dtype, to); break;
    case 2: write_numbers<2>(items, dtype, to); break;
    case 4: write_numbers<4>(items, dtype, to); break;
    default: write_numbers<8>(items, dtype, to); break;
  }
  return to + items.size() * size_of(dtype);
}

Value tensor_of_rows(Pool& pool, std::span<const Row> rows, Dtype dtype) {
  size_t count = 0;
  for (const Row row : rows) count += row.size();
  Value result = make_tensor(pool, dtype, {Dim(static_cast<int64_t>(count))});
  std::byte* to = result.tensor().data();
  for (const Row row : rows) to = write_row(row, dtype, to);
  return result;
}

}  // namespace

bool all_numbers(std::span<const Value> items) {
  return std::all_of(items.begin(), items.end(), [](const Value& item) { return item.is_scalar(); });
}

Value tensor_of_numbers(Pool& pool, std::span<const Value> items, uint64_t literals) {
  Dtypes dtypes;
  const Row written = items.first(std::min<size_t>(items.size(), literals == 0 ? 0 : 64));
  for (size_t i = 0; i < written.size(); ++i) {
    const bool literal = ((literals >> i) & 1) != 0;
    dtypes.add(written[i].scalar_dtype(), literal ? OperandClass::literal : OperandClass::rank0);
  }
  dtypes.add(items.subspan(written.size()));
  return tensor_of_rows(pool, {&items, 1}, dtypes.promoted());
}

Value tensor_of_numbers(Pool& pool, std::span<const std::span<const Value>> rows) {
  Dtypes dtypes;
  for (const Row row : rows) dtypes.add(row);
  return tensor_of_rows(pool, rows, dtypes.promoted());
}

}  // namespace covec::ops
