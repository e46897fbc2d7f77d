// Indexing under vmap. A batched x gets one more axis in front, indexed by a whole slice. Batched indices become
// tensors with the batch along their first axis. If both are batched, the numbers of the examples go in front of the
// items, so each example reads its own. The rule then finds the position of the batch axis in the result. Masks that
// differ by example select different numbers of elements, so they run in a loop (the rule declines).
#include <array>
#include <vector>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/index/eager.hpp"
#include "stdlib/ops/index/index.hpp"
#include "stdlib/ops/index/plan.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

struct BatchedIndex {
  IndexSpec spec;
  std::vector<Value> items;
  // Axis i of (batch, axes of one example's result…) is this axis of the result of the whole.
  std::array<unsigned, max_rank> axes = {};
  unsigned rank = 0;
};

struct Problem {
  Type x;  // one example's
  bool x_batched;
  std::span<Value> items;
  std::span<const bool> batched;  // by item
  Dim size;
};

// A spec with one item in front.
IndexSpec with_front(IndexSpec spec, IndexSpec::Item front) {
  IndexSpec result;
  result.push(front);
  for (unsigned i = 0; i < spec.items(); ++i) {
    result.push(spec.item(i), spec.has_start(i), spec.has_stop(i), spec.has_step(i));
  }
  return result;
}

std::vector<Type> example_types(const Problem& problem) {
  std::vector<Type> types;
  for (size_t i = 0; i < problem.items.size(); ++i) {
    types.push_back(logical_type(problem.items[i]));
    if (problem.batched[i]) types.back().shape.erase(0);
  }
  return types;
}

// Fills in where axes are, for a block of tensors (batch first) at `block`, of which one example has `rank` axes at
// `example`.
void place_axes(BatchedIndex& index, unsigned block, unsigned rank, unsigned example, unsigned basic) {
  unsigned next = 0;
  index.axes[next++] = block;
  const auto physical = [&](unsigned axis) { return axis < block ? axis : axis + 1 + rank; };
  for (unsigned i = 0; i < example; ++i) index.axes[next++] = physical(i);
  for (unsigned i = 0; i < rank; ++i) index.axes[next++] = block + 1 + i;
  for (unsigned i = example; i < basic; ++i) index.axes[next++] = physical(i);
  index.rank = next;
}

// Only x is batched. Where tensors stand apart their axes come first, the batch axis after them.
void with_whole_front(BatchedIndex& index, const Problem& problem, IndexSpec spec, const IndexLayout& layout) {
  index.spec = with_front(spec, IndexSpec::Item::slice);
  index.items.assign(problem.items.begin(), problem.items.end());
  index.rank = layout.result_rank + 1;
  const unsigned front = layout.apart ? layout.advanced_rank : 0;
  for (unsigned i = 0; i < index.rank; ++i) index.axes[i] = i == 0 ? front : i <= front ? i - 1 : i;
}

Value count_examples(Builder& builder, Dim size, unsigned rank) {
  Shape shape{size};
  while (shape.rank() < rank + 1) shape.push_back(Dim(1));
  if (!builder.is_eager()) {
    Value numbers = ops::call(builder, handles().arange, {builder.extent(size), Value(), Value(), Value()});
    return reshape(builder, std::move(numbers), shape);
  }
  Value count = make_tensor(builder.pool(), Dtype::i64, {size});
  for (int64_t i = 0; i < size.number(); ++i) count.tensor().as<int64_t>()[i] = i;
  return reshape(builder, std::move(count), shape);
}

void with_tensors(Builder& builder, BatchedIndex& index, const Problem& problem, IndexSpec spec,
                  const IndexLayout& layout) {
  const unsigned rank = layout.advanced_rank;
  if (problem.x_batched) index.items.push_back(count_examples(builder, problem.size, rank));
  for (size_t i = 0; i < problem.items.size(); ++i) {
    Value& item = problem.items[i];
    index.items.push_back(problem.batched[i] ? align_batch(builder, item, rank) : item);
  }
  index.spec = problem.x_batched ? with_front(spec, IndexSpec::Item::at) : spec;
  Type x = problem.x;
  if (problem.x_batched) x.shape.insert(0, Dim(problem.size));
  const IndexLayout whole = layout_of(index.spec, x, std::span<const Value>(index.items));
  place_axes(index, whole.advanced_at, rank, layout.advanced_rank > 0 ? layout.advanced_at : 0,
             layout.result_rank - rank);
}

bool any_of(std::span<const bool> flags) {
  for (bool flag : flags) {
    if (flag) return true;
  }
  return false;
}

bool declines(const Problem& problem, IndexSpec spec) {
  for (size_t i = 0; i < problem.items.size(); ++i) {
    if (!is_operand(problem.items[i])) return true;  // no index: one example says so
    if (problem.batched[i] && logical_type(problem.items[i]).dtype == Dtype::boolean) return true;
  }
  if (problem.x.shape.rank() + 1 > max_rank) return true;
  return problem.x_batched && spec.items() == IndexSpec::max_items;
}

