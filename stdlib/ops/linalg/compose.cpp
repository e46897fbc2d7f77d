// outer, kron, cross, trace: axes of size 1 are inserted where a product broadcasts them, and trace sums a diagonal.

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/linalg/family.hpp"
#include "stdlib/ops/linalg/parts.hpp"
#include "stdlib/ops/reduce/reduce.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

void require_operands(Builder& builder, Call& call, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    require_operand(builder, call, i);
  }
}

Value product(Builder& builder, Value a, Value b) {
  return call(builder, handles().multiply, {std::move(a), std::move(b)});
}

Value outer_eager(Builder& builder, Call& call) {
  require_operands(builder, call, 2);
  Value rows = flatten(builder, std::move(call.args[0])), columns = flatten(builder, std::move(call.args[1]));
  return product(builder, unsqueeze(builder, std::move(rows), 1), std::move(columns));
}

// An empty tensor may have sizes whose product is no size.
Dim size_of_product(Builder& builder, Dim a, Dim b) {
  int64_t product;
  if (a.known() && b.known() && __builtin_mul_overflow(a.number(), b.number(), &product)) {
    fail(message("bad_attribute"), {"kron", "the product of two sizes", "below 2^63",
                                    std::to_string(a.number()) + " · " + std::to_string(b.number())});
  }
  return builder.multiply(a, b);
}

// Axis i of both becomes (a's, b's), of which one is of size 1, and then one axis again.
Value kron_eager(Builder& builder, Call& call) {
  require_operands(builder, call, 2);
  Shape a = logical_type(call.args[0]).shape, b = logical_type(call.args[1]).shape;
  while (a.rank() < b.rank()) a.insert(0, Dim(1));
  while (b.rank() < a.rank()) b.insert(0, Dim(1));
  Shape of_a, of_b, merged;
  for (unsigned i = 0; i < a.rank(); ++i) {
    for (const Dim dim : {a[i], Dim(1)}) of_a.push_back(dim);
    for (const Dim dim : {Dim(1), b[i]}) of_b.push_back(dim);
    merged.push_back(size_of_product(builder, a[i], b[i]));
  }
  Value all = product(builder, reshape(builder, std::move(call.args[0]), of_a),
                      reshape(builder, std::move(call.args[1]), of_b));
  return reshape(builder, std::move(all), merged);
}

// --- cross ---

// The vectors of an operand along its last axis.
Value vectors_last(Steps& steps, Call& call, unsigned operand, int64_t given) {
  const unsigned rank = logical_type(call.args[operand]).shape.rank();
  const unsigned axis = normal_axis(call, given, rank);
  return steps.move_axis(std::move(call.args[operand]), axis, rank - 1);
}

// Component i is a[i + 1]·b[i + 2] − a[i + 2]·b[i + 1], counted round.
Value cross_eager(Builder& builder, Call& call) {
  require_operands(builder, call, 2);
  Steps steps(builder);
  const int64_t given = integer_argument(call, 2);
  const Value a = vectors_last(steps, call, 0, given), b = vectors_last(steps, call, 1, given);
  const auto length = [&](const Value& x) { return logical_type(x).shape[rank_of_value(x) - 1]; };
  steps.same_length(length(a), Dim(3), "cross", "a", "a vector of three");
  steps.same_length(length(b), Dim(3), "cross", "b", "a vector of three");
  const auto part = [&](const Value& x, int64_t i) { return steps.take(x, rank_of_value(x) - 1, Value(i % 3)); };
  Value parts[3];
  for (int64_t i = 0; i < 3; ++i) {
    const Value straight = steps.mul(part(a, i + 1), part(b, i + 2));
    parts[i] = steps.sub(straight, steps.mul(part(a, i + 2), part(b, i + 1)));
  }
  const unsigned rank = rank_of_value(parts[0]) + 1;
  return stack(builder, parts, normal_axis(call, given, rank));
}

