// matmul and dot: type rules with the message that every user meets once, and the eager functions over the product
// kernels. Rank 1 @ rank 1 is sum(a * b); everything else has the order of products. Start at product_type and
// product_eager.
#include "stdlib/ops/linalg/linalg.hpp"

#include "stdlib/kernels/gemm.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/linalg/family.hpp"
#include "stdlib/ops/linalg/parts.hpp"
#include "stdlib/ops/linalg/rules.hpp"
#include "stdlib/ops/patterns/patterns.hpp"
#include "stdlib/ops/reduce/cached.hpp"
#include "stdlib/ops/reduce/reduce.hpp"
#include "stdlib/tensor/sparse_record.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::ops {

namespace {

// --- type rule ---

struct Operands {
  const Call& call;
  const Type& a;
  const Type& b;
};

std::vector<std::string> differing(const void* self, int64_t x, int64_t y) {
  const Operands& operands = *static_cast<const Operands*>(self);
  return {operands.a.text(), operands.b.text(), std::to_string(x), std::to_string(y)};
}

std::vector<ArgumentLabel> both_labels(const void* self, int64_t, int64_t) {
  const Operands& operands = *static_cast<const Operands*>(self);
  return {{0, std::string(operand_name(operands.call, 0)) + " is " + operands.a.text()},
          {1, std::string(operand_name(operands.call, 1)) + " is " + operands.b.text()}};
}

// A product's operands are batch…, rows, columns; a vector has neither a batch nor the outer one.
Shape batch_of(const Shape& shape) { return Shape(shape.begin(), shape.rank() >= 2 ? shape.rank() - 2 : 0); }

Type matmul_type(ShapeBuilder& shapes, const Call& call) {
  return product_type(shapes, call, operand_type(call, 0), operand_type(call, 1));
}

void require_dot_ranks(const Operands& operands) {
  const auto fits = [](const Type& t) { return t.shape.rank() == 1 || t.shape.rank() == 2; };
  if (fits(operands.a) && fits(operands.b)) return;
  fail(message("dot_rank"), {operands.a.text(), operands.b.text()}, both_labels(&operands, 0, 0),
       "@ multiplies tensors of any rank");
}

// --- eager ---

kernels::Matrix matrix_of(const Tensor& t, bool left) {
  const unsigned rank = t.rank();
  if (rank >= 2) return {t.data(), t.stride(rank - 2), t.stride(rank - 1)};
  return left ? kernels::Matrix{t.data(), 0, t.stride(0)} : kernels::Matrix{t.data(), t.stride(0), 1};
}

// How far an operand moves along batch axis `axis` of a result with `rank` batch axes.
int64_t batch_stride(const Tensor& t, unsigned axis, unsigned rank) {
  const unsigned own = t.rank() >= 2 ? t.rank() - 2 : 0, missing = rank - own;
  if (axis < missing || t.dim(axis - missing) == 1) return 0;
  return t.stride(axis - missing);
}

}  // namespace

Value product_of_matrices(Builder& builder, const Value& left, const Value& right, const Type& type) {
  const Tensor& a = left.tensor();
  const Tensor& b = right.tensor();
  Value result = make_tensor(builder.pool(), type.dtype, type.shape);
  Tensor& c = result.tensor();
  const int64_t m = a.rank() >= 2 ? a.dim(a.rank() - 2) : 1, n = b.rank() >= 2 ? b.dim(b.rank() - 1) : 1;
  const kernels::Product product{type.dtype,          m,        n, a.dim(a.rank() - 1), matrix_of(a, true),
                                 matrix_of(b, false), c.data(), n};
  const unsigned batches = c.rank() - (a.rank() >= 2) - (b.rank() >= 2);
  kernels::ProductBatch batch;
  for (unsigned i = 0; i < batches; ++i) {
    if (c.dim(i) != 1) batch.push(c.dim(i), batch_stride(a, i, batches), batch_stride(b, i, batches), c.stride(i));
  }
  kernels::multiply(builder.context(), product, batch);
  return result;
}

