// Products of two sparse matrices: two entries find the pattern, and one the numbers at any pattern. That one is linear
// in the data of both factors, and its cotangents are products of the same kind, so it has derivatives of any order.
#include <algorithm>

#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/sparse/blocks.hpp"
#include "stdlib/ops/sparse/family.hpp"
#include "stdlib/ops/sparse/sparse.hpp"
#include "stdlib/sparse/sparse_products.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

// --- the pattern ---

enum PatternOperand : unsigned { left_indices_at, left_indptr_at, right_indices_at, right_indptr_at, width_at };

void check_pattern_operands(const Call& call) {
  for (unsigned i = left_indices_at; i <= right_indptr_at; ++i) sparse_vector(call, i, true);
}

void require_sound(Builder& builder, const sparse::Pattern& pattern) {
  if (!sparse::is_sound(builder.context(), pattern)) fail_pattern(pattern);
}

int64_t rows_of(const Value& indptr) { return shape_of(indptr)[0].number() - 1; }

struct Factors {
  EagerPattern left, right;
  Factors(Builder& builder, const Call& call)
      : left(builder, call, left_indices_at, left_indptr_at, rows_of(call.args[left_indptr_at]),
             rows_of(call.args[right_indptr_at])),
        right(builder, call, right_indices_at, right_indptr_at, rows_of(call.args[right_indptr_at]),
              integer_argument(call, width_at)) {
    require_sound(builder, left.pattern);
    require_sound(builder, right.pattern);
  }
};

Type starts_type(ShapeBuilder&, const Call& call) {
  check_pattern_operands(call);
  return {Dtype::i64, operand_type(call, left_indptr_at).shape};
}

Value starts_eager(Builder& builder, Call& call) {
  const Type type = starts_type(builder, call);
  const Factors factors(builder, call);
  Value starts = make_tensor(builder.pool(), type.dtype, type.shape);
  sparse::find_starts(builder.context(), factors.left.pattern, factors.right.pattern, starts.tensor().as<int64_t>());
  return starts;
}

Type indices_type(ShapeBuilder& shapes, const Call& call) {
  check_pattern_operands(call);
  return {Dtype::i64, {shapes.unknown_dim()}};
}

Value indices_eager(Builder& builder, Call& call) {
  check_pattern_operands(call);
  const Factors factors(builder, call);
  const sparse::Pattern &a = factors.left.pattern, &b = factors.right.pattern;
  const Value starts = make_tensor(builder.pool(), Dtype::i64, {Dim(a.rows + 1)});
  auto* numbers = starts.tensor().as<int64_t>();
  sparse::find_starts(builder.context(), a, b, numbers);
  Value indices = make_tensor(builder.pool(), Dtype::i64, {Dim(numbers[a.rows])});
  sparse::find_indices(builder.context(), a, b, numbers, indices.tensor().as<int64_t>());
  return indices;
}

// --- the numbers ---

enum MaskedOperand : unsigned {
  masked_a_data,
  masked_a_indices,
  masked_a_indptr,
  masked_b_data,
  masked_b_indices,
  masked_b_indptr,
  masked_indices,
  masked_indptr,
  masked_rows,
  masked_inner,
  masked_columns,
  masked_a_transposed,
  masked_b_transposed,
  masked_zeros
};
constexpr uint64_t tensors = (uint64_t{1} << masked_rows) - 1;  // of Derivative::keeps

Type masked_type(ShapeBuilder&, const Call& call) {
  const Type a = sparse_vector(call, masked_a_data, false), b = sparse_vector(call, masked_b_data, false);
  for (const unsigned i :
       {masked_a_indices, masked_a_indptr, masked_b_indices, masked_b_indptr, masked_indices, masked_indptr})
    sparse_vector(call, i, true);
  return {float_dtype(product_dtype(a.dtype, b.dtype)), operand_type(call, masked_indices).shape};
}

