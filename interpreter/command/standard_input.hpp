// Standard input for input(): it is read line by line, and Ctrl-C always interrupts it.
#pragma once

#include <string>

#include "stdlib/value/context.hpp"

namespace covec {

class StandardInput : public ops::Input {
 public:
  bool read_line(std::string& line, const std::atomic<bool>* interrupt) override;

 private:
  bool read_more(const std::atomic<bool>* interrupt);  // false: at the end, or interrupted
  bool take_line(std::string& line, size_t end);

  std::string buffer_;  // what has been read
  size_t taken_ = 0;    // of which so much has been given
};

}  // namespace covec
