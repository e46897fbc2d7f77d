// Systems of equations with sparse matrices. A factorization is a row of integers, which `_sparse_apply` solves with.
// Its derivatives solve once more with the same factorization: by A x = b, λ = A⁻ᵀ x̄ is the cotangent of b, and −λᵢ xⱼ,
// at the nonzeros, that of A's data. To derivatives the factorization is a constant: all they know is that A x = b.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/sparse/blocks.hpp"
#include "stdlib/ops/sparse/family.hpp"
#include "stdlib/ops/sparse/sparse.hpp"
#include "stdlib/sparse/factor.hpp"
#include "stdlib/sparse/products.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

const Entry& sparse_apply_entry();

constexpr const char* solver_name = "sparse.solve";

// --- factor ---

enum FactorOperand : unsigned {
  factor_data,
  factor_indices,
  factor_indptr,
  factor_n,
  factor_columns,
  factor_kind,
  factor_like,
  factor_name
};
// `kind`; 2 is LU, and −m LU of the system of least squares with m rows, whose matrix has m columns less.
constexpr int64_t of_any = 0, of_ldlt = 1, or_nan = 3, positive_or_nan = 4;

// Data and factor are a row, or one for each example; then b has as many parts along its first axis.
unsigned examples_rank(const Type& data) { return data.shape.rank() - 1; }

// In batch rules: examples of examples, along the first two axes, as examples, and back.
Value joined_examples(Builder& builder, Value x) {
  Shape shape = logical_type(x).shape;
  shape[1] = builder.multiply(shape[0], shape[1]);
  shape.erase(0);
  return reshape(builder, std::move(x), shape);
}

Value parted_examples(Builder& builder, Value x, Dim outer, Dim inner) {
  Shape shape = logical_type(x).shape;
  shape[0] = inner;
  shape.insert(0, outer);
  return reshape(builder, std::move(x), shape);
}

// A row of data, or one for each example.
Shape factor_operands(const Call& call) {
  const Type data = operand_type(call, factor_data);
  if (data.shape.rank() != 1 && data.shape.rank() != 2) fail_attribute(call, factor_data, "a vector");
  sparse_vector(call, factor_indices, true);
  sparse_vector(call, factor_indptr, true);
  return data.shape;
}

Type factor_type(ShapeBuilder& shapes, const Call& call) {
  Shape shape = factor_operands(call);
  shape[shape.rank() - 1] = shapes.unknown_dim();
  return {Dtype::i64, shape};
}

bool has_positive_diagonal(const sparse::SquareMatrix& matrix) {
  const sparse::Pattern& pattern = matrix.pattern;
  for (int64_t row = 0; row < pattern.rows; ++row) {
    const int64_t *begin = pattern.indices + pattern.starts[row], *end = pattern.indices + pattern.starts[row + 1];
    const int64_t* found = std::lower_bound(begin, end, row);
    if (found == end || *found != row || !(matrix.values[found - pattern.indices] > 0)) return false;
  }
  return true;
}

[[noreturn]] void fail_ldlt(const std::string& name, const std::string& why) {
  fail(message("sparse_kind"), {name, why});
}

// What only LDLᵀ may do.
sparse::WordRow forced_ldlt(Context& context, const sparse::SquareMatrix& matrix, const int64_t* order,
                            const std::string& name) {
  const int64_t row = sparse::row_without_mirror(context, matrix.pattern);
  if (row >= 0) fail(message("sparse_symmetric"), {name, std::to_string(row)});
  const auto is_nan = [](double number) { return std::isnan(number); };
  if (std::any_of(matrix.values, matrix.values + matrix.pattern.count, is_nan))
    fail_ldlt(name, "kind=\"ldlt\" needs numbers, and one in data is NaN");
  if (!sparse::is_symmetric(context, matrix)) fail_ldlt(name, "kind=\"ldlt\" needs a matrix that equals its transpose");
  std::optional<sparse::WordRow> words = sparse::factor_ldlt(context, matrix, true, order);
  if (!words) fail_ldlt(name, "kind=\"ldlt\" has met a pivot of 0: kind=\"lu\" exchanges rows");
  return std::move(*words);
}

