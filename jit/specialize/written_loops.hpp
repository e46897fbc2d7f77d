// Whether a function or one that it calls is written with a loop, as far as that is seen without running it. A guess of
// what staging will find: it saves time where it is right, and changes nothing where it is wrong.
#pragma once

#include "stdlib/value/value.hpp"

namespace covec::jit {

bool writes_loop(const Value& function);

}  // namespace covec::jit
