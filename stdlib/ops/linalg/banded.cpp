// tridiagonal_solve and banded_solve: elimination with partial pivoting inside the band (Golub and Van Loan, "Matrix
// Computations", 4.3). Their derivatives are solves by the transposed band, and products along each of its diagonals.
#include <algorithm>
#include <cmath>

#include "stdlib/kernels/interrupt_polls.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/linalg/family.hpp"
#include "stdlib/ops/linalg/parts.hpp"
#include "stdlib/ops/reduce/scan.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

const Entry& tridiagonal_entry();
const Entry& banded_entry();

constexpr int64_t grain = 1 << 14;  // elements in a piece for a thread

// Along an axis, each element `by` places further, or back; zeros come in.
Value moved(RuleContext& rule, Value x, unsigned axis, int64_t by) {
  for (int64_t i = 0; i < std::abs(by); ++i) {
    x = rule.call(shift_entry(), {std::move(x), Value(int64_t{axis}), Value(int64_t{by > 0 ? 1 : -1}), Value(0.0)});
  }
  return x;
}

Value row_sums(RuleContext& rule, Value x) {
  return rule.call(handles().sum, {std::move(x), Value(int64_t{-1}), Value(false)});
}

void fail_where(const Call& call, const kernels::LowestIndex& wrong, int64_t count) {
  if (wrong.value() < 0) return;
  fail(message("singular"), {shown_name(call.entry), matrix_number(wrong.value(), count)}, {label_of(call, 0)});
}

// Rows of the right side, `width` numbers each.
template <class T>
struct Rows {
  T* at;
  int64_t width;
  T* operator[](int64_t i) const { return at + i * width; }
  void subtract(int64_t to, T factor, int64_t from) const {
    for (int64_t k = 0; k < width; ++k) (*this)[to][k] -= factor * (*this)[from][k];
  }
  void divide(int64_t row, T by) const {
    for (int64_t k = 0; k < width; ++k) (*this)[row][k] /= by;
  }
  void exchange(int64_t i, int64_t j) const {
    if (i != j) std::swap_ranges((*this)[i], (*this)[i] + width, (*this)[j]);
  }
};

// --- three diagonals ---

// `second` is room for the diagonal above du, which exchanges of rows fill. All but b is lost.
template <class T>
bool solve_three(T* dl, T* d, T* du, T* second, int64_t n, Rows<T> b) {
  for (int64_t i = 0; i + 1 < n; ++i) {
    second[i] = T(0);
    if (std::abs(d[i]) < std::abs(dl[i + 1])) {
      std::swap(d[i], dl[i + 1]);
      std::swap(du[i], d[i + 1]);
      second[i] = i + 2 < n ? du[i + 1] : T(0);
      if (i + 2 < n) du[i + 1] = T(0);
      b.exchange(i, i + 1);
    }
    if (d[i] == T(0)) return false;
    const T factor = dl[i + 1] / d[i];
    d[i + 1] -= factor * du[i];
    if (i + 2 < n) du[i + 1] -= factor * second[i];
    b.subtract(i + 1, factor, i);
  }
  if (n > 0 && d[n - 1] == T(0)) return false;
  for (int64_t i = n - 1; i >= 0; --i) {
    if (i + 1 < n) b.subtract(i, du[i], i + 1);
    if (i + 2 < n) b.subtract(i, second[i], i + 2);
    b.divide(i, d[i]);
  }
  return true;
}

Type tridiagonal_type(ShapeBuilder& shapes, const Call& call) {
  const Type b = matrix_operand(call, 3);
  const unsigned rank = b.shape.rank();
  for (unsigned i = 0; i < 3; ++i) {
    const Shape diagonal = operand_type(call, i).shape;
    if (diagonal.rank() + 1 != rank) fail_attribute(call, i, "a vector for each matrix of b");
    for (unsigned axis = 0; axis + 1 < rank; ++axis) {
      shapes.require_equal(diagonal[axis], b.shape[axis],
                           {&message("lengths_differ"),
                            [](const void*, int64_t x, int64_t y) -> std::vector<std::string> {
                              return {"tridiagonal_solve", "the diagonals", "b", std::to_string(x), std::to_string(y)};
                            },
                            nullptr, nullptr});
    }
  }
  return b;
}

