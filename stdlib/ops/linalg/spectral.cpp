// svd and eigh. Inside, a decomposition's parts are one tensor, side by side, so it is computed once and has one
// derivative. The builtin takes them apart. Derivatives: Townsend, "Differentiating the singular value decomposition"
// (2016). Equal singular values or eigenvalues: equal_values.hpp.
#include <algorithm>
#include <cmath>
#include <limits>

#include "stdlib/decompositions/decompose.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/linalg/equal_values.hpp"
#include "stdlib/ops/linalg/family.hpp"
#include "stdlib/ops/linalg/fields.hpp"
#include "stdlib/ops/patterns/patterns.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

// x[..., from:] or x[..., :to] along the last axis.
Value last_axis_part(Builder& builder, Value x, const Value* from, const Value* to) {
  IndexSpec spec;
  spec.push(IndexSpec::Item::ellipsis);
  spec.push(IndexSpec::Item::slice, from != nullptr, to != nullptr);
  std::vector<Value> items;
  for (const Value* bound : {from, to}) {
    if (bound != nullptr) items.push_back(*bound);
  }
  return index_read(builder, std::move(x), Value(spec.packed()), items);
}

// Forward rules know no limits: equal values get a warning.
PairQuotient untold(Builder& builder, const Value& denominator, const Value& numerator, const Value& pairs) {
  const Value zeros = ops::zeros(builder, logical_type(numerator));
  return {numerator, denominator, zeros, pairs, numerator, false};
}

Value antisymmetric(const Matrices& m, const Value& x) { return m.sub(x, m.transposed(x)); }

// --- svd ---

// Rows of Uᵀ, s and Vᵀ side by side, as many as the larger of them has (zeros below the others): with k = min(m, n)
// k × (m + 1 + n), or max(m, n) × (m + 1 + n) where full.
Type packed_svd_type(ShapeBuilder& shapes, const Call& call) {
  Type type = matrix_operand(call, 0);
  const unsigned rank = type.shape.rank();
  const Dim m = type.shape[rank - 2], n = type.shape[rank - 1];
  type.dtype = float_dtype(type.dtype);
  type.shape[rank - 2] = flag_argument(call, 1) ? larger(shapes, m, n) : smaller(shapes, m, n);
  type.shape[rank - 1] = shapes.add(shapes.add(m, Dim(1)), n);
  return type;
}

Value packed_svd_eager(Builder& builder, Call& call) {
  const Type type = call.entry.type(builder, call);
  const bool full = flag_argument(call, 1);
  Stack a = Stack::of(builder, call.args[0], type.dtype, false);
  Stack packed = Stack::empty(builder, type.dtype, type.shape);
  const int64_t m = a.rows, n = a.columns, k = std::min(m, n), width = m + 1 + n;
  const int64_t us = full ? m : k, vs = full ? n : k;
  with_float(type.dtype, [&](auto element) {
    using T = decltype(element);
    const Scratch ut = numbers<T>(builder, us * m), s = numbers<T>(builder, k), vt = numbers<T>(builder, vs * n);
    for (int64_t number = 0; number < a.count; ++number) {
      T* const out = packed.at<T>(number);
      if (!kernels::decompose_svd(builder.context(), a.at<T>(number), m, n, full, ut.as<T>(), s.as<T>(), vt.as<T>()))
        fail_decomposition(call, number, a.count);
      std::fill_n(out, packed.rows * width, T(0));
      put_columns(out, width, 0, ut.as<T>(), us, m);
      put_columns(out, width, m, s.as<T>(), k, 1);
      put_columns(out, width, m + 1, vt.as<T>(), vs, n);
    }
  });
  return std::move(packed.value);
}

struct SvdParts {
  Value u, s, vt;
};
SvdParts svd_parts(Builder& builder, const Value& packed, const Type& a) {
  const Matrices m(builder);
  const unsigned rank = a.shape.rank();
  const Dim rows = a.shape[rank - 2], columns = a.shape[rank - 1];
  return {m.transposed(m.columns(packed, Dim(0), rows)), m.without_column(m.columns(packed, rows, Dim(1))),
          m.columns(packed, builder.add(rows, Dim(1)), columns)};
}