Value masked_eager(Builder& builder, Call& call) {
  const Type type = masked_type(builder, call);
  const int64_t rows = integer_argument(call, masked_rows), inner = integer_argument(call, masked_inner);
  const int64_t columns = integer_argument(call, masked_columns);
  const bool a_transposed = flag_argument(call, masked_a_transposed),
             b_transposed = flag_argument(call, masked_b_transposed);
  const EagerPattern a(builder, call, masked_a_indices, masked_a_indptr, a_transposed ? inner : rows,
                       a_transposed ? rows : inner);
  const EagerPattern b(builder, call, masked_b_indices, masked_b_indptr, b_transposed ? columns : inner,
                       b_transposed ? inner : columns);
  const EagerPattern result(builder, call, masked_indices, masked_indptr, rows, columns);
  for (const EagerPattern* pattern : {&a, &b, &result}) require_sound(builder, pattern->pattern);
  const Value a_data = contiguous(builder.pool(), cast_to(builder, std::move(call.args[masked_a_data]), type.dtype));
  const Value b_data = contiguous(builder.pool(), cast_to(builder, std::move(call.args[masked_b_data]), type.dtype));
  require_count(a_data.tensor().size(), a.pattern);
  require_count(b_data.tensor().size(), b.pattern);
  const auto zeros = static_cast<uint64_t>(integer_argument(call, masked_zeros));
  Value data = make_tensor(builder.pool(), type.dtype, type.shape);
  with_sparse_float(type.dtype, [&](auto number) {
    using T = decltype(number);
    const sparse::MaskedProduct<T> product{{a.pattern, a_data.tensor().as<T>(), a_transposed},
                                           {b.pattern, b_data.tensor().as<T>(), b_transposed},
                                           result.pattern,
                                           data.tensor().as<T>(),
                                           {(zeros & left_bit) != 0, (zeros & right_bit) != 0}};
    sparse::multiply(builder.context(), product);
  });
  return data;
}

// A sparse matrix in a rule.
struct Part {
  Value data, indices, indptr;
  bool transposed;
};

struct MaskedRule {
  RuleContext& rule;
  const Residuals& residuals;

  const Value& operand(unsigned i) const { return residuals.operands[i]; }
  bool flag(unsigned i) const { return operand(i).boolean(); }
  uint64_t bits() const { return static_cast<uint64_t>(operand(masked_zeros).i64()); }
  Part a() const {
    return {operand(masked_a_data), operand(masked_a_indices), operand(masked_a_indptr), flag(masked_a_transposed)};
  }
  Part b() const {
    return {operand(masked_b_data), operand(masked_b_indices), operand(masked_b_indptr), flag(masked_b_transposed)};
  }

  Value product(const Part& left, const Part& right, const Part& at, unsigned rows, unsigned inner, unsigned columns,
                uint64_t zeros) const {
    return rule.call(sparse_masked_entry(),
                     {left.data, left.indices, left.indptr, right.data, right.indices, right.indptr, at.indices,
                      at.indptr, operand(rows), operand(inner), operand(columns), Value(left.transposed),
                      Value(right.transposed), Value(static_cast<int64_t>(zeros))});
  }
  // With a tangent in the place of a factor, which stands for a cotangent where the factor did.
  Value tangent(Value data, bool of_a) const {
    Part left = a(), right = b();
    (of_a ? left : right).data = std::move(data);
    const Part at{Value(), operand(masked_indices), operand(masked_indptr), false};
    const uint64_t zeros = bits() == 0 ? 0 : bits() | (of_a ? left_bit : right_bit);
    return product(left, right, at, masked_rows, masked_inner, masked_columns, zeros);
  }
  // The cotangent has the pattern of the result, and the factor's cotangent the factor's pattern.
  Value cotangent_of_a(const Value& cotangent) const {
    const Part given = a();
    Part other = b(), result{cotangent, operand(masked_indices), operand(masked_indptr), given.transposed};
    other.transposed = other.transposed != !given.transposed;
    const bool other_counts = (bits() & right_bit) != 0;
    if (!given.transposed)
      return product(result, other, given, masked_rows, masked_columns, masked_inner, zeros(true, other_counts));
    return product(other, result, given, masked_inner, masked_columns, masked_rows, zeros(false, other_counts));
  }
  Value cotangent_of_b(const Value& cotangent) const {
    const Part given = b();
    Part other = a(), result{cotangent, operand(masked_indices), operand(masked_indptr), given.transposed};
    other.transposed = other.transposed != !given.transposed;
    const bool other_counts = (bits() & left_bit) != 0;
    if (!given.transposed)
      return product(other, result, given, masked_inner, masked_rows, masked_columns, zeros(false, other_counts));
    return product(result, other, given, masked_columns, masked_rows, masked_inner, zeros(true, other_counts));
  }
  uint64_t zeros(bool cotangent_is_left, bool other_counts) const {
    if (rule.ieee()) return 0;
    return other_counts ? left_bit | right_bit : cotangent_is_left ? left_bit : right_bit;
  }
};

