// See stack.hpp. Reserved, not committed: the kernel gives pages as the stack grows.
#include "interpreter/session/stack.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>

namespace covec {

namespace {

constexpr size_t big_stack = size_t{512} << 20;  // bytes of address space, for 10,000 open calls; chosen, not measured
// What may be used below the floor: by an operator that the deepest call applies, and by the error that says so.
constexpr size_t reserve = size_t{1} << 20;

struct Run {
  FunctionRef<int()> body;
  int result = 0;
};

void* run_thread(void* argument) {
  auto& run = *static_cast<Run*>(argument);
  run.result = run.body();
  return nullptr;
}

}  // namespace

int run_on_big_stack(FunctionRef<int()> body) {
  void* memory =
      mmap(nullptr, big_stack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return body();  // little address space: the usual stack, with its smaller depth
  madvise(memory, big_stack, MADV_NOHUGEPAGE);
  mprotect(memory, 4096, PROT_NONE);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, memory, big_stack);
  Run run{body};
  pthread_t thread;
  const bool started = pthread_create(&thread, &attributes, run_thread, &run) == 0;
  pthread_attr_destroy(&attributes);
  if (started) pthread_join(thread, nullptr);
  munmap(memory, big_stack);
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

// Asking takes some 50 microseconds on a process's first thread, and a thread's stack stays where it is.
const Bounds& bounds_of_this_stack() {
  thread_local const Bounds bounds = find_bounds();
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
