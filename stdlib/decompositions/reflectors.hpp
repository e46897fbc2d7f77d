// Householder reflectors, H = I − τ·v·vᵀ, and products of many of them. Blocks of reflectors are I − V·T·Vᵀ: R.
// Schreiber and C. Van Loan, "A storage-efficient WY representation for products of Householder transformations", SIAM
// J. Sci. Stat. Comput. 10 (1989). All matrices are stored transposed. A reflector is a row, and so is each former
// column, so every loop runs over adjacent elements.
#pragma once

#include "stdlib/decompositions/dense.hpp"

namespace covec::kernels {

inline constexpr int64_t reflector_block = 32;  // so many at a time

// H·x = (beta, 0, …): x becomes v, whose first element is 1.
template <class T>
struct Reflector {
  T tau, beta;
};
template <class T>
Reflector<T> make_reflector(T* x, int64_t n);

// Reflectors t = 0, 1, …: row t of v, which is 0 before column t + offset and 1 there.
template <class T>
struct Reflectors {
  Dense<T> v;
  const T* tau;
  int64_t offset;
};

// Rows of Qᵀ with Q = H₀·H₁·…: as many as `rows` has.
template <class T>
void form_rows(ops::Context& context, const Reflectors<T>& reflectors, Dense<T> rows);

// Rows x become x·Qᵀ: where rows are vectors of a narrow form, they become those of the whole.
template <class T>
void turn_rows(ops::Context& context, const Reflectors<T>& reflectors, Dense<T> rows);

// Aᵀ = Rᵀ·Qᵀ, in place of the former: Rᵀ is its lower triangle. v is min(m, n) × m and becomes the reflectors.
template <class T>
void factor_qr(ops::Context& context, Dense<T> at, Dense<T> v, T* tau);

}  // namespace covec::kernels
