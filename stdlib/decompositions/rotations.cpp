#include "stdlib/decompositions/rotations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stdlib/kernels/interrupt_polls.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/kernels/strided.hpp"

namespace covec::kernels {

namespace {

template <class T>
constexpr int64_t strip_columns = 64 / static_cast<int64_t>(sizeof(T));  // a line of the cache
constexpr int64_t few_columns = 64;                                      // of a matrix that is rotated as it lies
constexpr size_t recorded_per_row = 32;                                  // rotations, before they are applied
constexpr size_t least_recorded = 1 << 12;                               // rotations

// Rows x and y become c·x + s·y and c·y − s·x.
template <class T>
void rotate(T* x, T* y, const Rotation<T>& rotation, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const T above = x[i], below = y[i];
    x[i] = rotation.c * above + rotation.s * below;
    y[i] = rotation.c * below - rotation.s * above;
  }
}

}  // namespace

template <class T>
Rotation<T> Rotation<T>::of(T f, T g, T& r) {
  if (g == T(0)) {
    r = f;
    return {T(1), T(0)};
  }
  if (f == T(0)) {
    r = g;
    return {T(0), T(1)};
  }
  constexpr T least = std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon();
  constexpr T most = std::numeric_limits<T>::max() * std::numeric_limits<T>::epsilon();
  const T square = f * f + g * g;
  if (square > least && square < most) {
    r = f < 0 ? -std::sqrt(square) : std::sqrt(square);
    return {f / r, g / r};
  }
  const T unit = std::max(std::abs(f), std::abs(g));
  const T x = f / unit, y = g / unit, norm = f < 0 ? -std::sqrt(x * x + y * y) : std::sqrt(x * x + y * y);
  r = norm * unit;
  return {x / norm, y / norm};
}

template <class T>
Rotations<T>::Rotations(ops::Context& context, Dense<T> rows) : context_(context), rows_(rows) {}

template <class T>
void Rotations<T>::push(int64_t row, const Rotation<T>& rotation) {
  Sweep& sweep = sweeps_.back();
  if (sweep.count == 0) sweep.first = row;
  if (sweep.count == 1) sweep.step = row - sweep.first;
  ++sweep.count;
  rotations_.push_back(rotation);
}

template <class T>
void Rotations<T>::end_sweep() {
  const size_t most = std::max(least_recorded, recorded_per_row * static_cast<size_t>(rows_.rows));
  if (rotations_.size() >= most) apply();
}

// A strip is strip_columns wide, its rows adjacent. The row that two rotations share stays in registers between them.
template <class T>
void Rotations<T>::apply_to_strip(T* strip) const {
  constexpr int64_t width = strip_columns<T>;
  for (const Sweep& sweep : sweeps_) {
    const Rotation<T>* rotation = rotations_.data() + sweep.at;
    const bool down = sweep.step > 0;
    T* at = strip + (down ? sweep.first : sweep.first + 1) * width;
    T shared[width];
    std::copy_n(at, width, shared);
    for (int64_t k = 0; k < sweep.count; ++k, ++rotation) {
      T* const next = at + sweep.step * width;
      const T c = rotation->c, s = down ? rotation->s : -rotation->s;
      for (int64_t i = 0; i < width; ++i) {
        const T here = shared[i], other = next[i];
        at[i] = c * here + s * other;
        shared[i] = c * other - s * here;
      }
      at = next;
    }
    std::copy_n(shared, width, at);
  }
}

template <class T>
void Rotations<T>::apply() {
  constexpr int64_t width = strip_columns<T>;
  if (rows_.columns <= few_columns) {
    for (const Sweep& sweep : sweeps_) {
      for (int64_t k = 0; k < sweep.count; ++k) {
        const int64_t row = sweep.first + sweep.step * k;
        rotate(rows_.row(row), rows_.row(row + 1), rotations_[sweep.at + static_cast<size_t>(k)], rows_.columns);
      }
    }
  } else {
    ScratchSlots slots(context_, static_cast<uint64_t>(rows_.rows * width) * sizeof(T));
    const int64_t strips = (rows_.columns + width - 1) / width;
    const int64_t grain = std::max<int64_t>(1, 65536 / static_cast<int64_t>(rotations_.size() + 1));
    parallel_units(context_, strips, grain, [&](int64_t begin, int64_t end) {
      const ScratchSlots::Slot slot(slots);
      T* const strip = reinterpret_cast<T*>(slot.data());
      for (int64_t unit = begin; unit < end && !interrupted(context_); ++unit) {
        const int64_t column = unit * width, columns = std::min(width, rows_.columns - column);
        if (columns < width) std::fill_n(strip, rows_.rows * width, T(0));
        copy({strip, rows_.rows, columns, width}, rows_.part(0, column, rows_.rows, columns));
        apply_to_strip(strip);
        copy(rows_.part(0, column, rows_.rows, columns), {strip, rows_.rows, columns, width});
      }
    });
    poll_interrupt(context_);
  }
  sweeps_.clear();
  rotations_.clear();
}

template struct Rotation<float>;
template struct Rotation<double>;
template class Rotations<float>;
template class Rotations<double>;

}  // namespace covec::kernels
