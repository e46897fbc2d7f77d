#include "stdlib/device/window.hpp"

#include <sys/mman.h>

namespace covec::device {

std::byte* reserve_window(size_t bytes) {
  void* window = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return window == MAP_FAILED ? nullptr : static_cast<std::byte*>(window);
}

void release_window(std::byte* window, size_t bytes) { munmap(window, bytes); }

bool open_window(std::byte* window, size_t bytes) { return mprotect(window, bytes, PROT_READ | PROT_WRITE) == 0; }

void close_window(std::byte* window, size_t bytes) {
  madvise(window, bytes, MADV_DONTNEED);
  mprotect(window, bytes, PROT_NONE);
}

}  // namespace covec::device
