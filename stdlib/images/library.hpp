// Opens C libraries at first use: finds functions by name, and handles their error exits, which are jumps (longjmp).
// Functions that are jumped over must not have destructors: the state of a reader or writer lies outside.
#pragma once

#include <dlfcn.h>

#include <csetjmp>
#include <cstring>
#include <string>

#include "stdlib/gate/system.hpp"

namespace covec::images {

class Library {
 public:
  explicit Library(const char* name) : handle_(gate::open_library(name, missing_)) {}
  template <class F>
  void find(const char* name, F*& function) {
    if (handle_ == nullptr) return;
    function = reinterpret_cast<F*>(dlsym(handle_, name));
    if (function == nullptr && missing_.empty()) missing_ = std::string("it has no ") + name;
  }
  const std::string& missing() const { return missing_; }  // why it cannot be used

 private:
  std::string missing_;
  void* handle_;
};

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
