// The random family: numbers from Philox4x32-10. Nothing is drawn from a state: a draw is a function of a key, a number
// of the call and the element's place (random_body.hpp says which bits become which number), so all engines and any
// number of threads draw the same. The session's key comes from seed(); each call of a random builtin takes one call
// number.
#pragma once

#include <array>

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

const Entry& seed_entry();         // (n)
const Entry& rand_entry();         // (*shape, dtype=f64, key=none)
const Entry& randn_entry();        // (*shape, dtype=f64, key=none)
const Entry& randint_entry();      // (low, high, *shape, key=none)
const Entry& permutation_entry();  // (x, key=none)
const Entry& choice_entry();       // (x, shape=none, replace=true, p=none, key=none)

// The key of example `example` of a vmap opened under `key`: words 0 and 1 of the block with counter (example, 2^64 -
// 1). No draw has that call number.
uint64_t example_key(uint64_t key, int64_t example);

// The block itself, for tests and keys.
std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

}  // namespace covec::ops
