// Draws scalars ahead. The scalar that a call of a random builtin draws is element 0 of the call (body.hpp), a function
// of the key and the call number alone. So a vector kernel makes those of many calls at once, some 20 times as fast as
// one after the other. Each kind of number has a buffer for each element that calls draw.
//
// A buffer says itself which numbers it holds, and is filled again where the next one is not among them. So nobody has
// to tell it that the stream has changed (seed, vmap, an error that takes draws back), and the session's call number is
// always what the program has drawn. A number that no call comes to is forgotten. Generated code reads the buffers, too
// (loops::instruction::Draw).
#pragma once

#include <cstddef>
#include <cstdint>

#include "stdlib/ops/random/kernels/table.hpp"
#include "stdlib/ops/random/random.hpp"
#include "stdlib/value/context.hpp"

namespace covec::ops {

struct DrawnAhead {
  static constexpr uint64_t most = 64;         // numbers in a buffer
  static constexpr uint32_t max_elements = 8;  // of a draw whose elements become numbers
  // `count` numbers, number i of call `first` + i under `key`.
  struct Buffer {
    uint64_t key = 0, first = 0, count = 0;
    alignas(64) std::byte numbers[most * sizeof(uint64_t)];
  };
  Buffer buffers[kinds_of_numbers * max_elements];
};

// Which buffer has element `element` of calls.
constexpr uint32_t buffer_of(Numbers numbers, uint32_t element) {
  return static_cast<uint32_t>(numbers) * DrawnAhead::max_elements + element;
}
constexpr Dtype dtype_of_buffer(uint32_t buffer) {
  constexpr Dtype dtypes[kinds_of_numbers] = {Dtype::f64, Dtype::f32, Dtype::f64, Dtype::f32, Dtype::i64};
  return dtypes[buffer / DrawnAhead::max_elements];
}

const kernels::DrawKernel& draw_kernel(const Context& context, Numbers numbers);

// The session's.
DrawnAhead& drawn_ahead(Context& context);
// Fills a buffer, from the stream's call on.
void draw_ahead(Context& context, uint32_t buffer, Stream stream);
// Where the number of the stream's call is.
const std::byte* drawn_scalar(Context& context, uint32_t buffer, Stream stream);

}  // namespace covec::ops
