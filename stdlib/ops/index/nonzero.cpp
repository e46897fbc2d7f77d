// nonzero and argwhere: positions of nonzero elements. Only the run knows how many there are, as for x[mask].
#include "stdlib/kernels/interrupt_polls.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/index/family.hpp"
#include "stdlib/ops/index/index.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

const Entry& places_where_entry();

Type places_type(ShapeBuilder& shapes, const Call& call) {
  const unsigned rank = operand_type(call, 0).shape.rank();
  return {Dtype::i64, {shapes.unknown_dim(), Dim(rank)}};
}

// Row by row of a mask in memory's order: an element's place is written, and counts where it is true.
void write_flat(const uint8_t* mask, int64_t begin, int64_t end, int64_t most, int64_t* to, int64_t& count) {
  for (int64_t i = begin; i < end && count < most; ++i) {
    to[count] = i;
    count += mask[i];
  }
}

// A position as one number becomes one for each axis, from the last row on.
void unfold(const Tensor& mask, int64_t count, int64_t* to) {
  const unsigned rank = mask.rank();
  for (int64_t i = count; i-- > 0;) {
    int64_t place = to[i];
    for (unsigned axis = rank; axis-- > 0;) {
      to[i * rank + axis] = place % mask.dim(axis);
      place /= mask.dim(axis);
    }
  }
}

Value places_eager(Builder& builder, Call& call) {
  const Value x = contiguous(builder.pool(), call.args[0]);
  const Tensor& tensor = x.tensor();
  const uint8_t* mask = tensor.as<uint8_t>();
  int64_t count = 0;
  for (int64_t i = 0; i < tensor.size(); ++i) count += mask[i];
  Value result = make_tensor(builder.pool(), Dtype::i64, {Dim(count), Dim(tensor.rank())});
  if (count == 0) return result;
  int64_t* to = result.tensor().as<int64_t>();
  int64_t written = 0;
  kernels::InterruptPolls polls(builder.context());
  polls.in_chunks(tensor.size(), 1,
                  [&](int64_t begin, int64_t end) { write_flat(mask, begin, end, count, to, written); });
  kernels::poll_interrupt(builder.context());
  if (tensor.rank() > 1) unfold(tensor, count, to);
  return result;
}

Value places(Builder& builder, Call& call) {
  const Type type = operand_of(builder, call, 0);
  if (type.shape.rank() == 0) fail_attribute(call, 0, "a tensor of rank 1 or more");
  Steps steps(builder);
  Value mask = std::move(call.args[0]);
  if (type.dtype != Dtype::boolean) mask = steps.call(handles().not_equal, {mask, steps.number(0, type.dtype)});
  return steps.call(places_where_entry(), {std::move(mask)});
}

Value nonzero_eager(Builder& builder, Call& call) {
  const Value rows = places(builder, call);
  std::vector<Value> axes;
  const Dim rank = logical_type(rows).shape[1];
  for (int64_t i = 0; i < rank.number(); ++i) axes.push_back(Steps(builder).take(rows, 1, Value(i)));
  return make_tuple(std::move(axes));
}

const Entry& places_where_entry() {
  static const Entry entry{
      .name = "places_where",
      .doc = "A row for each true element of a mask: its position.",
      .parameters = {tensor_parameter("x")},
      .type = places_type,
      .eager = places_eager,
      .derivative = Derivative::none("gives positions"),
      .internal = true,
      .part_of = "nonzero",
  };
  return entry;
}

const Entry& argwhere_entry() {
  static const Entry entry{
      .name = "argwhere",
      .doc = "A row for each element of `x` that is not 0 (or is true): its position, one number for each axis.",
      .parameters = {any_parameter("x")},
      .widens_integers = true,
      .eager = places,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[0.0, 2.0, nan, 0.0]", .expected = "[[1], [2]]"},
                  {.arguments = "[[1, 0], [0, 3], [5, 0]]", .expected = "[[0, 0], [1, 1], [2, 0]]"},
                  {.arguments = "zeros(3)", .expected = "i64(zeros(0, 1))"}},
      .staging = Staging::structural,
  };
  return entry;
}

}  // namespace

const Entry& nonzero_entry() {
  static const Entry entry{
      .name = "nonzero",
      .doc =
          "Where the elements of `x` are that are not 0 (or are true; nan is not 0): a tuple of one vector for each "
          "axis, in the order of the elements. `x[nonzero(x)[0]]` reads those of a vector; `x[x != 0]` is shorter.",
      .parameters = {any_parameter("x")},
      .widens_integers = true,
      .eager = nonzero_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[0.0, 2.0, nan, 0.0]", .expected = "([1, 2],)"},
                  {.arguments = "[[1, 0], [0, 3], [5, 0]]", .expected = "([0, 1, 2], [0, 1, 0])"},
                  {.arguments = "[false, true]", .expected = "([1],)"},
                  {.arguments = "zeros(2, 0)", .expected = "(i64(zeros(0)), i64(zeros(0)))"}},
      .staging = Staging::structural,
  };
  return entry;
}

Family index_nonzero_entries() {
  static const Entry* const entries[] = {&nonzero_entry(), &argwhere_entry(), &places_where_entry()};
  return entries;
}

}  // namespace covec::ops
