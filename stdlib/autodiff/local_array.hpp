// A few elements on the stack, more on the heap: what an operation needs per operand while it is being applied.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace covec::autodiff {

template <class T, size_t inline_count = 4>
class LocalArray {
 public:
  explicit LocalArray(size_t count) : count_(count), data_(inline_) {
    if (count > inline_count) {
      heap_ = std::make_unique_for_overwrite<T[]>(count);
      data_ = heap_.get();
    }
  }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  size_t size() const { return count_; }
  std::span<T> span() { return {data_, count_}; }

 private:
  size_t count_;
  T* data_;
  T inline_[inline_count];
  std::unique_ptr<T[]> heap_;
};

}  // namespace covec::autodiff