Value tridiagonal_eager(Builder& builder, Call& call) {
  const Type type = tridiagonal_type(builder, call);
  Stack x = Stack::of(builder, call.args[3], type.dtype, true);
  const int64_t n = x.rows;
  Value diagonals[3];
  for (unsigned i = 0; i < 3; ++i) diagonals[i] = contiguous(builder.pool(), call.args[i]);
  kernels::LowestIndex wrong;
  with_float(type.dtype, [&](auto element) {
    using T = decltype(element);
    const Scratch room = numbers<T>(builder, 4 * n * x.count);
    const int64_t each = std::max<int64_t>(1, grain / std::max<int64_t>(1, n * (x.columns + 3)));
    kernels::parallel_for(builder.context(), x.count, each, [&](int64_t begin, int64_t end) {
      for (int64_t number = begin; number < end; ++number) {
        T* own = room.as<T>() + 4 * n * number;
        for (int64_t i = 0; i < 3; ++i) {
          std::copy_n(diagonals[i].tensor().template as<T>() + n * number, n, own + i * n);
        }
        if (!solve_three(own, own + n, own + 2 * n, own + 3 * n, n, Rows<T>{x.at<T>(number), x.columns}))
          wrong.report(number);
      }
    });
  });
  fail_where(call, wrong, x.count);
  return std::move(x.value);
}

Value solve_tridiagonal(RuleContext& rule, const Value& dl, const Value& d, const Value& du, const Value& b) {
  return rule.call(tridiagonal_entry(), {dl, d, du, b});
}

Value tridiagonal_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const Matrices m(rule.builder());
  const unsigned rows = residuals.types[3].shape.rank() - 2;
  Value right = tangents[3];
  for (unsigned i = 0; i < 3; ++i) {
    if (tangents[i].is_none()) continue;
    const Value x = moved(rule, *residuals.result, rows, 1 - static_cast<int64_t>(i));
    Value part = rule.mul(m.as_column(tangents[i]), x);
    right = right.is_none() ? rule.neg(std::move(part)) : rule.sub(std::move(right), std::move(part));
  }
  if (right.is_none()) return right;
  return solve_tridiagonal(rule, residuals.operands[0], residuals.operands[1], residuals.operands[2], right);
}

void tridiagonal_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  const unsigned rows = residuals.types[3].shape.rank() - 2;
  const Value below = moved(rule, residuals.operands[2], rows, 1), above = moved(rule, residuals.operands[0], rows, -1);
  Value of_b = solve_tridiagonal(rule, below, residuals.operands[1], above, cotangent);
  for (unsigned i = 0; i < 3; ++i) {
    if (!out.wants(i)) continue;
    const Value x = moved(rule, *residuals.result, rows, 1 - static_cast<int64_t>(i));
    out.add(i, rule.neg(row_sums(rule, rule.mul(of_b, x))));
  }
  if (out.wants(3)) out.add(3, std::move(of_b));
}

template <unsigned operands>
Value stacks_batch(Builder& builder, Call& call, const Batching& batching) {
  for (unsigned i = 0; i < operands; ++i) {
    call.args[i] = with_batch_axis(builder, std::move(call.args[i]), batching.batched[i], batching.size);
  }
  return ops::call(builder, call.entry, call.args);
}

// All operands of one float dtype; b as columns.
bool prepare(Builder& builder, Call& call, unsigned first, unsigned b, unsigned rank_of_vector) {
  Dtype dtype = operand_of(builder, call, b).dtype;
  for (unsigned i = first; i < b; ++i) dtype = product_dtype(dtype, operand_of(builder, call, i).dtype);
  for (unsigned i = first; i <= b; ++i) call.args[i] = cast_to(builder, std::move(call.args[i]), float_dtype(dtype));
  const bool vector = logical_type(call.args[b]).shape.rank() == rank_of_vector;
  if (vector) call.args[b] = Matrices(builder).as_column(std::move(call.args[b]));
  return vector;
}

Value tridiagonal_solve_eager(Builder& builder, Call& call) {
  const unsigned rank = operand_of(builder, call, 1).shape.rank();
  if (rank == 0) fail_attribute(call, 1, "a vector");
  const bool vector = prepare(builder, call, 0, 3, rank);
  Value x = ops::call(builder, tridiagonal_entry(), {call.args[0], call.args[1], call.args[2], call.args[3]});
  return vector ? Matrices(builder).without_column(std::move(x)) : x;
}

