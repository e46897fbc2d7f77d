// A call of a compiled function whose arguments are active: one entry of the eager derivative's tape. Its code runs in
// two parts: the first gives the result, the second, when the sweep comes by, adds to the arguments' cotangents in the
// order in which the entries of an interpreted call would have (jit/lower/graph/active.hpp).
#pragma once

#include "jit/compiler/run_host.hpp"
#include "jit/compiler/specialization.hpp"

namespace covec::jit {

// Whether the tape that is open is one of which such an entry may become part: under other transformations cotangents
// are theirs, and no plain values.
bool can_be_entry(const ops::Context& context, const Signature& signature);

// The leaves of `signature` are moved from.
Value call_active(RunHost& host, const ops::Context& context, const Specialization& made, Signature& signature);

}  // namespace covec::jit
