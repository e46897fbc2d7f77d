// The lock of ANTLR's cache: its lexers share one that grows as texts are read, and read it without care for other
// threads. Whoever reads a text holds this.
#pragma once

namespace covec {

class CacheLock {
 public:
  CacheLock();
  CacheLock(const CacheLock&) = delete;
  CacheLock& operator=(const CacheLock&) = delete;
  ~CacheLock();
};

}  // namespace covec