// --- bands ---

// Operand numbers, in the order of the banded entry's parameters.
constexpr unsigned of_below = 2, of_above = 3, of_trans = 4;

struct Band {
  int64_t below, above;
  explicit Band(const Call& call) : below(integer_argument(call, of_below)), above(integer_argument(call, of_above)) {}
};

// Row i of a matrix from column i − below on, with room for what exchanges of rows put behind its end.
template <class T>
struct BandRows {
  T* at;
  int64_t n, below, above;
  int64_t width() const { return 2 * below + above + 1; }
  T& operator()(int64_t i, int64_t j) const { return at[i * width() + j - i + below]; }
  int64_t end(int64_t i) const { return std::min(n, i + below + above + 1); }
};

template <class T>
void read_band(const T* ab, const Band& band, bool trans, const BandRows<T>& a) {
  std::fill_n(a.at, a.n * a.width(), T(0));
  for (int64_t row = 0; row <= band.below + band.above; ++row) {
    const int64_t offset = band.above - row;  // column less row
    for (int64_t j = std::max<int64_t>(0, offset); j < std::min(a.n, a.n + offset); ++j) {
      const T element = ab[row * a.n + j];
      (trans ? a(j, j - offset) : a(j - offset, j)) = element;
    }
  }
}

// A piece that is to end leaves its work undone.
template <class T>
bool solve_band(kernels::InterruptPolls& polls, const BandRows<T>& a, Rows<T> b) {
  for (int64_t i = 0; i < a.n; ++i) {
    if (polls.stop((a.below + 1) * (a.below + a.above + b.width + 1))) return true;
    const int64_t last = std::min(a.n - 1, i + a.below), end = a.end(i);
    int64_t best = i;
    for (int64_t r = i + 1; r <= last; ++r) best = std::abs(a(r, i)) > std::abs(a(best, i)) ? r : best;
    if (a(best, i) == T(0)) return false;
    if (best != i) {
      for (int64_t j = i; j < end; ++j) std::swap(a(i, j), a(best, j));
      b.exchange(i, best);
    }
    for (int64_t r = i + 1; r <= last; ++r) {
      const T factor = a(r, i) / a(i, i);
      if (factor == T(0)) continue;
      for (int64_t j = i + 1; j < end; ++j) a(r, j) -= factor * a(i, j);
      b.subtract(r, factor, i);
    }
  }
  for (int64_t i = a.n - 1; i >= 0; --i) {
    if (polls.stop((a.end(i) - i) * b.width)) return true;
    for (int64_t j = i + 1; j < a.end(i); ++j) b.subtract(i, a(i, j), j);
    b.divide(i, a(i, i));
  }
  return true;
}

Type banded_type(ShapeBuilder& shapes, const Call& call) {
  const Type ab = matrix_operand(call, 0), b = matrix_operand(call, 1);
  const unsigned rank = b.shape.rank();
  const Band band(call);
  if (ab.shape.rank() != rank) fail_attribute(call, 0, "a matrix for each matrix of b");
  const auto bands = [](const void* self, int64_t, int64_t rows) -> std::vector<std::string> {
    return {std::to_string(*static_cast<const int64_t*>(self)), std::to_string(rows)};
  };
  const int64_t count = band.below + band.above + 1;
  shapes.require_equal(Dim(count), ab.shape[rank - 2], {&message("bands"), bands, nullptr, &count});
  const auto lengths = [](const void*, int64_t x, int64_t y) -> std::vector<std::string> {
    return {"banded_solve", "ab", "b", std::to_string(x), std::to_string(y)};
  };
  shapes.require_equal(ab.shape[rank - 1], b.shape[rank - 2], {&message("lengths_differ"), lengths, nullptr, nullptr});
  for (unsigned i = 0; i + 2 < rank; ++i) {
    shapes.require_equal(ab.shape[i], b.shape[i], {&message("lengths_differ"), lengths, nullptr, nullptr});
  }
  return b;
}

