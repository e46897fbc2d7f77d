// Products of a sparse and a dense matrix, and dense products sampled at the nonzeros. Each is linear in two operands;
// the cotangent of the first one's data is the second, and the cotangents of the second are the first. In derivatives
// `zeros` says which factors stand for cotangents (bit 0 the first, bit 1 the second): their zeros make terms 0.
#include "stdlib/sparse/products.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/sparse/blocks.hpp"
#include "stdlib/ops/sparse/family.hpp"
#include "stdlib/ops/sparse/sparse.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/small_vector.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

Value batch_of_columns(Builder& builder, Call& call, const Batching& batching, unsigned operand, unsigned leading) {
  for (unsigned i = 0; i < call.args.size(); ++i) {
    if (i != operand && batching.batched[i]) return Value::unbound();
  }
  const Shape example = example_type(call, operand, batching).shape;
  const unsigned column = leading + 1, rank = example.rank() + 1;
  const bool vectors = example.rank() == column;
  if (!vectors && example.rank() != column + 1) return Value::unbound();
  SmallVector<unsigned, 4> forth(rank), back(rank);
  for (unsigned axis = 0; axis < rank; ++axis) {
    forth[axis] = axis == column ? 0 : axis < column ? axis + 1 : axis;
    back[axis] = axis == 0 ? column : axis <= column ? axis - 1 : axis;
  }
  Value x = permute(builder, std::move(call.args[operand]), span_of(forth));
  if (!vectors) {
    Shape shape = example;
    shape[column] = builder.multiply(batching.size, example[column]);
    x = reshape(builder, std::move(x), shape);
  }
  call.args[operand] = std::move(x);
  Value result = ops::call(builder, call.entry, call.args);
  if (!vectors) {
    Shape shape = logical_type(result).shape;
    shape[column] = batching.size;
    shape.push_back(example[column]);
    result = reshape(builder, std::move(result), shape);
  }
  return permute(builder, std::move(result), span_of(back));
}