namespace {

Value product_eager(Builder& builder, Call& call) {
  const Type type = call.entry.type(builder, call);
  Value& a = call.args[0];
  Value& b = call.args[1];
  if (rank_of(a) == 1 && rank_of(b) == 1) {
    if (Value sum = sum_of_products_cached(builder, a, b); !sum.is_unbound()) return sum;
    Value factors[] = {std::move(a), std::move(b)};
    Value sum[] = {ops::call(builder, handles().multiply, factors), Value(), Value(false)};
    return ops::call(builder, handles().sum, sum);
  }
  const Value left = cast_to(builder, std::move(a), type.dtype), right = cast_to(builder, std::move(b), type.dtype);
  return product_of_matrices(builder, left, right, type);
}

}  // namespace

Type product_type(ShapeBuilder& shapes, const Call& call, const Type& left, const Type& right) {
  const Operands operands{call, left, right};
  const Shape& a = left.shape;
  const Shape& b = right.shape;
  if (a.rank() == 0 || b.rank() == 0) {
    fail(message("matmul_rank"), {left.text(), right.text()}, both_labels(&operands, 0, 0),
         "use * to multiply by a number");
  }
  if (&call.entry == &dot_entry()) require_dot_ranks(operands);
  const Dim inner = b[b.rank() == 1 ? 0 : b.rank() - 2];
  shapes.require_equal(a[a.rank() - 1], inner, {&message("matmul_inner"), differing, both_labels, &operands});
  Type type{product_dtype(left.dtype, right.dtype), {}};
  if (a.rank() == 1 && b.rank() == 1) {
    type.dtype = is_float(type.dtype) ? type.dtype : Dtype::i64;
    return type;
  }
  type.shape =
      shapes.broadcast(batch_of(a), batch_of(b), {&message("matmul_batch"), differing, both_labels, &operands});
  if (a.rank() >= 2) type.shape.push_back(a[a.rank() - 2]);
  if (b.rank() >= 2) type.shape.push_back(b[b.rank() - 1]);
  return type;
}

namespace {

// Every product passes here, so records are looked for first.
const Entry* product_of_records(std::span<const Value> args, uint32_t) {
  if (args.size() < 2 || (!args[0].is(ObjectKind::record) && !args[1].is(ObjectKind::record))) return nullptr;
  return is_sparse_matrix(args[0]) || is_sparse_matrix(args[1]) ? &handles().sparse_product : nullptr;
}

}  // namespace

const Entry& matmul_entry() {
  static const Entry entry{
      .name = "matmul",
      .doc =
          "The product of matrices, `a @ b`.\n\n"
          "Ranks above 2 are batches of matrices, whose leading dimensions broadcast; a tensor of rank 1 is a vector; "
          "the product of two "
          "vectors is sum(a * b). Otherwise the inner dimension is cut into blocks of 512: each is one chain of fused "
          "multiply-adds, and the blocks are added in order. Integers wrap.",
      .parameters = {tensor_parameter("a"), tensor_parameter("b")},
      .widens_integers = true,
      .type = matmul_type,
      .eager = product_eager,
      .device = DeviceForm::matmul,
      .complex = multilinear,
      .derivative = matmul_derivative(),
      .batch = matmul_batch,
      .pattern = pattern_of_matmul,
      .effects = {.may_fail = true},
      .samples =
          {{.arguments = "[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]",
            .expected = "[[19.0, 22.0], [43.0, 50.0]]",
            .differentiate = true},
           {.arguments = "[[1.0, 2.0], [3.0, 4.0]], [5.0, 6.0]", .expected = "[17.0, 39.0]", .differentiate = true},
           {.arguments = "[5.0, 6.0], [[1.0, 2.0], [3.0, 4.0]]", .expected = "[23.0, 34.0]", .differentiate = true},
           {.arguments = "[5.0, 6.0], [1.0, 2.0]", .expected = "17.0", .differentiate = true},
           {.arguments = "[[[1.0, 2.0]], [[3.0, 4.0]]], [[1.0], [-1.0]]",
            .expected = "[[[-1.0]], [[-1.0]]]",
            .differentiate = true},
           {.arguments = "[[[1.0, 2.0]], [[3.0, 4.0]]], [1.0, -1.0]",
            .expected = "[[-1.0], [-1.0]]",
            .differentiate = true},
           {.arguments = "[1.0, -1.0], [[[1.0], [2.0]], [[3.0], [5.0]]]",
            .expected = "[[-1.0], [-2.0]]",
            .differentiate = true},
           {.arguments = "[[1, 2], [3, 4]], [[1, 0], [0, 1]]", .expected = "[[1, 2], [3, 4]]"},
           {.arguments = "[[1, 2], [3, 4]], [[0.5], [1.0]]", .expected = "[[2.5], [5.5]]"},
           {.arguments = "zeros(2, 0), zeros(0, 3)", .expected = "[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]"}},
      .instead = product_of_records};
  return entry;
}

