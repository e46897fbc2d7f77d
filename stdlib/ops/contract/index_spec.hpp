// IndexSpec: how index_read, index_update and index_add receive an index. The items' kinds are packed into one i64
// attribute. Their numbers and tensors are the call's rest, in order (a slice gives those of start, stop, step that are
// present).
#pragma once

#include <cstdint>

namespace covec::ops {

class IndexSpec {
 public:
  enum class Item : uint8_t { at = 0, slice = 1, ellipsis = 2, newaxis = 3 };
  static constexpr unsigned max_items = 12;  // 5 bits each in an i64, the upper 4 bits count them
  explicit IndexSpec(int64_t bits = 0) : bits_(static_cast<uint64_t>(bits)) {}
  unsigned items() const { return bits_ >> 60; }
  Item item(unsigned i) const { return static_cast<Item>((bits_ >> (5 * i)) & 3); }
  bool has_start(unsigned i) const { return (bits_ >> (5 * i + 2)) & 1; }
  bool has_stop(unsigned i) const { return (bits_ >> (5 * i + 3)) & 1; }
  bool has_step(unsigned i) const { return (bits_ >> (5 * i + 4)) & 1; }
  void push(Item item, bool start = false, bool stop = false, bool step = false) {
    const unsigned i = items();
    bits_ |= (uint64_t{static_cast<uint8_t>(item)} | uint64_t{start} << 2 | uint64_t{stop} << 3 | uint64_t{step} << 4)
             << (5 * i);
    bits_ += uint64_t{1} << 60;
  }
  int64_t packed() const { return static_cast<int64_t>(bits_); }

 private:
  uint64_t bits_;
};

}  // namespace covec::ops
