// A page has one thread. How much memory it may have nobody can ask; who makes the session gives a limit.
#include "stdlib/gate/system.hpp"

namespace covec::gate {

uint64_t usable_memory() { return uint64_t{1} << 30; }  // bytes; addresses have 32 bits

unsigned usable_cores() { return 1; }

void pause(std::chrono::microseconds) {}  // whoever waits looks at the clock again

void give_way() {}

uint64_t random_number() {
  static uint64_t last = 0;  // names need only be different
  return ++last;
}

}  // namespace covec::gate
