// diag, tril, triu, meshgrid. Operators on matrices take the last two axes, so a batch is just one more axis in front.
#include "stdlib/ops/create/matrix.hpp"

#include <algorithm>
#include <limits>

#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/create/create.hpp"
#include "stdlib/ops/create/family.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/tensor/views.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

constexpr int64_t copy_grain = 1 << 15;  // elements

void require_matrix(const Call& call, const Type& x) {
  if (x.shape.rank() < 2) fail(message("matrix_rank"), {std::string(call.entry.name), x.text()}, {label_of(call, 0)});
}

Type matrix_operand(const Call& call) {
  const Type x = operand_type(call, 0);
  require_matrix(call, x);
  return x;
}

// --- diagonals ---

// Where diagonal k begins, and how many elements it has.
struct Diagonal {
  int64_t row, column, length;

  Diagonal(int64_t k, int64_t rows, int64_t columns)
      : row(k >= 0      ? 0
            : k > -rows ? -k
                        : rows),
        column(k > 0 ? std::min(k, columns) : 0) {
    length = std::min(rows - row, columns - column);
  }
};

Type diagonal_type(ShapeBuilder& shapes, const Call& call) {
  Type x = matrix_operand(call);
  const unsigned rank = x.shape.rank();
  const Dim rows = x.shape[rank - 2], columns = x.shape[rank - 1];
  const bool first = is_integer(call.args[1]) && integer_of(call.args[1]) == 0;
  Dim length;
  if (first && rows == columns) {
    length = rows;
  } else if (is_integer(call.args[1]) && rows.known() && columns.known()) {
    length = Diagonal(integer_of(call.args[1]), rows.number(), columns.number()).length;
  } else {
    length = shapes.unknown_dim();
  }
  x.shape.erase(rank - 1);
  x.shape[rank - 2] = length;
  return x;
}

Value diagonal_eager(Builder&, Call& call) {
  const Tensor& x = call.args[0].tensor();
  const unsigned rank = x.rank();
  const Diagonal diagonal(integer_argument(call, 1), x.dim(rank - 2), x.dim(rank - 1));
  Shape shape = x.shape();
  shape.erase(rank - 1);
  shape[rank - 2] = Dim(diagonal.length);
  std::array<int64_t, max_rank> strides;
  std::copy_n(x.strides().begin(), rank, strides.begin());
  const int64_t offset = diagonal.row * strides[rank - 2] + diagonal.column * strides[rank - 1];
  strides[rank - 2] += strides[rank - 1];
  return view_at(call.args[0], shape.elements() == 0 ? 0 : offset, shape, strides.data());
}

Value diagonal_transpose(RuleContext& rule, unsigned, const Residuals& residuals, const Value& cotangent) {
  const Shape& x = residuals.types[0].shape;
  return rule.call(on_diagonal_entry(), {cotangent, residuals.operands[1], rule.builder().extent(x[x.rank() - 2]),
                                         rule.builder().extent(x[x.rank() - 1])});
}

// A sum that the run has computed and that may have gone past the last i64: then nothing is as large.
Dim extent_argument(ShapeBuilder& shapes, const Call& call, unsigned operand) {
  const Value& extent = call.operand(operand);
  if (is_symbolic_integer(extent)) return shapes.dim_of(extent);
  return Dim(extent.i64() < 0 ? std::numeric_limits<int64_t>::max() : extent.i64());
}

Type on_diagonal_type(ShapeBuilder& shapes, const Call& call) {
  Type x = operand_type(call, 0);
  x.shape[x.shape.rank() - 1] = extent_argument(shapes, call, 2);
  x.shape.push_back(extent_argument(shapes, call, 3));
  return x;
}

