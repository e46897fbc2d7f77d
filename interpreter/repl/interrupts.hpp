// Sends Ctrl-C to the running session until the end of the scope; before and after it, Ctrl-C ends the command. One
// scope at a time.
#pragma once

#include "interpreter/session/session.hpp"

namespace covec {

class Interrupts {
 public:
  explicit Interrupts(Session& session);
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
};

}  // namespace covec
