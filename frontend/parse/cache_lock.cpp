#include "frontend/parse/cache_lock.hpp"

#include <pthread.h>

#include <mutex>

namespace covec {

namespace {

// A fork waits until no thread reads, so that its child finds the cache whole and can read.
std::mutex& cache_in_use() {
  static std::mutex mutex;
  [[maybe_unused]] static const int at_forks =
      pthread_atfork([] { mutex.lock(); }, [] { mutex.unlock(); }, [] { mutex.unlock(); });
  return mutex;
}

}  // namespace

CacheLock::CacheLock() { cache_in_use().lock(); }
CacheLock::~CacheLock() { cache_in_use().unlock(); }

}  // namespace covec