namespace {

sparse::Zeros zeros_of(uint64_t bits) { return {(bits & left_bit) != 0, (bits & right_bit) != 0}; }

// In a derivative; whether zero cotangents count is the program's choice.
Value zeros_value(const RuleContext& rule, uint64_t bits) {
  return Value(rule.ieee() ? int64_t{0} : static_cast<int64_t>(bits));
}

std::vector<std::string> lengths(const void* self, int64_t x, int64_t y) {
  return {*static_cast<const std::string*>(self), std::to_string(x), std::to_string(y)};
}

// A vector or matrix with a row for each row or column of the sparse one.
Type dense_operand(ShapeBuilder& shapes, const Call& call, unsigned operand, Dim rows) {
  const Type type = operand_type(call, operand);
  if (type.shape.rank() != 1 && type.shape.rank() != 2) fail_attribute(call, operand, "a vector or matrix");
  const std::string text = type.text();
  shapes.require_equal(rows, type.shape[0], {&message("sparse_inner"), lengths, nullptr, &text});
  return type;
}

int64_t width_of(const Shape& shape) { return shape.rank() == 1 ? 1 : shape[1].number(); }

// --- matmul ---

enum MatmulOperand : unsigned {
  matmul_data,
  matmul_indices,
  matmul_indptr,
  matmul_x,
  matmul_rows,
  matmul_columns,
  matmul_transposed,
  matmul_zeros
};

Type matmul_type(ShapeBuilder& shapes, const Call& call) {
  const Type data = sparse_vector(call, matmul_data, false);
  sparse_vector(call, matmul_indices, true);
  sparse_vector(call, matmul_indptr, true);
  const bool transposed = flag_argument(call, matmul_transposed);
  const Dim rows = size_argument(shapes, call, matmul_rows), columns = size_argument(shapes, call, matmul_columns);
  const Type x = dense_operand(shapes, call, matmul_x, transposed ? rows : columns);
  Type type{float_dtype(product_dtype(data.dtype, x.dtype)), x.shape};
  type.shape[0] = transposed ? columns : rows;
  return type;
}

Value matmul_eager(Builder& builder, Call& call) {
  const Type type = matmul_type(builder, call);
  const EagerPattern pattern(builder, call, matmul_indices, matmul_indptr, integer_argument(call, matmul_rows),
                             integer_argument(call, matmul_columns));
  const Value data = contiguous(builder.pool(), cast_to(builder, std::move(call.args[matmul_data]), type.dtype));
  const Value x = contiguous(builder.pool(), cast_to(builder, std::move(call.args[matmul_x]), type.dtype));
  require_count(data.tensor().size(), pattern.pattern);
  Value result = make_tensor(builder.pool(), type.dtype, type.shape);
  with_sparse_float(type.dtype, [&](auto number) {
    using T = decltype(number);
    const sparse::DenseProduct<T> product{pattern.pattern,
                                          data.tensor().as<T>(),
                                          x.tensor().as<T>(),
                                          result.tensor().as<T>(),
                                          width_of(type.shape),
                                          flag_argument(call, matmul_transposed),
                                          zeros_of(static_cast<uint64_t>(integer_argument(call, matmul_zeros)))};
    if (!sparse::multiply(builder.context(), product)) fail_pattern(pattern.pattern);
  });
  return result;
}

// The same matrix, or its transpose, times other columns and perhaps with other data.
Value matmul_like(RuleContext& rule, const Residuals& residuals, Value data, Value x, bool swapped, Value zeros) {
  const auto& o = residuals.operands;
  return rule.call(sparse_matmul_entry(),
                   {std::move(data), o[matmul_indices], o[matmul_indptr], std::move(x), o[matmul_rows],
                    o[matmul_columns], Value(o[matmul_transposed].boolean() != swapped), std::move(zeros)});
}

uint64_t bits_of(const Value& zeros) { return static_cast<uint64_t>(zeros.i64()); }

// Tangents stand for cotangents where the factor did.
Value tangent_bits(uint64_t bits, uint64_t factor) {
  return Value(static_cast<int64_t>(bits == 0 ? 0 : bits | factor));
}

Value sum_of(RuleContext& rule, Value a, Value b) {
  if (a.is_none()) return b;
  return b.is_none() ? a : rule.add(std::move(a), std::move(b));
}

Value matmul_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const auto& o = residuals.operands;
  const uint64_t bits = bits_of(o[matmul_zeros]);
  Value of_data, of_x;
  if (!tangents[matmul_data].is_none())
    of_data = matmul_like(rule, residuals, tangents[matmul_data], o[matmul_x], false, tangent_bits(bits, left_bit));
  if (!tangents[matmul_x].is_none())
    of_x = matmul_like(rule, residuals, o[matmul_data], tangents[matmul_x], false, tangent_bits(bits, right_bit));
  return sum_of(rule, std::move(of_data), std::move(of_x));
}

void matmul_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  const auto& o = residuals.operands;
  const uint64_t bits = bits_of(o[matmul_zeros]);
  const bool transposed = o[matmul_transposed].boolean();
  if (out.wants(matmul_data)) {
    const uint64_t both = left_bit | right_bit;
    const uint64_t counts = (bits & right_bit) != 0 ? both : transposed ? right_bit : left_bit;
    Value data =
        rule.call(sparse_sample_entry(), {transposed ? o[matmul_x] : cotangent, transposed ? cotangent : o[matmul_x],
                                          o[matmul_indices], o[matmul_indptr], zeros_value(rule, counts)});
    out.add(matmul_data, rule.sum_to(std::move(data), residuals.types[matmul_data]));
  }
  if (out.wants(matmul_x)) {
    const Value zeros = zeros_value(rule, right_bit | (bits & left_bit));
    Value x = matmul_like(rule, residuals, o[matmul_data], std::move(cotangent), true, zeros);
    out.add(matmul_x, rule.sum_to(std::move(x), residuals.types[matmul_x]));
  }
}

Value matmul_batch(Builder& builder, Call& call, const Batching& batching) {
  if (is_batched(batching, {matmul_indices, matmul_indptr, matmul_rows, matmul_columns})) return Value::unbound();
  if (!batching.batched[matmul_data]) return batch_of_columns(builder, call, batching, matmul_x);
  const auto of_examples = [&](unsigned i) {
    return with_batch_axis(builder, call.args[i], batching.batched[i], batching.size);
  };
  return matmul_of_examples(builder, {of_examples(matmul_data), call.args[matmul_indices], call.args[matmul_indptr],
                                      of_examples(matmul_x), call.args[matmul_rows], call.args[matmul_columns],
                                      flag_argument(call, matmul_transposed), call.args[matmul_zeros]});
}

