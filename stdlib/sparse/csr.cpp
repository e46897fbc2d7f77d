#include "stdlib/sparse/csr.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "stdlib/kernels/parallel.hpp"
#include "stdlib/tensor/scratch.hpp"

namespace covec::sparse {

namespace {

constexpr int64_t grain = 1 << 15;  // products in a piece for a thread

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

int64_t find_outside(const Elements& elements) {
  for (int64_t k = 0; k < elements.count; ++k) {
    const int64_t row = elements.rows[k], column = elements.columns[k];
    if (row < 0 || row >= elements.height || column < 0 || column >= elements.width) return k;
  }
  return -1;
}

namespace {

bool are_in_order(const Elements& e) {
  for (int64_t k = 1; k < e.count; ++k) {
    if (e.rows[k] < e.rows[k - 1] || (e.rows[k] == e.rows[k - 1] && e.columns[k] < e.columns[k - 1])) return false;
  }
  return true;
}

// The order `from` (null: as they stand) sorted by keys below `size`; equal ones keep their order.
void sort_by(Pool& pool, const int64_t* keys, int64_t size, int64_t count, const int64_t* from, int64_t* to) {
  const Scratch room(pool, static_cast<uint64_t>(size + 1) * sizeof(int64_t));
  auto* places = room.as<int64_t>();
  std::fill_n(places, size + 1, int64_t{0});
  for (int64_t k = 0; k < count; ++k) ++places[keys[k] + 1];
  for (int64_t key = 0; key < size; ++key) places[key + 1] += places[key];
  for (int64_t k = 0; k < count; ++k) {
    const int64_t element = from == nullptr ? k : from[k];
    to[places[keys[element]]++] = element;
  }
}

}  // namespace

void order_elements(ops::Context& context, const Elements& e, int64_t* order) {
  constexpr int64_t sparsest = 8;  // rows or columns for an element, up to which counting them is quicker than sorting
  if (are_in_order(e)) return std::iota(order, order + e.count, int64_t{0});
  if (std::max(e.height, e.width) / sparsest > e.count) {
    std::iota(order, order + e.count, int64_t{0});
    std::sort(order, order + e.count, [&](int64_t a, int64_t b) {
      return std::tie(e.rows[a], e.columns[a], a) < std::tie(e.rows[b], e.columns[b], b);
    });
    return;
  }
  const Scratch room(*context.pool, static_cast<uint64_t>(e.count) * sizeof(int64_t));
  sort_by(*context.pool, e.columns, e.width, e.count, nullptr, room.as<int64_t>());
  kernels::poll_interrupt(context);
  sort_by(*context.pool, e.rows, e.height, e.count, room.as<int64_t>(), order);
  kernels::poll_interrupt(context);
}

}  // namespace covec::sparse
