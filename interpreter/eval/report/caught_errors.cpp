// Finds the kind of an error by its message's key.
#include "interpreter/eval/report/caught_errors.hpp"

#include <memory>
#include <vector>

#include "stdlib/ops/general/general.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

namespace {

using Beginnings = std::vector<std::string_view>;

struct KindOfKeys {
  std::string_view kind;
  Beginnings beginnings;  // of keys; the first kind that has one is it
};

// What is in none of them is a `value` error.
const Beginnings limits = {"recursion", "names_limit", "too_deep", "print_limit"};
const KindOfKeys kinds[] = {
    {"assertion", {"assertion"}},
    {"internal", {"internal"}},
    {"key", {"no_key", "key_", "no_field", "no_method", "no_attribute", "new_field", "module_name"}},
    {"index", {"index_", "item_range", "one_index", "slice_", "ellipsis_list", "too_many_items"}},
    {"file", {"file_", "csv_", "unreadable_file", "endless_file"}},
    {"shape",
     {"pointwise_shapes",
      "reshape_",
      "broadcast_",
      "concat_rank",
      "concat_shape",
      "stack_shape",
      "matmul_",
      "ragged",
      "axis_",
      "squeeze_axis",
      "permutation",
      "sum_to",
      "split_",
      "roll_",
      "pad_",
      "gather_rank",
      "diag_rank",
      "matrix_",
      "meshgrid_rank",
      "searchsorted_rank",
      "reduce_empty",
      "solve_",
      "contract_extent",
      "signal_rank",
      "conv_",
      "window_",
      "dot_rank",
      "annotation_dimension",
      "annotation_rank",
      "annotation_literal",
      "annotation_expression",
      "annotation_parameter",
      "extent_",
      "vmap_",
      "examples_differ",
      "cotangent_shape",
      "grad_result_shape",
      "rank_limit",
      "sparse_shape",
      "sparse_indptr",
      "sparse_count",
      "sparse_starts",
      "sparse_range",
      "sparse_twice",
      "sparse_order",
      "sparse_inner",
      "sparse_square",
      "plan_shape",
      "unpack"}},
    {"type",
     {"not_callable",
      "sparse_operator",
      "too_many_arguments",
      "missing_argument",
      "unknown_keyword",
      "duplicate_argument",
      "unknown_option",
      "argument_",
      "not_numeric",
      "bad_attribute",
      "not_a_",
      "not_iterable",
      "not_indexable",
      "not_assignable",
      "condition",
      "logical_operand",
      "pointwise_",
      "annotation_",
      "string_update",
      "method_",
      "push",
      "no_length",
      "no_derivative",
      "literal_element",
      "spread_",
      "kinds_",
      "tree_mismatch",
      "cannot_stack",
      "mixed_",
      "join_",
      "no_float",
      "grad_",
      "jacobian_",
      "cotangent_kind",
      "format_value",
      "random_dtype",
      "index_assign_dtype",
      "compile_target",
      "derivative_",
      "bad_parameter",
      "host_result"}},
};

bool begins(std::string_view key, const Beginnings& beginnings) {
  for (const std::string_view beginning : beginnings) {
    if (key.starts_with(beginning)) return true;
  }
  return false;
}

Value calls_of(const Diagnostic& error) {
  std::vector<Value> calls;
  for (const CallFrame& frame : error.stack) calls.push_back(make_string(frame.function));
  return make_tuple(std::move(calls));
}

}  // namespace

std::string_view CaughtErrors::kind_of(std::string_view code) {
  for (const KindOfKeys& one : kinds) {
    if (begins(code, one.beginnings)) return one.kind;
  }
  return "value";
}

bool CaughtErrors::is_limit(std::string_view code) { return code == "stack" || begins(code, limits); }

bool CaughtErrors::may_catch(const CovecError& error) {
  const Diagnostic& first = error.diagnostics.front();
  return first.kind == ErrorKind::ordinary && !is_limit(first.code);
}

Value CaughtErrors::record_of(const CovecError& error) {
  static const auto layout =
      std::make_shared<const RecordLayout>(RecordLayout{{"kind", "message", "file", "line", "column", "calls"}});
  const Diagnostic& first = error.diagnostics.front();
  const std::string_view kind = first.program_kind.empty() ? kind_of(first.code) : first.program_kind;
  const ProgramPosition place = first.labels.empty() ? ProgramPosition() : host_.place_of(first.labels.front().span);
  Value record =
      make_record(layout, {make_string(std::string(kind)), make_string(first.message), make_string(place.file),
                           Value(place.line), Value(place.column), calls_of(first)});
  constexpr size_t most = 16;  // errors that are kept
  if (last_.size() == most) last_.pop_front();
  last_.push_back({ops::error_text(record.record()), first});
  return record;
}

const Diagnostic* CaughtErrors::again(const OpError& error) const {
  if (error.code != "raised_again") return nullptr;
  for (auto one = last_.rbegin(); one != last_.rend(); ++one) {
    if (one->text == error.again) return &one->diagnostic;
  }
  return nullptr;
}

}  // namespace covec