// x − b·(bᵀ·x): what of x the columns of b do not span.
Value outside(const Matrices& m, const Value& b, const Value& x) {
  return m.sub(x, m.product(b, m.product(m.transposed(b), x)));
}

}  // namespace

// A full one is square when it has a derivative, which the run of a compiled function knows.
void require_reduced_svd(Builder& builder, const Residuals& residuals, unsigned operand) {
  if (!residuals.operands[operand].boolean()) return;
  if (!builder.is_eager()) fail_not_staged("the derivative of a full svd");
  fail(message("wide_derivative"));
}

namespace {

Value svd_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  Builder& builder = rule.builder();
  require_reduced_svd(builder, residuals, 1);
  const Matrices m(builder);
  const SvdParts svd = svd_parts(builder, *residuals.result, residuals.types[0]);
  const Value v = m.transposed(svd.vt), row = m.as_row(svd.s), column = m.as_column(svd.s);
  const Value squares = m.mul(svd.s, svd.s), inverse = m.as_row(inverse_or_zero(builder, svd.s));
  const Value gaps = m.sub(m.as_row(squares), m.as_column(squares));
  const Value p = m.product(m.product(m.transposed(svd.u), tangents[0]), v);
  const Value pairs = EqualValues(builder, svd.s, true).pairs;
  const auto mixed = [&](const Value& numerator) {
    return quotient_of_pairs(rule, "svd", untold(builder, gaps, numerator, pairs));
  };
  const Value mix_u = mixed(m.add(m.mul(p, row), m.mul(column, m.transposed(p))));
  const Value mix_v = mixed(m.add(m.mul(column, p), m.mul(m.transposed(p), row)));
  const Value du = m.add(m.product(svd.u, mix_u), m.mul(outside(m, svd.u, m.product(tangents[0], v)), inverse));
  const Value dv =
      m.add(m.product(v, mix_v), m.mul(outside(m, v, m.product(m.transposed(tangents[0]), svd.u)), inverse));
  Value parts[3] = {m.transposed(du), m.as_column(m.diagonal(p)), m.transposed(dv)};
  return concat(builder, parts, rank_of_value(parts[0]) - 1);
}

// What the compiler cannot know: whether values are equal.
void require_eager(Builder& builder, std::string_view what) {
  if (!builder.is_eager()) fail_not_staged("the derivative of " + std::string(what) + "'s vectors");
}

// The reverse rule: u, s and vt, what is given for them, and the same along the movement of equal values.
struct SvdRule {
  RuleContext& rule;
  Builder& builder = rule.builder();
  Matrices m{builder};
  SvdParts svd, plain, along;
  EqualValues equal;
  bool open;

  SvdRule(RuleContext& context, const Residuals& residuals, const Along& given)
      : rule(context),
        svd(svd_parts(builder, *residuals.result, residuals.types[0])),
        plain(svd_parts(builder, given.plain, residuals.types[0])),
        along(svd_parts(builder, given.tangent, residuals.types[0])),
        equal(builder, svd.s, true),
        open(given.open) {}

  Value turn_u(const SvdParts& given) const { return antisymmetric(m, m.product(m.transposed(svd.u), given.u)); }
  Value turn_v(const SvdParts& given) const { return antisymmetric(m, m.product(svd.vt, m.transposed(given.vt))); }
  Value weighted(const Value& of_u, const Value& of_v, const Value& s) const {
    return m.add(m.mul(of_u, m.as_row(s)), m.mul(m.as_column(s), of_v));
  }
  Value differences(const Value& x) const { return m.sub(m.as_row(x), m.as_column(x)); }
  Value where_zero(const Value& zero, const Value& then, const Value& otherwise) const {
    const Value is = ops::call(builder, handles().not_equal, {zero, m.number(0, logical_type(zero).dtype)});
    return ops::call(builder, handles().where, {is, then, otherwise});
  }

