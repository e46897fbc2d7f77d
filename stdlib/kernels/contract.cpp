// Plans contractions. With two float (or i64) factors it becomes a matrix product. An index of only the right factor
// becomes its columns, and one of only the left factor its rows. The reduced indices become its inner dimension, and
// the others a batch. If nothing is summed and both have the last index, elements are multiplied in place. Anything
// else is computed element by element. Start at contract().
#include "stdlib/kernels/contract.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "stdlib/kernels/gemm_plan.hpp"

namespace covec::kernels {

namespace {

int64_t elements(const int64_t* dims, unsigned count) {
  int64_t n = 1;
  for (unsigned i = 0; i < count; ++i) n *= dims[i];
  return n;
}

Axes axes_of(const int64_t* dims, const int64_t* strides, unsigned count) {
  Axes axes;
  for (unsigned i = 0; i < count; ++i) axes.push_merged(dims[i], strides[i]);
  return axes;
}

// --- two factors as a product ---

// The reduced indices as one axis of a factor, if they are.
std::optional<int64_t> inner_stride(const Contraction& c, const ContractFactor& factor) {
  const Axes axes = axes_of(c.reduced_dim, factor.reduced_stride, c.reduced);
  if (axes.count > 1) return std::nullopt;
  return axes.count == 0 ? 0 : axes.stride[0];
}

// A copy of a factor whose reduced indices are one run, if it has all of them.
class PackedFactor {
 public:
  static bool possible(const Contraction& c, const ContractFactor& factor) {
    for (unsigned i = 0; i < c.reduced; ++i) {
      if (c.reduced_dim[i] > 1 && factor.reduced_stride[i] == 0) return false;
    }
    return true;
  }
  PackedFactor(ops::Context& context, const Contraction& c, ContractFactor& factor)
      : axes_(own_axes(c, factor)), scratch_(*context.pool, static_cast<size_t>(axes_.elements()) * size_of(c.dtype)) {
    const size_t size = size_of(c.dtype);
    parallel_for(context, axes_.elements(), 32768, [&](int64_t begin, int64_t end) {
      pack(factor.data, axes_, begin, end, size, scratch_.data() + begin * static_cast<int64_t>(size));
    });
    factor.data = scratch_.data();
    int64_t stride = 1;
    for (unsigned i = c.reduced; i-- > 0; stride *= c.reduced_dim[i]) factor.reduced_stride[i] = stride;
    for (unsigned i = c.outs; i-- > 0;) {
      if (factor.out_stride[i] == 0) continue;
      factor.out_stride[i] = stride;
      stride *= c.out_dim[i];
    }
  }

