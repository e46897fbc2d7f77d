// The stacks of one call: they keep residuals of the forward computation for the reverse sweep. They count as memory of
// the session, and keep a little of it for the next call.
#pragma once

#include <algorithm>
#include <vector>

#include "stdlib/value/memory.hpp"
#include "stdlib/value/value.hpp"

namespace covec::runtime {

inline constexpr size_t most_kept = 1 << 12;  // numbers, or values

// Where the numbers of a loops::NumberStack lie.
class Words {
 public:
  std::vector<uint64_t>& make_room() {
    const size_t size = std::max<size_t>(32, 2 * words_.size());
    charge_.change(size * sizeof(uint64_t));
    words_.resize(size);
    return words_;
  }
  // Whether there is nothing any more.
  bool forget() {
    if (words_.size() <= most_kept) return false;
    words_ = {};
    charge_.change(0);
    return true;
  }

 private:
  std::vector<uint64_t> words_;
  MemoryCharge charge_{0};
};

class ValueStack {
 public:
  void push(Value value) {
    if (values_.size() == values_.capacity()) reserve(std::max<size_t>(16, 2 * values_.size()));
    values_.push_back(std::move(value));
  }
  Value pop() {
    Value value = std::move(values_.back());
    values_.pop_back();
    return value;
  }
  void forget() {
    values_.clear();
    if (values_.capacity() <= most_kept) return;
    values_ = {};
    charge_.change(0);
  }

 private:
  void reserve(size_t size) {
    charge_.change(size * sizeof(Value));
    values_.reserve(size);
  }

  std::vector<Value> values_;
  MemoryCharge charge_{0};
};

}  // namespace covec::runtime
