// Where the parts of a list lie, for code that is generated: offsets in bytes from the Object's address. The items are
// a std::vector's: three pointers, as every library has them that this is built with (a test looks); the first that has
// not gone from the front is pointed at beside it. Everyone else asks List.
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
