// The incomplete LU factorization as a preconditioner. What it solves approximately is nobody's derivative: solvers
// that use it have rules of their own. It is linear in the right side.
#include <algorithm>

#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/sparse/family.hpp"
#include "stdlib/ops/sparse/sparse.hpp"
#include "stdlib/sparse/incomplete.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::ops {

namespace {

constexpr char preconditions[] = "gives a preconditioner";

enum IluOperand : unsigned { ilu_data, ilu_indices, ilu_indptr, ilu_n };

Type ilu_type(ShapeBuilder&, const Call& call) {
  sparse_vector(call, ilu_indices, true);
  sparse_vector(call, ilu_indptr, true);
  return {Dtype::f64, sparse_vector(call, ilu_data, false).shape};
}

Value ilu_eager(Builder& builder, Call& call) {
  ilu_type(builder, call);
  const int64_t n = integer_argument(call, ilu_n);
  const EagerPattern given(builder, call, ilu_indices, ilu_indptr, n, n);
  if (!sparse::is_sound(builder.context(), given.pattern)) fail_pattern(given.pattern);
  Value data = cast_to(builder, std::move(call.args[ilu_data]), Dtype::f64);
  require_count(data.tensor().size(), given.pattern);
  const int64_t row =
      sparse::factor_incomplete(builder.context(), given.pattern, writable(data, builder.pool()).as<double>());
  if (row >= 0) fail(message("sparse_singular"), {"precondition=\"ilu0\"", std::to_string(row)});
  return data;
}

enum IluSolveOperand : unsigned { solve_data, solve_indices, solve_indptr, solve_b, solve_transposed };
constexpr uint64_t kept_by_solve = 0b10111;  // all operands but b

Type ilu_solve_type(ShapeBuilder&, const Call& call) {
  sparse_vector(call, solve_data, false);
  sparse_vector(call, solve_indices, true);
  sparse_vector(call, solve_indptr, true);
  return {Dtype::f64, sparse_vector(call, solve_b, false).shape};
}

Value ilu_solve_eager(Builder& builder, Call& call) {
  const Type type = ilu_solve_type(builder, call);
  const int64_t n = type.shape[0].number();
  const EagerPattern given(builder, call, solve_indices, solve_indptr, n, n);
  if (!sparse::is_sound(builder.context(), given.pattern)) fail_pattern(given.pattern);
  const Value data = contiguous(builder.pool(), cast_to(builder, std::move(call.args[solve_data]), Dtype::f64));
  require_count(data.tensor().size(), given.pattern);
  if (!sparse::has_diagonal(given.pattern)) fail(message("sparse_kind"), {"sparse", "a row has no diagonal"});
  Value x = cast_to(builder, std::move(call.args[solve_b]), Dtype::f64);
  sparse::solve_incomplete(given.pattern, data.tensor().as<double>(), writable(x, builder.pool()).as<double>(),
                           flag_argument(call, solve_transposed));
  return x;
}

Value ilu_solve_by(RuleContext& rule, const Residuals& residuals, const Value& b, bool transposed) {
  const auto& o = residuals.operands;
  return rule.call(sparse_ilu_solve_entry(), {o[solve_data], o[solve_indices], o[solve_indptr], b, Value(transposed)});
}

[[noreturn]] void fail_by_factors() { fail(message("no_derivative"), {"precondition", preconditions}); }

Value ilu_solve_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  if (!tangents[solve_data].is_none()) fail_by_factors();
  return ilu_solve_by(rule, residuals, tangents[solve_b], residuals.operands[solve_transposed].boolean());
}

void ilu_solve_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  if (out.wants(solve_data)) out.refuse(solve_data, fail_by_factors);
  if (!out.wants(solve_b)) return;
  Value x = ilu_solve_by(rule, residuals, cotangent, !residuals.operands[solve_transposed].boolean());
  out.add(solve_b, rule.sum_to(std::move(x), residuals.types[solve_b]));
}

const Entry& sparse_ilu_entry() {
  static const Entry entry{
      .name = "_sparse_ilu",
      .doc = "For modules: the numbers of the incomplete factors L and U of a sparse matrix, at its nonzeros.",
      .parameters = {tensor_parameter("data"), tensor_parameter("indices"), tensor_parameter("indptr"), attribute("n")},
      .type = ilu_type,
      .eager = ilu_eager,
      .derivative = Derivative::none(preconditions),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[4.0, 1.0, 2.0, 3.0], [0, 1, 0, 1], [0, 2, 4], 2",
                   .expected = "[4.0, 1.0, 0.5, 2.5]",
                   .source = "definition"}},
      .internal = true,
      .part_of = "precondition"};
  return entry;
}

}  // namespace

const Entry& sparse_ilu_solve_entry() {
  static const Entry entry{
      .name = "_sparse_ilu_solve",
      .doc = "For modules: solves with incomplete factors, or with their transposes.",
      .parameters = {tensor_parameter("data"), tensor_parameter("indices"), tensor_parameter("indptr"),
                     tensor_parameter("b"), attribute("transposed", false)},
      .type = ilu_solve_type,
      .eager = ilu_solve_eager,
      .derivative = Derivative::by_hand(kept_by_solve, ilu_solve_jvp, ilu_solve_vjp),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[4.0, 1.0, 0.5, 2.5], [0, 1, 0, 1], [0, 2, 4], [6.0, 8.0]",
                   .expected = "[1.0, 2.0]",
                   .source = "definition"},
                  {.arguments = "[4.0, 1.0, 0.5, 2.5], [0, 1, 0, 1], [0, 2, 4], [8.0, 7.0], transposed=true",
                   .expected = "[1.0, 2.0]",
                   .source = "definition"}},
      .internal = true,
      .part_of = "precondition"};
  return entry;
}

Family sparse_incomplete_entries() {
  static const Entry* const entries[] = {&sparse_ilu_entry(), &sparse_ilu_solve_entry()};
  return entries;
}

}  // namespace covec::ops
