// There is one thread.
#include "frontend/parse/cache_lock.hpp"

namespace covec {

CacheLock::CacheLock() = default;
CacheLock::~CacheLock() = default;

}  // namespace covec
