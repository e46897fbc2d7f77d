#include "jit/device/draw.hpp"

#include "jit/device/arguments.hpp"
#include "jit/device/move.hpp"
#include "jit/loops/build_kernel.hpp"
#include "jit/loops/random_words.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/random/body.hpp"

namespace covec::runtime {

namespace {

using ops::Block;
using ops::Drawn;
using ops::Expr;
using ops::Word;

enum Number : uint32_t { key, stream_call, low, count, numbers };

// The draw of one dtype, as loops::Kernel: its input is the element's number.
class DrawWriter {
 public:
  DrawWriter() : builder_(kernel_, false) {
    kernel_.inputs.push_back({Dtype::i64, false});
    kernel_.numbers.assign(numbers, Dtype::i64);
  }

  loops::Kernel write(Drawn drawn, Dtype dtype) {
    const Word element(builder_, builder_.load(Dtype::i64, 0)), half(32), by = number(stream_call);
    const Block<Word> counter{{element, shift_right_logical(element, half), by, shift_right_logical(by, half)}};
    const Block<Word> block = ops::philox(counter, number(key), shift_right_logical(number(key), half));
    if (drawn == Drawn::integers)
      put(number(low) + ops::upper_product(number(count), ops::pair_of(block, 0)));
    else if (is_half(dtype))
      put(builder_.convert(even_half(block, dtype).in(builder_), dtype));
    else
      dtype == Dtype::f32 ? put(float_of<float>(drawn, block)) : put(float_of<double>(drawn, block));
    return std::move(kernel_);
  }

 private:
  Word number(Number which) { return {builder_, builder_.number(Dtype::i64, which)}; }

  template <class E>
  static Expr<E> float_of(Drawn drawn, const Block<Word>& block) {
    return drawn == Drawn::even ? ops::even_of<E>(block, 0)
                                : ops::normal_of(ops::even_of<E>(block, 0), ops::even_of<E>(block, 1));
  }
  // Multiples of 2^-11 or 2^-8, as rand gives them.
  static Expr<float> even_half(const Block<Word>& block, Dtype dtype) {
    const float parts = dtype == Dtype::f16 ? 0x1p11F : 0x1p8F;
    return floor(ops::even_of<float>(block, 0) * Expr<float>(parts)) * Expr<float>(1 / parts);
  }
  template <class E>
  void put(Expr<E> value) {
    put(value.in(builder_));
  }
  void put(ops::ScalarRef made) { kernel_.outputs.push_back({made.id, made.dtype}); }

  loops::Kernel kernel_;
  loops::KernelBuilder builder_;
};

device::Function draw_kernel(device::Accelerator& accelerator, Drawn drawn, Dtype dtype) {
  const char* const kinds[] = {"", "even", "normal", "integers"};
  const std::string name = std::string("draw_") + kinds[static_cast<size_t>(drawn)] + "_" + std::string(name_of(dtype));
  const char* const endings[] = {""};
  return library_kernels(accelerator, name, endings,
                         [&](const std::string& kernel) { return draw_text(drawn, dtype, kernel); })[0];
}

}  // namespace

std::string draw_text(Drawn drawn, Dtype dtype, const std::string& name) {
  return source::device_numbered_kernel(DrawWriter().write(drawn, dtype), name);
}

Value draw_on_device(device::Accelerator& accelerator, ops::Builder& builder, ops::Call& call, const Type& type) {
  const Drawn drawn = ops::drawn_by(call.entry);
  const device::Function kernel = draw_kernel(accelerator, drawn, type.dtype);
  const int64_t from = drawn == Drawn::integers ? ops::integer_argument(call, 0) : 0,
                to = drawn == Drawn::integers ? ops::integer_argument(call, 1) : 0;
  Value result = accelerator.blocks().make(builder.pool(), type.dtype, type.shape);
  const ops::Stream stream = ops::take_stream(builder, call);  // last: a call that fails takes no number
  DeviceArguments arguments(accelerator);
  arguments.number(result.tensor().size());
  arguments.tensor(result.tensor());
  arguments.word(stream.key);
  arguments.word(stream.call);
  arguments.number(from);
  arguments.word(static_cast<uint64_t>(to) - static_cast<uint64_t>(from));
  arguments.launch(kernel, result.tensor().size());
  return result;
}

}  // namespace covec::runtime
