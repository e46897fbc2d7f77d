// Input: the host asks the user for what programs read.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

#include "stdlib/value/context.hpp"

namespace covec::page {

class Input final : public ops::Input {
 public:
  // The line that the host is asked for.
  void give(std::string_view line) { line_ = line; }

  bool read_line(std::string& line, const std::atomic<bool>* interrupt) override;

 private:
  std::string line_;
};

}  // namespace covec::page
