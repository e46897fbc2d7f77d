// Stages recursive calls. The walk knows something of the arguments: numbers, the shape of trees. If this differs from
// every open call, the depth of the recursion, or of a tree, is known; the walk then goes on into the call. The number
// of calls walked this way is limited. Start at calls_of_itself().
#pragma once

#include <string>

#include "interpreter/eval/values/frame.hpp"

namespace covec {

// What is known now of a frame's arguments and of what its function has captured: two calls of a function with the same
// text differ only in what the run knows.
std::string known_arguments(const Frame& f);

// Frames of the same function that are open below a staged one.
struct CallsOfItself {
  const Frame* innermost = nullptr;  // nullptr: there is none
  const Frame* outermost = nullptr;
  bool known = false;  // one of them has the same known arguments
  unsigned open = 0;
};
// How many staged calls are open below it.
unsigned depth_of(const Frame& f);
CallsOfItself calls_of_itself(const Frame& f, const std::string& known);

}  // namespace covec