Value on_diagonal_eager(Builder& builder, Call& call) {
  const Type type = on_diagonal_type(builder, call);
  const Value x = contiguous(builder.pool(), call.args[0]);
  Value result = zeros(builder, type);
  const unsigned rank = type.shape.rank();
  const int64_t rows = type.shape[rank - 2].number(), columns = type.shape[rank - 1].number();
  const Diagonal diagonal(integer_argument(call, 1), rows, columns);
  if (x.tensor().size() == 0) return result;
  const int64_t matrices = x.tensor().size() / diagonal.length;
  const size_t width = size_of(type.dtype);
  const std::byte* from = x.tensor().data();
  for (int64_t m = 0; m < matrices; ++m) {
    const int64_t first = (m * rows + diagonal.row) * columns + diagonal.column;
    for (int64_t i = 0; i < diagonal.length; ++i, from += width) {
      std::memcpy(result.tensor().data() + static_cast<size_t>(first + i * (columns + 1)) * width, from, width);
    }
  }
  return result;
}

Value on_diagonal_transpose(RuleContext& rule, unsigned, const Residuals& residuals, const Value& cotangent) {
  return rule.reshape(diagonal(rule.builder(), cotangent, residuals.operands[1]), residuals.types[0].shape);
}

// Matrices lie along the last axes, examples along the first.
Value last_axes_batch(Builder& builder, Call& call, const Batching&) {
  return ops::call(builder, call.entry, call.args);
}
Value matrices_batch(Builder& builder, Call& call, const Batching& batching) {
  require_matrix(call, example_type(call, 0, batching));  // vectors, with the axis of examples, would be one
  return last_axes_batch(builder, call, batching);
}

Value diag_eager(Builder& builder, Call& call) {
  require_operand(builder, call, 0);
  const Type x = logical_type(call.args[0]);
  if (x.shape.rank() == 2) return diagonal(builder, std::move(call.args[0]), call.args[1]);
  if (x.shape.rank() != 1) fail(message("diag_rank"), {x.text()}, {label_of(call, 0)});
  expect_integer(call, 1);
  const Value away = ops::call(builder, handles().absolute, {call.args[1]});
  const Dim distance =
      is_integer(away) && integer_of(away) < 0 ? Dim(std::numeric_limits<int64_t>::max()) : builder.dim_of(away);
  const Value size = builder.extent(builder.add(x.shape[0], distance));
  return ops::call(builder, on_diagonal_entry(), {std::move(call.args[0]), call.args[1], size, size});
}

// --- triangles ---

Type triangle_type(ShapeBuilder&, const Call& call) { return matrix_operand(call); }

template <bool Lower>
Value triangle_eager(Builder& builder, Call& call) {
  matrix_operand(call);
  const Value x = contiguous(builder.pool(), call.args[0]);
  const Tensor& from = x.tensor();
  Value result = make_tensor(builder.pool(), from.dtype(), from.shape());
  if (from.size() == 0) return result;
  const int64_t rows = from.dim(from.rank() - 2), columns = from.dim(from.rank() - 1);
  const int64_t k = std::clamp(integer_argument(call, 1), -rows, columns);
  const size_t width = size_of(from.dtype());
  const auto copy = [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      // The row's elements left of `edge` are below the diagonal that bounds the triangle.
      const int64_t edge = std::clamp<int64_t>(row % rows + k + (Lower ? 1 : 0), 0, columns);
      const size_t start = static_cast<size_t>(row * columns) * width, split = static_cast<size_t>(edge) * width;
      const size_t rest = static_cast<size_t>(columns) * width - split;
      std::byte* to = result.tensor().data() + start;
      const std::byte* source = from.data() + start;
      if (Lower) {
        std::memcpy(to, source, split);
        std::memset(to + split, 0, rest);
      } else {
        std::memset(to, 0, split);
        std::memcpy(to + split, source + split, rest);
      }
    }
  };
  kernels::parallel_for(builder.context(), from.size() / columns, std::max<int64_t>(1, copy_grain / columns), copy);
  return result;
}