 private:
  static Axes own_axes(const Contraction& c, const ContractFactor& factor) {
    Axes axes;
    for (unsigned i = 0; i < c.outs; ++i) {
      if (factor.out_stride[i] != 0) axes.push_merged(c.out_dim[i], factor.out_stride[i]);
    }
    for (unsigned i = 0; i < c.reduced; ++i) axes.push_merged(c.reduced_dim[i], factor.reduced_stride[i]);
    return axes;
  }
  Axes axes_;
  Scratch scratch_;
};

// The result's indices with more than one value, outermost first.
struct OutAxis {
  int64_t dim, a, b, c;
  bool only_right() const { return a == 0 && b != 0; }
  bool only_left() const { return a != 0 && b == 0; }
};
struct OutAxes {
  unsigned count = 0;
  OutAxis axis[max_rank];
  void remove(unsigned i) {
    std::copy(axis + i + 1, axis + count, axis + i);
    --count;
  }
};

OutAxes out_axes(const Contraction& c, const ContractFactor& a, const ContractFactor& b) {
  OutAxes axes;
  int64_t strides[max_rank], stride = 1;
  for (unsigned i = c.outs; i-- > 0; stride *= c.out_dim[i]) strides[i] = stride;
  for (unsigned i = 0; i < c.outs; ++i) {
    if (c.out_dim[i] > 1) axes.axis[axes.count++] = {c.out_dim[i], a.out_stride[i], b.out_stride[i], strides[i]};
  }
  return axes;
}

// Takes the last indices for the columns, as long as only the right factor has them and they are one run.
void take_columns(OutAxes& axes, Product& p) {
  while (axes.count > 0 && axes.axis[axes.count - 1].only_right()) {
    const OutAxis& last = axes.axis[axes.count - 1];
    if (p.n > 1 && last.b != p.b.column * p.n) return;
    if (p.n == 1) p.b.column = last.b;
    p.n *= last.dim;
    --axes.count;
  }
}

void take_rows(OutAxes& axes, Product& p) {
  unsigned largest = axes.count;
  for (unsigned i = 0; i < axes.count; ++i) {
    if (axes.axis[i].only_left() && (largest == axes.count || axes.axis[i].dim > axes.axis[largest].dim)) largest = i;
  }
  if (largest == axes.count) return;
  p.m = axes.axis[largest].dim;
  p.a.row = axes.axis[largest].a;
  p.c_row = axes.axis[largest].c;
  axes.remove(largest);
}

void multiply_factors(ops::Context& context, const Contraction& c, const ContractFactor& left,
                      const ContractFactor& right) {
  OutAxes axes = out_axes(c, left, right);
  const ContractFactor* a = &left;
  const ContractFactor* b = &right;
  if (axes.count > 0 && axes.axis[axes.count - 1].only_left()) {
    std::swap(a, b);
    axes = out_axes(c, *a, *b);
  }
  Product p{c.dtype,
            1,
            1,
            elements(c.reduced_dim, c.reduced),
            {a->data, 0, *inner_stride(c, *a)},
            {b->data, *inner_stride(c, *b), 1},
            c.out,
            1};
  take_columns(axes, p);
  take_rows(axes, p);
  ProductBatch batch;
  for (unsigned i = 0; i < axes.count; ++i)
    batch.push(axes.axis[i].dim, axes.axis[i].a, axes.axis[i].b, axes.axis[i].c);
  multiply(context, p, batch);
}

bool as_product(ops::Context& context, const Contraction& c) {
  if (c.factors.size() != 2 || c.dtype == Dtype::i32) return false;
  ContractFactor a = c.factors[0], b = c.factors[1];
  const bool packs_a = !inner_stride(c, a), packs_b = !inner_stride(c, b);
  if ((packs_a && !PackedFactor::possible(c, a)) || (packs_b && !PackedFactor::possible(c, b))) return false;
  std::optional<PackedFactor> packed_a, packed_b;
  if (packs_a) packed_a.emplace(context, c, a);
  if (packs_b) packed_b.emplace(context, c, b);
  multiply_factors(context, c, a, b);
  return true;
}

// --- two factors, nothing summed ---

// One multiply-add from zero, which is the rounded product but for its sign where a factor is 0: −0 + 0 is 0.
template <class T>
T multiply_add_of_zero(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return a == 0 || b == 0 ? a * b + T(0) : a * b;
  return a * b;
}

template <class T>
void multiply_run(const T* a, int64_t a_stride, const T* b, int64_t b_stride, int64_t n, T* out) {
  using Lanes __attribute__((vector_size(16), aligned(alignof(T)), may_alias)) = T;
  constexpr int64_t lanes = 16 / sizeof(T);  // elements in 16 bytes, an SSE2 register
  int64_t i = 0;
  if (a_stride == 1 && b_stride == 1) {
    for (; i + lanes <= n; i += lanes) {
      const Lanes x = *reinterpret_cast<const Lanes*>(a + i), y = *reinterpret_cast<const Lanes*>(b + i);
      Lanes product = x * y;
      if constexpr (std::is_floating_point_v<T>) product = ((x == 0) | (y == 0)) ? product + T(0) : product;
      *reinterpret_cast<Lanes*>(out + i) = product;
    }
  }
  for (; i < n; ++i) out[i] = multiply_add_of_zero(a[i * a_stride], b[i * b_stride]);
}

template <class T>
void multiply_runs(ops::Context& context, const Contraction& c) {
  Axes axes[2];
  for (unsigned i = 0; i < c.outs; ++i) {
    for (size_t f = 0; f < 2; ++f) axes[f].push(c.out_dim[i], c.factors[f].out_stride[i]);
  }
  merge_together(axes);
  const Axes &a = axes[0], &b = axes[1], a_rows = a.without_last(), b_rows = b.without_last();
  const auto* left = reinterpret_cast<const T*>(c.factors[0].data);
  const auto* right = reinterpret_cast<const T*>(c.factors[1].data);
  const int64_t run = a.last_dim();
  parallel_for(context, a.elements(), 32768, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end;) {
      const int64_t row = p / run, inside = p % run, n = std::min(end - p, run - inside);
      multiply_run(left + a_rows.offset(row) + inside * a.last_stride(), a.last_stride(),
                   right + b_rows.offset(row) + inside * b.last_stride(), b.last_stride(), n,
                   reinterpret_cast<T*>(c.out) + p);
      p += n;
    }
  });
}