Value trace_eager(Builder& builder, Call& call) {
  require_operands(builder, call, 1);
  const Type x = logical_type(call.args[0]);
  if (x.shape.rank() < 2) fail(message("matrix_rank"), {"trace", x.text()}, {label_of(call, 0)});
  expect_integer(call, 1);
  Value on_diagonal = diagonal(builder, std::move(call.args[0]), call.args[1]);
  return ops::call(builder, handles().sum, {std::move(on_diagonal), Value(int64_t{-1}), Value(false)});
}

}  // namespace

const Entry& outer_entry() {
  static const Entry entry{
      .name = "outer",
      .doc = "The product of each element of `a` with each of `b`: row i is a[i] * b. Tensors are taken row by row.",
      .parameters = {any_parameter("a"), any_parameter("b")},
      .eager = outer_eager,
      .complex = multilinear,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.0, 2], [3.0, 4, 5]",
                   .expected = "[[3.0, 4, 5], [6, 8, 10]]",
                   .differentiate = true},
                  {.arguments = "[[1, 2], [3, 4]], [1, -1]", .expected = "[[1, -1], [2, -2], [3, -3], [4, -4]]"},
                  {.arguments = "2, [3, 4]", .expected = "[[6, 8]]"},
                  {.arguments = "zeros(0), [1.0]", .expected = "zeros(0, 1)"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& kron_entry() {
  static const Entry entry{
      .name = "kron",
      .doc = "Kronecker's product: `a` with each element replaced by its product with the whole of `b`.",
      .parameters = {any_parameter("a"), any_parameter("b")},
      .eager = kron_eager,
      .complex = multilinear,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[1.0, 2], [3, 4]], [[0.0, 1], [1, 0]]",
                   .expected = "[[0.0, 1, 0, 2], [1, 0, 2, 0], [0, 3, 0, 4], [3, 0, 4, 0]]",
                   .differentiate = true},
                  {.arguments = "[1, 10], [1, 2, 3]", .expected = "[1, 2, 3, 10, 20, 30]"},
                  {.arguments = "[[1, 2]], [1, -1]", .expected = "[[1, -1, 2, -2]]"},
                  {.arguments = "2.0, [1.0, 2]", .expected = "[2.0, 4]", .differentiate = true}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& cross_entry() {
  static const Entry entry{
      .name = "cross",
      .doc =
          "The cross product of vectors of three elements, which lie along `axis`; the other axes broadcast. Complex "
          "vectors are not conjugated.",
      .parameters = {any_parameter("a"), any_parameter("b"), attribute("axis", int64_t{-1})},
      .eager = cross_eager,
      .complex = multilinear,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.0, 2, 3], [4.0, 5, 7]", .expected = "[-1.0, 5, -3]", .differentiate = true},
                  {.arguments = "[[1, 0, 0], [0, 1, 0]], [0, 0, 1]", .expected = "[[0, -1, 0], [1, 0, 0]]"},
                  {.arguments = "[1im, 2, 0], [0, 1im, 1]", .expected = "[2 + 0im, -1im, -1 + 0im]", .ulp = 1},
                  {.arguments = "[[1, 0], [0, 1], [0, 0]], [[0], [0], [1]], axis=0",
                   .expected = "[[0, 1], [-1, 0], [0, 0]]"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& trace_entry() {
  static const Entry entry{
      .name = "trace",
      .doc = "The sum of the `k`th diagonal of the matrices along the last two axes.",
      .parameters = {any_parameter("x"), attribute("k", int64_t{0})},
      .widens_integers = true,
      .eager = trace_eager,
      .complex = by_parts,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[1.0, 2], [3, 4]]", .expected = "5.0", .differentiate = true},
                  {.arguments = "[[1.0, 2, 3], [4, 5, 6]], 1", .expected = "8.0", .differentiate = true},
                  {.arguments = "[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]", .expected = "[5, 13]"},
                  {.arguments = "[[true, false], [false, true]]", .expected = "2"},
                  {.arguments = "zeros(0, 0)", .expected = "0.0"}},
      .staging = Staging::structural,
  };
  return entry;
}

Family linalg_compose_entries() {
  static const Entry* const entries[] = {&outer_entry(), &kron_entry(), &cross_entry(), &trace_entry()};
  return entries;
}

}  // namespace covec::ops
