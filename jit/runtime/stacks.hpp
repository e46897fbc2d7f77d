// The stacks of one call: they keep residuals of the forward computation for the reverse sweep. They count as memory of
// the session, and keep a little of it for the next call.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "jit/loops/program.hpp"
#include "stdlib/value/memory.hpp"
#include "stdlib/value/value.hpp"

namespace covec::runtime {

inline constexpr size_t max_kept = 1 << 12;  // numbers, or values

// Where the numbers of a loops::NumberStack lie.
class Words {
 public:
  // Those that are there stay.
  std::span<uint64_t> make_room(size_t least) {
    size_t size = std::max<size_t>(32, 2 * size_);
    while (size < least) size *= 2;
    charge_.change(size * sizeof(uint64_t));
    void* const grown = std::realloc(words_.get(), size * sizeof(uint64_t));
    if (grown == nullptr) throw std::bad_alloc();
    static_cast<void>(words_.release());
    words_.reset(static_cast<uint64_t*>(grown));
    size_ = size;
    return {words_.get(), size_};
  }
  // Whether there is nothing any more.
  bool forget() {
    if (size_ <= max_kept) return false;
    words_.reset();
    size_ = 0;
    charge_.change(0);
    return true;
  }

 private:
  struct Free {
    void operator()(uint64_t* words) const { std::free(words); }
  };
  std::unique_ptr<uint64_t, Free> words_;
  size_t size_ = 0;
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
    if (values_.capacity() <= max_kept) return;
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

// The stacks of one call and of those that it makes of functions that call themselves.
class Stacks {
 public:
  void resize(size_t of_numbers, size_t of_values) {
    numbers_.resize(of_numbers);
    memory_ = std::vector<Words>(of_numbers);
    values_ = std::vector<ValueStack>(of_values);
  }
  bool empty() const { return numbers_.empty() && values_.empty(); }
  loops::NumberStack* numbers() { return numbers_.data(); }
  ValueStack& values(size_t number) { return values_[number]; }
  // Room for some numbers more, at least.
  void grow(size_t number, int64_t more = 1) {
    loops::NumberStack& stack = numbers_[number];
    const auto used = stack.top - stack.base;
    if (stack.end - stack.top >= more) return;
    const std::span<uint64_t> words = memory_[number].make_room(static_cast<size_t>(used + more));
    stack.base = words.data();
    stack.top = stack.base + used;
    stack.end = stack.base + words.size();
  }
  void forget() {
    for (size_t i = 0; i < numbers_.size(); ++i) {
      if (memory_[i].forget()) numbers_[i] = {};
      numbers_[i].top = numbers_[i].base;
    }
    for (ValueStack& stack : values_) stack.forget();
  }

 private:
  std::vector<loops::NumberStack> numbers_;
  std::vector<Words> memory_;  // of those
  std::vector<ValueStack> values_;
};

}  // namespace covec::runtime
