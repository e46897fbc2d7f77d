// Says how much memory and how many cores the process may use, and gives them to others; see system.hpp.
#include <sched.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <thread>

#include "stdlib/gate/system.hpp"

namespace covec::gate {

namespace {

uint64_t container_limit() {
  std::FILE* file = std::fopen("/sys/fs/cgroup/memory.max", "re");
  if (file == nullptr) return UINT64_MAX;
  unsigned long long bytes = 0;
  const bool found = std::fscanf(file, "%llu", &bytes) == 1;  // "max" when there is no limit
  std::fclose(file);
  return found && bytes > 0 ? bytes : UINT64_MAX;
}

// What the process may still map where its address space is bounded (ulimit -v).
uint64_t address_space_left() {
  rlimit bound;
  if (getrlimit(RLIMIT_AS, &bound) != 0 || bound.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
  unsigned long long pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "re"); file != nullptr) {
    if (std::fscanf(file, "%llu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  const uint64_t mapped = pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return bound.rlim_cur > mapped ? bound.rlim_cur - mapped : 0;
}

}  // namespace

uint64_t usable_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGESIZE);
  const uint64_t machine = pages > 0 && page_bytes > 0
                               ? static_cast<uint64_t>(pages) * static_cast<uint64_t>(page_bytes)
                               : uint64_t{4} << 30;
  return std::min({machine, container_limit(), address_space_left()});
}

// The mask grows until the kernel's fits: a machine may have more cores than a cpu_set_t has bits.
unsigned usable_cores() {
  constexpr size_t most = size_t{1} << 20;  // cores; far more than Linux supports
  for (size_t cores = CPU_SETSIZE; cores <= most; cores *= 2) {
    cpu_set_t* const mask = CPU_ALLOC(cores);
    if (mask == nullptr) break;
    const size_t bytes = CPU_ALLOC_SIZE(cores);
    const bool found = sched_getaffinity(0, bytes, mask) == 0;
    const bool too_small = !found && errno == EINVAL;
    const int count = found ? CPU_COUNT_S(bytes, mask) : 0;
    CPU_FREE(mask);
    if (count > 0) return static_cast<unsigned>(count);
    if (!too_small) break;
  }
  return std::max(1u, std::thread::hardware_concurrency());
}

void pause(std::chrono::microseconds time) { std::this_thread::sleep_for(time); }

void give_way() { std::this_thread::yield(); }

uint64_t random_number() {
  uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number) number = static_cast<uint64_t>(getpid());
  return number;
}

}  // namespace covec::gate
