// Collects all entries from the families, and fills in the handles. It is the one place that names operators of all
// families.
#include <algorithm>
#include <unordered_map>

#include "stdlib/autodiff/split.hpp"
#include "stdlib/ops/complex/family.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/create/create.hpp"
#include "stdlib/ops/create/matrix.hpp"
#include "stdlib/ops/elementwise/bodies/arithmetic.hpp"
#include "stdlib/ops/elementwise/bodies/casts.hpp"
#include "stdlib/ops/elementwise/bodies/compare.hpp"
#include "stdlib/ops/elementwise/bodies/functions.hpp"
#include "stdlib/ops/elementwise/bodies/logarithms.hpp"
#include "stdlib/ops/elementwise/bodies/logic.hpp"
#include "stdlib/ops/elementwise/bodies/rounding.hpp"
#include "stdlib/ops/elementwise/compose.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/ops/general/general.hpp"
#include "stdlib/ops/general/staged.hpp"
#include "stdlib/ops/index/gather.hpp"
#include "stdlib/ops/index/index.hpp"
#include "stdlib/ops/linalg/linalg.hpp"
#include "stdlib/ops/linalg/parts.hpp"
#include "stdlib/ops/order/order.hpp"
#include "stdlib/ops/ranks/family.hpp"
#include "stdlib/ops/reduce/compose.hpp"
#include "stdlib/ops/reduce/reduce.hpp"
#include "stdlib/ops/reduce/scan.hpp"
#include "stdlib/ops/registry/families.hpp"
#include "stdlib/ops/shape/shape.hpp"
#include "stdlib/ops/sparse/family.hpp"
#include "stdlib/ops/text/text.hpp"

namespace covec::ops {

namespace {

// By the numbers of the dtypes.
template <class... Casts>
std::array<const Entry*, dtype_count> casts_of(List<Casts...>) {
  static_assert(sizeof...(Casts) == dtype_count);
  std::array<const Entry*, dtype_count> entries{};
  ((entries[Casts::info.to] = &entry_of<Casts>()), ...);
  return entries;
}

struct Registry {
  std::vector<const Entry*> entries;
  std::unordered_map<std::string_view, const Entry*> by_name;

  Registry() {
    for (const FamilyRow& family : family_rows) {
      for (const Entry* entry : family.entries()) {
        entries.push_back(entry);
        by_name.emplace(entry->name, entry);
      }
    }
  }
};

const Registry& registry() {
  static const Registry instance;  // immutable after construction
  return instance;
}

const Handles all_handles{
    .absolute = entry_of<Absolute>(),
    .add = entry_of<Add>(),
    .bit_and = entry_of<BitAnd>(),
    .bit_or = entry_of<BitOr>(),
    .divide = entry_of<Divide>(),
    .equal = entry_of<Equal>(),
    .exp = entry_of<Exp>(),
    .floor = entry_of<Floor>(),
    .floor_divide = entry_of<FloorDivide>(),
    .greater = entry_of<Greater>(),
    .greater_equal = entry_of<GreaterEqual>(),
    .isnan = entry_of<IsNan>(),
    .less = entry_of<Less>(),
    .less_equal = entry_of<LessEqual>(),
    .log = entry_of<Log>(),
    .log10 = entry_of<Log10>(),
    .logical_not = entry_of<LogicalNot>(),
    .maximum = entry_of<Maximum>(),
    .minimum = entry_of<Minimum>(),
    .multiply = entry_of<Multiply>(),
    .negate = entry_of<Negate>(),
    .not_equal = entry_of<NotEqual>(),
    .power = entry_of<Power>(),
    .round = entry_of<Round>(),
    .scale = entry_of<Scale>(),
    .scale_both = entry_of<ScaleBoth>(),
    .sigmoid = entry_of<Sigmoid>(),
    .softplus = entry_of<Softplus>(),
    .sqrt = entry_of<Sqrt>(),
    .subtract = entry_of<Subtract>(),
    .warn_where = warn_where_entry(),
    .where = entry_of<Where>(),
    .casts = casts_of(Casts{}),
    .c64 = c64_entry(),
    .c128 = c128_entry(),
    .conj = conj_entry(),
    .all = all_entry(),
    .any = any_entry(),
    .argmax = argmax_entry(),
    .argmin = argmin_entry(),
    .cumsum = cumsum_entry(),
    .max = max_entry(),
    .mean = mean_entry(),
    .min = min_entry(),
    .prod = prod_entry(),
    .sum = sum_entry(),
    .var = var_entry(),
    .broadcast_to = broadcast_to_entry(),
    .concat = concat_entry(),
    .expect_shape = expect_shape_entry(),
    .expect_size = expect_size_entry(),
    .fit_to = fit_to_entry(),
    .narrow = narrow_entry(),
    .permute = permute_entry(),
    .reshape = reshape_entry(),
    .max_apart = max_apart_entry(),
    .squeeze = squeeze_entry(),
    .stack = stack_entry(),
    .stack_examples = stack_examples_entry(),
    .sum_to = sum_to_entry(),
    .unsqueeze = unsqueeze_entry(),
    .gather = gather_entry(),
    .index_add = index_add_entry(),
    .index_read = index_read_entry(),
    .index_update = index_update_entry(),
    .scatter_add = scatter_add_entry(),
    .arange = arange_entry(),
    .diagonal = diagonal_entry(),
    .eye = eye_entry(),
    .linspace = linspace_entry(),
    .tril = tril_entry(),
    .zeros = zeros_entry(),
    .complex_singular_norm = complex_singular_norm_entry(),
    .lstsq = lstsq_entry(),
    .matmul = matmul_entry(),
    .singular_norm = singular_norm_entry(),
    .sparse_product = sparse_product_entry(),
    .max_item = max_item_entry(),
    .min_item = min_item_entry(),
    .searchsorted = searchsorted_entry(),
    .sort = sort_entry(),
    .split = autodiff::split_entry(),
    .split_before = autodiff::split_before_entry(),
    .split_parts = autodiff::split_parts_entry(),
    .part_sum = parallel_sum_entry(),
    .rank_part = rank_part_entry(),
    .rank_result = rank_result_entry(),
    .rank_sum = parallel_all_sum_entry(),
    .rank_variable = rank_variable_entry(),
    .format = format_entry(),
    .join_text = join_text_entry(),
    .require = require_entry(),
    .require_value = require_value_entry(),
    .split_text = split_text_entry(),
};

[[maybe_unused]] const bool filled = (filled_handles = &all_handles, true);

}  // namespace

std::span<const FamilyRow> all_families() { return family_rows; }

std::span<const Entry* const> all_entries() { return registry().entries; }

const Entry* find_entry(std::string_view name) {
  const auto found = registry().by_name.find(name);
  return found == registry().by_name.end() ? nullptr : found->second;
}

}  // namespace covec::ops
