// Finds one element by plain integer indices, without the general code of index_read. Loops over elements spend their
// time here. Anything unusual gives nullptr; the general path then follows with its checks and messages.
#pragma once

#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

class ElementIndex {
 public:
  static constexpr unsigned most = 4;  // indices; tensors of more axes take the general way; chosen, not measured
  void push(const Value& index) {
    if (index.tag() == Tag::i64 && count_ < most)
      numbers_[count_++] = index.i64();
    else
      plain_ = false;
  }
  const std::byte* element(const Tensor& tensor) const {
    if (!plain_ || tensor.rank() != count_) return nullptr;
    int64_t offset = 0;
    for (unsigned axis = 0; axis < count_; ++axis) {
      int64_t at = numbers_[axis];
      if (at < 0) at += tensor.dim(axis);
      if (at < 0 || at >= tensor.dim(axis)) return nullptr;
      offset += at * tensor.stride(axis);
    }
    return tensor.data() + offset * static_cast<int64_t>(size_of(tensor.dtype()));
  }
  const Value* item(const List& list) const {
    if (!plain_ || count_ != 1) return nullptr;
    const int64_t length = static_cast<int64_t>(list.size());
    const int64_t at = numbers_[0] < 0 ? numbers_[0] + length : numbers_[0];
    return at < 0 || at >= length ? nullptr : &list.item(static_cast<size_t>(at));
  }

 private:
  int64_t numbers_[most] = {};
  unsigned count_ = 0;
  bool plain_ = true;
};

}  // namespace covec
