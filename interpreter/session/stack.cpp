// See stack.hpp. Reserved, not committed: the kernel gives pages as the stack grows.
#include "interpreter/session/stack.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>

namespace covec {

namespace {

constexpr size_t big_stack = size_t{512} << 20;
// What may be used below the floor: by an operator that the deepest call applies, and by the error that says so.
constexpr size_t reserve = size_t{1} << 20;

struct Run {
  const std::function<int()>& body;
  int result = 0;
};

void* run_thread(void* argument) {
  auto& run = *static_cast<Run*>(argument);
  run.result = run.body();
  return nullptr;
}

}  // namespace

int run_on_big_stack(const std::function<int()>& body) {
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

const char* find_stack_floor() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return nullptr;
  void* lowest = nullptr;
  size_t size = 0;
  pthread_attr_getstack(&attributes, &lowest, &size);
  pthread_attr_destroy(&attributes);
  return static_cast<const char*>(lowest) + std::min(reserve, size / 2);
}

}  // namespace

// Asking takes some 50 microseconds on a process's first thread, and a thread's stack stays where it is.
const char* stack_floor() {
  thread_local const char* const floor = find_stack_floor();
  return floor;
}

}  // namespace covec
