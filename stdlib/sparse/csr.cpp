#include "stdlib/sparse/csr.hpp"

#include <algorithm>

#include "stdlib/kernels/parallel.hpp"

namespace covec::sparse {

namespace {

constexpr int64_t grain = 1 << 15;  // products in a piece for a thread; chosen, not measured

Fault::Kind kind_of_index(const Pattern& pattern, int64_t index, int64_t previous) {
  if (index < 0 || index >= pattern.columns) return Fault::Kind::range;
  return index == previous ? Fault::Kind::twice : Fault::Kind::order;
}

}  // namespace

std::optional<Fault> find_fault(const Pattern& pattern) {
  if (!pattern.covers()) {
    const bool begins = pattern.starts[0] == 0;
    return Fault{Fault::Kind::starts, begins ? pattern.rows : 0, 0, 0};
  }
  for (int64_t row = 0; row < pattern.rows; ++row) {
    if (!pattern.has_row(row)) return Fault{Fault::Kind::starts, row + 1, 0, 0};
    int64_t previous = -1;
    for (int64_t p = pattern.starts[row]; p < pattern.starts[row + 1]; ++p) {
      const int64_t index = pattern.indices[p];
      if (!pattern.has_index(p, previous)) return Fault{kind_of_index(pattern, index, previous), row, p, index};
      previous = index;
    }
  }
  return {};
}

bool is_sound(ops::Context& context, const Pattern& pattern) {
  if (!pattern.covers()) return false;
  kernels::LowestIndex wrong;
  kernels::parallel_for(context, pattern.rows, rows_of_piece(pattern, 1), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      bool sound = pattern.has_row(row);
      int64_t previous = -1;
      for (int64_t p = pattern.starts[row]; sound && p < pattern.starts[row + 1]; ++p) {
        sound = pattern.has_index(p, previous);
        previous = pattern.indices[p];
      }
      if (!sound) return wrong.report(row);
    }
  });
  return wrong.value() < 0;
}

int64_t rows_of_piece(const Pattern& pattern, int64_t width) {
  const int64_t in_a_row = pattern.count / std::max<int64_t>(1, pattern.rows) + 1;
  return std::max<int64_t>(1, grain / (in_a_row * std::max<int64_t>(1, width)));
}

}  // namespace covec::sparse
