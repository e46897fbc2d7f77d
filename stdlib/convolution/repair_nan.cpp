#include "stdlib/convolution/repair_nan.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace covec::kernels {

namespace {

// --- looking ---

// Whether any of n elements in a row is NaN or infinite: their sum is then, in any order. (Sums that overflow say so
// too; who asks looks again.)
template <class T>
bool any_special(const T* x, int64_t n) {
  using Lanes __attribute__((vector_size(16), aligned(alignof(T)), may_alias)) = T;
  // Elements in 16 bytes, an SSE2 register, and registers of sums side by side.
  constexpr int64_t lanes = 16 / sizeof(T), chains = 8;
  Lanes sums[chains] = {};
  int64_t i = 0;
  for (; i + chains * lanes <= n; i += chains * lanes) {
#pragma GCC unroll 8
    for (int64_t chain = 0; chain < chains; ++chain) {
      sums[chain] += *reinterpret_cast<const Lanes*>(x + i + chain * lanes);
    }
  }
  T sum = 0;
  for (const Lanes& chain : sums) {
    for (int64_t lane = 0; lane < lanes; ++lane) sum += chain[lane];
  }
  for (; i < n; ++i) sum += x[i];
  return !std::isfinite(sum);
}

template <class T>
bool any_nan(ops::Context& context, const T* x, int64_t n) {
  constexpr int64_t grain = int64_t{1} << 20;  // looking is quick: waking threads for less costs more
  std::atomic<bool> any = false;
  parallel_for(context, n, grain, [&](int64_t begin, int64_t end) {
    if (any || !any_special(x + begin, end - begin)) return;
    if (std::any_of(x + begin, x + end, [](T element) { return std::isnan(element); })) any = true;
  });
  return any;
}

// The elements of a factor, as they lie: axes with the largest stride first.
Axes axes_of(const Contraction& c, const ContractFactor& factor) {
  struct Found {
    int64_t stride, dimension;
  } found[2 * max_rank];
  Found* end = found;
  for (unsigned i = 0; i < c.outs; ++i) {
    if (factor.out_stride[i] != 0) *end++ = {factor.out_stride[i], c.out_dim[i]};
  }
  for (unsigned i = 0; i < c.reduced; ++i) {
    if (factor.reduced_stride[i] != 0) *end++ = {factor.reduced_stride[i], c.reduced_dim[i]};
  }
  std::sort(found, end, [](const Found& a, const Found& b) { return std::abs(a.stride) > std::abs(b.stride); });
  Axes axes;
  for (const Found* at = found; at != end; ++at) axes.push_merged(at->dimension, at->stride);
  return axes;
}

// Whether test(element) holds of any.
template <class T, class Test>
bool any_of(const ContractFactor& factor, const Axes& axes, Test test) {
  const T* data = reinterpret_cast<const T*>(factor.data);
  bool any = false;
  each_run(axes, 0, axes.elements(), [&](int64_t offset, int64_t, int64_t n) {
    for (int64_t i = 0; i < n && !any; ++i) any = test(data[offset + i * axes.last_stride()]);
  });
  return any;
}

template <class T>
bool any_special(const ContractFactor& factor, const Axes& axes) {
  if (axes.adjacent() && !any_special(reinterpret_cast<const T*>(factor.data), axes.elements())) return false;
  return any_of<T>(factor, axes, [](T element) { return !std::isfinite(element); });
}

int64_t elements(const int64_t* dims, unsigned count) {
  int64_t n = 1;
  for (unsigned i = 0; i < count; ++i) n *= dims[i];
  return n;
}

// Whether a factor that is no cotangent may have made NaN of a term 0: asked where they are fewer than the results.
template <class T>
bool others_special(const Contraction& c, uint64_t zeros, int64_t outs) {
  const auto is_other = [&](const ContractFactor& factor) {  // of several cotangents an infinite one meets another's 0
    return zeros != uint64_t{1} << (&factor - c.factors.data());
  };
  int64_t count = 0;
  for (const ContractFactor& factor : c.factors) {
    if (is_other(factor)) count += axes_of(c, factor).elements();
  }
  if (count >= outs) return true;
  return std::any_of(c.factors.begin(), c.factors.end(), [&](const ContractFactor& factor) {
    return is_other(factor) && any_special<T>(factor, axes_of(c, factor));
  });
}

// --- a contraction's elements ---

// Steps through the indices `dims`, row-major, with an offset for each factor.
class Walk {
 public:
  Walk(const int64_t* dims, unsigned count, std::span<const ContractFactor> factors, bool reduced)
      : dims_(dims), count_(count), factors_(factors), reduced_(reduced), offsets_(factors.size(), 0) {}
  const std::vector<int64_t>& offsets() const { return offsets_; }
  void step() {
    for (unsigned i = count_; i-- > 0;) {
      const bool wraps = ++index_[i] == dims_[i];
      const int64_t by = wraps ? 1 - dims_[i] : 1;
      for (size_t f = 0; f < factors_.size(); ++f) {
        offsets_[f] += by * (reduced_ ? factors_[f].reduced_stride[i] : factors_[f].out_stride[i]);
      }
      if (!wraps) return;
      index_[i] = 0;
    }
  }

