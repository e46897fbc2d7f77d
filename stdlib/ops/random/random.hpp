// The random family: numbers from Philox4x32-10. No draw changes a state: it is a function of a key, a call number and
// the element's position (body.hpp says which bits become which number). So all engines and any number of threads draw
// the same. The session's key comes from seed(); each call of a random builtin takes one call number.
#pragma once

#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

const Entry& seed_entry();         // (n)
const Entry& rand_entry();         // (*shape, dtype=f64, key=none)
const Entry& randn_entry();        // (*shape, dtype=f64, key=none)
const Entry& randint_entry();      // (low, high, *shape, key=none)
const Entry& permutation_entry();  // (x, key=none)

// rand, randn and randint, for who draws their numbers elsewhere.
enum class Drawn : uint8_t { none, even, normal, integers };
Drawn drawn_by(const Entry& entry);

struct Stream {
  uint64_t key, call;
};
// Of a call of these. Where it has no key of its own the session's next call number is taken.
Stream take_stream(Builder& builder, const Call& call);

}  // namespace covec::ops