Value banded_eager(Builder& builder, Call& call) {
  const Type type = banded_type(builder, call);
  const Band band(call);
  const bool trans = flag_argument(call, of_trans);
  Stack x = Stack::of(builder, call.args[1], type.dtype, true);
  const Value ab = contiguous(builder.pool(), call.args[0]);
  const int64_t n = x.rows, bands = band.below + band.above + 1;
  kernels::LowestIndex wrong;
  with_float(type.dtype, [&](auto element) {
    using T = decltype(element);
    const int64_t below = trans ? band.above : band.below, above = trans ? band.below : band.above;
    const int64_t size = n * (2 * below + above + 1);
    const Scratch room = numbers<T>(builder, size * x.count);
    const int64_t each = std::max<int64_t>(1, grain / std::max<int64_t>(1, size + n * x.columns));
    kernels::parallel_for(builder.context(), x.count, each, [&](int64_t begin, int64_t end) {
      kernels::InterruptPolls polls(builder.context());
      for (int64_t number = begin; number < end; ++number) {
        const BandRows<T> rows{room.as<T>() + size * number, n, below, above};
        read_band(ab.tensor().template as<T>() + bands * n * number, band, trans, rows);
        if (!solve_band(polls, rows, Rows<T>{x.at<T>(number), x.columns})) wrong.report(number);
      }
    });
  });
  fail_where(call, wrong, x.count);
  return std::move(x.value);
}

Value solve_banded(RuleContext& rule, const Residuals& residuals, Value b, bool adjoint) {
  return rule.call(banded_entry(),
                   {residuals.operands[0], std::move(b), residuals.operands[of_below], residuals.operands[of_above],
                    Value(residuals.operands[of_trans].boolean() != adjoint)});
}

// Diagonal `offset` of a matrix stands in row `above − offset`; its element in column j meets x[j] and row j − offset
// of the result, or the other way round in the transposed matrix.
Value banded_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const Matrices m(rule.builder());
  const Call call = residual_call(banded_entry(), residuals);
  const Band band(call);
  const bool trans = flag_argument(call, of_trans);
  const unsigned rows = residuals.types[1].shape.rank() - 2;
  Value right = tangents[1];
  for (int64_t offset = -band.below; offset <= band.above && !tangents[0].is_none(); ++offset) {
    const Value diagonal = m.as_column(Steps(rule.builder()).take(tangents[0], rows, Value(band.above - offset)));
    Value part = trans ? rule.mul(diagonal, moved(rule, *residuals.result, rows, offset))
                       : moved(rule, rule.mul(diagonal, *residuals.result), rows, -offset);
    right = right.is_none() ? rule.neg(std::move(part)) : rule.sub(std::move(right), std::move(part));
  }
  return right.is_none() ? right : solve_banded(rule, residuals, std::move(right), false);
}

void banded_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  const Call call = residual_call(banded_entry(), residuals);
  const Band band(call);
  const unsigned rows = residuals.types[1].shape.rank() - 2;
  Value of_b = solve_banded(rule, residuals, std::move(cotangent), true);
  if (out.wants(0)) {
    const bool trans = flag_argument(call, of_trans);
    const Value &left = trans ? *residuals.result : of_b, &right = trans ? of_b : *residuals.result;
    std::vector<Value> diagonals;
    for (int64_t offset = band.above; offset >= -band.below; --offset) {
      diagonals.push_back(rule.neg(row_sums(rule, rule.mul(moved(rule, left, rows, offset), right))));
    }
    out.add(0, stack(rule.builder(), diagonals, rows));
  }
  if (out.wants(1)) out.add(1, std::move(of_b));
}

Value banded_solve_eager(Builder& builder, Call& call) {
  const Integers given = integers_argument(call, 0);
  constexpr int64_t most = 10000;  // diagonals on a side, as the message says
  if (given.size() != 2 || given[0] < 0 || given[1] < 0 || given[0] > most || given[1] > most)
    fail_attribute(call, 0, "a pair of numbers of diagonals, 0 to 10000: below and above the main one");
  const unsigned rank = operand_of(builder, call, 1).shape.rank();
  if (rank < 2) fail_attribute(call, 1, "a matrix of diagonals");
  const bool vector = prepare(builder, call, 1, 2, rank - 1);
  Value x =
      ops::call(builder, banded_entry(), {call.args[1], call.args[2], Value(given[0]), Value(given[1]), Value(false)});
  return vector ? Matrices(builder).without_column(std::move(x)) : x;
}

