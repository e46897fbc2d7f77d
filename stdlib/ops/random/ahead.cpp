#include "stdlib/ops/random/ahead.hpp"

#include <algorithm>

namespace covec::ops {

namespace {

constexpr uint64_t fewest = 16;  // numbers in a buffer: a vector of the widest instruction set

// Many where calls go on from those that the buffer has, few where they begin anew: one call draws few scalars then.
uint64_t numbers_to_draw(const DrawnAhead::Buffer& buffer, Stream stream) {
  const bool goes_on = buffer.key == stream.key && stream.call - buffer.first <= 2 * buffer.count;
  return goes_on ? std::clamp(2 * buffer.count, fewest, DrawnAhead::most) : fewest;
}

}  // namespace

const kernels::DrawKernel& draw_kernel(const Context& context, Numbers numbers) {
  static constexpr PerIsa<const kernels::DrawKernel&(Numbers)> kernels = COVEC_PER_ISA(draw_kernel);
  return kernels[context.isa](numbers);
}

DrawnAhead& drawn_ahead(Context& context) {
  if (context.drawn_ahead == nullptr) context.drawn_ahead = std::make_shared<DrawnAhead>();
  return *context.drawn_ahead;
}

void draw_ahead(Context& context, uint32_t number, Stream stream) {
  DrawnAhead::Buffer& buffer = drawn_ahead(context).buffers[number];
  const auto numbers = static_cast<Numbers>(number / DrawnAhead::max_elements);
  const uint64_t element = number % DrawnAhead::max_elements;
  buffer.count = numbers_to_draw(buffer, stream);
  buffer.key = stream.key;
  buffer.first = stream.call;
  draw_kernel(context, numbers)
      .of_calls(buffer.numbers, element, static_cast<int64_t>(buffer.count), stream.key, stream.call);
}

const std::byte* drawn_scalar(Context& context, uint32_t number, Stream stream) {
  const DrawnAhead::Buffer& buffer = drawn_ahead(context).buffers[number];
  if (buffer.key != stream.key || stream.call - buffer.first >= buffer.count) draw_ahead(context, number, stream);
  return buffer.numbers + (stream.call - buffer.first) * size_of(dtype_of_buffer(number));
}

}  // namespace covec::ops
