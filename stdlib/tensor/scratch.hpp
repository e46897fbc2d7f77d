// Takes memory from the session's pool for one scope. It counts against the session's limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "stdlib/tensor/pool.hpp"

namespace covec {

class Scratch {
 public:
  Scratch() = default;
  Scratch(Pool& pool, uint64_t bytes)  // OpError(out_of_memory)
      : pool_(&pool), bytes_(static_cast<size_t>(bytes)), data_(static_cast<std::byte*>(pool.allocate(bytes))) {}
  Scratch(Scratch&& other) noexcept { *this = std::move(other); }
  Scratch& operator=(Scratch&& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(bytes_, other.bytes_);
    std::swap(data_, other.data_);
    return *this;
  }
  ~Scratch() {
    if (data_ != nullptr) pool_->deallocate(data_, bytes_);
  }
  std::byte* data() const { return data_; }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data_);
  }
  std::string_view text() const { return {as<char>(), bytes_}; }

 private:
  Pool* pool_ = nullptr;
  size_t bytes_ = 0;
  std::byte* data_ = nullptr;
};

}  // namespace covec