// Of a triangle of the cotangent nothing else reaches x.
template <bool Lower>
Value triangle_transpose(RuleContext& rule, unsigned, const Residuals& residuals, const Value& cotangent) {
  return rule.call(Lower ? tril_entry() : triu_entry(), {cotangent, residuals.operands[1]});
}

// --- meshgrid ---

Value meshgrid_eager(Builder& builder, Call& call) {
  const Value& indexing = call.args[1];
  const bool given = indexing.is(ObjectKind::string);
  const std::string_view text = given ? std::string_view(indexing.string().text) : indexing.is_none() ? "xy" : "";
  if (text != "xy" && text != "ij") fail_attribute(call, 1, "\"xy\" or \"ij\"");
  const unsigned rank = static_cast<unsigned>(call.rest.size());
  const unsigned first = static_cast<unsigned>(call.args.size());
  Shape whole;
  for (unsigned i = 0; i < rank; ++i) {
    require_operand(builder, call, first + i);
    const Type vector = logical_type(call.rest[i]);
    if (vector.shape.rank() > 1) fail(message("meshgrid_rank"), {vector.text()}, {label_of(call, first + i)});
    whole.push_back(vector.shape.empty() ? Dim(1) : vector.shape[0]);
  }
  const bool swapped = text == "xy" && rank > 1;  // x runs along the columns
  if (swapped) std::swap(whole[0], whole[1]);
  std::vector<Value> grids;
  for (unsigned i = 0; i < rank; ++i) {
    const unsigned axis = swapped && i < 2 ? 1 - i : i;
    Shape alone;
    for (unsigned j = 0; j < rank; ++j) alone.push_back(j == axis ? whole[axis] : Dim(1));
    grids.push_back(broadcast_to(builder, reshape(builder, std::move(call.rest[i]), alone), whole));
  }
  return make_tuple(std::move(grids));
}

}  // namespace

const Entry& diag_entry() {
  static const Entry entry{
      .name = "diag",
      .doc =
          "Of a matrix its diagonal, of a vector the square matrix that has it as its diagonal, zeros elsewhere: the "
          "`k`th above the main one (below it for negative k).",
      .parameters = {any_parameter("x"), attribute("k", int64_t{0})},
      .carries = true,
      .eager = diag_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[1.0, 2], [3, 4]]", .expected = "[1.0, 4]", .differentiate = true},
                  {.arguments = "[[1.0, 2, 3], [4, 5, 6]], 1", .expected = "[2.0, 6]", .differentiate = true},
                  {.arguments = "[[1.0, 2, 3], [4, 5, 6]], k=-1", .expected = "[4.0]"},
                  {.arguments = "[[1, 2], [3, 4]], 5", .expected = "i64(zeros(0))"},
                  {.arguments = "[1.0, 2]", .expected = "[[1.0, 0], [0, 2]]", .differentiate = true},
                  {.arguments = "[1.0, 2], -1",
                   .expected = "[[0.0, 0, 0], [1, 0, 0], [0, 2, 0]]",
                   .differentiate = true},
                  {.arguments = "[true], 1", .expected = "[[false, true], [false, false]]"},
                  {.arguments = "zeros(0), 1", .expected = "[[0.0]]"},
                  {.arguments = "zeros(0, 3)", .expected = "zeros(0)"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& tril_entry() {
  static const Entry entry{
      .name = "tril",
      .doc = "The lower triangle of the matrices along the last two axes, zeros above the `k`th diagonal.",
      .parameters = {tensor_parameter("x"), attribute("k", int64_t{0})},
      .carries = true,
      .type = triangle_type,
      .eager = triangle_eager<true>,
      .derivative = Derivative::linearly(1, triangle_transpose<true>),
      .batch = matrices_batch,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[1.0, 2], [3, 4]]", .expected = "[[1.0, 0], [3, 4]]", .differentiate = true},
                  {.arguments = "[[1.0, 2, 3], [4, 5, 6]], 1",
                   .expected = "[[1.0, 2, 0], [4, 5, 6]]",
                   .differentiate = true},
                  {.arguments = "[[[1, 2], [3, 4]], [[5, 6], [7, 8]]], -1",
                   .expected = "[[[0, 0], [3, 0]], [[0, 0], [7, 0]]]"},
                  {.arguments = "[[nan, inf]], -9", .expected = "[[0.0, 0]]"},
                  {.arguments = "zeros(0, 3)", .expected = "zeros(0, 3)"}},
  };
  return entry;
}