 private:
  const int64_t* dims_;
  const unsigned count_;
  const std::span<const ContractFactor> factors_;
  const bool reduced_;
  std::vector<int64_t> offsets_;
  int64_t index_[max_rank] = {};
};

template <class T>
T element_again(const Contraction& c, uint64_t zeros, const std::vector<int64_t>& at, int64_t terms) {
  Walk inner(c.reduced_dim, c.reduced, c.factors, true);
  T sum = 0;
  for (int64_t k = 0; k < terms; ++k, inner.step()) {
    T product = 1;
    bool nothing = false;
    for (size_t f = 0; f < c.factors.size(); ++f) {
      const T factor = reinterpret_cast<const T*>(c.factors[f].data)[at[f] + inner.offsets()[f]];
      nothing |= factor == T(0) && (zeros >> f & 1) != 0;
      product *= factor;
    }
    if (!nothing) sum += product;
  }
  return sum;
}

// A cotangent of nothing but ±0: a branch that was not taken.
template <class T>
bool all_terms_zero(const Contraction& c, uint64_t zeros) {
  for (size_t f = 0; f < c.factors.size(); ++f) {
    if ((zeros >> f & 1) == 0) continue;
    if (!any_of<T>(c.factors[f], axes_of(c, c.factors[f]), [](T element) { return element != T(0); })) return true;
  }
  return false;
}

template <class T>
void repair_elements(ops::Context& context, const Contraction& c, uint64_t zeros) {
  T* out = reinterpret_cast<T*>(c.out);
  const int64_t outs = elements(c.out_dim, c.outs), terms = elements(c.reduced_dim, c.reduced);
  if (outs == 0 || terms == 0 || !others_special<T>(c, zeros, outs) || !any_nan(context, out, outs)) return;
  const bool nothing = all_terms_zero<T>(c, zeros);
  constexpr int64_t terms_between_polls = 65536;  // products added between two polls
  int64_t done = 0;
  Walk outer(c.out_dim, c.outs, c.factors, false);
  for (int64_t p = 0; p < outs; ++p, outer.step()) {
    if (!std::isnan(out[p])) continue;
    out[p] = nothing ? T(0) : element_again<T>(c, zeros, outer.offsets(), terms);
    if ((done += nothing ? 1 : terms) < terms_between_polls) continue;
    poll_interrupt(context);
    done = 0;
  }
}

// --- a convolution's ---

int64_t elements_of(const Convolution& c, ConvolutionPart part) {
  const int64_t window = c.rows.window * c.columns.window;
  switch (part) {
    case ConvolutionPart::x: return c.examples * c.groups * c.in_channels * c.rows.in * c.columns.in;
    case ConvolutionPart::w: return c.groups * c.out_channels * c.in_channels * window;
    case ConvolutionPart::y: return c.examples * c.groups * c.out_channels * c.rows.out * c.columns.out;
  }
  return 0;
}

template <class T>
struct ConvolutionRepair {
  ops::Context& context;
  const Convolution& c;
  T *out, *left, *right;  // the result and the factors
  ConvolutionPart result, first, second;
  uint64_t zeros;

