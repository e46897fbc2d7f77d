// Calls a compiled function whose arguments are active. The call is one entry on the eager derivative's tape. Its code
// runs in two parts. The first gives the result. The second runs when the reverse sweep reaches the entry, and adds to
// the arguments' cotangents. It adds in the order in which an interpreted call's entries would have
// (jit/lower/graph/active.hpp).
#pragma once

#include "jit/compiler/run_host.hpp"
#include "jit/specialize/specialization.hpp"

namespace covec::jit {

// Whether the tape that is open is one of which such an entry may become part: under other transformations cotangents
// are theirs, and no plain values.
bool can_be_entry(const ops::Context& context, const Signature& signature);

// The leaves of `signature` are moved from.
Value call_active(RunHost& host, const ops::Context& context, const Specialization& made, Signature& signature);

}  // namespace covec::jit
