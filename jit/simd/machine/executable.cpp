// Maps one memory region per program. A compiled function takes whole pages, so it needs no allocator that hands out
// parts of writable ones.
#include "jit/simd/machine/executable.hpp"

#include <sys/mman.h>

#include <cstring>

#include <cstdio>

// The stream for asmjit's own error messages (see jit/CMakeLists.txt).
extern "C" __attribute__((visibility("hidden"))) FILE* covec_asmjit_stderr;
FILE* covec_asmjit_stderr = stderr;

// Debian's asmjit was built with its assertions. One of them looks through all registers again and again while they are
// allotted, a tenth of the time that a compilation takes. Its symbol is weak, so this one stands for it; where the
// library has none, nobody calls it.
extern "C" __attribute__((visibility("hidden"))) bool covec_asmjit_verify(const void* assignment) noexcept
    __asm__("_ZN6asmjit8_abi_1_912RAAssignment6verifyEv");
bool covec_asmjit_verify(const void*) noexcept { return true; }

namespace covec::simd {

std::unique_ptr<Executable> Executable::make(std::span<const uint8_t> code, std::span<const void* const> table) {
  if (code.size() < table.size_bytes()) return nullptr;
  void* pages = mmap(nullptr, code.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  std::unique_ptr<Executable> executable(new Executable(pages, code.size()));
  std::memcpy(pages, code.data(), code.size());
  std::memcpy(pages, table.data(), table.size_bytes());
  if (mprotect(pages, code.size(), PROT_READ | PROT_EXEC) != 0) return nullptr;
  return executable;
}

Executable::~Executable() { munmap(pages_, bytes_); }

}  // namespace covec::simd
