// What an operation needs for each of its operands while it is being applied: on the stack when there are few, as there
// nearly always are, because a call of the allocator costs as much as applying an operator to small tensors.
#pragma once

#include <boost/container/small_vector.hpp>
#include <span>

namespace covec {

template <class T, size_t few>
using SmallVector = boost::container::small_vector<T, few>;

// The iterators of Boost 1.74 do not say that they are contiguous, so std::span needs to be told.
template <class T, size_t few>
std::span<T> span_of(SmallVector<T, few>& vector) {
  return {vector.data(), vector.size()};
}
template <class T, size_t few>
std::span<const T> span_of(const SmallVector<T, few>& vector) {
  return {vector.data(), vector.size()};
}

}  // namespace covec