// --- sample ---

enum SampleOperand : unsigned { a_at, b_at, sample_indices, sample_indptr, sample_zeros };

Type sample_type(ShapeBuilder& shapes, const Call& call) {
  const Type indices = sparse_vector(call, sample_indices, true);
  sparse_vector(call, sample_indptr, true);
  const Type a = operand_type(call, a_at), b = operand_type(call, b_at);
  const unsigned rank = a.shape.rank();
  if (rank != 1 && rank != 2) fail_attribute(call, a_at, "a vector or matrix");
  if (b.shape.rank() != rank) fail_attribute(call, b_at, rank == 1 ? "a vector, as a is" : "a matrix, as a is");
  if (rank == 2) {
    const std::string text = b.text();
    shapes.require_equal(a.shape[1], b.shape[1], {&message("sparse_inner"), lengths, nullptr, &text});
  }
  return {float_dtype(product_dtype(a.dtype, b.dtype)), indices.shape};
}

Value sample_eager(Builder& builder, Call& call) {
  const Type type = sample_type(builder, call);
  const Value a = contiguous(builder.pool(), cast_to(builder, std::move(call.args[a_at]), type.dtype));
  const Value b = contiguous(builder.pool(), cast_to(builder, std::move(call.args[b_at]), type.dtype));
  const Shape rows = shape_of(a);
  const EagerPattern pattern(builder, call, sample_indices, sample_indptr, rows[0].number(), shape_of(b)[0].number());
  Value result = make_tensor(builder.pool(), type.dtype, type.shape);
  with_sparse_float(type.dtype, [&](auto number) {
    using T = decltype(number);
    const sparse::SampledProduct<T> product{
        pattern.pattern,    a.tensor().as<T>(),
        b.tensor().as<T>(), result.tensor().as<T>(),
        width_of(rows),     zeros_of(static_cast<uint64_t>(integer_argument(call, sample_zeros)))};
    if (!sparse::sample(builder.context(), product)) fail_pattern(pattern.pattern);
  });
  return result;
}

Value sample_like(RuleContext& rule, const Residuals& residuals, Value a, Value b, Value zeros) {
  return rule.call(sparse_sample_entry(), {std::move(a), std::move(b), residuals.operands[sample_indices],
                                           residuals.operands[sample_indptr], std::move(zeros)});
}

Value sample_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const auto& o = residuals.operands;
  const uint64_t bits = bits_of(o[sample_zeros]);
  Value of_a, of_b;
  if (!tangents[a_at].is_none())
    of_a = sample_like(rule, residuals, tangents[a_at], o[b_at], tangent_bits(bits, left_bit));
  if (!tangents[b_at].is_none())
    of_b = sample_like(rule, residuals, o[a_at], tangents[b_at], tangent_bits(bits, right_bit));
  return sum_of(rule, std::move(of_a), std::move(of_b));
}

// The cotangents are the data of a matrix with the pattern.
void sample_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  const auto& o = residuals.operands;
  const uint64_t bits = bits_of(o[sample_zeros]);
  Builder& builder = rule.builder();
  const Value rows = builder.extent(residuals.types[a_at].shape[0]);
  const Value columns = builder.extent(residuals.types[b_at].shape[0]);
  for (const unsigned i : {a_at, b_at}) {
    if (!out.wants(i)) continue;
    const unsigned other = i == a_at ? b_at : a_at;
    const uint64_t other_counts = bits & (other == a_at ? left_bit : right_bit);
    const uint64_t counts = left_bit | (other_counts != 0 ? right_bit : 0);
    Value x = rule.call(sparse_matmul_entry(), {cotangent, o[sample_indices], o[sample_indptr], o[other], rows, columns,
                                                Value(i == b_at), zeros_value(rule, counts)});
    out.add(i, rule.sum_to(std::move(x), residuals.types[i]));
  }
}

Value sample_batch(Builder& builder, Call& call, const Batching& batching) {
  if (is_batched(batching, {sample_indices, sample_indptr})) return Value::unbound();
  const auto of_examples = [&](unsigned i) {
    return with_batch_axis(builder, call.args[i], batching.batched[i], batching.size);
  };
  return sample_of_examples(builder, {of_examples(a_at), of_examples(b_at), call.args[sample_indices],
                                      call.args[sample_indptr], call.args[sample_zeros]});
}