sparse::WordRow factored(Context& context, const sparse::SquareMatrix& matrix, int64_t kind, const int64_t* order,
                         const std::string& name) {
  if (kind == of_ldlt) return forced_ldlt(context, matrix, order, name);
  if (kind == positive_or_nan && sparse::row_without_mirror(context, matrix.pattern) < 0) {
    std::optional<sparse::WordRow> words;
    if (has_positive_diagonal(matrix)) words = sparse::factor_ldlt(context, matrix, false, order);
    return words ? std::move(*words) : sparse::no_factorization(context, matrix.pattern.rows);
  }
  if ((kind == of_any || kind == or_nan) && has_positive_diagonal(matrix) && sparse::is_symmetric(context, matrix)) {
    std::optional<sparse::WordRow> words = sparse::factor_ldlt(context, matrix, false, order);
    if (words) return std::move(*words);
  }
  sparse::Factorization lu = sparse::factor_lu(context, matrix, order);
  if (lu.singular && (kind == or_nan || kind == positive_or_nan))
    return sparse::no_factorization(context, matrix.pattern.rows);
  if (lu.singular && kind < 0)
    fail(message("sparse_singular"), {name, std::to_string(std::max<int64_t>(0, *lu.singular + kind))});
  if (lu.singular) fail(message("sparse_singular"), {name, std::to_string(*lu.singular)});
  return std::move(lu.words);
}

// The order of columns of another factorization of as many.
const int64_t* order_of(const Value& like, int64_t n) {
  if (!like.is_tensor()) return nullptr;
  const sparse::Words words{like.tensor().as<int64_t>(), like.tensor().size()};
  return words.is_sound(n) && words.kind() != sparse::FactorKind::none ? words.columns() : nullptr;
}

Value factor_eager(Builder& builder, Call& call) {
  const Shape shape = factor_operands(call);
  const Value& given_name = call.args[factor_name];
  if (!given_name.is_none() && !given_name.is(ObjectKind::string)) fail_attribute(call, factor_name, "a string");
  const std::string name = given_name.is_none() ? solver_name : given_name.string().text;
  const int64_t n = integer_argument(call, factor_n), kind = integer_argument(call, factor_kind);
  if (const int64_t columns = integer_argument(call, factor_columns); columns != n)
    fail(message("sparse_square"), {name, "[" + std::to_string(n) + ", " + std::to_string(columns) + "]"});
  const Value data = contiguous(builder.pool(), cast_to(builder, std::move(call.args[factor_data]), Dtype::f64));
  const Value like = call.args[factor_like].is_none()
                         ? Value()
                         : contiguous(builder.pool(), cast_to(builder, call.args[factor_like], Dtype::i64));
  if (n > sparse::Words::max_columns) fail(message("sparse_kind"), {name, "the matrix has more than 2^31 - 1 columns"});
  const EagerPattern given(builder, call, factor_indices, factor_indptr, n, n);
  if (!sparse::is_sound(builder.context(), given.pattern)) fail_pattern(given.pattern);
  const int64_t examples = shape.rank() == 2 ? shape[0].number() : 1;
  require_count(shape[shape.rank() - 1].number(), given.pattern);
  std::vector<sparse::WordRow> rows;
  int64_t longest = sparse::Words::size(0, 0, 0);
  for (int64_t i = 0; i < examples; ++i) {
    const double* values = data.tensor().as<double>() + i * given.pattern.count;
    rows.push_back(factored(builder.context(), {given.pattern, values}, kind, order_of(like, n), name));
    longest = std::max(longest, rows.back().count());
  }
  Shape of_result = shape;
  of_result[shape.rank() - 1] = Dim(longest);
  Value result = make_tensor(builder.pool(), Dtype::i64, of_result);
  auto* to = result.tensor().as<int64_t>();
  for (const sparse::WordRow& row : rows) {
    std::fill(std::copy_n(row.data(), row.count(), to), to + longest, int64_t{0});
    to += longest;
  }
  return result;
}

