// Plane rotations of neighbouring rows. An implicit QR iteration records them, and many are applied at a time: a strip
// of columns stays in the cache while all of them pass over it. F. Van Zee, R. van de Geijn and G. Quintana-Ortí,
// "Restructuring the tridiagonal and bidiagonal QR algorithms for performance", ACM TOMS 40 (2014).
#pragma once

#include <vector>

#include "stdlib/decompositions/dense.hpp"

namespace covec::kernels {

// (c, s) with c·f + s·g = r and c·g − s·f = 0, c² + s² = 1.
template <class T>
struct Rotation {
  T c, s;
  static Rotation of(T f, T g, T& r);
};

// Of the rows of one matrix.
template <class T>
class Rotations {
 public:
  Rotations(ops::Context& context, Dense<T> rows);
  // A sweep's rotations come one after the other: of rows i and i + 1, then of the pair below it, or above.
  void begin_sweep() { sweeps_.push_back(Sweep{0, 0, 1, rotations_.size()}); }
  void push(int64_t row, const Rotation<T>& rotation);
  // Applies what was recorded; so does, now and then, the end of a sweep.
  void end_sweep();
  void apply();

 private:
  struct Sweep {
    int64_t first, count, step;  // the upper row of the first pair; ±1
    size_t at;
  };
  void apply_to_strip(T* strip) const;

  ops::Context& context_;
  Dense<T> rows_;
  std::vector<Sweep> sweeps_;
  std::vector<Rotation<T>> rotations_;
};

}  // namespace covec::kernels
