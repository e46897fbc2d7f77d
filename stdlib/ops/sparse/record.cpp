// Operators on records that are sparse matrices: what `@` becomes where one of its operands is one.
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/sparse/family.hpp"
#include "stdlib/ops/sparse/sparse.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

Value times_dense(Builder& builder, const SparseRecord& a, Value x, bool transposed) {
  return call(builder, sparse_matmul_entry(),
              {a.data, a.indices, a.indptr, std::move(x), a.rows, a.columns, Value(transposed)});
}

Value transposed_matrix(Builder& builder, Value x) {
  constexpr unsigned axes[] = {1, 0};
  return permute(builder, std::move(x), axes);
}

// The dense operand of a product: a vector or matrix.
unsigned dense_rank(Builder& builder, Call& call, unsigned operand) {
  require_operand(builder, call, operand);
  const unsigned rank = logical_type(call.args[operand]).shape.rank();
  if (rank != 1 && rank != 2) fail_attribute(call, operand, "a vector or matrix beside a sparse matrix");
  return rank;
}

// The inner extents are equal: now, or when the run knows.
void require_inner(Builder& builder, const SparseRecord& a, const SparseRecord& b) {
  const std::string texts[] = {a.text(), b.text()};
  const auto parts = [](const void* self, int64_t x, int64_t y) -> std::vector<std::string> {
    const auto* both = static_cast<const std::string*>(self);
    return {both[0], both[1], std::to_string(x), std::to_string(y)};
  };
  Steps steps(builder);
  builder.require_equal(steps.size(a.columns), steps.size(b.rows), {&message("matmul_inner"), parts, nullptr, texts});
}

Value times_sparse(Builder& builder, const Call& call) {
  const SparseRecord a(call.args[0]), b(call.args[1]);
  require_inner(builder, a, b);
  SparseProduct product = sparse_product_of(builder, a, b);
  static const auto layout = std::make_shared<const RecordLayout>(RecordLayout{{"data", "indices", "indptr", "shape"}});
  return make_record(layout, {std::move(product.data), std::move(product.indices), std::move(product.indptr),
                              make_tuple({a.rows, b.columns})});
}

Value product_eager(Builder& builder, Call& call) {
  const bool left = is_sparse_matrix(call.args[0]), right = is_sparse_matrix(call.args[1]);
  if (left && right) return times_sparse(builder, call);
  if (!left && !right) fail_attribute(call, 1, "a sparse matrix where a is none");
  const SparseRecord matrix(call.args[left ? 0 : 1]);
  const unsigned rank = dense_rank(builder, call, left ? 1 : 0);
  if (left) return times_dense(builder, matrix, call.args[1], false);
  if (rank == 1) return times_dense(builder, matrix, call.args[0], true);
  Value product = times_dense(builder, matrix, transposed_matrix(builder, call.args[0]), true);
  return transposed_matrix(builder, std::move(product));
}

}  // namespace

const Entry& sparse_product_entry() {
  static const Entry entry{
      .name = "_sparse_product",
      .doc = "For `@`: the product of two matrices, one of which at least is sparse.",
      .parameters = {any_parameter("a"), any_parameter("b")},
      .eager = product_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{"{data: [2.0, -1.0], indices: [0, 1], indptr: [0, 1, 2], shape: (2, 3)}, [1.0, 2.0, 3.0]",
                   "[2.0, -2.0]"},
                  {"[1.0, 2.0], {data: [2.0, -1.0], indices: [0, 1], indptr: [0, 1, 2], shape: (2, 3)}",
                   "[2.0, -2.0, 0.0]"},
                  {"[[1.0, 2.0]], {data: [2.0, -1.0], indices: [0, 1], indptr: [0, 1, 2], shape: (2, 3)}",
                   "[[2.0, -2.0, 0.0]]"},
                  {"{data: [2.0], indices: [1], indptr: [0, 1], shape: (1, 2)}, "
                   "{data: [3.0], indices: [0], indptr: [0, 0, 1], shape: (2, 1)}",
                   "{data: [6.0], indices: [0], indptr: [0, 1], shape: (1, 1)}"}},
      .internal = true,
      .staging = Staging::structural,
      .part_of = "matmul"};
  return entry;
}

Family sparse_record_entries() {
  static const Entry* const entries[] = {&sparse_product_entry()};
  return entries;
}

}  // namespace covec::ops