const Entry& tridiagonal_entry() {
  static const Entry entry{
      .name = "solve_tridiagonal",
      .doc = "x with a @ x = b for three diagonals, of stacks of one shape.",
      .parameters = {tensor_parameter("dl"), tensor_parameter("d"), tensor_parameter("du"), tensor_parameter("b")},
      .type = tridiagonal_type,
      .eager = tridiagonal_eager,
      .derivative = Derivative::by_hand(7 | Derivative::result_bit | guarded, tridiagonal_jvp, tridiagonal_vjp),
      .batch = stacks_batch<4>,
      .effects = {.may_fail = true},
      .internal = true,
      .part_of = "tridiagonal_solve"};
  return entry;
}

const Entry& banded_entry() {
  static const Entry entry{
      .name = "solve_bands",
      .doc = "x with a @ x = b for the diagonals of a, of stacks of one shape.",
      .parameters = {tensor_parameter("ab"), tensor_parameter("b"), attribute("below"), attribute("above"),
                     attribute("trans")},
      .type = banded_type,
      .eager = banded_eager,
      .derivative = Derivative::by_hand(1 | Derivative::result_bit | guarded, banded_jvp, banded_vjp),
      .batch = stacks_batch<2>,
      .effects = {.may_fail = true},
      .internal = true,
      .part_of = "banded_solve"};
  return entry;
}

const Entry& tridiagonal_solve_entry() {
  static const Entry entry{
      .name = "tridiagonal_solve",
      .doc =
          "x with `a @ x = b` for a matrix of three diagonals, each of n elements: `dl[i]` is a[i, i − 1] (dl[0] is "
          "not "
          "read), `d[i]` is a[i, i], `du[i]` is a[i, i + 1] (the last one is not read).\n\n"
          "`b` is a vector or a matrix of columns; all may be stacks of one shape. Elimination with partial pivoting, "
          "n steps; a pivot of exactly 0 is an error.",
      .parameters = {any_parameter("dl"), any_parameter("d"), any_parameter("du"), any_parameter("b")},
      .eager = tridiagonal_solve_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[0.0, 1.0, 1.0], [2.0, 4.0, 3.0], [1.0, 2.0, 0.0], [4.0, 15.0, 11.0]",
                   .expected = "[1.0, 2.0, 3.0]",
                   .source = "jax",
                   .ulp = 4,
                   .differentiate = true},
                  {.arguments = "[0.0, 1.0], [2.0, 4.0], [1.0, 0.0], [4.0, 9.0]",
                   .expected = "[1.0, 2.0]",
                   .source = "the definition",
                   .differentiate = true},
                  {.arguments = "[0.0], [4.0], [0.0], [8.0]", .expected = "[2.0]", .source = "jax"}},
      .staging = Staging::structural};
  return entry;
}

const Entry& banded_solve_entry() {
  static const Entry entry{
      .name = "banded_solve",
      .doc =
          "x with `a @ x = b` for a matrix that is 0 but on `bands` = (l, u) diagonals below and above the main one, "
          "which are the rows of `ab`: `ab[u + i − j, j]` is a[i, j] (SciPy's solve_banded). Places outside of a are "
          "not read.\n\n"
          "`b` is a vector or a matrix of columns; both may be stacks of one shape. Elimination with partial pivoting; "
          "a pivot of exactly 0 is an error.",
      .parameters = {attribute("bands"), any_parameter("ab"), any_parameter("b")},
      .eager = banded_solve_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "(1, 1), [[0.0, 1.0, 2.0], [2.0, 4.0, 3.0], [1.0, 1.0, 0.0]], [4.0, 15.0, 11.0]",
                   .expected = "[1.0, 2.0, 3.0]",
                   .source = "scipy",
                   .ulp = 4,
                   .differentiate = true},
                  {.arguments = "(2, 0), [[2.0, 1.0, 4.0], [1.0, 3.0, 9.0], [5.0, 9.0, 9.0]], [[2.0], [3.0], [15.0]]",
                   .expected = "[[1.0], [2.0], [1.0]]",
                   .source = "scipy",
                   .differentiate = true},
                  {.arguments = "(0, 0), [[2, 4]], [6, 8]", .expected = "[3.0, 2.0]", .source = "scipy"}},
      .staging = Staging::structural};
  return entry;
}

}  // namespace

Family linalg_banded_entries() {
  static const Entry* const entries[] = {&tridiagonal_solve_entry(), &banded_solve_entry(), &tridiagonal_entry(),
                                         &banded_entry()};
  return entries;
}

}  // namespace covec::ops
