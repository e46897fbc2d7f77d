// gather and scatter_add are indexing with a counter along every other axis. gather is a read, with its derivative and
// batch rule; scatter_add is its transpose.
#include "stdlib/ops/index/gather.hpp"

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/index/family.hpp"
#include "stdlib/ops/index/index.hpp"
#include "stdlib/ops/patterns/patterns.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

// The integers below `size`, along `axis` of `rank` axes.
Value count_along(Builder& builder, Dim size, unsigned axis, unsigned rank) {
  Value numbers = call(builder, handles().arange, {builder.extent(size), Value(), Value(), Value()});
  Shape shape;
  for (unsigned i = 0; i < rank; ++i) shape.push_back(i == axis ? size : Dim(1));
  return reshape(builder, std::move(numbers), shape);
}

// One index for a whole row of a matrix, where there must be one for each element.
std::string hint_for_rows(const Call& call) {
  return &call.entry == &scatter_add_entry() ? "to add rows, write x[indices] += rows" : "for rows, write x[indices]";
}

// The axis that gather or scatter_add goes along, when its first two arguments go together.
unsigned axis_of(const Call& call, unsigned axis_operand) {
  const Type x = operand_type(call, 0), indices = operand_type(call, 1);
  const unsigned axis = normal_axis(call, integer_argument(call, axis_operand), x.shape.rank());
  if (kind_of(indices.dtype) != DtypeKind::integer) fail_attribute(call, 1, "a tensor of integers");
  if (indices.shape.rank() != x.shape.rank()) {
    fail(message("gather_rank"), {std::string(call.entry.name), x.text(), indices.text()},
         {label_of(call, 0), label_of(call, 1)}, indices.shape.rank() == 1 ? hint_for_rows(call) : "");
  }
  if (x.shape.rank() > IndexSpec::max_items) fail(message("rank_limit"), {std::to_string(x.shape.rank())});
  return axis;
}

// x[…, indices, …], the other items counting.
struct IndexItems {
  Value spec;
  std::vector<Value> items;

  IndexItems(Builder& builder, const Call& call, unsigned axis) {
    const Shape x = logical_type(call.args[0]).shape;
    IndexSpec packed;
    for (unsigned i = 0; i < x.rank(); ++i) {
      packed.push(IndexSpec::Item::at);
      items.push_back(i == axis ? call.args[1] : count_along(builder, x[i], i, x.rank()));
    }
    spec = packed.packed();
  }
};

Value gather_eager(Builder& builder, Call& call) {
  for (unsigned i = 0; i < 2; ++i) require_operand(builder, call, i);
  const IndexItems places(builder, call, axis_of(call, 2));
  return index_read(builder, std::move(call.args[0]), places.spec, places.items);
}

// --- scatter_add ---

Type scatter_add_type(ShapeBuilder&, const Call& call) {
  axis_of(call, 3);
  const Type x = operand_type(call, 0), updates = operand_type(call, 2);
  if (updates.shape.rank() > x.shape.rank()) {
    fail(message("index_assign_shape"), {updates.text(), operand_type(call, 1).shape.text()}, {label_of(call, 2)});
  }
  return x;
}

// x[…, indices, …] += updates. What index_add says of its value is said of the updates.
Value scatter_add_eager(Builder& builder, Call& call) {
  scatter_add_type(builder, call);
  IndexItems places(builder, call, axis_of(call, 3));
  const ArgumentLabel of_updates = label_of(call, 2);
  Value args[] = {std::move(call.args[0]), std::move(call.args[2]), places.spec};
  try {
    return ops::call(builder, index_add_entry(), args, places.items);
  } catch (OpError& error) {
    for (ArgumentLabel& label : error.labels) {
      if (label.argument == 1) label = of_updates;
    }
    throw;
  }
}

Value scatter_add_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  if (tangents[0].is_none() && tangents[2].is_none()) return Value();
  const Type& x = residuals.types[0];
  return rule.call(scatter_add_entry(),
                   {tangents[0].is_none() ? rule.zeros(x) : tangents[0], residuals.operands[1],
                    tangents[2].is_none() ? rule.number(0, x.dtype) : tangents[2], residuals.operands[3]});
}

// The updates' part is read first, so that nothing shares the cotangent that is handed on.
void scatter_add_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  Value of_updates;
  if (out.wants(2)) {
    Value read = rule.call(gather_entry(), {cotangent, residuals.operands[1], residuals.operands[3]});
    of_updates = rule.sum_to(std::move(read), residuals.types[2]);
  }
  if (out.wants(0)) out.add(0, std::move(cotangent));
  if (out.wants(2)) out.add(2, std::move(of_updates));
}

Value pattern_of_scatter_add(Sets& sets, const Entry&, const Residuals& residuals, std::span<const Value> of) {
  if (of[2].is_none()) return of[0];
  Builder& b = sets.builder();
  const Shape &shape = residuals.types[0].shape, &places = residuals.types[1].shape;
  Value numbers = call(b, handles().arange, {b.extent(shape.elements()), Value(), Value(), Value()});
  const Value positions =
      call(b, gather_entry(), {reshape(b, std::move(numbers), shape), residuals.operands[1], residuals.operands[3]});
  return sets.unite_at(of[0].is_none() ? zeros(b, {Dtype::i64, shape}) : of[0], positions,
                       broadcast_to(b, of[2], places));
}

Value scatter_add_batch(Builder& builder, Call& call, const Batching& batching) {
  const unsigned rank = example_type(call, 0, batching).shape.rank();
  const unsigned axis = normal_axis(call, integer_argument(call, 3), rank);
  for (unsigned i = 0; i < 2; ++i) {
    call.args[i] = with_batch_axis(builder, std::move(call.args[i]), batching.batched[i], batching.size);
  }
  if (batching.batched[2]) call.args[2] = align_batch(builder, std::move(call.args[2]), rank);
  call.args[3] = int64_t{axis} + 1;
  return ops::call(builder, call.entry, call.args);
}

