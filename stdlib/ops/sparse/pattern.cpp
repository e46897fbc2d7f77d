// Patterns of eager calls, and what is wrong with them; and the row of each nonzero, for modules.
#include <algorithm>

#include "stdlib/ops/sparse/family.hpp"
#include "stdlib/ops/sparse/sparse.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::ops {

namespace {

Value integers_of(Builder& builder, const Value& numbers) {
  return contiguous(builder.pool(), cast_to(builder, numbers, Dtype::i64));
}

constexpr const char* adds_and_sorts = "sparse.from_coo(rows, columns, data, shape) sorts entries and adds equal ones";

}  // namespace

Type sparse_vector(const Call& call, unsigned operand, bool integers) {
  const Type type = operand_type(call, operand);
  const bool is_integer = kind_of(type.dtype) == DtypeKind::integer;
  if (type.shape.rank() != 1 || (integers && !is_integer))
    fail_attribute(call, operand, integers ? "a vector of integers" : "a vector");
  return type;
}

EagerPattern::EagerPattern(Builder& builder, const Value& given_indices, const Value& given_indptr, int64_t rows,
                           int64_t columns)
    : indices(integers_of(builder, given_indices)), indptr(integers_of(builder, given_indptr)) {
  const Tensor& starts = indptr.tensor();
  if (rows < 0 || columns < 0) fail(message("sparse_shape"), {std::to_string(rows), std::to_string(columns)});
  if (starts.size() != rows + 1) {
    fail(message("sparse_indptr"), {std::to_string(rows), std::to_string(rows + 1), std::to_string(starts.size())});
  }
  pattern = {indices.tensor().as<int64_t>(), starts.as<int64_t>(), indices.tensor().size(), rows, columns};
}

EagerPattern::EagerPattern(Builder& builder, const Call& call, unsigned pattern_indices, unsigned pattern_indptr,
                           int64_t rows, int64_t columns)
    : EagerPattern(builder, call.args[pattern_indices], call.args[pattern_indptr], rows, columns) {}

void require_count(int64_t numbers, const sparse::Pattern& pattern) {
  if (numbers == pattern.count) return;
  fail(message("sparse_count"), {std::to_string(numbers), std::to_string(pattern.count)});
}

void fail_pattern(const sparse::Pattern& pattern) {
  const std::optional<sparse::Fault> found = sparse::find_fault(pattern);
  const sparse::Fault fault = found.value_or(sparse::Fault{});
  const std::string row = std::to_string(fault.row), column = std::to_string(fault.column);
  switch (fault.kind) {
    case sparse::Fault::Kind::starts:
      fail(message("sparse_starts"), {std::to_string(pattern.count), row, std::to_string(pattern.starts[fault.row])});
    case sparse::Fault::Kind::range: fail(message("sparse_range"), {row, column, std::to_string(pattern.columns)});
    case sparse::Fault::Kind::twice: fail(message("sparse_twice"), {row, column}, {}, adds_and_sorts);
    case sparse::Fault::Kind::order:
      fail(message("sparse_order"), {row, column, std::to_string(pattern.indices[fault.place - 1])}, {},
           adds_and_sorts);
  }
  fail(message("internal"), {"a pattern without a fault"});
}

