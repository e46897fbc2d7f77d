// The random family: numbers from Philox4x32-10. No draw changes a state: it is a function of a key, a call number and
// the element's position (body.hpp says which bits become which number). So all engines and any number of threads draw
// the same. The session's key comes from seed(); each call of a random builtin takes one call number.
#pragma once

#include <optional>

#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/ops/random/numbers.hpp"

namespace covec::ops {

const Entry& seed_entry();         // (n)
const Entry& rand_entry();         // (*shape, dtype=f64, key=none)
const Entry& randn_entry();        // (*shape, dtype=f64, key=none)
const Entry& randint_entry();      // (low, high, *shape, key=none)
const Entry& permutation_entry();  // (x, key=none)

// rand, randn and randint, for who draws their numbers elsewhere.
enum class Drawn : uint8_t { none, even, normal, integers };
Drawn drawn_by(const Entry& entry);

// The entries that take call numbers, by numbers of their own: operations of a graph speak of one.
const Entry& drawing_entry(int64_t number);
int64_t number_of_drawing(const Entry& entry);

// A call that draws one number from the session's stream. An integer is one from `low` up to but not including `high`,
// and there is one where low < high.
struct ScalarDraw {
  Numbers numbers;
  Value low = {}, high = {};  // words
  Value key = {};             // none: the session's
  uint32_t element = 0;       // of the session's next call
  bool takes = true;          // that call is made by now
};
// None: it is another call. Its result is known to be one number, of `dtype`.
std::optional<ScalarDraw> scalar_draw(const Entry& entry, std::span<const Value> args, std::span<const Value> rest,
                                      Dtype dtype);

// Floats of `dtype` that this call draws from the session's stream, as many as it may be. None: it is another call.
std::optional<Numbers> floats_drawn(const Entry& entry, std::span<const Value> args, Dtype dtype);
// One element of such a call (numbers, element, takes, key=none): whoever needs them as numbers draws one after the
// other, the last of which takes the call number.
const Entry& draw_element_entry();

struct Stream {
  uint64_t key, call;
};
// Of a call of these. Where it has no key of its own the session's next call number is taken.
Stream take_stream(Builder& builder, const Call& call);

}  // namespace covec::ops
