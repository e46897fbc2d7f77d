// Makes tensors and shares their elements: a header followed by the elements if they are few, else with a counted
// Storage. Start at empty() and view(); copy_elements is in copy.cpp.
#include "stdlib/tensor/tensor.hpp"

#include <algorithm>
#include <limits>
#include <new>

#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"

namespace covec {

namespace {

uint64_t bytes_of(Dtype dtype, int64_t elements) {
  uint64_t bytes;
  if (elements == std::numeric_limits<int64_t>::max() ||
      __builtin_mul_overflow(static_cast<uint64_t>(elements), size_of(dtype), &bytes)) {
    return std::numeric_limits<uint64_t>::max();  // the pool refuses it
  }
  return bytes;
}

// The storage's own block is given back last: it may hold the pool's last reference.
void release_storage(Storage* storage) noexcept {
  if (--storage->references > 0) return;
  delete storage->remote;
  if (storage->release != nullptr) {
    storage->release(storage->owner);
  } else {
    storage->pool->deallocate(storage->data, storage->bytes);
  }
  storage->pool->deallocate(storage, sizeof(Storage));
}

Storage* make_storage(Pool& pool, uint64_t bytes) {
  auto* storage = ::new (pool.allocate(sizeof(Storage))) Storage;
  storage->pool = &pool;
  try {
    storage->data = static_cast<std::byte*>(pool.allocate(bytes));
    storage->bytes = static_cast<size_t>(bytes);
  } catch (...) {
    pool.deallocate(storage, sizeof(Storage));
    throw;
  }
  return storage;
}

}  // namespace

[[gnu::always_inline]] inline Tensor* Tensor::make_header(Pool& pool, Dtype dtype, unsigned rank, int64_t size,
                                                          bool with_elements) {
  const size_t header = header_bytes(rank);
  void* block = pool.allocate(header + (with_elements ? inline_bytes : 0));
  auto* tensor = ::new (block) Tensor(pool, dtype, rank, size);
  if (with_elements) tensor->data_ = static_cast<std::byte*>(block) + header;
  return tensor;
}

Tensor* Tensor::make_header(Pool& pool, Dtype dtype, const Shape& shape, int64_t size) {
  Tensor* tensor = make_header(pool, dtype, shape.rank(), size, false);
  for (unsigned i = 0; i < shape.rank(); ++i) tensor->extents()[i] = shape[i].number();
  return tensor;
}

void Tensor::set_row_major() {
  int64_t* dims = extents();
  uint64_t step = 1;  // wraps around only where a dimension of 0 leaves nothing to address
  for (unsigned i = rank(); i-- > 0;) {
    dims[rank() + i] = static_cast<int64_t>(step);
    step *= static_cast<uint64_t>(dims[i]);
  }
  contiguous_ = true;
}

void Tensor::set_strides(std::span<const int64_t> strides) {
  int64_t* dims = extents();
  int64_t expected = 1;
  contiguous_ = true;
  for (unsigned i = rank(); i-- > 0;) {
    dims[rank() + i] = strides[i];
    if (dims[i] == 1) continue;
    contiguous_ = contiguous_ && strides[i] == expected;
    expected *= dims[i];
  }
  contiguous_ = contiguous_ || size() <= 1;
}

[[gnu::always_inline]] inline Tensor* Tensor::make(Pool& pool, Dtype dtype, unsigned rank, int64_t size) {
  const uint64_t bytes = bytes_of(dtype, size);
  const bool inside = bytes <= inline_bytes && !pool.guarded();
  Storage* storage = inside ? nullptr : make_storage(pool, bytes);
  Tensor* tensor;
  try {
    tensor = make_header(pool, dtype, rank, size, inside);
  } catch (...) {
    if (storage != nullptr) release_storage(storage);
    throw;
  }
  if (!inside) {
    tensor->storage_ = storage;
    tensor->data_ = storage->data;
  }
  return tensor;
}

Tensor* Tensor::empty(Pool& pool, Dtype dtype, const Shape& shape) {
  if (!shape.known()) fail(message("internal"), {"a tensor of a shape that is not known: " + shape.text()});
  Tensor* tensor = make(pool, dtype, shape.rank(), shape.elements());
  for (unsigned i = 0; i < shape.rank(); ++i) tensor->extents()[i] = shape[i].number();
  tensor->set_row_major();
  return tensor;
}

Tensor* Tensor::empty(Dtype dtype, const Tensor& like) {
  Tensor* tensor = make(like.pool(), dtype, like.rank(), like.size());
  std::copy_n(like.extents(), like.rank(), tensor->extents());
  tensor->set_row_major();
  return tensor;
}

std::span<const std::byte> Tensor::memory() const {
  if (storage_ != nullptr) return {storage_->data, storage_->bytes};
  return {reinterpret_cast<const std::byte*>(this) + header_bytes(rank()), inline_bytes};
}

void Pool::dispose(Object* tensor) noexcept { Tensor::dispose(static_cast<Tensor*>(tensor)); }

void Tensor::dispose(Tensor* tensor) noexcept {
  Pool* pool = &tensor->pool();
  const size_t bytes = header_bytes(tensor->rank()) + (tensor->storage_ == nullptr ? inline_bytes : 0);
  if (tensor->storage_ != nullptr) release_storage(tensor->storage_);  // the header still holds the pool
  tensor->~Tensor();
  pool->deallocate(tensor, bytes);
}

Value Tensor::view(const Value& base, std::byte* data, const Shape& shape, std::span<const int64_t> strides) {
  const Tensor& from = base.tensor();
  if (shape.rank() == 0) {
    if (from.may_be_on_device_) from.fetch();
    return Value::scalar(from.dtype(), data);
  }
  const int64_t size = shape.elements();
  const uint64_t bytes = bytes_of(from.dtype(), size);
  if (size == std::numeric_limits<int64_t>::max()) from.pool().allocate(bytes);  // a broadcast beyond counting: throws
  if (size == 0) return make_tensor(from.pool(), from.dtype(), shape);
  Tensor* header = make_header(from.pool(), from.dtype(), shape, size);
  header->data_ = data;
  header->set_strides(strides);
  // Held by a Value only once it has a storage: until then it must not be disposed of.
  const bool on_device = from.on_device();
  const bool small = from.storage_ == nullptr || (bytes < from.storage_->bytes / 4 && !on_device);
  if (!small) {
    header->storage_ = from.storage_;
    header->may_be_on_device_ = on_device;
    ++header->storage_->references;
    return Value::adopt(header);
  }
  struct Temporary {
    Tensor* header;
    Pool& pool;
    ~Temporary() { pool.deallocate(header, header_bytes(header->rank())); }
  } temporary{header, from.pool()};
  Value copy = make_tensor(from.pool(), from.dtype(), shape);
  copy_elements(*header, copy.tensor());
  return copy;
}

Value Tensor::rows(const Value& base, int64_t begin, int64_t end) {
  const Tensor& from = base.tensor();
  if (from.storage_ == nullptr) fail(message("internal"), {"rows of a tensor that has no storage"});
  Shape shape = from.shape();
  shape[0] = Dim(end - begin);
  Tensor* header = make_header(from.pool(), from.dtype(), shape, shape.elements());
  header->data_ = from.data_ + begin * from.stride(0) * static_cast<int64_t>(size_of(from.dtype()));
  header->set_strides(from.strides());
  header->storage_ = from.storage_;
  header->may_be_on_device_ = from.on_device();
  ++header->storage_->references;
  return Value::adopt(header);
}

Value Tensor::share(Pool& pool, Dtype dtype, const Shape& shape, void* data, bool read_only, void (*release)(void*),
                    void* owner) {
  Tensor* tensor = make_header(pool, dtype, shape, shape.elements());
  tensor->data_ = static_cast<std::byte*>(data);
  tensor->set_row_major();
  Storage* storage;
  try {
    storage = ::new (pool.allocate(sizeof(Storage))) Storage;
  } catch (...) {
    pool.deallocate(tensor, header_bytes(tensor->rank()));
    throw;
  }
  *storage = Storage{.pool = &pool,
                     .data = tensor->data_,
                     .bytes = static_cast<size_t>(bytes_of(dtype, tensor->size())),  // which are there
                     .release = release != nullptr ? release : [](void*) {},
                     .owner = owner,
                     .read_only = read_only};
  tensor->storage_ = storage;
  Value whole = Value::adopt(tensor);
  return shape.rank() == 0 ? Value::scalar(dtype, data) : whole;
}

Value Tensor::remote(Pool& pool, Dtype dtype, const Shape& shape, std::byte* window, std::unique_ptr<Remote> remote) {
  Value whole = share(pool, dtype, shape, window, true, nullptr, nullptr);
  Tensor& tensor = whole.tensor();
  tensor.may_be_on_device_ = true;
  tensor.storage_->on_device = true;
  tensor.storage_->remote = remote.release();
  return whole;
}

void Tensor::keep_remote(std::unique_ptr<Remote> remote) {
  storage_->remote = remote.release();
  storage_->read_only = true;
}

// Axes of ascending strides must each step over all that those before them reach.
bool Tensor::overlaps_itself() const {
  int64_t reach = 0;
  uint32_t seen = 0;
  for (unsigned n = 0; n < rank(); ++n) {
    unsigned next = rank();
    for (unsigned i = 0; i < rank(); ++i) {
      if ((seen >> i & 1) == 0 && (next == rank() || std::abs(stride(i)) < std::abs(stride(next)))) next = i;
    }
    seen |= 1u << next;
    if (dim(next) <= 1) continue;
    if (std::abs(stride(next)) <= reach) return true;
    reach += (dim(next) - 1) * std::abs(stride(next));
  }
  return false;
}

bool Tensor::exclusive() const {
  if (!unique()) return false;
  if (storage_ == nullptr) return true;
  return storage_->references == 1 && !storage_->read_only && (contiguous_ || !overlaps_itself());
}

const std::byte* Tensor::at(std::span<const int64_t> index) const {
  int64_t offset = 0;
  for (unsigned i = 0; i < rank(); ++i) offset += index[i] * stride(i);
  return data() + offset * static_cast<int64_t>(size_of(dtype()));
}

Value make_tensor(Pool& pool, Dtype dtype, const Shape& shape) {
  if (shape.rank() > 0) return Value::adopt(Tensor::empty(pool, dtype, shape));
  const int64_t zero = 0;
  return Value::scalar(dtype, &zero);
}

Value contiguous(Pool& pool, const Value& value) {
  if (value.is_scalar() || value.tensor().contiguous()) return value;
  Value copy = make_tensor(pool, value.tensor().dtype(), value.tensor().shape());
  copy_elements(value.tensor(), copy.tensor());
  return copy;
}

Tensor& writable(Value& value, Pool& pool) {
  Tensor& tensor = value.tensor();
  if (tensor.contiguous() && tensor.exclusive()) return tensor;
  Value copy = make_tensor(pool, tensor.dtype(), tensor.shape());
  copy_elements(tensor, copy.tensor());
  value = std::move(copy);
  return value.tensor();
}

Shape shape_of(const Value& v) { return v.is_scalar() ? Shape() : v.tensor().shape(); }

Type type_of(const Value& v) { return {dtype_of(v), shape_of(v)}; }

const void* data_of(const Value& v) { return v.is_scalar() ? v.scalar_data() : v.tensor().data(); }

Value item_of(const Value& value, int64_t i) {
  Tensor& tensor = value.tensor();
  std::byte* data = tensor.address() + i * tensor.stride(0) * static_cast<int64_t>(size_of(tensor.dtype()));
  if (tensor.rank() == 1) return Tensor::view(value, data, Shape(), {});
  return Tensor::view(value, data, Shape(tensor.dims().data() + 1, tensor.rank() - 1), tensor.strides().subspan(1));
}

}  // namespace covec