  // The part inside of the spaces of u and v: turns of them by pairs. Among values that are zero numerator and
  // denominator vanish to the second order.
  Value turns() const {
    const Value of_u = turn_u(plain), of_v = turn_v(plain), moved_u = turn_u(along), moved_v = turn_v(along);
    const Value numerator = weighted(of_u, of_v, svd.s), denominator = differences(m.mul(svd.s, svd.s));
    const Value first = m.add(weighted(moved_u, moved_v, svd.s), weighted(of_u, of_v, equal.apart));
    const Value by = m.mul(differences(m.mul(svd.s, equal.apart)), m.number(2, logical_type(svd.s).dtype));
    const Value second = weighted(moved_u, moved_v, equal.apart);
    const Value by_second = differences(m.mul(equal.apart, equal.apart));
    const Value zeros = m.mul(m.as_row(equal.zero), m.as_column(equal.zero));
    const Value limit = where_zero(zeros, m.mul(second, inverse_or_zero(builder, by_second)),
                                   m.mul(first, inverse_or_zero(builder, by)));
    const Value touched = m.add(m.product(m.transposed(svd.u), plain.u), m.product(svd.vt, m.transposed(plain.vt)));
    return quotient_of_pairs(rule, "svd", {numerator, denominator, limit, equal.pairs, touched, open});
  }

  // x·diag(1/s), where x is what is given for vectors, outside of their space; where s is zero the limit.
  Value over_values(const Value& space, const Value& given, const Value& moved) const {
    const Value plainly = m.mul(outside(m, space, given), m.as_row(inverse_or_zero(builder, svd.s)));
    if (!open) return plainly;
    const Value limit = m.mul(outside(m, space, moved), m.as_row(inverse_or_zero(builder, equal.apart)));
    return where_zero(m.as_row(equal.zero), limit, plainly);
  }
};

void svd_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  Builder& builder = rule.builder();
  require_reduced_svd(builder, residuals, 1);
  require_eager(builder, "svd");
  const SvdRule svd(rule, residuals, along_split(rule, residuals, cotangent));
  const Matrices& m = svd.m;
  const Value v = m.transposed(svd.svd.vt), turns = svd.turns();
  const Type square = logical_type(turns);
  const Value on = m.mul(m.as_column(svd.plain.s), m.eye(square.shape[square.shape.rank() - 1], square.dtype));
  const Value inside = m.product(m.product(svd.svd.u, m.add(turns, on)), svd.svd.vt);
  const Value left = m.product(svd.over_values(svd.svd.u, svd.plain.u, svd.along.u), svd.svd.vt);
  const Value right =
      m.product(svd.svd.u, m.transposed(svd.over_values(v, m.transposed(svd.plain.vt), m.transposed(svd.along.vt))));
  out.add(0, m.add(m.add(inside, left), right));
}

}  // namespace

const Entry& packed_svd_entry() {
  static const Entry entry{
      .name = "packed_svd",
      .doc = "Uᵀ, s and Vᵀ of svd, side by side.",
      .parameters = {tensor_parameter("a"), attribute("full", Value(false)), attribute("split", Value(int64_t{-1}))},
      .type = packed_svd_type,
      .eager = packed_svd_eager,
      .derivative = Derivative::by_hand(Derivative::result_bit | guarded, svd_jvp, svd_vjp),
      .batch = stack_batch,
      .pattern = pattern_of_blocks<2>,
      .effects = {.may_fail = true},
      .samples =
          {{.arguments = "[[3.0, 0.0], [0.0, 2.0]]",
            .expected = "[[1.0, 0.0, 3.0, 1.0, 0.0], [0.0, 1.0, 2.0, 0.0, 1.0]]",
            .differentiate = true},
           {.arguments = "[[3.0, 1.0], [0.5, 2.0], [1.0, -1.0]]",
            .expected =
                "[[0.9094148703832845, 0.396705488972942, 0.1248573127393533, 3.435310799980576, 0.8882616002001715, "
                "0.4593379252901185], [-0.23220028957375277, 0.733391335002558, -0.6389211025353844, "
                "2.109179866094121, "
                "-0.4593379252901185, 0.8882616002001715]]",
            .ulp = 8,
            .differentiate = true}},
      .internal = true,
      .part_of = "svd"};
  return entry;
}

