// See stack.hpp. Reserved, not committed: the kernel gives pages as the stack grows.
#include "interpreter/session/stack.hpp"

#include <alloca.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace covec {

namespace {

constexpr size_t big_stack = size_t{512} << 20;  // bytes of address space, for 10,000 open calls
// What may be used below the floor: by an operator that the deepest call applies, and by the error that says so.
constexpr size_t reserve = size_t{1} << 20;

struct Run {
  FunctionRef<int()> body;
  int result = 0;
};

// Bytes; RLIM_INFINITY where there is no limit.
rlim_t limit_of(decltype(RLIMIT_AS) resource) {
  rlimit limit{};
  return getrlimit(resource, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

constexpr size_t usual_stack = size_t{8} << 20;  // bytes that systems give a first thread

// The stack takes half of what the program itself and its libraries leave of little address space, in whole pages: data
// need the rest. 0: the usual stack is no smaller.
size_t size_of_big_stack() {
  constexpr rlim_t page = 4096, own = rlim_t{292} << 20;  // bytes with which `covec -e 1` runs; measured
  const rlim_t limit = limit_of(RLIMIT_AS);
  if (limit < own + 2 * usual_stack) return 0;
  return static_cast<size_t>(std::min<rlim_t>(big_stack, (limit - own) / 2 / page * page));
}

void* run_thread(void* argument) {
  auto& run = *static_cast<Run*>(argument);
  run.result = run.body();
  return nullptr;
}

}  // namespace

int run_on_big_stack(FunctionRef<int()> body) {
  const size_t size = size_of_big_stack();
  void* memory =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return body();  // little address space: the usual stack, with its smaller depth
  madvise(memory, size, MADV_NOHUGEPAGE);
  mprotect(memory, 4096, PROT_NONE);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, memory, size);
  Run run{body};
  pthread_t thread;
  const bool started = pthread_create(&thread, &attributes, run_thread, &run) == 0;
  pthread_attr_destroy(&attributes);
  if (started) pthread_join(thread, nullptr);
  munmap(memory, size);
  return started ? run.result : body();
}

namespace {

struct Bounds {
  const char* lowest = nullptr;
  size_t size = 0;
};

Bounds find_bounds() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* lowest = nullptr;
  Bounds bounds;
  pthread_attr_getstack(&attributes, &lowest, &bounds.size);
  pthread_attr_destroy(&attributes);
  bounds.lowest = static_cast<const char*>(lowest);
  return bounds;
}

// The lowest address of the first thread's stack that the kernel has mapped so far.
const char* lowest_mapped() {
  constexpr uintptr_t page = 4096;
  unsigned char is_resident = 0;
  auto* at = static_cast<char*>(__builtin_frame_address(0));
  at -= reinterpret_cast<uintptr_t>(at) % page;
  while (mincore(at - page, page, &is_resident) == 0) at -= page;
  return at;
}

bool has_room(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory != MAP_FAILED && munmap(memory, bytes) == 0;
}

// Kernels before 5.0 let a stack grow to where the stack pointer is, and not further: hence the large frame. Its other
// pages stay untouched.
[[gnu::noinline, gnu::optimize("no-stack-clash-protection")]] void grow_to(const char* lowest) {
  const auto* here = static_cast<const char*>(__builtin_frame_address(0));
  const void* const frame = alloca(static_cast<size_t>(here - lowest));
  asm volatile("" : : "r"(frame) : "memory");  // it is made though nothing uses it
  *const_cast<volatile char*>(lowest) = 0;
}

// The kernel maps a first thread's stack as it grows. Where the address space is limited, the heap may take what the
// stack was promised, and its growth ends the process. So the stack is mapped at once, or its bounds are what it has.
Bounds mapped_bounds() {
  Bounds bounds = find_bounds();
  if (bounds.lowest == nullptr || gettid() != getpid() || limit_of(RLIMIT_AS) == RLIM_INFINITY) return bounds;
  const char* const end = bounds.lowest + bounds.size;
  if (limit_of(RLIMIT_STACK) == RLIM_INFINITY) bounds.size = std::min(bounds.size, usual_stack);
  bounds.lowest = end - bounds.size;
  const char* const mapped = lowest_mapped();
  if (mapped <= bounds.lowest) return bounds;
  constexpr size_t of_others = size_t{1} << 20;  // other threads may take some meanwhile
  if (has_room(static_cast<size_t>(mapped - bounds.lowest) + of_others))
    grow_to(bounds.lowest);
  else
    bounds = {mapped, static_cast<size_t>(end - mapped)};
  return bounds;
}

// Asking takes some 50 microseconds on a process's first thread, and a thread's stack stays where it is.
const Bounds& bounds_of_this_stack() {
  thread_local const Bounds bounds = mapped_bounds();
  return bounds;
}

}  // namespace

const char* stack_floor() {
  const Bounds& stack = bounds_of_this_stack();
  return stack.lowest == nullptr ? nullptr : stack.lowest + std::min(reserve, stack.size / 2);
}

size_t stack_left() {
  const Bounds& stack = bounds_of_this_stack();
  const auto* here = static_cast<const char*>(__builtin_frame_address(0));
  return stack.lowest == nullptr || here < stack.lowest ? SIZE_MAX : static_cast<size_t>(here - stack.lowest);
}

}  // namespace covec
