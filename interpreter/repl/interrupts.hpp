// Ctrl-C reaches the session that runs, from here until the end of the scope; before and after it, it ends the command.
// One at a time.
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