namespace {

Value svd_eager(Builder& builder, Call& call) {
  require_operand(builder, call, 0);
  const Type type = matrix_operand(call, 0);
  const unsigned rank = type.shape.rank();
  const Dim m = type.shape[rank - 2], n = type.shape[rank - 1];
  const bool full = flag_argument(call, 1) && m != n;
  const Value a = cast_to(builder, std::move(call.args[0]), float_dtype(type.dtype));
  const auto decompose = [](Builder& b, const Value& matrix, Value level, bool whole) {
    return ops::call(b, packed_svd_entry(), {matrix, Value(whole), std::move(level)});
  };
  const Value packed = decomposed_apart(builder, {"svd", decompose, full, true}, a, m);
  SvdParts parts = svd_parts(builder, packed, type);
  if (full) {
    // min(m, n) is m + n without the larger of them.
    const Value height = builder.extent(logical_type(packed).shape[rank - 2]);
    const Value both = ops::call(builder, handles().add, {builder.extent(m), builder.extent(n)});
    const Value k = ops::call(builder, handles().subtract, {both, height});
    parts = {narrow(builder, parts.u, rank - 1, Dim(0), m), last_axis_part(builder, parts.s, nullptr, &k),
             narrow(builder, parts.vt, rank - 2, Dim(0), n)};
  }
  return make_tuple({parts.u, parts.s, parts.vt});
}

Value complex_svd(Builder& builder, Call& call) {
  ComplexMatrix a;
  const Type type = parts_type(builder, call, a, false);
  const Matrices m(builder);
  const Dim rows = rows_dim(type), columns = last_dim(type);
  const bool full = flag_argument(call, 1) && rows != columns;
  const Value packed = ops::call(builder, packed_complex_svd_entry(), {a.re, a.im, Value(full)});
  const auto u = [&](Dim at) { return m.transposed(m.columns(packed, at, rows)); };
  const Dim of_s = builder.add(rows, rows), of_v = builder.add(of_s, Dim(1));
  ComplexMatrix left{u(Dim(0)), u(rows)};
  ComplexMatrix right{m.columns(packed, of_v, columns), m.columns(packed, builder.add(of_v, columns), columns)};
  Value s = m.without_column(m.columns(packed, of_s, Dim(1)));
  if (full) {
    // Each has as many vectors as the larger of them; min(m, n) is m + n without that.
    const unsigned rank = type.shape.rank();
    const Dim height = logical_type(packed).shape[rank - 2];
    const auto part = [&](Value& x, unsigned axis, Dim size) { x = narrow(builder, x, axis, Dim(0), size); };
    part(left.re, rank - 1, rows);
    part(left.im, rank - 1, rows);
    part(s, rank - 2, Steps(builder).without(builder.add(rows, columns), height));
    part(right.re, rank - 2, columns);
    part(right.im, rank - 2, columns);
  }
  return make_tuple({value_of(builder, left), s, value_of(builder, right)});
}

// --- eigh ---

// w beside the rows of Vᵀ: n × (1 + n).
Type packed_eigh_type(ShapeBuilder& shapes, const Call& call) {
  Type type = square_operand(shapes, call, 0);
  const unsigned last = type.shape.rank() - 1;
  type.dtype = float_dtype(type.dtype);
  type.shape[last] = shapes.add(type.shape[last], Dim(1));
  return type;
}

Value packed_eigh_eager(Builder& builder, Call& call) {
  const Type type = call.entry.type(builder, call);
  Stack a = Stack::of(builder, call.args[0], type.dtype, true);
  Stack packed = Stack::empty(builder, type.dtype, type.shape);
  const int64_t n = a.rows;
  with_float(type.dtype, [&](auto element) {
    using T = decltype(element);
    const Scratch w = numbers<T>(builder, n), vt = numbers<T>(builder, n * n);
    for (int64_t number = 0; number < a.count; ++number) {
      take_symmetric_part(call, a.at<T>(number), n, number, a.count);
      if (!kernels::decompose_eigh(builder.context(), a.at<T>(number), n, w.as<T>(), vt.as<T>()))
        fail_decomposition(call, number, a.count);
      put_columns(packed.at<T>(number), n + 1, 0, w.as<T>(), n, 1);
      put_columns(packed.at<T>(number), n + 1, 1, vt.as<T>(), n, n);
    }
  });
  return std::move(packed.value);
}

struct EighParts {
  Value w, v;
};
EighParts eigh_parts(Builder& builder, const Value& packed, const Type& a) {
  const Matrices m(builder);
  const Dim n = a.shape[a.shape.rank() - 1];
  return {m.without_column(m.columns(packed, Dim(0), Dim(1))), m.transposed(m.columns(packed, Dim(1), n))};
}

Value eigh_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  Builder& builder = rule.builder();
  const Matrices m(builder);
  const EighParts eigh = eigh_parts(builder, *residuals.result, residuals.types[0]);
  const Value p = m.product(m.product(m.transposed(eigh.v), m.symmetric(tangents[0])), eigh.v);
  const Value mixed = quotient_of_pairs(
      rule, "eigh",
      untold(builder, m.sub(m.as_row(eigh.w), m.as_column(eigh.w)), p, EqualValues(builder, eigh.w, false).pairs));
  const Value dv = m.product(eigh.v, mixed);
  Value parts[2] = {m.as_column(m.diagonal(p)), m.transposed(dv)};
  return concat(builder, parts, rank_of_value(parts[1]) - 1);
}

