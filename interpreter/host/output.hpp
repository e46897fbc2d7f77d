// Passes a session's output to the host's function, in the host's own environment.
#pragma once

#include <covec/covec.h>

#include "interpreter/host/session_guard.hpp"
#include "stdlib/value/context.hpp"

namespace covec::embedding {

class HostOutput final : public ops::Output {
 public:
  HostOutput(SessionGuard& guard, covec_output function, void* user)
      : guard_(guard), function_(function), user_(user) {}
  void write(std::string_view text) override { hand_over(COVEC_STDOUT, text); }
  void warn(std::string_view text) override { hand_over(COVEC_STDERR, text); }

 private:
  // An exception of the host's becomes an error of the program: between here and the host lie frames that are not
  // prepared for one.
  void hand_over(covec_stream stream, std::string_view text);

  SessionGuard& guard_;
  const covec_output function_;
  void* const user_;
};

}  // namespace covec::embedding