Value factor_batch(Builder& builder, Call& call, const Batching& batching) {
  for (unsigned i = 0; i < call.args.size(); ++i) {
    if (i != factor_data && batching.batched[i]) return Value::unbound();
  }
  const Type example = example_type(call, factor_data, batching);
  if (example.shape.rank() != 2) return ops::call(builder, call.entry, call.args);
  call.args[factor_data] = joined_examples(builder, std::move(call.args[factor_data]));
  return parted_examples(builder, ops::call(builder, call.entry, call.args), batching.size, example.shape[0]);
}

// --- apply ---

enum ApplyOperand : unsigned {
  apply_factor,
  apply_data,
  apply_indices,
  apply_indptr,
  apply_b,
  apply_n,
  apply_transposed,
  apply_zeros,
  apply_refined
};

std::vector<std::string> unequal(const void* self, int64_t x, int64_t y) {
  return {*static_cast<const std::string*>(self), std::to_string(x), std::to_string(y)};
}

void require_extents(ShapeBuilder& shapes, const Type& b, Dim wanted, unsigned axis) {
  const std::string text = b.text();
  shapes.require_equal(wanted, b.shape[axis], {&message("sparse_inner"), unequal, nullptr, &text});
}

Type apply_type(ShapeBuilder& shapes, const Call& call) {
  const Type data = operand_type(call, apply_data), b = operand_type(call, apply_b);
  if (data.shape.rank() != 1 && data.shape.rank() != 2) fail_attribute(call, apply_data, "a vector");
  const Type factor = operand_type(call, apply_factor);
  if (factor.shape.rank() != data.shape.rank()) fail_attribute(call, apply_factor, "a row for each row of data");
  sparse_vector(call, apply_indices, true);
  sparse_vector(call, apply_indptr, true);
  const unsigned examples = examples_rank(data);
  if (b.shape.rank() != examples + 1 && b.shape.rank() != examples + 2)
    fail_attribute(call, apply_b, examples == 0 ? "a vector or matrix" : "a vector or matrix for each row of data");
  for (const Type& other : {factor, b}) {
    if (examples != 0) require_extents(shapes, other, data.shape[0], 0);
  }
  require_extents(shapes, b, size_argument(shapes, call, apply_n), examples);
  return {float_dtype(product_dtype(data.dtype, b.dtype)), b.shape};
}

// A cotangent that is 0 has a solution of 0, whatever the matrix is.
void clear_where_zero(const double* right, double* solution, int64_t n, int64_t width) {
  for (int64_t column = 0; column < width; ++column) {
    bool zero = true;
    for (int64_t row = 0; row < n && zero; ++row) zero = right[row * width + column] == 0;
    for (int64_t row = 0; row < n && zero; ++row) solution[row * width + column] = 0;
  }
}

// One solution, of `width` columns, and what it takes.
struct Solution {
  const sparse::Pattern& pattern;
  bool transposed, zeros, refined;
  int64_t n, width;

  void find(Builder& builder, const sparse::Words& words, const double* data, const double* right, double* x) const {
    if (!words.is_sound(n)) fail(message("sparse_kind"), {solver_name, "the factorization is of another matrix"});
    if (words.kind() == sparse::FactorKind::none) {
      std::fill_n(x, n * width, std::numeric_limits<double>::quiet_NaN());
    } else {
      std::copy_n(right, n * width, x);
      sparse::solve(builder.context(), words, x, width, transposed);
      if (refined) refine(builder, words, data, right, x);
    }
    if (zeros) clear_where_zero(right, x, n, width);
  }

 private:
  // One step of iterative refinement.
  void refine(Builder& builder, const sparse::Words& words, const double* data, const double* right, double* x) const {
    const int64_t count = n * width;
    const Scratch room(builder.pool(), static_cast<uint64_t>(count) * sizeof(double));
    auto* residual = room.as<double>();
    const sparse::DenseProduct<double> product{pattern, data, x, residual, width, transposed, {}};
    if (!sparse::multiply(builder.context(), product)) fail_pattern(pattern);
    for (int64_t i = 0; i < count; ++i) residual[i] = right[i] - residual[i];
    sparse::solve(builder.context(), words, residual, width, transposed);
    for (int64_t i = 0; i < count; ++i) x[i] += residual[i];
  }
};