constexpr uint64_t operands_before(unsigned count) { return (uint64_t{1} << count) - 1; }  // of Derivative::keeps

}  // namespace

const Entry& sparse_matmul_entry() {
  static const Entry entry{
      .name = "_sparse_matmul",
      .doc = "For modules: a sparse matrix, or its transpose, times a vector or matrix.",
      .parameters = {tensor_parameter("data"), tensor_parameter("indices"), tensor_parameter("indptr"),
                     tensor_parameter("x"), attribute("rows"), attribute("columns"), attribute("transposed", false),
                     attribute("zeros", int64_t{0})},
      .type = matmul_type,
      .eager = matmul_eager,
      .derivative = Derivative::by_hand(operands_before(matmul_x + 1), matmul_jvp, matmul_vjp),
      .batch = matmul_batch,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[2.0, -1.0, 0.5], [0, 2, 1], [0, 2, 2, 3], [1.0, 4.0, 3.0], 3, 3",
                   .expected = "[-1.0, 0.0, 2.0]",
                   .differentiate = true},
                  {.arguments = "[2.0, -1.0, 0.5], [0, 2, 1], [0, 2, 3], [3.0, 4.0], 2, 3, transposed=true",
                   .expected = "[6.0, 2.0, -3.0]",
                   .differentiate = true},
                  {.arguments = "[2.0, -1.0, 0.5], [0, 2, 1], [0, 2, 3], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], 2, 3",
                   .expected = "[[-3.0, -2.0], [1.5, 2.0]]",
                   .differentiate = true},
                  {.arguments = "[2.0, 3.0, inf, 5.0], [0, 1, 2, 3], [0, 4], [0.0, nan, -0.0, 1.0], 1, 4, zeros=2",
                   .expected = "[nan]",
                   .source = "the language: zero cotangents"},
                  {.arguments = "[0.0, 3.0, inf], [0, 1, 2], [0, 3], [nan, 2.0, -0.0], 1, 3, zeros=3",
                   .expected = "[6.0]",
                   .source = "the language: zero cotangents",
                   .differentiate = false},
                  {.arguments = "zeros(0), i64(zeros(0)), [0, 0, 0], zeros(0), 2, 0", .expected = "[0.0, 0.0]"},
                  {.arguments = "zeros(0), i64(zeros(0)), [0], ones(3), 0, 3", .expected = "zeros(0)"}},
      .internal = true,
      .part_of = "sparse matmul"};
  return entry;
}

const Entry& sparse_sample_entry() {
  static const Entry entry{
      .name = "_sparse_sample",
      .doc = "For modules: the elements of `a @ b.T` at the nonzeros of a sparse matrix; of vectors, of `outer(a, b)`.",
      .parameters = {tensor_parameter("a"), tensor_parameter("b"), tensor_parameter("indices"),
                     tensor_parameter("indptr"), attribute("zeros", int64_t{0})},
      .type = sample_type,
      .eager = sample_eager,
      .derivative = Derivative::by_hand(operands_before(sample_indptr + 1), sample_jvp, sample_vjp),
      .batch = sample_batch,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[2.0, 3.0], [1.0, 4.0, 5.0], [0, 2, 1], [0, 2, 3]",
                   .expected = "[2.0, 10.0, 12.0]",
                   .differentiate = true},
                  {.arguments = "[[2.0, 1.0], [3.0, 0.5]], [[1.0, 2.0], [4.0, 6.0]], [1, 0, 1], [0, 1, 3]",
                   .expected = "[14.0, 4.0, 15.0]",
                   .differentiate = true},
                  {.arguments = "[0.0, 2.0], [inf, 4.0], [0, 1], [0, 1, 2], zeros=1",
                   .expected = "[0.0, 8.0]",
                   .source = "the language: zero cotangents"}},
      .internal = true,
      .part_of = "sparse matmul"};
  return entry;
}

Family sparse_product_entries() {
  static const Entry* const entries[] = {&sparse_matmul_entry(), &sparse_sample_entry()};
  return entries;
}

}  // namespace covec::ops