void eigh_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  Builder& builder = rule.builder();
  require_eager(builder, "eigh");
  const Matrices m(builder);
  const EighParts eigh = eigh_parts(builder, *residuals.result, residuals.types[0]);
  const Along given = along_split(rule, residuals, cotangent);
  const EighParts plain = eigh_parts(builder, given.plain, residuals.types[0]);
  const EighParts tangent = eigh_parts(builder, given.tangent, residuals.types[0]);
  const EqualValues equal(builder, eigh.w, false);
  const Value vt = m.transposed(eigh.v), two = m.number(2, residuals.result_type->dtype);
  const auto twice_gaps = [&](const Value& x) { return m.mul(m.sub(m.as_row(x), m.as_column(x)), two); };
  const Value of_v = m.product(vt, plain.v), moved = antisymmetric(m, m.product(vt, tangent.v));
  const Value limit = m.mul(moved, inverse_or_zero(builder, twice_gaps(equal.apart)));
  const Value mixed = quotient_of_pairs(
      rule, "eigh", {antisymmetric(m, of_v), twice_gaps(eigh.w), limit, equal.pairs, of_v, given.open});
  const Dim n = residuals.types[0].shape[residuals.types[0].shape.rank() - 1];
  const Value middle = m.add(mixed, m.mul(m.as_column(plain.w), m.eye(n, residuals.result_type->dtype)));
  out.add(0, m.symmetric(m.product(m.product(eigh.v, middle), vt)));
}

}  // namespace

const Entry& packed_eigh_entry() {
  static const Entry entry{.name = "packed_eigh",
                           .doc = "w and Vᵀ of eigh, side by side.",
                           .parameters = {tensor_parameter("a"), attribute("split", Value(int64_t{-1}))},
                           .type = packed_eigh_type,
                           .eager = packed_eigh_eager,
                           .derivative = Derivative::by_hand(Derivative::result_bit | guarded, eigh_jvp, eigh_vjp),
                           .batch = stack_batch,
                           .pattern = pattern_of_blocks<2>,
                           .effects = {.may_fail = true},
                           .samples = {{.arguments = "[[2.0, 0.0], [0.0, 3.0]]",
                                        .expected = "[[2.0, 1.0, 0.0], [3.0, 0.0, 1.0]]",
                                        .differentiate = true}},
                           .internal = true,
                           .part_of = "eigh"};
  return entry;
}

