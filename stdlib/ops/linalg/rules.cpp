// How products are differentiated and batched. The cotangent of a factor is the cotangent times the other factor
// transposed, summed over batch dimensions that were broadcast; a factor shared by a whole batch gets it in one
// product. A batch of products becomes one product wherever ranks allow: the order of adding depends on ranks never on
// sizes, so the bits are those of a loop.
#include "stdlib/ops/linalg/rules.hpp"

#include <algorithm>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/linalg/parts.hpp"
#include "stdlib/ops/reduce/reduce.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

Shape with_axis(Shape shape, unsigned axis) {
  shape.insert(axis, Dim(1));
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

  Builder& builder() const { return rule.builder(); }
  Value transposed(const Value& x) const { return Matrices(builder()).transposed(x); }
  Value product(Value x, Value y) const { return matmul(builder(), std::move(x), std::move(y)); }

  Value of_left() const {
    if (b.rank() == 1) {  // also rank 1 @ rank 1
      const Value column =
          a.rank() == 1 ? cotangent : reshape(builder(), cotangent, with_axis(result.shape, result.shape.rank()));
      return rule.mul(column, right);
    }
    const Value right_transposed = transposed(right);
    if (a.rank() > 1 || b.rank() == 2) return product(cotangent, right_transposed);
    const Value rows =
        product(reshape(builder(), cotangent, with_axis(result.shape, result.shape.rank() - 1)), right_transposed);
    Shape shape = result.shape;
    shape[shape.rank() - 1] = a[0];
    return reshape(builder(), rows, shape);
  }

  Value of_right() const {
    if (a.rank() == 1 && b.rank() == 1) return rule.mul(cotangent, left);
    if (a.rank() == 1) {
      const Value row = reshape(builder(), cotangent, with_axis(result.shape, result.shape.rank() - 1));
      return rule.mul(reshape(builder(), left, with_axis(a, 1)), row);
    }
    const Value rows = b.rank() <= 2 ? reshape(builder(), left, flattened(builder(), a, 1)) : left;
    if (b.rank() == 1) return product(reshape(builder(), cotangent, flattened(builder(), result.shape, 0)), rows);
    if (b.rank() == 2)
      return product(transposed(rows), reshape(builder(), cotangent, flattened(builder(), result.shape, 1)));
    return product(transposed(left), cotangent);
  }
};

Value matmul_jvp(RuleContext& rule, const Kept& kept, std::span<const Value> tangents) {
  Value sum;
  if (!tangents[0].is_none()) sum = matmul(rule.builder(), tangents[0], kept.operands[1]);
  if (tangents[1].is_none()) return sum;
  Value second = matmul(rule.builder(), kept.operands[0], tangents[1]);
  return sum.is_none() ? second : rule.add(sum, second);
}

void matmul_vjp(RuleContext& rule, const Kept& kept, Value cotangent, Cotangents& out) {
  const Dtype dtype = kept.result_type->dtype;
  const ProductRule product{rule,
                            kept.types[0].shape,
                            kept.types[1].shape,
                            *kept.result_type,
                            rule.cast(kept.operands[0], dtype),
                            rule.cast(kept.operands[1], dtype),
                            std::move(cotangent)};
  if (out.wants(0)) out.add(0, rule.sum_to(product.of_left(), kept.types[0]));
  if (out.wants(1)) out.add(1, rule.sum_to(product.of_right(), kept.types[1]));
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

Value batch_of_dots(Builder& builder, Call& call) {
  const Value terms = ops::call(builder, handles().multiply, call.args);
  return ops::call(builder, handles().sum, {terms, axes_value(2), Value(false)});
}

}  // namespace

Derivative matmul_derivative() { return Derivative::by_hand(3, matmul_jvp, matmul_vjp); }

Value matmul_batch(Builder& builder, Call& call, const Batching& batching) {
  const Type a = example_type(call, 0, batching), b = example_type(call, 1, batching);
  const Type example = product_type(builder, call, a, b);
  const unsigned ra = a.shape.rank(), rb = b.shape.rank();
  if (ra == 1 && rb == 1) return batch_of_dots(builder, call);
  if (rb == 1 && ra == 2 && !batching.batched[0]) {  // one matrix, many vectors
    const unsigned transposed[] = {1, 0};
    return matmul(builder, std::move(call.args[1]), permute(builder, std::move(call.args[0]), transposed));
  }
  if (ra == 1 && rb == 2 && !batching.batched[1])
    return matmul(builder, std::move(call.args[0]), std::move(call.args[1]));
  const unsigned rank = std::max({2u, ra, rb});
  Value left = as_matrices(builder, std::move(call.args[0]), a.shape, true, batching.batched[0], rank, batching.size);
  Value right = as_matrices(builder, std::move(call.args[1]), b.shape, false, batching.batched[1], rank, batching.size);
  Shape shape = example.shape;
  shape.insert(0, batching.size);
  return reshape(builder, matmul(builder, std::move(left), std::move(right)), shape);
}

}  // namespace covec::ops