Value apply_eager(Builder& builder, Call& call) {
  const Type type = apply_type(builder, call);
  const unsigned axis = examples_rank(operand_type(call, apply_data));
  const int64_t n = integer_argument(call, apply_n);
  const EagerPattern given(builder, call, apply_indices, apply_indptr, n, n);
  const auto row_major = [&](unsigned i, Dtype dtype) {
    return contiguous(builder.pool(), cast_to(builder, std::move(call.args[i]), dtype));
  };
  const Value data = row_major(apply_data, Dtype::f64), b = row_major(apply_b, Dtype::f64);
  const Value factor = row_major(apply_factor, Dtype::i64);
  const int64_t words = shape_of(factor)[axis].number(),
                width = type.shape.rank() == axis + 2 ? type.shape[axis + 1].number() : 1;
  const int64_t examples = axis == 0 ? 1 : type.shape[0].number();
  require_count(shape_of(data)[axis].number(), given.pattern);
  Value x = make_tensor(builder.pool(), Dtype::f64, type.shape);
  const Solution solution{given.pattern,
                          flag_argument(call, apply_transposed),
                          flag_argument(call, apply_zeros),
                          flag_argument(call, apply_refined),
                          n,
                          width};
  for (int64_t i = 0; i < examples; ++i) {
    solution.find(builder, {factor.tensor().as<int64_t>() + i * words, words},
                  data.tensor().as<double>() + i * given.pattern.count, b.tensor().as<double>() + i * n * width,
                  x.tensor().as<double>() + i * n * width);
  }
  return cast_to(builder, std::move(x), type.dtype);
}

Value apply_like(RuleContext& rule, const Residuals& residuals, Value b, bool swapped, bool zeros) {
  const auto& o = residuals.operands;
  return rule.call(sparse_apply_entry(),
                   {o[apply_factor], o[apply_data], o[apply_indices], o[apply_indptr], std::move(b), o[apply_n],
                    Value(o[apply_transposed].boolean() != swapped), Value(zeros), o[apply_refined]});
}

bool is_of_examples(const Residuals& residuals) { return examples_rank(residuals.types[apply_data]) != 0; }

// A dx = db − dA x.
Value apply_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const auto& o = residuals.operands;
  Value right = tangents[apply_b];
  if (!tangents[apply_data].is_none()) {
    const MatmulOperands product{
        tangents[apply_data],          o[apply_indices], o[apply_indptr], *residuals.result, o[apply_n], o[apply_n],
        o[apply_transposed].boolean(), Value(int64_t{0})};
    Value moved =
        is_of_examples(residuals) ? matmul_of_examples(rule.builder(), product) : product.apply(rule.builder());
    right = right.is_none() ? rule.neg(std::move(moved)) : rule.sub(std::move(right), std::move(moved));
  }
  return right.is_none() ? right : apply_like(rule, residuals, std::move(right), false, o[apply_zeros].boolean());
}

void apply_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  const auto& o = residuals.operands;
  Value of_b = apply_like(rule, residuals, std::move(cotangent), true, !rule.ieee());
  if (out.wants(apply_data)) {
    const bool transposed = o[apply_transposed].boolean();
    const Value& x = *residuals.result;
    const auto counts = static_cast<int64_t>(rule.ieee() ? 0 : transposed ? right_bit : left_bit);
    const SampleOperands sample{transposed ? x : of_b, transposed ? of_b : x, o[apply_indices], o[apply_indptr],
                                Value(counts)};
    Value data = is_of_examples(residuals) ? sample_of_examples(rule.builder(), sample) : sample.apply(rule.builder());
    out.add(apply_data, rule.sum_to(rule.neg(std::move(data)), residuals.types[apply_data]));
  }
  if (out.wants(apply_b)) out.add(apply_b, rule.sum_to(std::move(of_b), residuals.types[apply_b]));
}

// Examples of b alone are columns of one. Examples of matrices are solved one after the other, in one call.
Value apply_batch(Builder& builder, Call& call, const Batching& batching) {
  if (is_batched(batching, {apply_indices, apply_indptr, apply_n})) return Value::unbound();
  const Shape data = example_type(call, apply_data, batching).shape;
  const unsigned examples = data.rank() == 2 ? 1 : 0;
  if (!is_batched(batching, {apply_factor, apply_data}))
    return batch_of_columns(builder, call, batching, apply_b, examples);
  for (const unsigned i : {apply_factor, apply_data, apply_b}) {
    call.args[i] = with_batch_axis(builder, std::move(call.args[i]), batching.batched[i], batching.size);
    if (examples != 0) call.args[i] = joined_examples(builder, std::move(call.args[i]));
  }
  Value x = ops::call(builder, call.entry, call.args);
  return examples == 0 ? x : parted_examples(builder, std::move(x), batching.size, data[0]);
}