Value masked_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const MaskedRule masked{rule, residuals};
  Value sum;
  if (!tangents[masked_a_data].is_none()) sum = masked.tangent(tangents[masked_a_data], true);
  if (tangents[masked_b_data].is_none()) return sum;
  Value second = masked.tangent(tangents[masked_b_data], false);
  return sum.is_none() ? second : rule.add(std::move(sum), std::move(second));
}

void masked_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  const MaskedRule masked{rule, residuals};
  if (out.wants(masked_a_data))
    out.add(masked_a_data, rule.sum_to(masked.cotangent_of_a(cotangent), residuals.types[masked_a_data]));
  if (out.wants(masked_b_data))
    out.add(masked_b_data, rule.sum_to(masked.cotangent_of_b(cotangent), residuals.types[masked_b_data]));
}

Value masked_batch(Builder& builder, Call& call, const Batching& batching) {
  for (unsigned i = 0; i < call.args.size(); ++i) {
    if (i != masked_a_data && i != masked_b_data && batching.batched[i]) return Value::unbound();
  }
  Blocks blocks(builder, batching.size);
  const auto pattern = [&](unsigned indices, unsigned indptr, unsigned columns) {
    return blocks.pattern(call.args[indices], call.args[indptr], call.args[columns]);
  };
  const auto of_examples = [&](unsigned i) {
    return blocks.joined(with_batch_axis(builder, call.args[i], batching.batched[i], batching.size));
  };
  const Dim count = logical_type(call.args[masked_indices]).shape[0];
  auto a =
      pattern(masked_a_indices, masked_a_indptr, flag_argument(call, masked_a_transposed) ? masked_rows : masked_inner);
  auto b = pattern(masked_b_indices, masked_b_indptr,
                   flag_argument(call, masked_b_transposed) ? masked_inner : masked_columns);
  auto at = pattern(masked_indices, masked_indptr, masked_columns);
  Value args[] = {of_examples(masked_a_data),
                  a.indices,
                  a.indptr,
                  of_examples(masked_b_data),
                  b.indices,
                  b.indptr,
                  at.indices,
                  at.indptr,
                  blocks.times(call.args[masked_rows]),
                  blocks.times(call.args[masked_inner]),
                  blocks.times(call.args[masked_columns]),
                  call.args[masked_a_transposed],
                  call.args[masked_b_transposed],
                  call.args[masked_zeros]};
  return blocks.apart(ops::call(builder, call.entry, args), count);
}

const Entry& sparse_starts_entry() {
  static const Entry entry{
      .name = "_sparse_product_indptr",
      .doc = "For modules: the indptr of the product of two sparse matrices.",
      .parameters = {tensor_parameter("a_indices"), tensor_parameter("a_indptr"), tensor_parameter("b_indices"),
                     tensor_parameter("b_indptr"), attribute("columns")},
      .type = starts_type,
      .eager = starts_eager,
      .derivative = Derivative::none("gives positions"),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[0, 1, 1], [0, 2, 3], [2, 0, 2], [0, 1, 3], 3", .expected = "[0, 2, 4]"},
                  {.arguments = "i64(zeros(0)), [0, 0], i64(zeros(0)), [0], 3", .expected = "[0, 0]"}},
      .internal = true,
      .part_of = "sparse matmul"};
  return entry;
}

