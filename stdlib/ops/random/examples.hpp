// Draws of the examples of a vmap that a compiled function runs one by one. Each example has a key of its own and
// starts from the same call number; the session goes on from the highest. While they run, the session's call number is
// that of the example; its key stays what it is, so that an error leaves the session as eager code does.
#pragma once

#include <vector>

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

const Entry& stream_key_entry();     // (): the session's key
const Entry& next_call_entry();      // (): the number of the session's next call
const Entry& set_next_call_entry();  // (call): it is this one, which it gives
const Entry& example_key_entry();    // (key, example): kernels::example_key
// (draw, key, *operands): the session's next call, of drawing_entry(draw), under that key. Its arguments and its rest
// are the operands.
const Entry& keyed_draw_entry();

// kernels::example_key of all examples up to `count`.
void append_example_keys(const Context& context, uint64_t key, int64_t count, std::vector<uint64_t>& keys);

// What the next call draws for examples under these keys, all at once: their axis is in front. None: it is no call of
// rand or randn that draws f32 or f64 from the session's stream, and nothing is drawn.
Value floats_under_keys(Builder& builder, const Call& call, std::span<const uint64_t> keys);

}  // namespace covec::ops
