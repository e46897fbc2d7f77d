// What is written to standard output while this lives goes through the program that $PAGER names, if it is longer than
// the window. Without a terminal, or without $PAGER, it is written as it comes.
#pragma once

#include <iostream>
#include <sstream>

namespace covec {

class Pager {
 public:
  Pager();
  ~Pager();
  Pager(const Pager&) = delete;
  Pager& operator=(const Pager&) = delete;

 private:
  const char* const program_;  // nullptr: none
  std::ostringstream text_;
  std::streambuf* before_ = nullptr;
};

}  // namespace covec
