// scaled_matmul: the matrix product in adjoints, where a cotangent factor of ±0 makes a term 0. Its own derivatives
// follow the same rule, so a branch that was not taken does not poison second derivatives either.
#include "stdlib/convolution/repair_nan.hpp"
#include "stdlib/ops/linalg/family.hpp"
#include "stdlib/ops/linalg/parts.hpp"
#include "stdlib/ops/linalg/rules.hpp"
#include "stdlib/ops/patterns/patterns.hpp"

namespace covec::ops {

namespace {

Type scaled_type(ShapeBuilder& shapes, const Call& call) {
  return product_type(shapes, call, operand_type(call, 0), operand_type(call, 1));
}

// The batch axes of a factor, in the result's order; one of size 1 stays where it is.
void write_batch_strides(const kernels::StridedInput& x, unsigned batches, int64_t* strides) {
  const unsigned own = x.rank >= 2 ? x.rank - 2 : 0, missing = batches - own;
  for (unsigned axis = 0; axis < batches; ++axis) {
    const bool moves = axis >= missing && x.dims[axis - missing] != 1;
    strides[axis] = moves ? x.strides[axis - missing] : 0;
  }
}

kernels::ContractFactor factor_of(const kernels::StridedInput& x, unsigned batches, bool left, bool rows,
                                  bool columns) {
  kernels::ContractFactor factor{x.data, {}, {}};
  write_batch_strides(x, batches, factor.out_stride);
  const unsigned own = batches + (left || !rows ? 0 : 1);  // its place among the axes of the result's matrices
  if (left ? rows : columns) factor.out_stride[own] = x.strides[left ? x.rank - 2 : x.rank - 1];
  factor.reduced_stride[0] = x.strides[left || x.rank == 1 ? x.rank - 1 : x.rank - 2];
  return factor;
}

void repair_product(Builder& builder, const Value& a, const Value& b, Value& result, uint64_t zeros) {
  const kernels::StridedInput left = kernels::strided(a), right = kernels::strided(b);
  const Tensor& out = result.tensor();
  const bool rows = left.rank >= 2, columns = right.rank >= 2;
  kernels::Contraction product;
  product.dtype = out.dtype();
  product.outs = out.rank();
  for (unsigned axis = 0; axis < out.rank(); ++axis) product.out_dim[axis] = out.dim(axis);
  product.reduced = 1;
  product.reduced_dim[0] = left.dims[left.rank - 1];
  const unsigned batches = out.rank() - rows - columns;
  kernels::ContractFactor factors[] = {factor_of(left, batches, true, rows, columns),
                                       factor_of(right, batches, false, rows, columns)};
  product.factors = factors;
  product.out = static_cast<std::byte*>(result.tensor().data());
  kernels::repair_nan(builder.context(), product, zeros);
}

Value scaled_eager(Builder& builder, Call& call) {
  const auto zeros = static_cast<uint64_t>(integer_argument(call, 2));
  const Type type = scaled_type(builder, call);
  const Value a = cast_to(builder, std::move(call.args[0]), type.dtype);
  const Value b = cast_to(builder, std::move(call.args[1]), type.dtype);
  Value result = product_of_matrices(builder, a, b, type);
  const Tensor& out = result.tensor();
  if (kernels::may_need_repair(type.dtype, out.data(), out.size())) repair_product(builder, a, b, result, zeros);
  return result;
}

}  // namespace

const Entry& scaled_matmul_entry() {
  static const Entry entry{
      .name = "scaled_matmul",
      .doc =
          "`a @ b` in a derivative: terms are 0 where a factor is ±0 that stands for a cotangent; `zeros` says "
          "which.",
      .parameters = {tensor_parameter("a"), tensor_parameter("b"), attribute("zeros")},
      .type = scaled_type,
      .eager = scaled_eager,
      .device = DeviceForm::scaled_matmul,
      .derivative = matmul_derivative(),
      .batch = matmul_batch,
      .pattern = pattern_of_matmul,
      .samples = {{.arguments = "[[0.0, -0.0, 2.0], [1.0, 0.0, 2.0]], [[nan, 1.0], [inf, 2.0], [3.0, 4.0]], 1",
                   .expected = "[[6.0, 8.0], [nan, 9.0]]",
                   .source = "the language: zero cotangents"},
                  {.arguments = "[[inf, 2.0], [3.0, 4.0]], [0.0, 5.0], 2",
                   .expected = "[10.0, 20.0]",
                   .source = "the language: zero cotangents"},
                  {.arguments = "[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]], 3",
                   .expected = "[[19.0, 22.0], [43.0, 50.0]]",
                   .differentiate = true}},
      .internal = true,
      .part_of = "matmul"};
  return entry;
}

Value scaled_matmul(Builder& builder, Value a, Value b, uint64_t zeros) {
  Value args[] = {std::move(a), std::move(b), Value(static_cast<int64_t>(zeros))};
  return call(builder, scaled_matmul_entry(), args);
}

Family linalg_scaled_entries() {
  static const Entry* const entries[] = {&scaled_matmul_entry()};
  return entries;
}

}  // namespace covec::ops