// --- one_hot ---

Type one_hot_type(ShapeBuilder& shapes, const Call& call) {
  Type type = operand_type(call, 0);
  if (kind_of(type.dtype) != DtypeKind::integer) fail_attribute(call, 0, "a tensor of integers");
  type.shape.push_back(size_argument(shapes, call, 1));
  return {dtype_argument(call, 2, Dtype::f64), type.shape};
}

Value one_hot_eager(Builder& builder, Call& call) {
  const Type type = one_hot_type(builder, call);
  const int64_t n = type.shape[type.shape.rank() - 1].number();
  const Value indices = contiguous(builder.pool(), cast_to(builder, call.args[0], Dtype::i64));
  const int64_t count = indices.is_scalar() ? 1 : indices.tensor().size();
  const auto* index = static_cast<const int64_t*>(data_of(indices));
  for (int64_t i = 0; i < count; ++i) {
    if (index[i] >= 0 && index[i] < n) continue;
    fail(message("one_hot_range"), {std::to_string(index[i]), std::to_string(n)}, {label_of(call, 0)});
  }
  Value result = zeros(builder, type);
  const Value one = converted_number(Value(int64_t{1}), type.dtype);
  const size_t width = size_of(type.dtype);
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(result.tensor().data() + static_cast<size_t>(i * n + index[i]) * width, one.scalar_data(), width);
  }
  return result;
}

Value one_hot_batch(Builder& builder, Call& call, const Batching&) { return ops::call(builder, call.entry, call.args); }

}  // namespace

const Entry& gather_entry() {
  static const Entry entry{
      .name = "gather",
      .doc =
          "The elements of `x` at `indices` along `axis`, NumPy's take_along_axis: `indices` has the rank of `x`, and "
          "result[i, j] is x[i, indices[i, j]] along the last of two axes.\n\n"
          "The other axes broadcast; a negative index counts from the end.",
      .parameters = {any_parameter("x"), any_parameter("indices"), attribute("axis", int64_t{-1})},
      .carries = true,
      .eager = gather_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.0, 2, 3], [2, 0, 2, -1]", .expected = "[3.0, 1, 3, 3]", .differentiate = true},
                  {.arguments = "[[1.0, 2], [3, 4]], [[1], [0]]", .expected = "[[2.0], [3]]", .differentiate = true},
                  {.arguments = "[[1.0, 2], [3, 4]], [[1, 0], [1, 1]], axis=0",
                   .expected = "[[3.0, 2], [3, 4]]",
                   .differentiate = true},
                  {.arguments = "[[1, 2], [3, 4]], [[0, 1, 1]], axis=-1", .expected = "[[1, 2, 2], [3, 4, 4]]"},
                  {.arguments = "zeros(2, 3), i64(zeros(2, 0))", .expected = "zeros(2, 0)"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& scatter_add_entry() {
  static const Entry entry{
      .name = "scatter_add",
      .doc =
          "`x` with `updates` added to its elements at `indices` along `axis`, in index order: what `gather` reads is "
          "added to, each time that it is read. `updates` are broadcast to the shape of `indices`.",
      .parameters = {tensor_parameter("x"), tensor_parameter("indices"), tensor_parameter("updates"),
                     attribute("axis", int64_t{-1})},
      .type = scatter_add_type,
      .eager = scatter_add_eager,
      .derivative = Derivative::by_hand(2, scatter_add_jvp, scatter_add_vjp),
      .batch = scatter_add_batch,
      .pattern = pattern_of_scatter_add,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.0, 2, 3], [2, 0, 2], [10.0, 20, 30]",
                   .expected = "[21.0, 2, 43]",
                   .differentiate = true},
                  {.arguments = "zeros(2, 2), [[1], [0]], [[5.0], [6.0]]",
                   .expected = "[[0.0, 5], [6, 0]]",
                   .differentiate = true},
                  {.arguments = "[[1.0, 2], [3, 4]], [[1, 1]], [[0.5, 0.25]], axis=0",
                   .expected = "[[1.0, 2], [3.5, 4.25]]",
                   .differentiate = true},
                  {.arguments = "[1, 2], [-1], [5]", .expected = "[1, 7]"}},
  };
  return entry;
}

const Entry& one_hot_entry() {
  static const Entry entry{
      .name = "one_hot",
      .doc =
          "For each of the integers in `indices` a row of `n` zeros with a 1 at that place, `dtype=` f64 unless said "
          "otherwise.\n\nThe rows lie along a new last axis. An index that is negative or n or more is an error.",
      .parameters = {tensor_parameter("indices"), attribute("n"), attribute("dtype", Value())},
      .carries = true,
      .type = one_hot_type,
      .eager = one_hot_eager,
      .derivative = Derivative::piecewise_constant(),
      .batch = one_hot_batch,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1, 0], 3", .expected = "[[0.0, 1, 0], [1, 0, 0]]"},
                  {.arguments = "2, 3, dtype=i64", .expected = "[0, 0, 1]"},
                  {.arguments = "[[1], [0]], 2, dtype=bool", .expected = "[[[false, true]], [[true, false]]]"},
                  {.arguments = "i64(zeros(0)), 3", .expected = "zeros(0, 3)"}},
  };
  return entry;
}

Family index_gather_entries() {
  static const Entry* const entries[] = {&gather_entry(), &scatter_add_entry(), &one_hot_entry()};
  return entries;
}

}  // namespace covec::ops