namespace {

enum RowsOperand : unsigned { pattern_indices, pattern_indptr, pattern_rows, pattern_columns };

Type rows_type(ShapeBuilder&, const Call& call) {
  sparse_vector(call, pattern_indptr, true);
  return {Dtype::i64, sparse_vector(call, pattern_indices, true).shape};
}

Value rows_eager(Builder& builder, Call& call) {
  const Type type = rows_type(builder, call);
  const EagerPattern given(builder, call, pattern_indices, pattern_indptr, integer_argument(call, pattern_rows),
                           integer_argument(call, pattern_columns));
  const sparse::Pattern& pattern = given.pattern;
  if (!sparse::is_sound(builder.context(), pattern)) fail_pattern(pattern);
  Value rows = make_tensor(builder.pool(), type.dtype, type.shape);
  auto* numbers = rows.tensor().as<int64_t>();
  for (int64_t row = 0; row < pattern.rows; ++row)
    std::fill(numbers + pattern.starts[row], numbers + pattern.starts[row + 1], row);
  return rows;
}

const Entry& sparse_rows_entry() {
  static const Entry entry{
      .name = "_sparse_rows",
      .doc = "For modules: the row of each nonzero of a sparse matrix, whose pattern it checks.",
      .parameters = {tensor_parameter("indices"), tensor_parameter("indptr"), attribute("rows"), attribute("columns")},
      .type = rows_type,
      .eager = rows_eager,
      .derivative = Derivative::none("gives positions"),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[0, 2, 1], [0, 2, 2, 3], 3, 3", .expected = "[0, 0, 2]"},
                  {.arguments = "i64(zeros(0)), [0], 0, 3", .expected = "i64(zeros(0))"}},
      .internal = true,
      .part_of = "sparse.rows"};
  return entry;
}

enum OrderOperand : unsigned { order_rows, order_columns, order_height, order_width };

Type order_type(ShapeBuilder& shapes, const Call& call) {
  const Type rows = sparse_vector(call, order_rows, true), columns = sparse_vector(call, order_columns, true);
  const auto lengths = [](const void*, int64_t x, int64_t y) -> std::vector<std::string> {
    return {"sparse.from_coo", "rows", "columns", std::to_string(x), std::to_string(y)};
  };
  shapes.require_equal(rows.shape[0], columns.shape[0], {&message("lengths_differ"), lengths, nullptr, nullptr});
  return {Dtype::i64, rows.shape};
}

Value order_eager(Builder& builder, Call& call) {
  const Type type = order_type(builder, call);
  const Value rows = integers_of(builder, call.args[order_rows]),
              columns = integers_of(builder, call.args[order_columns]);
  const sparse::Elements elements{rows.tensor().as<int64_t>(), columns.tensor().as<int64_t>(), rows.tensor().size(),
                                  integer_argument(call, order_height), integer_argument(call, order_width)};
  if (const int64_t k = sparse::find_outside(elements); k >= 0) {
    const bool row = elements.rows[k] < 0 || elements.rows[k] >= elements.height;
    fail_attribute(call, row ? order_rows : order_columns,
                   "from 0 to " + std::to_string((row ? elements.height : elements.width) - 1));
  }
  Value order = make_tensor(builder.pool(), type.dtype, type.shape);
  sparse::order_elements(builder.context(), elements, order.tensor().as<int64_t>());
  return order;
}

const Entry& sparse_order_entry() {
  static const Entry entry{
      .name = "_sparse_order",
      .doc = "For modules: the order of elements of a matrix by rows, and by columns in a row.",
      .parameters = {tensor_parameter("rows"), tensor_parameter("columns"), attribute("height"), attribute("width")},
      .type = order_type,
      .eager = order_eager,
      .derivative = Derivative::none("gives positions"),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1, 0, 1, 0], [0, 2, 0, 1], 2, 3", .expected = "[3, 1, 0, 2]"},
                  {.arguments = "[1, 0, 1, 0], [0, 2, 0, 1], 200, 300", .expected = "[3, 1, 0, 2]"},
                  {.arguments = "[0, 0, 1], [0, 2, 1], 2, 3", .expected = "[0, 1, 2]"},
                  {.arguments = "i64(zeros(0)), i64(zeros(0)), 0, 0", .expected = "i64(zeros(0))"}},
      .internal = true,
      .part_of = "sparse.from_coo"};
  return entry;
}

}  // namespace

Family sparse_pattern_entries() {
  static const Entry* const entries[] = {&sparse_order_entry(), &sparse_rows_entry()};
  return entries;
}

}  // namespace covec::ops
