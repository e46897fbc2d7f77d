// The error exits of C libraries, which are jumps (longjmp). Functions that are jumped over must not have destructors:
// the state of a reader or writer lies outside.
#pragma once

#include <csetjmp>
#include <cstring>

namespace covec::images {

// Where errors go, and what they said.
struct LibraryErrors {
  std::jmp_buf place;
  char said[256] = {};
};

[[noreturn]] inline void leave(LibraryErrors& out, const char* said) {
  std::strncpy(out.said, said, sizeof out.said - 1);
  std::longjmp(out.place, 1);
}

// Whether body(self) comes to its end.
inline bool reaches_end(LibraryErrors& out, void (*body)(void*), void* self) {
  if (setjmp(out.place) != 0) return false;
  body(self);
  return true;
}

}  // namespace covec::images
