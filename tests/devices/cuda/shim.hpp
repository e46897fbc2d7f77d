// What driver.cpp and the images that compiler.cpp makes know of each other.
#pragma once

#include <cstddef>

namespace standin {

// Where a kernel is: its block and thread, one at a time, and what waiting for the others does.
struct Position {
  unsigned group, groups, thread, threads;
  void (*barrier)();
};

struct Entry {
  void (*run)(void** parameters);
  bool waits;
};

constexpr char magic[] = "standin";
struct ImageHead {
  char magic[8];
  size_t bytes;
};

}  // namespace standin
