// Derivatives and batch rules of products. The cotangent of a factor is the cotangent times the other factor
// transposed, summed over batch dimensions that were broadcast. A factor shared by a whole batch gets it in one
// product. The products of an adjoint are scaled_matmul (scaled.cpp), and so are those of its own adjoint. A batch of
// products becomes one product wherever ranks allow. The order of adding depends on ranks, never on sizes, so the bits
// are those of a loop.
#include "stdlib/ops/linalg/rules.hpp"

#include <algorithm>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/linalg/parts.hpp"
#include "stdlib/ops/patterns/patterns.hpp"
#include "stdlib/ops/reduce/reduce.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

Shape with_axis(Shape shape, unsigned axis) {
  shape.insert(axis, Dim(1));
  return shape;
}

Shape with_inner(Shape shape, Dim inner) {
  shape.push_back(inner);
  return shape;
}

// All axes but the last `kept` as one.
Shape flattened(Builder& builder, const Shape& shape, unsigned kept) {
  Dim rows(1);
  const unsigned outer = shape.rank() - kept;
  for (unsigned i = 0; i < outer; ++i) rows = builder.multiply(rows, shape[i]);
  Shape result{rows};
  for (unsigned i = outer; i < shape.rank(); ++i) result.push_back(shape[i]);
  return result;
}

struct ProductRule {
  RuleContext& rule;
  const Shape& a;
  const Shape& b;
  const Type& result;
  Value left, right, cotangent;  // of the result's dtype
  uint64_t zeros = 0;            // of the product itself: which of its factors are cotangents

  bool left_counts() const { return (zeros & 1) != 0; }
  bool right_counts() const { return (zeros & 2) != 0; }

  Builder& builder() const { return rule.builder(); }
  Value transposed(const Value& x) const { return Matrices(builder()).transposed(x); }
  // The cotangent times a factor, or the other way round.
  Value from_left(Value cotangent_part, Value factor, bool counts) const {
    return product(std::move(cotangent_part), std::move(factor), counts ? 3 : 1);
  }
  Value from_right(Value factor, Value cotangent_part, bool counts) const {
    return product(std::move(factor), std::move(cotangent_part), counts ? 3 : 2);
  }
  Value product(Value x, Value y, uint64_t which) const {
    if (rule.ieee()) return matmul(builder(), std::move(x), std::move(y));
    return scaled_matmul(builder(), std::move(x), std::move(y), which);
  }
  Value scaled(Value cotangent_part, Value factor, bool counts) const {
    return counts ? rule.scale_both(std::move(cotangent_part), std::move(factor))
                  : rule.scale(std::move(cotangent_part), std::move(factor));
  }

  Value of_left() const {
    if (b.rank() == 1) {  // also rank 1 @ rank 1
      const Value column =
          a.rank() == 1 ? cotangent : reshape(builder(), cotangent, with_axis(result.shape, result.shape.rank()));
      return scaled(column, right, right_counts());
    }
    const Value right_transposed = transposed(right);
    if (a.rank() > 1 || b.rank() == 2) return from_left(cotangent, right_transposed, right_counts());
    const Value rows = from_left(reshape(builder(), cotangent, with_axis(result.shape, result.shape.rank() - 1)),
                                 right_transposed, right_counts());
    Shape shape = result.shape;
    shape[shape.rank() - 1] = a[0];
    return reshape(builder(), rows, shape);
  }

  Value of_right() const {
    if (a.rank() == 1 && b.rank() == 1) return scaled(cotangent, left, left_counts());
    if (a.rank() == 1) {
      const Value row = reshape(builder(), cotangent, with_axis(result.shape, result.shape.rank() - 1));
      return scaled(row, reshape(builder(), left, with_axis(a, 1)), left_counts());
    }
    const Value rows = b.rank() <= 2 ? reshape(builder(), left, flattened(builder(), a, 1)) : left;
    if (b.rank() == 1)
      return from_left(reshape(builder(), cotangent, flattened(builder(), result.shape, 0)), rows, left_counts());
    if (b.rank() == 2)
      return from_right(transposed(rows), reshape(builder(), cotangent, flattened(builder(), result.shape, 1)),
                        left_counts());
    return from_right(transposed(left), cotangent, left_counts());
  }
};

// Which factors of the product are cotangents: none of matmul's.
uint64_t zeros_of(const Residuals& residuals) {
  return residuals.parameters < 3 ? 0 : static_cast<uint64_t>(residuals.operands[2].i64());
}

// The product with a tangent in the place of factor `which`: it stands for a cotangent where the factor did.
Value tangent_product(RuleContext& rule, Value a, Value b, uint64_t zeros, unsigned which) {
  if (zeros == 0) return matmul(rule.builder(), std::move(a), std::move(b));
  return scaled_matmul(rule.builder(), std::move(a), std::move(b), zeros | uint64_t{1} << which);
}

Value matmul_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const uint64_t zeros = zeros_of(residuals);
  Value sum;
  if (!tangents[0].is_none()) sum = tangent_product(rule, tangents[0], residuals.operands[1], zeros, 0);
  if (tangents[1].is_none()) return sum;
  Value second = tangent_product(rule, residuals.operands[0], tangents[1], zeros, 1);
  return sum.is_none() ? second : rule.add(sum, second);
}