const Entry& dot_entry() {
  static const Entry entry{
      .name = "dot",
      .doc = "The product of vectors and matrices (ranks 1 and 2): `a @ b`.\n\nOf two vectors it is sum(a * b).",
      .parameters = {tensor_parameter("a"), tensor_parameter("b")},
      .widens_integers = true,
      .type = matmul_type,
      .eager = product_eager,
      .device = DeviceForm::dot,
      .complex = multilinear,
      .derivative = matmul_derivative(),
      .batch = matmul_batch,
      .pattern = pattern_of_matmul,
      .effects = {.may_fail = true},
      .samples = {
          {.arguments = "[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]", .expected = "32.0", .differentiate = true},
          {.arguments = "[[1.0, 2.0], [3.0, 4.0]], [5.0, 6.0]", .expected = "[17.0, 39.0]", .differentiate = true},
          {.arguments = "[1, 2, 3], [4, 5, 6]", .expected = "32"}}};
  return entry;
}

namespace {

Type dot_rows_type(ShapeBuilder& shapes, const Call& call) {
  const Type a = operand_type(call, 0), b = operand_type(call, 1);
  const Operands operands{call, a, b};
  const Dtype dtype = product_dtype(a.dtype, b.dtype);
  Shape shape = shapes.broadcast(a.shape, b.shape, {&message("matmul_inner"), differing, both_labels, &operands});
  shape.erase(shape.rank() - 1);
  return {is_float(dtype) ? dtype : Dtype::i64, shape};
}

Value dot_rows_eager(Builder& builder, Call& call) {
  const Value terms = ops::call(builder, handles().multiply, call.args);
  return ops::call(builder, handles().sum, {terms, Value(int64_t{-1}), Value(false)});
}

}  // namespace

const Entry& dot_rows_entry() {
  static const Entry entry{.name = "dot_rows",
                           .doc = "The products of the rows of two tensors: `sum(a * b, axis=-1)`.",
                           .parameters = {tensor_parameter("a"), tensor_parameter("b")},
                           .widens_integers = true,
                           .type = dot_rows_type,
                           .eager = dot_rows_eager,
                           .derivative = dot_rows_derivative(),
                           .batch = broadcast_batch,
                           .pattern = pattern_of_dot_rows,
                           .effects = {.may_fail = true},
                           .samples = {{.arguments = "[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]",
                                        .expected = "[17.0, 53.0]",
                                        .differentiate = true},
                                       {.arguments = "[[1.0, 2.0], [3.0, 4.0]], [1.0, -1.0]",
                                        .expected = "[-1.0, -1.0]",
                                        .differentiate = true}},
                           .internal = true,
                           .staging = Staging::structural,
                           .part_of = "matmul"};
  return entry;
}

Family linalg_entries() {
  static const Entry* const entries[] = {&matmul_entry(), &dot_entry(), &dot_rows_entry()};
  return entries;
}

}  // namespace covec::ops
