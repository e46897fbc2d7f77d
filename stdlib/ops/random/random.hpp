// The random family: numbers from Philox4x32-10. Nothing is drawn from a state: a draw is a function of a key, a number
// of the call and the element's place (body.hpp says which bits become which number), so all engines and any
// number of threads draw the same. The session's key comes from seed(); each call of a random builtin takes one call
// number.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

const Entry& seed_entry();         // (n)
const Entry& rand_entry();         // (*shape, dtype=f64, key=none)
const Entry& randn_entry();        // (*shape, dtype=f64, key=none)
const Entry& randint_entry();      // (low, high, *shape, key=none)
const Entry& permutation_entry();  // (x, key=none)

}  // namespace covec::ops
