// Visits the elements that an index names together with those of another side (a read's result, an update's value), in
// index order. Adjacent axes are merged. What remains is lines along two strides, and gathers through the plan's
// offsets. An operation is an object with line() and gather(). Start at Walk::run.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>

#include "stdlib/ops/index/plan.hpp"
#include "stdlib/tensor/walk.hpp"
#include "stdlib/value/half.hpp"

namespace covec::ops {

// The axes of one walk: before the block of the tensors, the block (its places are `stride` apart on the other side),
// after it.
struct WalkPlan {
  PairAxes before, after;
  const int64_t* offsets = nullptr;  // null: no block
  int64_t places = 1, stride = 0;
  bool uniform = true;  // false: the other side's block is not a line, pack it first
  bool is_far = false;  // x is larger than the nearer caches
};

// Whether elements in no order of so many bytes had better be asked for ahead.
inline bool is_far(int64_t elements, size_t size) {
  return elements >= (int64_t{1} << 20) / static_cast<int64_t>(size);
}

inline WalkPlan plan_walk(const IndexPlan& plan, std::span<const int64_t> other) {
  WalkPlan walk;
  const unsigned block_end = plan.advanced_at + plan.advanced_rank;
  PairAxes block;
  for (unsigned i = 0; i < plan.shape.rank(); ++i) {
    const bool in_block = plan.advanced && i >= plan.advanced_at && i < block_end;
    const bool before = plan.advanced && i < plan.advanced_at;
    PairAxes& axes = in_block ? block : before ? walk.before : walk.after;
    axes.push({plan.shape[i].number(), in_block ? 0 : plan.strides[i], other[i]});
  }
  if (!plan.advanced) return walk;
  walk.offsets = plan.offsets.as<int64_t>();
  walk.places = plan.advanced_count;
  // Strides of x are 0 within the block, so axes of it merge where the other side's do, or are one after another
  // repeated.
  walk.uniform = block.count <= 1;
  walk.stride = block.count == 1 ? block.axes[0].second : 0;
  return walk;
}

template <class T, class Operation>
class Walk {
 public:
  Walk(const WalkPlan& plan, Operation operation) : plan_(plan), operation_(operation) {}

  void run(T* x, T* other) const { run(x, other, 0, plan_.places); }
  // Only places [begin, end) of the block.
  void run(T* x, T* other, int64_t begin, int64_t end) const {
    plan_.before.each_position(plan_.before.count, x, other, [&](T* a, T* b) { block(a, b, begin, end); });
  }

 private:
  void block(T* x, T* other, int64_t begin, int64_t end) const {
    if (plan_.offsets == nullptr) return lines(x, other);
    if (plan_.after.count == 0) {
      return operation_.gather(x, plan_.offsets + begin, other + begin * plan_.stride, plan_.stride, end - begin,
                               plan_.is_far);
    }
    for (int64_t i = begin; i < end; ++i) lines(x + plan_.offsets[i], other + i * plan_.stride);
  }

  void lines(T* x, T* other) const {
    const PairAxes& axes = plan_.after;
    if (axes.count == 0) return operation_.line(x, 1, other, 1, 1);
    const PairAxis& last = axes.last();
    axes.each_position(axes.count - 1, x, other,
                       [&](T* a, T* b) { operation_.line(a, last.first, b, last.second, last.count); });
  }

  const WalkPlan& plan_;
  Operation operation_;
};

// Calls visit(i) for the places [begin, end). Where x is far, the memory of x[offset(i)] is asked for some places
// before: elements in no order are waited for side by side then, where a processor by itself sees only as far as it has
// room for instructions.
template <bool writes, class T, class Offset, class Visit>
[[gnu::always_inline]] inline void visit_ahead(const T* x, bool is_far, int64_t begin, int64_t end, Offset offset,
                                               Visit visit) {
  constexpr int64_t ahead = 64;  // places between asking for an element and visiting it
  int64_t i = begin;
  for (const int64_t last = is_far ? end - ahead : begin; i < last; ++i) {
    // No more than a hint: the offset may still be found to be out of range.
    const uint64_t bytes = static_cast<uint64_t>(offset(i + ahead)) * sizeof(T);
    __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<uint64_t>(x) + bytes), writes);
    visit(i);
  }
  for (; i < end; ++i) visit(i);
}

// other = x
template <class T>
struct ReadElements {
  void line(const T* x, int64_t x_step, T* other, int64_t other_step, int64_t count) const {
    if (x_step == 1 && other_step == 1) {
      std::memcpy(other, x, static_cast<size_t>(count) * sizeof(T));
      return;
    }
    for (int64_t i = 0; i < count; ++i) other[i * other_step] = x[i * x_step];
  }
  [[gnu::noinline]] static void gather(const T* x, const int64_t* offsets, T* other, int64_t step, int64_t count,
                                       bool is_far) {
    visit_ahead<false>(
        x, is_far, 0, count, [=](int64_t i) { return offsets[i]; },
        [=](int64_t i) { other[i * step] = x[offsets[i]]; });
  }
};

// x = other
template <class T>
struct WriteElements {
  void line(T* x, int64_t x_step, const T* other, int64_t other_step, int64_t count) const {
    if (x_step == 1 && other_step == 1) {
      std::memcpy(x, other, static_cast<size_t>(count) * sizeof(T));
      return;
    }
    if (x_step == 1 && other_step == 0) {
      std::fill_n(x, count, *other);
      return;
    }
    for (int64_t i = 0; i < count; ++i) x[i * x_step] = other[i * other_step];
  }
  [[gnu::noinline]] static void gather(T* x, const int64_t* offsets, const T* other, int64_t step, int64_t count,
                                       bool is_far) {
    visit_ahead<true>(
        x, is_far, 0, count, [=](int64_t i) { return offsets[i]; },
        [=](int64_t i) { x[offsets[i]] = other[i * step]; });
  }
};

// Of 16 bits: each sum is rounded.
template <Dtype dtype>
struct HalfElement {
  static constexpr bool is_half = true;
  uint16_t bits;
  friend HalfElement operator+(HalfElement a, HalfElement b) {
    return {half_of(dtype, float_of_half(dtype, a.bits) + float_of_half(dtype, b.bits))};
  }
};

// Calls f with a value of the type that lies in memory.
template <class F>
void with_stored(Dtype dtype, F f) {
  if (dtype == Dtype::f16) return f(HalfElement<Dtype::f16>{});
  if (dtype == Dtype::bf16) return f(HalfElement<Dtype::bf16>{});
  with_element(dtype, f);
}

// x += other, one element after the other: a place named twice is added to twice.
template <class T>
struct AddElements {
  static T sum(T a, T b) {
    if constexpr (std::is_same_v<T, bool>) {
      return a || b;
    } else if constexpr (std::is_integral_v<T>) {
      using Unsigned = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
    } else {
      return a + b;
    }
  }
  void line(T* x, int64_t x_step, const T* other, int64_t other_step, int64_t count) const {
    if (x_step == 1 && other_step == 1) {
      for (int64_t i = 0; i < count; ++i) x[i] = sum(x[i], other[i]);
      return;
    }
    for (int64_t i = 0; i < count; ++i) x[i * x_step] = sum(x[i * x_step], other[i * other_step]);
  }
  [[gnu::noinline]] static void gather(T* x, const int64_t* offsets, const T* other, int64_t step, int64_t count,
                                       bool is_far) {
    visit_ahead<true>(
        x, is_far, 0, count, [=](int64_t i) { return offsets[i]; },
        [=](int64_t i) { x[offsets[i]] = sum(x[offsets[i]], other[i * step]); });
  }
};

}  // namespace covec::ops
