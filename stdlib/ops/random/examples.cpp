#include "stdlib/ops/random/examples.hpp"

#include "stdlib/kernels/parallel.hpp"
#include "stdlib/kernels/philox.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/random/ahead.hpp"
#include "stdlib/ops/random/family.hpp"
#include "stdlib/ops/random/random.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/context.hpp"

namespace covec::ops {

namespace {

constexpr int64_t grain_under_keys = 1 << 13;  // numbers drawn in a piece for a thread
constexpr const char* of_draws = "is about draws of random numbers";

Type integer_type(ShapeBuilder&, const Call&) { return {Dtype::i64, {}}; }

Value from_word(uint64_t word) { return Value(static_cast<int64_t>(word)); }
uint64_t word_argument(const Call& call, unsigned i) { return static_cast<uint64_t>(integer_argument(call, i)); }

Value stream_key_eager(Builder& builder, Call&) { return from_word(builder.context().random.key); }
Value next_call_eager(Builder& builder, Call&) { return from_word(builder.context().random.calls); }
Value set_next_call_eager(Builder& builder, Call& call) {
  builder.context().random.calls = word_argument(call, 0);
  return from_word(builder.context().random.calls);
}
Value example_key_eager(Builder&, Call& call) {
  return from_word(kernels::example_key(word_argument(call, 0), integer_argument(call, 1)));
}

Call drawn_call(const Call& call) {
  const Entry& entry = drawing_entry(integer_argument(call, 0));
  return {entry, call.rest.first(entry.parameters.size()), call.rest.subspan(entry.parameters.size())};
}

Type keyed_draw_type(ShapeBuilder& shapes, const Call& call) {
  const Call drawn = drawn_call(call);
  return drawn.entry.type(shapes, drawn);
}

Value keyed_draw_eager(Builder& builder, Call& call) {
  struct Keyed {
    Random& random;
    const uint64_t key = random.key;
    ~Keyed() { random.key = key; }
  } const keyed{builder.context().random};
  keyed.random.key = word_argument(call, 1);
  Call drawn = drawn_call(call);
  return builder.apply(drawn);
}

}  // namespace

const Entry& stream_key_entry() {
  static const Entry entry{
      .name = "stream_key",
      .doc = "The key of the session's random numbers.",
      .parameters = {},
      .type = integer_type,
      .eager = stream_key_eager,
      .derivative = Derivative::none(of_draws),
      .effects = {.random = true},
      .internal = true,
  };
  return entry;
}

const Entry& next_call_entry() {
  static const Entry entry{
      .name = "next_call",
      .doc = "The number of the session's next draw.",
      .parameters = {},
      .type = integer_type,
      .eager = next_call_eager,
      .derivative = Derivative::none(of_draws),
      .effects = {.random = true},
      .internal = true,
  };
  return entry;
}

const Entry& set_next_call_entry() {
  static const Entry entry{
      .name = "set_next_call",
      .doc = "The session's next draw has this number.",
      .parameters = {attribute("call")},
      .type = integer_type,
      .eager = set_next_call_eager,
      .derivative = Derivative::none(of_draws),
      .effects = {.random = true},
      .internal = true,
  };
  return entry;
}

const Entry& example_key_entry() {
  static const Entry entry{
      .name = "example_key",
      .doc = "The key of a vmap's example, where that of the vmap is `key`.",
      .parameters = {attribute("key"), attribute("example")},
      .type = integer_type,
      .eager = example_key_eager,
      .derivative = Derivative::none(of_draws),
      .internal = true,
  };
  return entry;
}

const Entry& keyed_draw_entry() {
  static const Entry entry{
      .name = "keyed_draw",
      .doc = "The session's next draw, under another key.",
      .parameters = {attribute("draw"), attribute("key"), attribute("operands", Value())},
      .variadic = true,
      .variadic_at = 2,
      .carries = true,
      .type = keyed_draw_type,
      .eager = keyed_draw_eager,
      .derivative = Derivative::none(of_draws),
      .effects = {.may_fail = true, .random = true},
      .internal = true,
  };
  return entry;
}

Value floats_under_keys(Builder& builder, const Call& call, std::span<const uint64_t> keys) {
  if (drawn_by(call.entry) == Drawn::none || drawn_by(call.entry) == Drawn::integers) return Value();
  Type type = call.entry.type(builder, call);
  const std::optional<Numbers> numbers = floats_drawn(call.entry, call.args, type.dtype);
  if (!numbers || type.shape.rank() == max_rank) return Value();
  const int64_t count = type.shape.elements(), width = static_cast<int64_t>(size_of(type.dtype));
  type.shape.insert(0, Dim(std::ssize(keys)));
  Value result = make_tensor(builder.pool(), type.dtype, type.shape);
  std::byte* const to = result.tensor().data();
  const uint64_t number = builder.context().random.calls++;
  const kernels::DrawKernel& kernel = draw_kernel(builder.context(), *numbers);
  kernels::parallel_for(builder.context(), result.tensor().size(), grain_under_keys, [&](int64_t begin, int64_t end) {
    kernel.of_keys(to + begin * width, keys.data(), count, begin, end - begin, number);
  });
  return result;
}

void append_example_keys(const Context& context, uint64_t key, int64_t count, std::vector<uint64_t>& keys) {
  const size_t before = keys.size();
  keys.resize(before + size_for<uint64_t>(count));
  draw_kernel(context, Numbers::words).example_keys(keys.data() + before, count, key);
}

Family random_example_entries() {
  static const Entry* const entries[] = {&stream_key_entry(), &next_call_entry(), &set_next_call_entry(),
                                         &example_key_entry(), &keyed_draw_entry()};
  return entries;
}

}  // namespace covec::ops
