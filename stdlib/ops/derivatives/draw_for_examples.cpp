#include "stdlib/ops/derivatives/draw_for_examples.hpp"

#include "stdlib/autodiff/effects.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/kernels/philox.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/random/examples.hpp"
#include "stdlib/ops/random/random.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::ops {

namespace {

enum Argument : uint8_t { draw, key, levels, in_order, operands, arguments };

unsigned count_of_levels(const Call& call) { return static_cast<unsigned>(integer_argument(call, levels)); }
bool is_in_order(const Call& call, unsigned level) { return (integer_argument(call, in_order) >> level & 1) != 0; }

Call drawn_call(const Call& call) {
  const Entry& entry = drawing_entry(integer_argument(call, draw));
  const std::span<Value> given = call.rest.subspan(count_of_levels(call));
  return {entry, given.first(entry.parameters.size()), given.subspan(entry.parameters.size())};
}

Type type_for_examples(ShapeBuilder& shapes, const Call& call) {
  const Call one = drawn_call(call);
  Type type = one.entry.type(shapes, one);
  unsigned axis = 0;
  for (unsigned k = 0; k < count_of_levels(call); ++k) {
    if (!is_in_order(call, k)) type.shape.insert(axis++, size_argument(shapes, call, arguments + k));
  }
  return type;
}

// The keys of all examples, the last level first to change.
std::vector<uint64_t> keys_of(const Builder& builder, std::span<const OpenBatch> batches, uint64_t key) {
  std::vector<uint64_t> keys = {key};
  for (const OpenBatch& batch : batches) {
    std::vector<uint64_t> inside;
    for (const uint64_t outer : keys) {
      if (batch.example >= 0) inside.push_back(kernels::example_key(outer, batch.example));
      kernels::poll_interrupt(builder.context());
      if (batch.example < 0) append_example_keys(builder.context(), outer, batch.size.number(), inside);
    }
    keys = std::move(inside);
  }
  return keys;
}

// Floats of one kernel; none: others.
Value floats_for_examples(Builder& builder, const Call& one, std::span<const OpenBatch> batches, uint64_t key) {
  Shape shape;
  for (const OpenBatch& batch : batches) {
    if (batch.example < 0) shape.push_back(batch.size);
  }
  if (!floats_drawn(one.entry, one.args, Dtype::f64) || shape.elements() == 0) return Value();
  Value drawn = floats_under_keys(builder, one, keys_of(builder, batches, key));
  if (drawn.is_none() || shape.rank() == 1) return drawn;
  const Shape all = drawn.tensor().shape();
  for (unsigned axis = 1; axis < all.rank(); ++axis) shape.push_back(all[axis]);
  return reshape(builder, drawn, shape);
}

Value draw_for_examples(Builder& builder, Call& call) {
  std::vector<OpenBatch> batches;
  for (unsigned k = 0; k < count_of_levels(call); ++k) {
    const int64_t number = integer_argument(call, arguments + k);
    batches.push_back({.level = 0, .size = Dim(number), .example = is_in_order(call, k) ? number : -1});
  }
  std::optional<uint64_t> under;
  if (!call.args[key].is_none()) under = static_cast<uint64_t>(integer_argument(call, key));
  const Call one = drawn_call(call);
  Value floats = floats_for_examples(builder, one, batches, under.value_or(builder.context().random.key));
  return floats.is_none() ? autodiff::draw_for(builder, one, std::move(batches), under) : floats;
}

}  // namespace

const Entry& draw_for_examples_entry() {
  static const Entry entry{
      .name = "draw_for_examples",
      .doc = "What one draw gives the examples of open vmaps.",
      .parameters = {attribute("draw"), attribute("key"), attribute("levels"), attribute("in_order"),
                     attribute("operands", Value())},
      .variadic = true,
      .variadic_at = operands,
      .carries = true,
      .type = type_for_examples,
      .eager = draw_for_examples,
      .derivative = Derivative::none("draws random numbers"),
      .effects = {.may_fail = true, .random = true},
      .internal = true,
  };
  return entry;
}

}  // namespace covec::ops
