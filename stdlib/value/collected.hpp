// Holds items that a walk collects before they are part of a value. They count as the session's memory while they are
// here: OpError(out_of_memory) beyond its limit.
#pragma once

#include <algorithm>
#include <vector>

#include "stdlib/value/memory.hpp"

namespace covec {

template <class T>
class Collected {
 public:
  void push(T item) {
    if (items_.size() == items_.capacity()) [[unlikely]]
      grow();
    items_.push_back(std::move(item));
  }
  size_t size() const { return items_.size(); }
  T& operator[](size_t place) { return items_[place]; }
  const std::vector<T>& items() const { return items_; }
  // The items, which are the caller's to count from now on.
  std::vector<T> take() {
    charge_.change(0);
    return std::move(items_);
  }

 private:
  void grow() {
    constexpr size_t least = 8;  // items
    const size_t now = items_.capacity(), next = std::max(least, 2 * now);
    charge_.change((now + next) * sizeof(T));  // both are there while the items move
    items_.reserve(next);
    charge_.change(next * sizeof(T));
  }

  MemoryCharge charge_{0};
  std::vector<T> items_;
};

}  // namespace covec
