// See sharing.hpp.
#include "interpreter/host/sharing.hpp"

#include <algorithm>
#include <cstring>

#include "stdlib/tensor/interleaved.hpp"
#include "stdlib/tensor/scratch.hpp"
#include "stdlib/tensor/walk.hpp"

namespace covec::embedding {

namespace {

constexpr std::string_view too_many_bytes = "the number of bytes is too large";
constexpr int64_t no_extents[1] = {0};  // of a number

// Bytes are counted as well, and signed: strides are.
std::string_view wrong_with_dims(const Layout& layout) {
  if (layout.rank > max_rank) return "a tensor of more than 16 dimensions";
  if (layout.rank > 0 && layout.dims == nullptr) return "the dimensions are null";
  const std::span<const int64_t> dims(layout.dims, layout.rank);
  if (std::ranges::any_of(dims, [](int64_t dim) { return dim < 0; })) return "a dimension is negative";
  auto bytes = static_cast<int64_t>(size_of(layout.dtype));
  for (const int64_t dim : dims) {
    if (__builtin_mul_overflow(bytes, std::max<int64_t>(dim, 1), &bytes)) return too_many_bytes;
  }
  return {};
}

// Where the farthest elements lie, in both directions.
std::string_view wrong_with_strides(const Layout& layout) {
  int64_t before = 0, behind = static_cast<int64_t>(size_of(layout.dtype));
  for (unsigned axis = 0; axis < layout.rank; ++axis) {
    int64_t bytes = static_cast<int64_t>(size_of(layout.dtype));
    if (__builtin_mul_overflow(bytes, layout.strides[axis], &bytes) ||
        __builtin_mul_overflow(bytes, std::max<int64_t>(layout.dims[axis] - 1, 0), &bytes) ||
        __builtin_add_overflow(bytes < 0 ? before : behind, bytes, bytes < 0 ? &before : &behind))
      return too_many_bytes;
  }
  int64_t all = 0;
  return __builtin_sub_overflow(behind, before, &all) ? too_many_bytes : std::string_view();
}

int64_t size_of(const Layout& layout) {
  int64_t size = 1;
  for (unsigned axis = 0; axis < layout.rank; ++axis) size *= layout.dims[axis];
  return size;
}

// The elements that the strides lead to, counted from the one with all indices 0.
struct Reach {
  int64_t begin, end;
};

Reach reach_of(const Layout& layout) {
  Reach reach{0, 1};
  for (unsigned axis = 0; axis < layout.rank; ++axis) {
    const int64_t farthest = (layout.dims[axis] - 1) * layout.strides[axis];
    (farthest < 0 ? reach.begin : reach.end) += farthest;
  }
  return reach;
}

// f(element, where it lies in row-major order), both in bytes; there are elements.
template <class F>
void each_element(const Layout& layout, std::byte* to, F f) {
  const auto bytes = static_cast<int64_t>(covec::size_of(layout.dtype));
  PairAxes axes;
  int64_t inside = size_of(layout);
  for (unsigned axis = 0; axis < layout.rank; ++axis) {
    inside /= layout.dims[axis];
    const int64_t stride = layout.strides == nullptr ? inside : layout.strides[axis];
    axes.push({layout.dims[axis], stride * bytes, inside * bytes});
  }
  axes.each_position(axes.count, static_cast<const std::byte*>(layout.data), to, f);
}

template <size_t bytes>
void copy_each(const Layout& layout, std::byte* to) {
  each_element(layout, to, [](const std::byte* element, std::byte* place) { std::memcpy(place, element, bytes); });
}

// Arithmetic counts on a bool being 0 or 1.
bool are_bools(const Layout& layout) {
  unsigned all = 0;
  std::byte none{};
  each_element(layout, &none, [&](const std::byte* element, std::byte*) { all |= static_cast<unsigned>(*element); });
  return all <= 1;
}

}  // namespace

bool is_dtype(covec_dtype dtype) { return dtype >= 0 && static_cast<size_t>(dtype) < dtype_count; }

std::string_view wrong_with(const Layout& layout) {
  if (const std::string_view why = wrong_with_dims(layout); !why.empty()) return why;
  if (layout.strides != nullptr) {
    if (const std::string_view why = wrong_with_strides(layout); !why.empty()) return why;
  }
  if (size_of(layout) == 0) return {};
  if (layout.data == nullptr) return "the data is null";
  if (layout.dtype == Dtype::boolean && !are_bools(layout)) return "a bool is neither 0 nor 1";
  return {};
}

Layout layout_of(const Value& value) {
  if (value.is_scalar()) return {value.scalar_dtype(), 0, no_extents, no_extents, value.scalar_data()};
  const Tensor& tensor = value.tensor();
  return {tensor.dtype(), tensor.rank(), tensor.dims().data(), tensor.strides().data(), tensor.data()};
}

bool is_row_major(const Layout& layout) {
  if (layout.strides == nullptr) return true;
  int64_t expected = 1;
  for (unsigned axis = layout.rank; axis-- > 0;) {
    if (layout.dims[axis] != 1 && layout.strides[axis] != expected) return false;
    expected *= layout.dims[axis];
  }
  return true;
}

Value share(covec_session& session, const Layout& layout, std::unique_ptr<SharedMemory> shared) {
  if (layout.rank == 0) {
    const Value number = Value::scalar(layout.dtype, layout.data);
    if (shared != nullptr) SharedMemory::release_shared(shared.release());
    return number;
  }
  Pool& pool = *session.session->context().pool;
  const Shape shape(layout.dims, layout.rank);
  auto* const first = static_cast<std::byte*>(const_cast<void*>(layout.data));
  const bool whole = is_row_major(layout) || size_of(layout) == 0;
  const Reach reach = whole ? Reach{0, size_of(layout)} : reach_of(layout);
  const auto bytes = static_cast<int64_t>(covec::size_of(layout.dtype));
  const Shape memory = whole ? shape : Shape{Dim(reach.end - reach.begin)};
  Value all = Tensor::share(pool, layout.dtype, memory, first + reach.begin * bytes, true,
                            shared != nullptr ? SharedMemory::release_shared : nullptr, shared.get());
  SharedMemory* const held = shared.release();
  if (held != nullptr) held->is_taken = false;
  Value value = whole ? all : Tensor::view(all, first, shape, {layout.strides, layout.rank});
  if (held != nullptr) held->is_taken = true;
  return value;
}

void copy_elements(const Layout& layout, void* to) {
  const auto size = static_cast<size_t>(size_of(layout));
  auto* const bytes = static_cast<std::byte*>(to);
  if (size == 0) return;
  if (is_row_major(layout)) {
    std::memcpy(to, layout.data, size * covec::size_of(layout.dtype));
    return;
  }
  switch (covec::size_of(layout.dtype)) {
    case 1: return copy_each<1>(layout, bytes);
    case 2: return copy_each<2>(layout, bytes);
    case 4: return copy_each<4>(layout, bytes);
    default: return copy_each<8>(layout, bytes);
  }
}

void join_complex(Pool& pool, const Complex& z, void* to) {
  const Layout re = layout_of(z.re()), im = layout_of(z.im());
  const auto count = static_cast<size_t>(size_of(re)), bytes = count * covec::size_of(re.dtype);
  const Scratch parts(pool, 2 * bytes);
  copy_elements(re, parts.data());
  copy_elements(im, parts.data() + bytes);
  const auto join = [&]<class T>(T* joined) {
    const auto* const from = reinterpret_cast<const T*>(parts.data());
    join_parts(from, from + count, joined, count);
  };
  re.dtype == Dtype::f64 ? join(static_cast<double*>(to)) : join(static_cast<float*>(to));
}

}  // namespace covec::embedding
