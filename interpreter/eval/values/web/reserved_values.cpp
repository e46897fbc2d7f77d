// Memory is not reserved, but taken from the heap: less of it.
#include "interpreter/eval/values/reserved_values.hpp"

#include <cstdlib>
#include <new>

namespace covec {

const size_t max_values_of_calls = size_t{1} << 18;   // 4 MiB
const size_t max_values_of_module = size_t{1} << 14;  // 256 KiB

Value* reserve_values(size_t count) {
  void* block = std::malloc(count * sizeof(Value));
  if (block == nullptr) throw std::bad_alloc();
  return static_cast<Value*>(block);
}

void release_values(Value* values, size_t) { std::free(static_cast<void*>(values)); }

}  // namespace covec
