// Finds one element by plain integer indices, without the general code of index_read. Loops over elements spend their
// time here. Anything unusual gives nullptr; the general path then follows with its checks and messages.
#pragma once

#include <optional>

#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

class ElementIndex {
 public:
  static constexpr unsigned most = 4;  // indices; tensors of more axes take the general way
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
  // The only index, counted from the front of something of that length.
  std::optional<int64_t> place(int64_t length) const {
    if (!plain_ || count_ != 1) return std::nullopt;
    const int64_t at = numbers_[0] < 0 ? numbers_[0] + length : numbers_[0];
    if (at < 0 || at >= length) return std::nullopt;
    return at;
  }
  const Value* item(const List& list) const {
    const auto at = place(static_cast<int64_t>(list.size()));
    return at ? &list.item(static_cast<size_t>(*at)) : nullptr;
  }
  const Value* item(const Tuple& tuple) const {
    const auto at = place(static_cast<int64_t>(tuple.items.size()));
    return at ? &tuple.items[static_cast<size_t>(*at)] : nullptr;
  }

 private:
  int64_t numbers_[most] = {};
  unsigned count_ = 0;
  bool plain_ = true;
};

}  // namespace covec
