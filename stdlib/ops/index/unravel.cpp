// unravel_index, and the positions of triangles: positions as one vector for each axis, made of other operators.
#include "stdlib/ops/contract/expect.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/index/family.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

Value unravel_eager(Builder& builder, Call& call) {
  Steps steps(builder);
  if (kind_of(operand_of(builder, call, 0).dtype) != DtypeKind::integer) fail_attribute(call, 0, "integers");
  const Value zero(int64_t{0}), one(int64_t{1});
  const Sizes sizes = sizes_argument(builder, call, 1);
  for (unsigned i = 0; i < sizes.size(); ++i) {
    const Value size = sizes.known(i) ? Value(sizes.number(i)) : builder.extent(sizes[i]);
    expect_all(steps, steps.less_equal(zero, size), call, 1, "sizes of 0 or more", size);
  }
  const Shape shape = shape_of_sizes(call, sizes);
  const Value whole = steps.cast(call.args[0], Dtype::i64);
  // By quotients, as the product of the sizes may not fit.
  Value place = whole, inside = steps.less_equal(zero, whole);
  std::vector<Value> positions(shape.rank());
  for (unsigned axis = shape.rank(); axis-- > 1;) {
    const Value size = builder.extent(shape[axis]);
    const Value before = steps.call(handles().floor_divide, {place, steps.maximum(size, one)});
    positions[axis] = steps.sub(place, steps.mul(before, size));
    place = before;
    inside = steps.both(inside, steps.less(zero, size));
  }
  if (!shape.empty()) positions[0] = place;
  inside = steps.both(inside, steps.less(place, shape.empty() ? one : builder.extent(shape[0])));
  expect_all(steps, inside, call, 0, "positions in a tensor of that shape", whole);
  return make_tuple(std::move(positions));
}

// --- triangles ---

// Which places of an n by m matrix are on one side of the diagonal k, or on it.
template <bool lower>
Value triangle_places_eager(Builder& builder, Call& call) {
  Steps steps(builder);
  const auto size = [&](unsigned operand) {
    steps.at_least(call, operand, 0, "0 or more");
    return size_argument(builder, call, operand);
  };
  const Dim n = size(0), m = call.args[2].is_none() ? n : size(2);
  expect_integer(call, 1);
  // Room for all places is taken and let go, so that too many are refused before any is written.
  if (builder.is_eager()) make_tensor(builder.pool(), Dtype::i64, {n, m});
  const auto numbers = [&](Dim count) {
    return steps.call(handles().arange, {builder.extent(count), Value(), Value(), Value()});
  };
  const Value row = reshape(builder, numbers(n), {n, Dim(1)}), column = reshape(builder, numbers(m), {Dim(1), m});
  const Value above = steps.sub(column, row), k = steps.cast(call.args[1], Dtype::i64);
  const Value mask = lower ? steps.less_equal(above, k) : steps.less_equal(k, above);
  IndexSpec spec;
  spec.push(IndexSpec::Item::at);
  const auto chosen = [&](const Value& of) {
    return index_read(builder, steps.broadcast_to(of, {n, m}), Value(spec.packed()), {&mask, 1});
  };
  return make_tuple({chosen(row), chosen(column)});
}

std::vector<Parameter> triangle_parameters() {
  return {attribute("n"), attribute("k", int64_t{0}), attribute("m", Value())};
}

const Entry& tril_indices_entry() {
  static const Entry entry{
      .name = "tril_indices",
      .doc =
          "Where the elements of the lower triangle of an n × n matrix are (n × `m`), those of the `k`th diagonal "
          "included, row by row: a tuple of rows and columns. `i, j = tril_indices(n)`, then `x[i, j]` reads them.",
      .parameters = triangle_parameters(),
      .eager = triangle_places_eager<true>,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "3", .expected = "([0, 1, 1, 2, 2, 2], [0, 0, 1, 0, 1, 2])"},
                  {.arguments = "3, -1", .expected = "([1, 2, 2], [0, 0, 1])"},
                  {.arguments = "2, k=1, m=3", .expected = "([0, 0, 1, 1, 1], [0, 1, 0, 1, 2])"},
                  {.arguments = "0", .expected = "(i64(zeros(0)), i64(zeros(0)))"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& triu_indices_entry() {
  static const Entry entry{
      .name = "triu_indices",
      .doc =
          "Where the elements of the upper triangle of an n × n matrix are (n × `m`), those of the `k`th diagonal "
          "included, row by row: a tuple of rows and columns. `i, j = triu_indices(n)`, then `x[i, j]` reads them.",
      .parameters = triangle_parameters(),
      .eager = triangle_places_eager<false>,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "3", .expected = "([0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2])"},
                  {.arguments = "3, 1", .expected = "([0, 0, 1], [1, 2, 2])"},
                  {.arguments = "3, k=0, m=2", .expected = "([0, 0, 1], [0, 1, 1])"},
                  {.arguments = "2, 5", .expected = "(i64(zeros(0)), i64(zeros(0)))"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& unravel_index_entry() {
  static const Entry entry{
      .name = "unravel_index",
      .doc =
          "Where the elements of a tensor of that `shape` are that have these `indices` when all elements are in a "
          "row, as `argmax` counts them: a tuple of one tensor for each axis.",
      .parameters = {any_parameter("indices"), attribute("shape")},
      .widens_integers = true,
      .eager = unravel_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "5, (2, 3)", .expected = "(1, 2)"},
                  {.arguments = "[22, 41, 37], (7, 6)", .expected = "([3, 6, 6], [4, 5, 1])"},
                  {.arguments = "[[0], [23]], (2, 3, 4)", .expected = "([[0], [1]], [[0], [2]], [[0], [3]])"},
                  {.arguments = "3, 9", .expected = "(3,)"},
                  {.arguments = "i64(zeros(0)), (2, 2)", .expected = "(i64(zeros(0)), i64(zeros(0)))"}},
      .staging = Staging::structural,
  };
  return entry;
}

}  // namespace

Family index_unravel_entries() {
  static const Entry* const entries[] = {&unravel_index_entry(), &tril_indices_entry(), &triu_indices_entry()};
  return entries;
}

}  // namespace covec::ops