bool as_elementwise(ops::Context& context, const Contraction& c) {
  if (c.factors.size() != 2 || elements(c.reduced_dim, c.reduced) != 1) return false;
  unsigned last = c.outs;
  while (last > 0 && c.out_dim[last - 1] == 1) --last;
  if (last == 0 || c.factors[0].out_stride[last - 1] == 0 || c.factors[1].out_stride[last - 1] == 0) return false;
  switch (compute_of(c.dtype)) {
    case Compute::f32: multiply_runs<float>(context, c); return true;
    case Compute::f64: multiply_runs<double>(context, c); return true;
    case Compute::i64: multiply_runs<uint64_t>(context, c); return true;
    default: return false;  // of i32 the sum is wider
  }
}

// --- element by element ---

template <class T>
struct Element {
  T left[product_block], right[product_block], factor[product_block];

  // Terms [begin, end) of every factor, multiplied up to the last.
  void gather(const Contraction& c, int64_t out, int64_t begin, int64_t end) {
    const int64_t n = end - begin;
    for (size_t f = 0; f < c.factors.size(); ++f) {
      const ContractFactor& factor_at = c.factors[f];
      const bool last = f + 1 == c.factors.size() && f > 0;
      T* to = f == 0 ? left : last ? right : factor;
      const Axes outs = axes_of_outs(c, factor_at);
      pack(factor_at.data + outs.offset(out) * static_cast<int64_t>(sizeof(T)), reduced_axes(c, factor_at), begin, end,
           sizeof(T), reinterpret_cast<std::byte*>(to));
      if (f == 0 || last) continue;
      for (int64_t i = 0; i < n; ++i) left[i] *= factor[i];
    }
    if (c.factors.size() == 1) std::fill_n(right, n, T(1));
  }

 private:
  // Unmerged, so that an index of the result finds its place.
  static Axes axes_of_outs(const Contraction& c, const ContractFactor& factor) {
    Axes axes;
    for (unsigned i = 0; i < c.outs; ++i) axes.push(c.out_dim[i], factor.out_stride[i]);
    return axes;
  }
  static Axes reduced_axes(const Contraction& c, const ContractFactor& factor) {
    return axes_of(c.reduced_dim, factor.reduced_stride, c.reduced);
  }
};

template <class T>
T float_element(const Contraction& c, const GemmKernel& kernel, Element<T>& element, int64_t out, int64_t k) {
  T result = 0;
  for (int64_t begin = 0; begin < k; begin += product_block) {
    const int64_t end = std::min(k, begin + product_block);
    element.gather(c, out, begin, end);
    T chain;
    kernel.dot(end - begin, element.left, 1, element.right, 1, &chain);
    result = begin == 0 ? chain : result + chain;
  }
  return result;
}

// Products in the factors' own width, sums in 64 bits.
template <class T>
uint64_t integer_element(const Contraction& c, Element<T>& element, int64_t out, int64_t k) {
  uint64_t sum = 0;
  for (int64_t begin = 0; begin < k; begin += product_block) {
    const int64_t end = std::min(k, begin + product_block);
    element.gather(c, out, begin, end);
    for (int64_t i = 0; i < end - begin; ++i) {
      const T product = element.left[i] * element.right[i];
      sum += static_cast<uint64_t>(static_cast<int64_t>(static_cast<std::make_signed_t<T>>(product)));
    }
  }
  return sum;
}

template <class T>
void each_element(ops::Context& context, const Contraction& c) {
  const int64_t k = elements(c.reduced_dim, c.reduced), outs = elements(c.out_dim, c.outs);
  const GemmKernel& kernel = gemm_kernel_for(context.isa, c.dtype);
  parallel_units(context, outs, std::max<int64_t>(1, 8192 / std::max<int64_t>(1, k)), [&](int64_t begin, int64_t end) {
    Element<T> element;
    for (int64_t out = begin; out < end; ++out) {
      if constexpr (std::is_floating_point_v<T>) {
        reinterpret_cast<T*>(c.out)[out] = float_element(c, kernel, element, out, k);
      } else {
        reinterpret_cast<uint64_t*>(c.out)[out] = integer_element(c, element, out, k);
      }
    }
  });
}

}  // namespace

void contract(ops::Context& context, const Contraction& c) {
  if (elements(c.out_dim, c.outs) == 0 || as_elementwise(context, c) || as_product(context, c)) return;
  switch (compute_of(c.dtype)) {
    case Compute::f32: return each_element<float>(context, c);
    case Compute::f64: return each_element<double>(context, c);
    case Compute::i32: return each_element<uint32_t>(context, c);
    default: return each_element<uint64_t>(context, c);
  }
}

}  // namespace covec::kernels