constexpr uint64_t apply_keeps = (uint64_t{1} << apply_b) - 1;  // the tensors but b

const Entry& sparse_factor_entry() {
  static const Entry entry{
      .name = "_sparse_factor",
      .doc =
          "For modules: the factorization of a sparse matrix of `n` rows and `columns`, as many, as a row of integers. "
          "`kind` is 0 for LDLᵀ "
          "where it can be and else LU, 1 for LDLᵀ, 2 for LU, −m for LU of the system of least squares with m rows; 3 "
          "is 0 where a singular matrix is no "
          "error: its solutions are NaN; 4 is 3 where a symmetric matrix that is not positive definite is as a "
          "singular "
          "one. "
          "`like`, another factorization, tells the order of "
          "columns; errors begin with `name`.",
      .parameters = {tensor_parameter("data"), tensor_parameter("indices"), tensor_parameter("indptr"), attribute("n"),
                     attribute("columns"), attribute("kind", int64_t{0}), optional_tensor("like"),
                     attribute("name", Value())},
      .type = factor_type,
      .eager = factor_eager,
      .derivative = Derivative::none("gives a factorization"),
      .batch = factor_batch,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[2.0], [0], [0, 1], 1, 1, 2",
                   .expected = "[2, 1, 0, 0, 0, 0, 4611686018427387904, 0, 0, 0, 0]",
                   .source = "definition"},
                  {.arguments = "[0.0], [0], [0, 1], 1, 1, 3",
                   .expected = "[0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]",
                   .source = "definition"},
                  {.arguments = "[-2.0], [0], [0, 1], 1, 1, 4",
                   .expected = "[0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]",
                   .source = "definition"},
                  {.arguments = "zeros(0), i64(zeros(0)), [0], 0, 0, 1",
                   .expected = "[1, 0, 0, 0, 0, 0]",
                   .source = "definition"}},
      .internal = true,
      .part_of = solver_name};
  return entry;
}

const Entry& sparse_apply_entry() {
  static const Entry entry{
      .name = "_sparse_apply",
      .doc =
          "For modules: solves with a sparse matrix, or its transpose, and its factorization. With `zeros` b stands "
          "for a "
          "cotangent, and where it is 0 so is the solution. `refined` solves once more, for what is left.",
      .parameters = {tensor_parameter("factor"), tensor_parameter("data"), tensor_parameter("indices"),
                     tensor_parameter("indptr"), tensor_parameter("b"), attribute("n"), attribute("transposed", false),
                     attribute("zeros", false), attribute("refined", true)},
      .type = apply_type,
      .eager = apply_eager,
      .derivative = Derivative::by_hand(apply_keeps | Derivative::result_bit, apply_jvp, apply_vjp),
      .batch = apply_batch,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[2, 1, 0, 0, 0, 0, 4611686018427387904, 0, 0, 0, 0], [2.0], [0], [0, 1], [3.0], 1",
                   .expected = "[1.5]",
                   .source = "definition"},
                  {.arguments = "[2, 1, 0, 0, 0, 0, 4611686018427387904, 0, 0, 0, 0], [2.0], [0], [0, 1], [3.0], 1, "
                                "false, false, false",
                   .expected = "[1.5]",
                   .source = "definition"},
                  {.arguments = "[1, 0, 0, 0, 0, 0], zeros(0), i64(zeros(0)), [0], zeros(0), 0",
                   .expected = "zeros(0)",
                   .source = "definition"}},
      .internal = true,
      .part_of = solver_name};
  return entry;
}

}  // namespace

Family sparse_solve_entries() {
  static const Entry* const entries[] = {&sparse_factor_entry(), &sparse_apply_entry()};
  return entries;
}

}  // namespace covec::ops
