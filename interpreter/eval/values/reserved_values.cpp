#include "interpreter/eval/values/reserved_values.hpp"

#include <sys/mman.h>

#include <new>

namespace covec {

const size_t max_values_of_calls = size_t{1} << 24;   // 256 MiB of address space
const size_t max_values_of_module = size_t{1} << 18;  // 4 MiB

Value* reserve_values(size_t count) {
  void* block =
      mmap(nullptr, count * sizeof(Value), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (block == MAP_FAILED) throw std::bad_alloc();
  madvise(block, count * sizeof(Value), MADV_NOHUGEPAGE);  // a short program must not pay for two megabytes
  return static_cast<Value*>(block);
}

void release_values(Value* values, size_t count) { munmap(static_cast<void*>(values), count * sizeof(Value)); }

}  // namespace covec
