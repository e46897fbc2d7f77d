// SmallVector: an array with one item per operand of an operation. A few items, the usual case, are on the stack,
// because one allocation costs as much as applying an operator to small tensors. Its size is fixed at construction.
// Boost's small_vector can grow, but made a compiled call on three numbers a tenth slower.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

namespace covec {

template <class T, size_t inline_count>
class SmallVector {
 public:
  SmallVector() = default;
  // Numbers are zero; others are as their constructor leaves them.
  explicit SmallVector(size_t count) : SmallVector(room(count), count) {
    if constexpr (std::is_class_v<T>)
      std::uninitialized_default_construct_n(data_, count);
    else
      std::uninitialized_value_construct_n(data_, count);
  }
  SmallVector(size_t count, const T& value) : SmallVector(room(count), count) {
    std::uninitialized_fill_n(data_, count, value);
  }
  SmallVector(const SmallVector&) = delete;
  SmallVector& operator=(const SmallVector&) = delete;
  ~SmallVector() {
    std::destroy_n(data_, size_);
    if (!is_inside()) std::allocator<T>().deallocate(data_, size_);
  }

  size_t size() const { return size_; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

  // Others in their place, of which there are `count`.
  void renew(size_t count) {
    std::destroy_at(this);
    std::construct_at(this, count);
  }

 private:
  SmallVector(T* data, size_t count) : data_(data), size_(count) {}
  T* inside() { return reinterpret_cast<T*>(inside_); }
  bool is_inside() const { return data_ == reinterpret_cast<const T*>(inside_); }
  T* room(size_t count) { return count <= inline_count ? inside() : std::allocator<T>().allocate(count); }

  alignas(T) std::byte inside_[inline_count * sizeof(T)];
  T* data_ = inside();
  size_t size_ = 0;
};

template <class T, size_t inline_count>
std::span<T> span_of(SmallVector<T, inline_count>& vector) {
  return {vector.data(), vector.size()};
}
template <class T, size_t inline_count>
std::span<const T> span_of(const SmallVector<T, inline_count>& vector) {
  return {vector.data(), vector.size()};
}

}  // namespace covec
