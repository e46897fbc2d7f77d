// Kernels over rows of dense matrices. They take several rows at a time, so that shared data is read once.
#include "stdlib/decompositions/dense_rows.hpp"

#include "stdlib/kernels/gemm_vector.hpp"

namespace covec::COVEC_ISA {

namespace {

template <class T>
struct RowPasses {
  using R = Register<T>;
  using V = typename R::V;
  using Mask = typename R::Mask;
  // In elements: a register of the instruction set; lanes of 64 bytes, one register of AVX-512.
  static constexpr int width = R::width, lanes = 64 / sizeof(T), parts = lanes / width;
  static constexpr int64_t together = 4;  // rows

  // Lanes by halves.
  static T folded(const V (&sum)[parts]) {
    alignas(64) T lane[lanes];
    for (int p = 0; p < parts; ++p) R::write(lane + p * width, sum[p]);
    for (int half = lanes / 2; half > 0; half /= 2) {
      for (int i = 0; i < half; ++i) lane[i] += lane[i + half];
    }
    return lane[0];
  }

  template <int64_t Rows>
  static void dots_of(const T* a, int64_t stride, int64_t n, const T* x, T* dots) {
    V sum[Rows][parts] = {};
    int64_t j = 0;
    for (; j + lanes <= n; j += lanes) {
#pragma GCC unroll 4
      for (int p = 0; p < parts; ++p) {
        const V v = R::read(x + j + p * width);
#pragma GCC unroll 4
        for (int64_t r = 0; r < Rows; ++r) sum[r][p] += R::read(a + r * stride + j + p * width) * v;
      }
    }
#pragma GCC unroll 4
    for (int p = 0; p < parts; ++p, j += width) {
      if (j >= n) break;
      const Mask mask(n - j);
      const V v = mask.read(x + j);
#pragma GCC unroll 4
      for (int64_t r = 0; r < Rows; ++r) sum[r][p] += mask.read(a + r * stride + j) * v;
    }
    for (int64_t r = 0; r < Rows; ++r) dots[r] = folded(sum[r]);
  }

  static void dots(const T* a, int64_t stride, int64_t rows, int64_t n, const T* x, T* dots) {
    for (; rows >= together; rows -= together, a += together * stride, dots += together)
      dots_of<together>(a, stride, n, x, dots);
    for (; rows > 0; --rows, a += stride, ++dots) dots_of<1>(a, stride, n, x, dots);
  }

  template <int64_t Rows>
  static void add_rows_of(const T* a, int64_t stride, int64_t n, const T* factors, T* y) {
    V factor[Rows];
    for (int64_t r = 0; r < Rows; ++r) factor[r] = R::broadcast(factors[r]);
    int64_t j = 0;
    for (; j + width <= n; j += width) {
      V sum = R::read(y + j);
#pragma GCC unroll 4
      for (int64_t r = 0; r < Rows; ++r) sum += factor[r] * R::read(a + r * stride + j);
      R::write(y + j, sum);
    }
    if (j == n) return;
    const Mask mask(n - j);
    V sum = mask.read(y + j);
#pragma GCC unroll 4
    for (int64_t r = 0; r < Rows; ++r) sum += factor[r] * mask.read(a + r * stride + j);
    mask.write(y + j, sum);
  }

  static void add_rows(const T* a, int64_t stride, int64_t rows, int64_t n, const T* factors, T* y) {
    for (; rows >= together; rows -= together, a += together * stride, factors += together)
      add_rows_of<together>(a, stride, n, factors, y);
    for (; rows > 0; --rows, a += stride, ++factors) add_rows_of<1>(a, stride, n, factors, y);
  }

  static void add_to_rows(T* a, int64_t stride, int64_t rows, int64_t n, const T* factors, const T* x) {
    for (; rows > 0; --rows, a += stride, ++factors) add_rows_of<1>(x, 0, n, factors, a);
  }

  // Of rows [0, Rows) what is right of the square on the diagonal.
  template <int64_t Rows>
  static void symmetric_rows(const T* a, int64_t stride, int64_t n, const T* x, T* y) {
    V sum[Rows][parts] = {}, factor[Rows];
    for (int64_t r = 0; r < Rows; ++r) factor[r] = R::broadcast(x[r]);
    int64_t j = Rows;
    for (; j + lanes <= n; j += lanes) {
#pragma GCC unroll 4
      for (int p = 0; p < parts; ++p) {
        const int64_t at = j + p * width;
        const V v = R::read(x + at);
        V to = R::read(y + at);
#pragma GCC unroll 4
        for (int64_t r = 0; r < Rows; ++r) {
          const V element = R::read(a + r * stride + at);
          to += factor[r] * element;
          sum[r][p] += element * v;
        }
        R::write(y + at, to);
      }
    }
#pragma GCC unroll 4
    for (int p = 0; p < parts; ++p, j += width) {
      if (j >= n) break;
      const Mask mask(n - j);
      const V v = mask.read(x + j);
      V to = mask.read(y + j);
#pragma GCC unroll 4
      for (int64_t r = 0; r < Rows; ++r) {
        const V element = mask.read(a + r * stride + j);
        to += factor[r] * element;
        sum[r][p] += element * v;
      }
      mask.write(y + j, to);
    }
    for (int64_t r = 0; r < Rows; ++r) y[r] += folded(sum[r]);
  }

  template <int64_t Rows>
  static void symmetric_square(const T* a, int64_t stride, const T* x, T* y) {
    for (int64_t r = 0; r < Rows; ++r) {
      y[r] += a[r * stride + r] * x[r];
      for (int64_t j = r + 1; j < Rows; ++j) {
        y[r] += a[r * stride + j] * x[j];
        y[j] += a[r * stride + j] * x[r];
      }
    }
  }

  static void symmetric(const T* a, int64_t stride, int64_t rows, int64_t n, const T* x, T* y) {
    for (; rows >= together;
         rows -= together, n -= together, a += together * (stride + 1), x += together, y += together) {
      symmetric_square<together>(a, stride, x, y);
      symmetric_rows<together>(a, stride, n, x, y);
    }
    for (; rows > 0; --rows, --n, a += stride + 1, ++x, ++y) {
      symmetric_square<1>(a, stride, x, y);
      symmetric_rows<1>(a, stride, n, x, y);
    }
  }

  static constexpr kernels::DenseRows<T> table() { return {&dots, &add_rows, &add_to_rows, &symmetric}; }
};

constexpr kernels::DenseRows<float> f32_rows = RowPasses<float>::table();
constexpr kernels::DenseRows<double> f64_rows = RowPasses<double>::table();

}  // namespace

const kernels::DenseRows<float>& dense_rows(float) { return f32_rows; }
const kernels::DenseRows<double>& dense_rows(double) { return f64_rows; }

}  // namespace covec::COVEC_ISA