const Entry& sparse_indices_entry() {
  static const Entry entry{
      .name = "_sparse_product_indices",
      .doc = "For modules: the indices of the product of two sparse matrices.",
      .parameters = {tensor_parameter("a_indices"), tensor_parameter("a_indptr"), tensor_parameter("b_indices"),
                     tensor_parameter("b_indptr"), attribute("columns")},
      .type = indices_type,
      .eager = indices_eager,
      .derivative = Derivative::none("gives positions"),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[0, 1, 1], [0, 2, 3], [2, 0, 2], [0, 1, 3], 3", .expected = "[0, 2, 0, 2]"},
                  {.arguments = "i64(zeros(0)), [0, 0], i64(zeros(0)), [0], 3", .expected = "i64(zeros(0))"}},
      .internal = true,
      .part_of = "sparse matmul"};
  return entry;
}

}  // namespace

SparseProduct sparse_product_of(Builder& builder, const SparseRecord& a, const SparseRecord& b) {
  const auto pattern = [&](const Entry& entry) {
    return call(builder, entry, {a.indices, a.indptr, b.indices, b.indptr, b.columns});
  };
  Value indptr = pattern(sparse_starts_entry()), indices = pattern(sparse_indices_entry());
  Value data =
      call(builder, sparse_masked_entry(),
           {a.data, a.indices, a.indptr, b.data, b.indices, b.indptr, indices, indptr, a.rows, a.columns, b.columns});
  return {std::move(data), std::move(indices), std::move(indptr)};
}

const Entry& sparse_masked_entry() {
  static const Entry entry{
      .name = "_sparse_masked",
      .doc = "For modules: the product of two sparse matrices, or their transposes, at the nonzeros of a third.",
      .parameters = {tensor_parameter("a_data"), tensor_parameter("a_indices"), tensor_parameter("a_indptr"),
                     tensor_parameter("b_data"), tensor_parameter("b_indices"), tensor_parameter("b_indptr"),
                     tensor_parameter("indices"), tensor_parameter("indptr"), attribute("rows"), attribute("inner"),
                     attribute("columns"), attribute("a_transposed", false), attribute("b_transposed", false),
                     attribute("zeros", int64_t{0})},
      .type = masked_type,
      .eager = masked_eager,
      .derivative = Derivative::by_hand(tensors, masked_jvp, masked_vjp),
      .batch = masked_batch,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[2.0, -1.0, 3.0], [0, 1, 1], [0, 2, 3], [4.0, 0.5, 1.5], [2, 0, 2], [0, 1, 3], "
                                "[0, 2, 0, 2], [0, 2, 4], 2, 2, 3",
                   .expected = "[-0.5, 6.5, 1.5, 4.5]",
                   .differentiate = true},
                  {.arguments = "[2.0, -1.0, 3.0], [0, 1, 1], [0, 2, 3], [4.0, 0.5, 1.5], [2, 0, 2], [0, 1, 3], "
                                "[2, 0], [0, 1, 2], 2, 2, 3, a_transposed=true",
                   .expected = "[8.0, 1.5]",
                   .differentiate = true},
                  {.arguments = "[2.0, -1.0, 3.0], [0, 1, 1], [0, 2, 3], [4.0, 0.5, 1.5], [1, 0, 1], [0, 1, 3], "
                                "[0, 1, 1], [0, 2, 3], 2, 2, 2, a_transposed=true, b_transposed=true",
                   .expected = "[0.0, 1.0, 0.5]",
                   .differentiate = true},
                  {.arguments =
                       "[0.0, 2.0], [0, 1], [0, 2], [inf, 3.0], [0, 0], [0, 1, 2], [0], [0, 1], 1, 2, 1, zeros=1",
                   .expected = "[6.0]",
                   .source = "the language: zero cotangents"}},
      .internal = true,
      .part_of = "sparse matmul"};
  return entry;
}

Family sparse_sparse_product_entries() {
  static const Entry* const entries[] = {&sparse_starts_entry(), &sparse_indices_entry(), &sparse_masked_entry()};
  return entries;
}

}  // namespace covec::ops