  int64_t count(ConvolutionPart part) const { return elements_of(c, part); }
  bool any_term() const {
    const auto some = [](const T* x, int64_t n) { return std::any_of(x, x + n, [](T e) { return e != T(0); }); };
    return ((zeros & 1) == 0 || some(left, count(first))) && ((zeros & 2) == 0 || some(right, count(second)));
  }
  bool needed() const {
    const int64_t n = count(result);
    if (n == 0) return false;
    const T* other = (zeros & 1) != 0 ? right : left;
    const int64_t others = count((zeros & 1) != 0 ? second : first);
    if (zeros != 3 && others < n && !any_special(other, others)) return false;
    return any_nan(context, out, n);
  }
  void run() const {
    if (!needed()) return;
    const int64_t n = count(result);
    std::vector<uint8_t> again(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) {
      again[static_cast<size_t>(i)] = std::isnan(out[i]);
      if (std::isnan(out[i])) out[i] = T(0);
    }
    if (!any_term()) return;
    for (int64_t channels = c.groups * c.out_channels, p = 0; p < c.examples * channels; ++p) {
      for (int64_t in = 0; in < c.in_channels; ++in) add_plane(p / channels, p % channels, in, again);
    }
  }
  // The terms of one channel of y and one of x in one example.
  void add_plane(int64_t example, int64_t to, int64_t in, const std::vector<uint8_t>& again) const {
    const int64_t from = to / c.out_channels * c.in_channels + in, froms = c.groups * c.in_channels;
    for (int64_t i = 0; i < c.rows.window * c.columns.window; ++i) {
      poll_interrupt(context);
      const int64_t r = i / c.columns.window, s = i % c.columns.window;
      const int64_t w = (to * c.in_channels + in) * c.rows.window * c.columns.window + i;
      for (int64_t row = 0; row < c.rows.out; ++row) {
        const int64_t x_row = row * c.rows.stride + r * c.rows.dilation - c.rows.before;
        if (x_row < 0 || x_row >= c.rows.in) continue;
        for (int64_t column = 0; column < c.columns.out; ++column) {
          const int64_t x_column = column * c.columns.stride + s * c.columns.dilation - c.columns.before;
          if (x_column < 0 || x_column >= c.columns.in) continue;
          const int64_t x = ((example * froms + from) * c.rows.in + x_row) * c.columns.in + x_column;
          const int64_t y = ((example * c.groups * c.out_channels + to) * c.rows.out + row) * c.columns.out + column;
          add_term(x, w, y, again);
        }
      }
    }
  }
  static int64_t place(ConvolutionPart part, int64_t x, int64_t w, int64_t y) {
    return part == ConvolutionPart::x ? x : part == ConvolutionPart::w ? w : y;
  }
  void add_term(int64_t x, int64_t w, int64_t y, const std::vector<uint8_t>& again) const {
    const int64_t at = place(result, x, w, y);
    if (again[static_cast<size_t>(at)] == 0) return;
    const T a = left[place(first, x, w, y)], b = right[place(second, x, w, y)];
    if (((zeros & 1) != 0 && a == T(0)) || ((zeros & 2) != 0 && b == T(0))) return;
    out[at] += a * b;
  }
};

template <class T>
void repair_convolution(ops::Context& context, const Convolution& c, const ConvolutionParts& parts,
                        ConvolutionPart result, uint64_t zeros) {
  using Part = ConvolutionPart;
  const auto data = [&](Part part) {
    return reinterpret_cast<T*>(part == Part::x ? parts.x : part == Part::w ? parts.w : parts.y);
  };
  const Part first = result == Part::y ? Part::x : Part::y, second = result == Part::w ? Part::x : Part::w;
  ConvolutionRepair<T>{context, c, data(result), data(first), data(second), result, first, second, zeros}.run();
}

// Elements; beyond, may_need_repair says yes without a check.
constexpr int64_t max_serial_elements = 32768;

}  // namespace

bool may_need_repair(Dtype dtype, const void* results, int64_t n) {
  if (!is_float(dtype) || n == 0) return false;
  if (n > max_serial_elements) return true;
  return dtype == Dtype::f32 ? any_special(static_cast<const float*>(results), n)
                             : any_special(static_cast<const double*>(results), n);
}

void repair_nan(ops::Context& context, const Contraction& c, uint64_t zeros) {
  if (zeros == 0) return;
  if (c.dtype == Dtype::f32) return repair_elements<float>(context, c, zeros);
  if (c.dtype == Dtype::f64) return repair_elements<double>(context, c, zeros);
}

void repair_nan(ops::Context& context, const Convolution& c, const ConvolutionParts& parts, ConvolutionPart result,
                uint64_t zeros) {
  if (zeros == 0) return;
  if (c.dtype == Dtype::f32) return repair_convolution<float>(context, c, parts, result, zeros);
  if (c.dtype == Dtype::f64) return repair_convolution<double>(context, c, parts, result, zeros);
}

}  // namespace covec::kernels