void matmul_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  const Dtype dtype = residuals.result_type->dtype;
  const ProductRule product{rule,
                            residuals.types[0].shape,
                            residuals.types[1].shape,
                            *residuals.result_type,
                            rule.cast(residuals.operands[0], dtype),
                            rule.cast(residuals.operands[1], dtype),
                            std::move(cotangent),
                            zeros_of(residuals)};
  if (out.wants(0)) out.add(0, rule.sum_to(product.of_left(), residuals.types[0]));
  if (out.wants(1)) out.add(1, rule.sum_to(product.of_right(), residuals.types[1]));
}

// An operand of a batched product as matrices of rank `rank` (examples'), the batch axis first.
Value as_matrices(Builder& builder, Value x, const Shape& example, bool left, bool batched, unsigned rank, Dim size) {
  Shape shape = example;
  if (example.rank() == 1) shape.insert(left ? 0 : 1, Dim(1));
  if (!batched) return reshape(builder, std::move(x), shape);
  while (shape.rank() < rank) shape.insert(0, Dim(1));
  shape.insert(0, size);
  return reshape(builder, std::move(x), shape);
}

// The call's product of other factors; `swapped`: the right one stands on the left.
Value same_product(Builder& builder, const Call& call, Value a, Value b, bool swapped = false) {
  if (call.args.size() < 3) return matmul(builder, std::move(a), std::move(b));
  const auto zeros = static_cast<uint64_t>(call.args[2].i64());
  return scaled_matmul(builder, std::move(a), std::move(b), swapped ? (zeros & 1) << 1 | zeros >> 1 : zeros);
}

// --- products of vectors, row by row ---

Value rows_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  Value sum;
  if (!tangents[0].is_none()) sum = rule.call(dot_rows_entry(), {tangents[0], residuals.operands[1]});
  if (tangents[1].is_none()) return sum;
  Value second = rule.call(dot_rows_entry(), {residuals.operands[0], tangents[1]});
  return sum.is_none() ? second : rule.add(sum, second);
}

void rows_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  const Type& result = *residuals.result_type;
  const Value column = rule.reshape(std::move(cotangent), with_axis(result.shape, result.shape.rank()));
  for (unsigned i = 0; i < 2; ++i) {
    if (!out.wants(i)) continue;
    out.add(i, rule.sum_to(rule.scale(column, rule.cast(residuals.operands[1 - i], result.dtype)), residuals.types[i]));
  }
}

}  // namespace

Derivative dot_rows_derivative() { return Derivative::by_hand(3, rows_jvp, rows_vjp); }

Value pattern_of_dot_rows(Sets& sets, const Entry&, const Residuals& residuals, std::span<const Value> of) {
  const Shape& factor = residuals.types[0].shape;
  const Value both = sets.unite(of[0], of[1], with_inner(residuals.result_type->shape, factor[factor.rank() - 1]));
  if (both.is_none()) return both;
  Shape shape = shape_of(both);
  const Value united = sets.along(both, uint32_t{1} << (shape.rank() - 1));
  shape.erase(shape.rank() - 1);
  return reshaped(sets, united, shape);
}

Value pattern_of_matmul(Sets& sets, const Entry&, const Residuals& residuals, std::span<const Value> of) {
  const unsigned rank[] = {residuals.types[0].shape.rank(), residuals.types[1].shape.rank()};
  Value parts[2];
  for (unsigned i = 0; i < 2; ++i) {
    if (of[i].is_none()) continue;
    const unsigned axis = i == 0 || rank[1] == 1 ? rank[i] - 1 : rank[1] - 2;
    parts[i] = sets.along(of[i], uint32_t{1} << axis);
    if (rank[1 - i] != 1) continue;
    Shape shape = shape_of(parts[i]);  // a vector has no axis in the result
    shape.erase(axis);
    parts[i] = reshaped(sets, parts[i], shape);
  }
  return sets.unite(parts[0], parts[1], residuals.result_type->shape);
}

Derivative matmul_derivative() { return Derivative::by_hand(3, matmul_jvp, matmul_vjp); }

Value matmul_batch(Builder& builder, Call& call, const Batching& batching) {
  const Type a = example_type(call, 0, batching), b = example_type(call, 1, batching);
  const Type example = product_type(builder, call, a, b);
  const unsigned ra = a.shape.rank(), rb = b.shape.rank();
  if (ra == 1 && rb == 1) return ops::call(builder, dot_rows_entry(), call.args.first(2));
  if (rb == 1 && ra == 2 && !batching.batched[0]) {  // one matrix, many vectors
    const unsigned transposed[] = {1, 0};
    return same_product(builder, call, std::move(call.args[1]), permute(builder, std::move(call.args[0]), transposed),
                        true);
  }
  if (ra == 1 && rb == 2 && !batching.batched[1])
    return same_product(builder, call, std::move(call.args[0]), std::move(call.args[1]));
  const unsigned rank = std::max({2u, ra, rb});
  Value left = as_matrices(builder, std::move(call.args[0]), a.shape, true, batching.batched[0], rank, batching.size);
  Value right = as_matrices(builder, std::move(call.args[1]), b.shape, false, batching.batched[1], rank, batching.size);
  Shape shape = example.shape;
  shape.insert(0, batching.size);
  return reshape(builder, same_product(builder, call, std::move(left), std::move(right)), shape);
}

}  // namespace covec::ops