namespace {

Value eigh_eager(Builder& builder, Call& call) {
  require_operand(builder, call, 0);
  const Type type = square_or_asked(builder, call, 0);
  const Value a = cast_to(builder, std::move(call.args[0]), float_dtype(type.dtype));
  const auto decompose = [](Builder& b, const Value& matrix, Value level, bool) {
    return ops::call(b, packed_eigh_entry(), {matrix, std::move(level)});
  };
  const Value packed = decomposed_apart(builder, {"eigh", decompose, false, false}, a, Dim(0));
  const EighParts parts = eigh_parts(builder, packed, type);
  return make_tuple({parts.w, parts.v});
}

Value complex_eigh(Builder& builder, Call& call) {
  ComplexMatrix a;
  const Type type = parts_type(builder, call, a, true);
  const Matrices m(builder);
  const Dim n = last_dim(type);
  const Value packed = ops::call(builder, packed_complex_eigh_entry(), {a.re, a.im});
  const auto v = [&](Dim at) { return m.transposed(m.columns(packed, at, n)); };
  return make_tuple({m.without_column(m.columns(packed, Dim(0), Dim(1))),
                     complex_value(builder, v(Dim(1)), v(builder.add(n, Dim(1))))});
}

}  // namespace

const Entry& svd_entry() {
  static const Entry entry{
      .name = "svd",
      .doc =
          "`(u, s, vt)` with `a = u @ diag(s) @ vt`, singular values descending; of each matrix of a stack.\n\n"
          "`full_matrices=false` gives the first min(m, n) columns of `u` and rows of `vt`; where a is not "
          "square only this form has a derivative. Gradients of functions of `a` alone are right where values are "
          "equal, too.",
      .parameters = {any_parameter("a"), attribute("full_matrices", Value(true))},
      .eager = svd_eager,
      .complex = complex_svd,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[3.0, 0.0], [0.0, 2.0]]",
                   .expected = "([[1.0, 0.0], [0.0, 1.0]], [3.0, 2.0], [[1.0, 0.0], [0.0, 1.0]])"},
                  {.arguments = "[[3.0, 0.0], [0.0, 2.0], [0.0, 0.0]], full_matrices=false",
                   .expected = "([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]], [3.0, 2.0], [[1.0, 0.0], [0.0, 1.0]])"},
                  {.arguments = "zeros(0, 2), full_matrices=false",
                   .expected = "(zeros(0, 0), zeros(0), zeros(0, 2))"}},
      .staging = Staging::structural};
  return entry;
}

const Entry& eigh_entry() {
  static const Entry entry{
      .name = "eigh",
      .doc =
          "`(w, v)` with `a @ v = v * w` for symmetric `a`: eigenvalues ascending, eigenvectors "
          "in the columns of `v`; of "
          "each matrix of a stack.\n\n"
          "Of a matrix that is not quite symmetric it takes (a + a.T) / 2; derivatives are "
          "symmetric. Gradients of functions of `a` alone are right where eigenvalues are equal, too.",
      .parameters = {any_parameter("a")},
      .eager = eigh_eager,
      .complex = complex_eigh,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[2.0, 0.0], [0.0, 3.0]]", .expected = "([2.0, 3.0], [[1.0, 0.0], [0.0, 1.0]])"}},
      .staging = Staging::structural};
  return entry;
}

Family linalg_spectral_entries() {
  static const Entry* const entries[] = {&packed_svd_entry(), &packed_eigh_entry(), &svd_entry(), &eigh_entry()};
  return entries;
}

}  // namespace covec::ops
