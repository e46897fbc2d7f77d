// What Debian's C++ library for wasm lacks, since it was built without exceptions and threads. Its operators new end
// the program where memory is short; those for arrays call these.
#include <cstdlib>
#include <new>

namespace {

void* expect_memory(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return expect_memory(std::malloc(bytes == 0 ? 1 : bytes)); }

void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto step = static_cast<std::size_t>(alignment);
  const std::size_t rounded = (bytes + step - 1) / step * step;
  if (rounded < bytes) throw std::bad_alloc();
  return expect_memory(std::aligned_alloc(step, rounded == 0 ? step : rounded));
}

void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return std::malloc(bytes == 0 ? 1 : bytes); }

void operator delete(void* memory) noexcept { std::free(memory); }

void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }

void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

// Destroys what belongs to a thread at the thread's end. The only one ends with the module, whose memory is gone with
// it.
extern "C" int __cxa_thread_atexit(void (*)(void*), void*, void*) { return 0; }
