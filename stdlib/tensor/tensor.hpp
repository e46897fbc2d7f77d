// Tensor: a header (dtype, dimensions, strides) over elements. A few elements (≤ 64 bytes) live in the header itself,
// more in a shared Storage block. Strides count elements; 0 is a broadcast axis. Everything is allocated from the
// session's Pool. The rank here is ≥ 1; rank 0 is an unboxed Value (a rank-0 Tensor header never escapes into a Value).
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "stdlib/tensor/pool.hpp"
#include "stdlib/value/dtype.hpp"
#include "stdlib/value/tensor_header.hpp"
#include "stdlib/value/value.hpp"

namespace covec {

struct Storage;

// What a device holds of a storage (stdlib/device/blocks.hpp).
class Remote {
 public:
  virtual ~Remote() = default;
  virtual void fetch(Storage& storage) = 0;  // the elements into storage.data, which is memory afterwards
};

// A block of elements that several tensors may view. Host memory is shared with a release callback and never pooled.
// With a copy on a device it is written no more (read_only), so that both stay the same; while it is `on_device` the
// device alone has the elements, and `data` is a range of addresses without memory, which views may point into.
struct Storage {
  uint32_t references = 1;
  Pool* pool = nullptr;
  std::byte* data = nullptr;
  size_t bytes = 0;
  void (*release)(void* owner) = nullptr;
  void* owner = nullptr;
  bool read_only = false;  // shared for reading: a write copies first
  bool on_device = false;
  Remote* remote = nullptr;  // owned
};

class Tensor : public TensorHeader {
 public:
  // Uninitialised, row-major. Throws OpError(out_of_memory) for absurd sizes.
  static Tensor* empty(Pool& pool, Dtype dtype, const Shape& shape);
  static Tensor* empty(Dtype dtype, const Tensor& like);  // of its shape
  // Another header on `base`'s elements; `data` points at the first. Copies instead when the elements are inline or the
  // view is small against the storage (less than a quarter), so that a small slice does not pin a large block.
  static Value view(const Value& base, std::byte* data, const Shape& shape, std::span<const int64_t> strides);
  // Rows [begin, end) of `base`, on its elements however few they are; `base` is large enough to have a storage.
  static Value rows(const Value& base, int64_t begin, int64_t end);
  // Shares host memory (row-major). `release(owner)` is called when the last view is gone.
  static Value share(Pool& pool, Dtype dtype, const Shape& shape, void* data, bool read_only, void (*release)(void*),
                     void* owner);
  // Row-major, of rank ≥ 1, whose elements `remote` alone has; `window` are the addresses that they get on the host.
  static Value remote(Pool& pool, Dtype dtype, const Shape& shape, std::byte* window, std::unique_ptr<Remote> remote);

  int64_t stride(unsigned axis) const { return extents()[rank() + axis]; }
  std::span<const int64_t> strides() const { return {extents() + rank(), rank()}; }
  bool contiguous() const { return contiguous_; }  // row-major without gaps (any strides when size ≤ 1)
  bool exclusive() const;                          // sole owner of writable elements: may be written in place
  Pool& pool() const { return static_cast<Pool&>(owner()); }

  // The one door to the elements: what is on a device is fetched.
  const std::byte* data() const {
    if (may_be_on_device_) [[unlikely]]
      fetch();
    return data_;
  }
  std::byte* data() { return const_cast<std::byte*>(std::as_const(*this).data()); }
  template <class T>
  const T* as() const {
    return reinterpret_cast<const T*>(data());
  }
  template <class T>
  T* as() {
    return reinterpret_cast<T*>(data());
  }
  // Where the first element lies, or would.
  std::byte* address() const { return data_; }
  bool on_device() const { return may_be_on_device_ && storage_->on_device; }
  Storage* storage() const { return storage_; }  // nullptr: few elements, in the header
  // A copy on a device, which goes with the storage. Not where the elements are shared with the host: their owner may
  // change them.
  void keep_remote(std::unique_ptr<Remote> remote);
  bool may_keep_remote() const { return storage_ != nullptr && storage_->release == nullptr; }
  // All that its elements may lie in: its storage, or what follows the header.
  std::span<const std::byte> memory() const;
  // Where element [index…] lies.
  const std::byte* at(std::span<const int64_t> index) const;
  static void dispose(Tensor* tensor) noexcept;  // by its pool, when its count has reached zero
  struct Layout;                                 // layout.hpp: what generated code reads

 private:
  Tensor(Pool& pool, Dtype dtype, unsigned rank, int64_t size) : TensorHeader(pool, dtype, rank, size) {}
  ~Tensor() = default;
  static Tensor* make_header(Pool& pool, Dtype dtype, unsigned rank, int64_t size, bool with_elements);
  static Tensor* make_header(Pool& pool, Dtype dtype, const Shape& shape, int64_t size);  // no elements yet
  static Tensor* make(Pool& pool, Dtype dtype, unsigned rank, int64_t size);              // no dimensions yet
  static size_t header_bytes(unsigned rank) {
    static_assert(sizeof(Tensor) == object_bytes);
    return (sizeof(Tensor) + 2 * sizeof(int64_t) * rank + 63) / 64 * 64;
  }
  void set_row_major();
  void set_strides(std::span<const int64_t> strides);
  bool overlaps_itself() const;
  void fetch() const;

  // Dimensions and strides follow the header, then the elements when they are few: a small vector is two cache lines.
  bool contiguous_ = true;
  bool may_be_on_device_ = false;  // its storage was, when this was made
  std::byte* data_ = nullptr;
  Storage* storage_ = nullptr;                // nullptr: the elements follow the header
  static constexpr size_t inline_bytes = 64;  // of elements: a cache line
};

inline Tensor& Value::tensor() const noexcept { return *static_cast<Tensor*>(object()); }

// A fresh row-major tensor as a Value; rank 0 gives a scalar of zero bits (write it with scalar_data()).
Value make_tensor(Pool& pool, Dtype dtype, const Shape& shape);
// Row-major copy unless it is already row-major.
Value contiguous(Pool& pool, const Value& value);
// Makes `value` exclusively owned and row-major (copying only when it is not), and gives it: for in-place writes.
Tensor& writable(Value& value, Pool& pool);
void copy_elements(const Tensor& from, Tensor& to);  // same shape and dtype, any strides

// Of a scalar or a tensor.
inline Dtype dtype_of(const Value& v) { return v.is_scalar() ? v.scalar_dtype() : v.tensor().dtype(); }
inline unsigned rank_of(const Value& v) { return v.is_scalar() ? 0 : v.tensor().rank(); }
Shape shape_of(const Value& v);
// x[i] for 0 ≤ i < x.dim(0): a number, or a view.
Value item_of(const Value& tensor, int64_t i);
Type type_of(const Value& v);
const void* data_of(const Value& v);  // first element

}  // namespace covec
