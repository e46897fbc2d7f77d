// The layout of a list for generated code: offsets in bytes from the Object's address. The items are a std::vector's
// three pointers, which every standard library that builds Covec has (a test checks it). A pointer beside them marks
// the first item that has not been removed from the front. All other code uses List.
#pragma once

#include <cstddef>

#include "stdlib/value/tree.hpp"

namespace covec {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"  // of a class with a base: conditionally supported, and it is
struct List::Layout {
  static constexpr size_t references = offsetof(List, references);        // uint32_t
  static constexpr size_t begin = offsetof(List, first_);                 // Value*: the first
  static constexpr size_t end = offsetof(List, items_) + sizeof(Value*);  // behind the last
  static constexpr size_t room = end + sizeof(Value*);                    // behind the last that there is room for
  static_assert(sizeof(std::vector<Value>) == 3 * sizeof(Value*));
};
#pragma GCC diagnostic pop

}  // namespace covec
