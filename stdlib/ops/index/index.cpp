// The index family's entries. The work is done in layout and plan (the meaning of an index), read, write, rules
// (derivatives) and batch.
#include "stdlib/ops/index/index.hpp"

#include <algorithm>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/index/eager.hpp"
#include "stdlib/ops/index/family.hpp"
#include "stdlib/ops/index/plan.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::ops {

namespace {

// Slices, integers and tensors of integers decide by their shapes; a mask by how many of its elements are true.
Type read_type(ShapeBuilder& shapes, const Call& call) {
  auto* builder = dynamic_cast<Builder*>(&shapes);
  const Type x = operand_type(call, 0);
  bool known = builder != nullptr && x.shape.known();
  for (const Value& item : call.rest) known = known && item.is_numeric();
  const std::span<const Value> items = call.rest;
  const IndexLayout layout = layout_of(IndexSpec(call.args[1].i64()), x, items, 2);
  if (!known) return {x.dtype, symbolic_result_shape(shapes, layout, x.shape, items)};
  std::array<int64_t, max_rank> dims;
  for (unsigned i = 0; i < x.shape.rank(); ++i) dims[i] = x.shape[i].number();
  return {x.dtype, result_shape(*builder, layout, {dims.data(), x.shape.rank()}, items)};
}

// The block of the tensors, then axes of size 1.
Type last_type(ShapeBuilder& shapes, const Call& call) {
  const Type x = operand_type(call, 0);
  const std::span<const Value> items = call.rest;
  const IndexLayout layout = layout_of(IndexSpec(call.args[1].i64()), x, items);
  Type last{Dtype::boolean, {}};
  if (!layout.advanced) return last;
  const Shape all = symbolic_result_shape(shapes, layout, x.shape, items);
  for (unsigned i = layout.advanced_at; i < all.rank(); ++i) {
    last.shape.push_back(i < layout.advanced_at + layout.advanced_rank ? all[i] : Dim(1));
  }
  return last;
}

Type written_type(ShapeBuilder&, const Call& call) {
  const Type x = operand_type(call, 0);
  layout_of(IndexSpec(call.args[2].i64()), x, std::span<const Value>(call.rest), 3);  // whether these are indices
  check_written_literal(call, x.dtype);
  return x;
}

}  // namespace

const Entry& index_read_entry() {
  static const Entry entry{
      .name = "index_read",
      .doc = "`x[items]`.",
      .parameters = {tensor_parameter("x"), attribute("spec")},
      .carries = true,
      .type = read_type,
      .eager = index_read_eager,
      .device = DeviceForm::index_read,
      .derivative = Derivative::by_hand(Derivative::rest_bit, index_read_jvp, index_read_vjp),
      .batch = index_read_batch,
      .effects = {.may_fail = true},
      .internal = true,
  };
  return entry;
}

namespace {

// Both parts are written, where they lie if nobody else sees them. What was given goes back where that fails.
Value stored(Builder& builder, Call& call, bool adds) {
  if (!is_complex(call.args[0])) fail(message("complex_into_real"), {describe(call.args[0])}, {label_of(call, 1)});
  Value& x = call.args[0];
  if (!x.unique()) x = make_complex(complex_of(x).re(), complex_of(x).im());
  std::vector<Value>& parts = complex_of(x).parts;
  const Value value = call.args[1];
  for (size_t i = 0; i < 2; ++i) {
    if (i == 1 && adds && !is_complex(value)) break;
    const Value of_value = is_complex(value) ? complex_of(value).parts[i] : i == 0 ? value : Value(int64_t{0});
    const uint32_t literals = is_complex(value) || i == 0 ? call.literals & 2 : 2;
    const Value kept = parts[i].unique() ? Value() : parts[i];
    Value args[] = {std::move(parts[i]), of_value, call.args[2]};
    std::vector<Value> items(call.rest.begin(), call.rest.end());
    try {
      parts[i] = ops::call(builder, call.entry, args, items, literals);
    } catch (...) {
      parts[i] = kept.is_none() ? std::move(args[0]) : kept;
      throw;
    }
  }
  return std::move(x);
}
Value index_update_complex(Builder& builder, Call& call) { return stored(builder, call, false); }
Value index_add_complex(Builder& builder, Call& call) { return stored(builder, call, true); }

}  // namespace

const Entry& index_update_entry() {
  static const Entry entry{
      .name = "index_update",
      .doc = "`x` with `x[items] = value`.",
      .parameters = {tensor_parameter("x"), tensor_parameter("value"), attribute("spec")},
      .carries = true,
      .type = written_type,
      .eager = index_update_eager,
      .device = DeviceForm::index_update,
      .complex = index_update_complex,
      .derivative = Derivative::by_hand(Derivative::rest_bit, index_update_jvp, index_update_vjp),
      .batch = index_write_batch,
      .effects = {.may_fail = true},
      .internal = true,
  };
  return entry;
}

const Entry& index_add_entry() {
  static const Entry entry{
      .name = "index_add",
      .doc = "`x` with `x[items] += value`; places named more than once are added to each time, in index order.",
      .parameters = {tensor_parameter("x"), tensor_parameter("value"), attribute("spec")},
      .carries = true,
      .type = written_type,
      .eager = index_add_eager,
      .device = DeviceForm::index_add,
      .complex = index_add_complex,
      .derivative = Derivative::by_hand(Derivative::rest_bit, index_add_jvp, index_add_vjp),
      .batch = index_write_batch,
      .effects = {.may_fail = true},
      .internal = true,
  };
  return entry;
}

const Entry& index_last_entry() {
  static const Entry entry{
      .name = "index_last",
      .doc = "Which elements of `x[items]` are the last that name their place.",
      .parameters = {tensor_parameter("x"), attribute("spec")},
      .carries = true,
      .type = last_type,
      .eager = index_last_eager,
      .derivative = Derivative::piecewise_constant(),
      .batch = index_last_batch,
      .effects = {.may_fail = true},
      .internal = true,
  };
  return entry;
}

const Entry& index_distinct_entry() {
  static const Entry entry{
      .name = "index_distinct",
      .doc = "Whether `x[items]` names no place more than once.",
      .parameters = {tensor_parameter("x"), attribute("spec")},
      .carries = true,
      .type = distinct_type,
      .eager = index_distinct_eager,
      .derivative = Derivative::piecewise_constant(),
      .batch = index_distinct_batch,
      .effects = {.may_fail = true},
      .internal = true,
  };
  return entry;
}

Family index_entries() {
  static const Entry* const entries[] = {&index_read_entry(), &index_update_entry(), &index_add_entry(),
                                         &index_last_entry(), &index_distinct_entry()};
  return entries;
}

}  // namespace covec::ops