const Entry& triu_entry() {
  static const Entry entry{
      .name = "triu",
      .doc = "The upper triangle of the matrices along the last two axes, zeros below the `k`th diagonal.",
      .parameters = {tensor_parameter("x"), attribute("k", int64_t{0})},
      .carries = true,
      .type = triangle_type,
      .eager = triangle_eager<false>,
      .derivative = Derivative::linearly(1, triangle_transpose<false>),
      .batch = matrices_batch,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[1.0, 2], [3, 4]]", .expected = "[[1.0, 2], [0, 4]]", .differentiate = true},
                  {.arguments = "[[1.0, 2, 3], [4, 5, 6]], 1",
                   .expected = "[[0.0, 2, 3], [0, 0, 6]]",
                   .differentiate = true},
                  {.arguments = "[[1, 2], [3, 4], [5, 6]], -1", .expected = "[[1, 2], [3, 4], [0, 6]]"},
                  {.arguments = "[[1.0, 2]], 9", .expected = "[[0.0, 0]]"}},
  };
  return entry;
}

const Entry& meshgrid_entry() {
  static const Entry entry{
      .name = "meshgrid",
      .doc =
          "The coordinates of a grid: for each vector its numbers, spread over the grid of all, as a tuple.\n\n"
          "The first vector runs along the columns, the second along the rows (\"xy\"); with `indexing=\"ij\"` each "
          "runs along the axis of its number.",
      .parameters = {{.name = "vectors", .kind = ParameterKind::any, .required = false, .fallback = {}},
                     attribute("indexing", Value())},
      .variadic = true,
      .carries = true,
      .eager = meshgrid_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1, 2], [3, 4, 5]",
                   .expected = "([[1, 2], [1, 2], [1, 2]], [[3, 3], [4, 4], [5, 5]])"},
                  {.arguments = "[1.0, 2], [3.0, 4], indexing=\"ij\"",
                   .expected = "([[1.0, 1], [2, 2]], [[3.0, 4], [3, 4]])",
                   .differentiate = true},
                  {.arguments = "[1, 2], 3", .expected = "([[1, 2]], [[3, 3]])"},
                  {.arguments = "zeros(0), [1.0]", .expected = "(zeros(1, 0), zeros(1, 0))"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& diagonal_entry() {
  static const Entry entry{
      .name = "diagonal",
      .doc = "The `k`th diagonal of the matrices along the last two axes.",
      .parameters = {tensor_parameter("x"), attribute("k")},
      .carries = true,
      .type = diagonal_type,
      .eager = diagonal_eager,
      .derivative = Derivative::linearly(1, diagonal_transpose),
      .batch = matrices_batch,
      .internal = true,
  };
  return entry;
}

const Entry& on_diagonal_entry() {
  static const Entry entry{
      .name = "on_diagonal",
      .doc = "Matrices of zeros but for their `k`th diagonal, which is `x` along its last axis.",
      .parameters = {tensor_parameter("x"), attribute("k"), attribute("rows"), attribute("columns")},
      .carries = true,
      .type = on_diagonal_type,
      .eager = on_diagonal_eager,
      .derivative = Derivative::linearly(1, on_diagonal_transpose),
      .batch = last_axes_batch,
      .internal = true,
  };
  return entry;
}

Family create_matrix_entries() {
  static const Entry* const entries[] = {&diag_entry(),     &tril_entry(),     &triu_entry(),
                                         &meshgrid_entry(), &diagonal_entry(), &on_diagonal_entry()};
  return entries;
}

}  // namespace covec::ops
