// Copies elements between any two layouts of one shape. It merges axes where both sides allow it, and copies runs that
// are contiguous on both sides whole. A transposition goes tile by tile, so each cache line is read and written while
// it is in the cache. Start at copy_elements.
#include <algorithm>
#include <array>
#include <cstdlib>

#include "stdlib/tensor/tensor.hpp"
#include "stdlib/tensor/walk.hpp"
#include "stdlib/value/interrupt_chunks.hpp"

namespace covec {

namespace {

// first: from, second: to.
using Axis = PairAxis;

PairAxes plan_copy(const Tensor& from, const Tensor& to) {
  std::array<Axis, max_rank> axes;
  for (unsigned i = 0; i < from.rank(); ++i) axes[i] = {from.dim(i), from.stride(i), to.stride(i)};
  const auto end = std::remove_if(axes.begin(), axes.begin() + from.rank(), [](const Axis& a) { return a.count == 1; });
  const auto larger = [](const Axis& a, const Axis& b) { return std::abs(a.second) > std::abs(b.second); };
  for (auto at = axes.begin(); at != end; ++at)  // stable, and off the heap
    std::rotate(std::upper_bound(axes.begin(), at, *at, larger), at, at + 1);
  PairAxes plan;
  std::for_each(axes.begin(), end, [&](const Axis& axis) { plan.push(axis); });
  if (plan.count == 0) plan.axes[plan.count++] = {1, 1, 1};
  return plan;
}

// An axis along which the source is contiguous, brought next to the last one: then the two are a transposition.
bool find_transposition(PairAxes& plan) {
  if (plan.count < 2 || plan.last().second != 1 || plan.last().first == 1) return false;
  for (unsigned i = 0; i + 1 < plan.count; ++i) {
    if (plan.axes[i].first != 1 || plan.axes[i].count < 4) continue;
    std::swap(plan.axes[i], plan.axes[plan.count - 2]);
    return plan.last().count >= 4;
  }
  return false;
}

// to[r * to_step + c] = from[c * from_step + r] for r, c < 4.
template <class T>
inline void transpose_tile(const T* from, int64_t from_step, T* to, int64_t to_step) {
  for (int r = 0; r < 4; ++r) {
    T* line = to + r * to_step;
    line[0] = from[r];
    line[1] = from[from_step + r];
    line[2] = from[2 * from_step + r];
    line[3] = from[3 * from_step + r];
  }
}

using Four = uint32_t __attribute__((vector_size(16)));

inline Four load_four(const uint32_t* from) {
  Four four;
  std::memcpy(&four, from, sizeof four);
  return four;
}

inline void store_four(uint32_t* to, Four four) { std::memcpy(to, &four, sizeof four); }

// Written out: the loops above would keep the rows in memory.
inline void transpose_tile(const uint32_t* from, int64_t from_step, uint32_t* to, int64_t to_step) {
  const Four a = load_four(from), b = load_four(from + from_step);
  const Four c = load_four(from + 2 * from_step), d = load_four(from + 3 * from_step);
  const Four ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Four cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  store_four(to, __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5));
  store_four(to + to_step, __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7));
  store_four(to + 2 * to_step, __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5));
  store_four(to + 3 * to_step, __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7));
}

template <class T>
void transpose_edge(const T* from, T* to, const Axis& rows, const Axis& columns) {
  for (int64_t r = 0; r < rows.count; ++r) {
    for (int64_t c = 0; c < columns.count; ++c) to[r * rows.second + c] = from[c * columns.first + r];
  }
}

// to[r * rows.second + c] = from[c * columns.first + r], in tiles of two cache lines.
template <class T>
void transpose_tiles(const T* from, T* to, const Axis& rows, const Axis& columns, BytePolls& polls) {
  // Elements of a side: 128 bytes are two cache lines; at most 32.
  constexpr int64_t tile = 128 / sizeof(T) < 32 ? 128 / sizeof(T) : 32;
  for (int64_t r0 = 0; r0 < rows.count; r0 += tile) {
    const int64_t r_count = std::min(tile, rows.count - r0);
    polls.pass(static_cast<size_t>(r_count * columns.count) * sizeof(T));
    for (int64_t c0 = 0; c0 < columns.count; c0 += tile) {
      const int64_t c_count = std::min(tile, columns.count - c0);
      const T* source = from + c0 * columns.first + r0;
      T* target = to + r0 * rows.second + c0;
      if (r_count < tile || c_count < tile) {
        transpose_edge(source, target, {r_count, 1, rows.second}, {c_count, columns.first, 1});
        continue;
      }
      for (int64_t r = 0; r < tile; r += 4) {
        for (int64_t c = 0; c < tile; c += 4) {
          transpose_tile(source + c * columns.first + r, columns.first, target + r * rows.second + c, rows.second);
        }
      }
    }
  }
}

// A few elements side by side that lie apart in the source, as in repeat(x, 2): the longer axis is gone through at
// once.
bool is_narrow(const PairAxes& plan) {
  constexpr int64_t few = 8;  // elements
  return plan.count >= 2 && plan.last().count < few && plan.last().first != 1 && plan.last(1).count >= few;
}

template <class T>
void copy_typed(PairAxes& plan, const T* from, T* to) {
  BytePolls polls;
  if (is_narrow(plan)) {
    std::swap(plan.axes[plan.count - 1], plan.axes[plan.count - 2]);
  } else if (find_transposition(plan)) {
    const Axis rows = plan.last(1), columns = plan.last();
    plan.each_position(plan.count - 2, from, to,
                       [&](const T* f, T* t) { transpose_tiles(f, t, rows, columns, polls); });
    return;
  }
  const Axis run = plan.last();
  if (run.first == 1 && run.second == 1) {
    const size_t bytes = static_cast<size_t>(run.count) * sizeof(T);
    plan.each_position(plan.count - 1, from, to, [&](const T* f, T* t) {
      polls.pass(bytes);
      copy_long(t, f, bytes);
    });
    return;
  }
  plan.each_position(plan.count - 1, from, to, [&](const T* f, T* t) {
    polls.pass(static_cast<size_t>(run.count) * sizeof(T));
    in_chunks(run.count, sizeof(T), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) t[i * run.second] = f[i * run.first];
    });
  });
}

}  // namespace

void copy_elements(const Tensor& from, Tensor& to) {
  if (from.size() == 0) return;
  if (from.contiguous() && to.contiguous()) {
    copy_long(to.data(), from.data(), static_cast<size_t>(from.size()) * size_of(from.dtype()));
    return;
  }
  PairAxes plan = plan_copy(from, to);
  switch (size_of(from.dtype())) {
    case 1: copy_typed(plan, from.as<uint8_t>(), to.as<uint8_t>()); break;
    case 2: copy_typed(plan, from.as<uint16_t>(), to.as<uint16_t>()); break;
    case 4: copy_typed(plan, from.as<uint32_t>(), to.as<uint32_t>()); break;
    default: copy_typed(plan, from.as<uint64_t>(), to.as<uint64_t>()); break;
  }
}

}  // namespace covec