// A slice whose bounds differ by example gives parts of different sizes.
bool has_batched_bound(const Problem& problem, const IndexLayout& layout) {
  const auto batched = [&](int8_t operand) { return operand >= 0 && problem.batched[static_cast<size_t>(operand)]; };
  for (unsigned i = 0; i < layout.count; ++i) {
    const IndexItem& item = layout.items[i];
    if (batched(item.start) || batched(item.stop) || batched(item.step)) return true;
  }
  return false;
}

// False when the rule declines.
bool solve(Builder& builder, const Problem& problem, IndexSpec spec, BatchedIndex& index) {
  if (declines(problem, spec)) return false;
  const std::vector<Type> types = example_types(problem);
  const IndexLayout layout = layout_of(spec, problem.x, std::span<const Type>(types));
  if (has_batched_bound(problem, layout) || layout.result_rank + 1 > max_rank) return false;
  if (any_of(problem.batched)) {
    with_tensors(builder, index, problem, spec, layout);
  } else {
    with_whole_front(index, problem, spec, layout);
  }
  return true;
}

// The value's axes put where the whole's result has them.
Value arrange_value(Builder& builder, Value value, bool batched, const BatchedIndex& index) {
  Shape shape = logical_type(value).shape;
  if (!batched) {
    if (shape.rank() == 0) return value;
    shape.insert(0, Dim(1));
  }
  while (shape.rank() > index.rank && shape[1] == Dim(1)) shape.erase(1);  // NumPy lets spare axes of size 1 be
  while (shape.rank() < index.rank) shape.insert(1, Dim(1));
  value = reshape(builder, std::move(value), shape);
  if (shape.rank() != index.rank) {  // it will not fit: the update says so
    if (!shape.known()) fail_not_staged("whether the shape of a value fits");
    return value;
  }
  std::array<unsigned, max_rank> axes;
  for (unsigned i = 0; i < index.rank; ++i) axes[index.axes[i]] = i;
  return permute(builder, std::move(value), {axes.data(), index.rank});
}

}  // namespace

Value index_read_batch(Builder& builder, Call& call, const Batching& batching) {
  const size_t parameters = call.args.size();
  BatchedIndex index;
  const Problem problem{example_type(call, 0, batching), batching.batched[0], call.rest,
                        batching.batched.subspan(parameters), batching.size};
  const IndexSpec spec(call.args[1].i64());
  if (!solve(builder, problem, spec, index)) return Value::unbound();
  Value args[] = {std::move(call.args[0]), index.spec.packed()};
  Value result = ops::call(builder, index_read_entry(), args, index.items);
  return permute(builder, std::move(result), {index.axes.data(), index.rank});
}

Value index_write_batch(Builder& builder, Call& call, const Batching& batching) {
  const size_t parameters = call.args.size();
  BatchedIndex index;
  const Problem problem{example_type(call, 0, batching), true, call.rest, batching.batched.subspan(parameters),
                        batching.size};
  const IndexSpec spec(call.args[2].i64());
  if (!solve(builder, problem, spec, index)) return Value::unbound();
  Value value = arrange_value(builder, std::move(call.args[1]), batching.batched[1], index);
  // A batched x is written in place; where that fails, the variable gets it back.
  Value x =
      batching.batched[0] ? std::move(call.args[0]) : with_batch_axis(builder, call.args[0], false, batching.size);
  Value args[] = {std::move(x), std::move(value), index.spec.packed()};
  try {
    return ops::call(builder, call.entry, args, index.items);
  } catch (...) {
    if (batching.batched[0]) call.args[0] = std::move(args[0]);
    throw;
  }
}

// Where the indices are the same for all examples, so is which of them are the last; x is only asked for its shape.
Value index_last_batch(Builder& builder, Call& call, const Batching& batching) {
  for (size_t i = 1; i < batching.batched.size(); ++i) {
    if (batching.batched[i]) return Value::unbound();
  }
  Value args[] = {broadcast_to(builder, Value(false), example_type(call, 0, batching).shape), std::move(call.args[1])};
  return with_batch_axis(builder, ops::call(builder, index_last_entry(), args, call.rest), false, batching.size);
}

Value index_distinct_batch(Builder& builder, Call& call, const Batching& batching) {
  for (size_t i = 1; i < batching.batched.size(); ++i) {
    if (batching.batched[i]) return Value::unbound();
  }
  Value args[] = {broadcast_to(builder, Value(false), example_type(call, 0, batching).shape), std::move(call.args[1])};
  const Value distinct = ops::call(builder, index_distinct_entry(), args, call.rest);
  return broadcast_to(builder, distinct, Shape{batching.size});
}

}  // namespace covec::ops
