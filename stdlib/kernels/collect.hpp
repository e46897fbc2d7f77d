// Collects items for a list or for arguments. They count as memory before they are part of a value, and Ctrl-C stops
// the collection.
#pragma once

#include <algorithm>
#include <vector>

#include "stdlib/kernels/parallel.hpp"
#include "stdlib/value/memory.hpp"
#include "stdlib/value/value.hpp"

namespace covec::kernels {

// Room for `count` more. OpError: out_of_memory.
inline void need_items(int64_t count, std::vector<Value>& to) {
  constexpr int64_t most = int64_t{1} << 56;  // items; their bytes, 16 each, then fit into 64 bits
  Memory* const memory = Memory::current();
  if (memory != nullptr) memory->need(static_cast<uint64_t>(std::min(count, most)) * sizeof(Value));
  to.reserve(to.size() + static_cast<size_t>(count));
}

// Puts item(0) … item(count - 1) behind what is there. OpError: out_of_memory, interrupted, and what `item` throws.
template <class F>
void collect(const ops::Context& context, int64_t count, std::vector<Value>& to, F item) {
  constexpr int64_t between_polls = 1 << 16;  // items
  need_items(count, to);
  for (int64_t i = 0; i < count; ++i) {
    if (i % between_polls == 0) poll_interrupt(context);
    to.push_back(item(i));
  }
}

// The same of items that stand side by side.
inline void collect_all(const ops::Context& context, const std::vector<Value>& items, std::vector<Value>& to) {
  poll_interrupt(context);
  need_items(static_cast<int64_t>(items.size()), to);
  to.insert(to.end(), items.begin(), items.end());
}

}  // namespace covec::kernels
