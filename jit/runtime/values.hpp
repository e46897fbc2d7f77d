// Values for the length of a step or a call, on the stack when there are few.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "stdlib/value/value.hpp"

namespace covec::runtime {

class Values {
 public:
  explicit Values(size_t count)
      : count_(count),
        values_(count <= few ? reinterpret_cast<Value*>(few_) : std::allocator<Value>().allocate(count)) {
    std::uninitialized_default_construct_n(values_, count_);
  }
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;
  ~Values() {
    std::destroy_n(values_, count_);
    if (count_ > few) std::allocator<Value>().deallocate(values_, count_);
  }
  Value* data() { return values_; }
  std::span<Value> span() { return {values_, count_}; }
  Value& operator[](size_t i) { return values_[i]; }

 private:
  static constexpr size_t few = 8;
  const size_t count_;
  alignas(Value) std::byte few_[few * sizeof(Value)];
  Value* const values_;
};

}  // namespace covec::runtime
