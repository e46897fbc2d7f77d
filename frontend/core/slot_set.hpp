// A set of slots as bits.
#pragma once

#include <cstdint>
#include <vector>

namespace covec::resolve {

class SlotSet {
 public:
  SlotSet() = default;
  explicit SlotSet(size_t slots) : words_((slots + 63) / 64, 0) {}

  bool has(uint32_t slot) const { return (words_[slot / 64] >> (slot % 64)) & 1; }
  void add(uint32_t slot) { words_[slot / 64] |= uint64_t{1} << (slot % 64); }
  void remove(uint32_t slot) { words_[slot / 64] &= ~(uint64_t{1} << (slot % 64)); }
  void clear() { words_.assign(words_.size(), 0); }
  void fill() { words_.assign(words_.size(), ~uint64_t{0}); }
  void add_all(const SlotSet& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }
  void keep_common(const SlotSet& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
  }

 private:
  std::vector<uint64_t> words_;
};

}  // namespace covec::resolve
