#include "stdlib/ops/linalg/equal_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/linalg/family.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

template <class T>
T nearness(const T* values, int64_t n) {
  T largest = 0;
  for (int64_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(values[i]));
  return std::sqrt(std::numeric_limits<T>::epsilon()) * largest;
}

// f(first, last, whether they are zero) for each run of equal values among n sorted ones.
template <class T, class F>
void each_run(const T* values, int64_t n, bool from_zero, F f) {
  const T near = nearness(values, n);
  const auto is_zero = [&](int64_t i) { return from_zero && std::abs(values[i]) <= near; };
  for (int64_t first = 0, last; first < n; first = last) {
    const bool zero = is_zero(first);
    for (last = first + 1; last < n && is_zero(last) == zero && std::abs(values[last] - values[last - 1]) <= near;)
      ++last;
    f(first, last, zero);
  }
}

// Each vector of the operand with the place of its result: f(values, n, from zero?, result).
template <class F>
Value each_vector(Builder& builder, Call& call, F f) {
  const Type type = call.entry.type(builder, call);
  const bool from_zero = flag_argument(call, 1);
  const Value values = contiguous(builder.pool(), call.args[0]);
  const Tensor& from = values.tensor();
  Value result = make_tensor(builder.pool(), type.dtype, type.shape);
  int64_t vectors = 1;
  for (unsigned i = 0; i + 1 < from.rank(); ++i) vectors *= from.dim(i);
  const int64_t n = from.dim(from.rank() - 1), width = type.shape.rank() > from.rank() ? n * n : n;
  with_float(type.dtype, [&](auto element) {
    using T = decltype(element);
    T* const to = result.tensor().as<T>();
    std::fill_n(to, vectors * width, T(0));
    for (int64_t i = 0; i < vectors; ++i) f(from.as<T>() + i * n, n, from_zero, to + i * width);
  });
  return result;
}

Type like_values(ShapeBuilder&, const Call& call) { return operand_type(call, 0); }
Type pairs_of_values(ShapeBuilder&, const Call& call) {
  Type type = operand_type(call, 0);
  type.shape.push_back(type.shape[type.shape.rank() - 1]);
  return type;
}

// Two move to both sides alike, which makes the limit right to the second order; zeros so that their squares differ.
Value moves_apart_eager(Builder& builder, Call& call) {
  return each_vector(builder, call, [](const auto* values, int64_t n, bool from_zero, auto* to) {
    using T = std::decay_t<decltype(*to)>;
    each_run(values, n, from_zero, [&](int64_t first, int64_t last, bool zero) {
      const int64_t count = last - first;
      const T middle = zero ? T(-1) : T(count - 1) / 2 - (count % 2 == 1 ? T(0.25) : T(0));
      for (int64_t i = first; (zero || count > 1) && i < last; ++i) to[i] = T(i - first) - middle;
    });
  });
}

Value equal_pairs_eager(Builder& builder, Call& call) {
  return each_vector(builder, call, [](const auto* values, int64_t n, bool from_zero, auto* to) {
    using T = std::decay_t<decltype(*to)>;
    // The root is `nearness`; its square is one rounding of the largest.
    const T near = nearness(values, n), root = std::sqrt(std::numeric_limits<T>::epsilon());
    const T rounding = 16 * T(n) * root * near;
    each_run(values, n, from_zero, [&](int64_t first, int64_t last, bool) {
      for (int64_t i = first; i < last; ++i) {
        for (int64_t j = first; j < last; ++j)
          to[i * n + j] = i == j ? T(0) : T(std::abs(values[i] - values[j]) <= rounding ? 2 : 1);
      }
    });
  });
}

Value zero_values_eager(Builder& builder, Call& call) {
  return each_vector(builder, call, [](const auto* values, int64_t n, bool, auto* to) {
    using T = std::decay_t<decltype(*to)>;
    const T near = nearness(values, n);
    for (int64_t i = 0; i < n; ++i) to[i] = T(std::abs(values[i]) <= near);
  });
}

Value values_batch(Builder& builder, Call& call, const Batching&) { return ops::call(builder, call.entry, call.args); }

Entry entry_of_values(std::string_view name, std::string_view doc, Type (*type)(ShapeBuilder&, const Call&),
                      Value (*eager)(Builder&, Call&)) {
  return Entry{.name = name,
               .doc = doc,
               .parameters = {tensor_parameter("values"), attribute("from_zero", Value(false))},
               .type = type,
               .eager = eager,
               .derivative = Derivative::piecewise_constant(),
               .batch = values_batch,
               .internal = true};
}

const Entry& moves_apart_entry() {
  static const Entry entry =
      entry_of_values("moves_apart", "How equal ones among sorted values move apart.", like_values, moves_apart_eager);
  return entry;
}
const Entry& equal_pairs_entry() {
  static const Entry entry =
      entry_of_values("equal_pairs", "1 for two places of equal sorted values, 2 where they cannot be told apart.",
                      pairs_of_values, equal_pairs_eager);
  return entry;
}
const Entry& zero_values_entry() {
  static const Entry entry =
      entry_of_values("zero_values", "1 where a value counts as zero.", like_values, zero_values_eager);
  return entry;
}

// --- limits ---

template <class T>
struct Pairs {
  const T *numerator, *denominator, *limit, *pairs, *touched;
  int64_t count;
  bool open;

  static T largest(const T* x, int64_t n) {
    T largest = 0;
    for (int64_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(x[i]));
    return largest;
  }

  // 1 where the limit stands for the quotient, −1 where it is 0 for want of anything better: values that cannot be told
  // apart, and a numerator that does not vanish with its denominator, or nobody knows the limit. True where it matters.
  bool choose(T* to) const {
    const T size = largest(touched, count), root = std::sqrt(std::numeric_limits<T>::epsilon());
    bool missing = false;
    for (int64_t i = 0; i < count; ++i) {
      const bool vanishes = open && std::abs(numerator[i] - denominator[i] * limit[i]) <= root * size;
      const bool lost = pairs[i] == T(2) && !vanishes;
      to[i] = pairs[i] != T(0) && vanishes ? T(1) : lost ? T(-1) : T(0);
      missing |= lost && std::abs(touched[i]) > root * size;
    }
    return missing;
  }
};

Value has_limit_eager(Builder& builder, Call& call) {
  const Type type = operand_type(call, 0);
  Value mask = make_tensor(builder.pool(), type.dtype, type.shape);
  Value parts[5];
  for (unsigned i = 0; i < 5; ++i) parts[i] = contiguous(builder.pool(), std::move(call.args[i]));
  bool missing = false;
  with_float(type.dtype, [&](auto element) {
    using T = decltype(element);
    const auto at = [&](unsigned i) { return static_cast<const T*>(parts[i].tensor().as<T>()); };
    const Shape& shape = type.shape;
    const int64_t n = shape[shape.rank() - 1].number(), count = n * n;
    int64_t matrices = 1;
    for (unsigned i = 0; i + 2 < shape.rank(); ++i) matrices *= shape[i].number();
    for (int64_t k = 0; k < matrices; ++k) {
      const int64_t o = k * count;
      missing |= Pairs<T>{at(0) + o, at(1) + o, at(2) + o, at(3) + o, at(4) + o, count, flag_argument(call, 5)}.choose(
          mask.tensor().as<T>() + o);
    }
  });
  Context& context = builder.context();
  if (missing && context.output != nullptr) {
    const std::string name(call.args[6].string().text);
    const std::string text =
        name + ": for equal values the derivative of their vectors is not unique: it is computed without their mixing";
    if (context.warned.insert(text).second) context.output->warn(text);
  }
  return mask;
}

const Entry& has_limit_entry() {
  static const Entry entry{
      .name = "has_limit",
      .doc = "1 for pairs of equal values whose quotient is its limit, -1 and a warning where there is none.",
      .parameters = {tensor_parameter("numerator"), tensor_parameter("denominator"), tensor_parameter("limit"),
                     tensor_parameter("pairs"), tensor_parameter("touched"), attribute("open", Value(true)),
                     attribute("name", Value())},
      .carries = true,
      .type = like_values,
      .eager = has_limit_eager,
      .derivative = Derivative::piecewise_constant(),
      .effects = {.may_fail = true},  // it warns: nobody leaves it out where only the values' derivative is asked for
      .internal = true};
  return entry;
}

Value where_not_zero(Builder& builder, const Value& mask, const Value& then, const Value& otherwise) {
  const Value zero = Matrices(builder).number(0, logical_type(mask).dtype);
  return ops::call(builder, handles().where, {ops::call(builder, handles().not_equal, {mask, zero}), then, otherwise});
}

}  // namespace

EqualValues::EqualValues(Builder& builder, const Value& values, bool from_zero) {
  const Value plain = constant_of(values);
  apart = ops::call(builder, moves_apart_entry(), {plain, Value(from_zero)});
  pairs = ops::call(builder, equal_pairs_entry(), {plain, Value(from_zero)});
  if (from_zero) zero = ops::call(builder, zero_values_entry(), {plain, Value(true)});
}

namespace {

Value split_level_of(const Builder& builder, const Value& x) {
  if (!builder.is_eager()) return Value(int64_t{-1});
  const Value* at = &x;
  while (at->is_traced() && at->traced().trace == TraceKind::batch) at = &at->traced().primal;
  if (!at->is_traced() || at->traced().trace != TraceKind::tape) return Value(int64_t{-1});
  return Value(static_cast<int64_t>(at->traced().level) - 1);
}

// Zeros like `packed`, but for its column `at`.
Value only_column(Builder& builder, const Value& packed, Dim at, const Value& column) {
  const Matrices m(builder);
  const Type type = logical_type(packed);
  const int64_t width = type.shape[type.shape.rank() - 1].number();
  const Value none = m.mul(packed, m.number(0, type.dtype));
  std::vector<Value> columns;
  if (at.number() > 0) columns.push_back(m.columns(none, Dim(0), at));
  columns.push_back(m.as_column(column));
  if (at.number() + 1 < width) columns.push_back(m.columns(none, Dim(at.number() + 1), Dim(width - at.number() - 1)));
  return concat(builder, columns, type.shape.rank() - 1);
}

}  // namespace

Value decomposed_apart(Builder& builder, const Decomposition& decomposition, const Value& a, Dim at) {
  const Value level = split_level_of(builder, a);
  if (level.i64() < 0) return decomposition.decompose(builder, a, level, decomposition.full);
  const Value key = make_string(std::string(decomposition.key) + (decomposition.full ? " full" : ""));
  Value before = ops::call(builder, handles().split_before, {a, key});
  if (!before.is_none()) return before;
  const Value packed = decomposition.decompose(builder, a, level, decomposition.full), plain = constant_of(packed);
  const Matrices m(builder);
  const Value values = m.without_column(m.columns(plain, at, Dim(1)));
  const Value direction = only_column(builder, plain, at, EqualValues(builder, values, decomposition.from_zero).apart);
  return ops::call(builder, handles().split, {packed, direction, a, key});
}

Along along_split(RuleContext& rule, const Residuals& residuals, const Value& x) {
  const Value parts =
      ops::call(rule.builder(), handles().split_parts, {x, residuals.operands[residuals.parameters - 1]});
  const std::vector<Value>& items = parts.tuple().items;
  return {items[1], items[2].is_none() ? rule.zeros(logical_type(x)) : items[2], items[0].boolean()};
}

Value quotient_of_pairs(RuleContext& rule, std::string_view name, const PairQuotient& q) {
  Builder& builder = rule.builder();
  const Value mask = ops::call(builder, has_limit_entry(),
                               {constant_of(q.numerator), constant_of(q.denominator), constant_of(q.limit), q.pairs,
                                constant_of(q.touched), Value(q.open), make_string(std::string(name))});
  const Matrices m(builder);
  const Value zero = m.number(0, logical_type(mask).dtype);
  const Value plain = rule.mul(q.numerator, inverse_or_zero(builder, q.denominator));
  const Value lost = ops::call(builder, handles().less, {mask, zero});
  return where_not_zero(builder, mask, ops::call(builder, handles().where, {lost, zero, q.limit}), plain);
}

PairQuotient untold(Builder& builder, const Value& denominator, const Value& numerator, const Value& pairs) {
  const Value zeros = ops::zeros(builder, logical_type(numerator));
  return {numerator, denominator, zeros, pairs, numerator, false};
}

Value antisymmetric(const Matrices& m, const Value& x) { return m.sub(x, m.transposed(x)); }

void require_eager(Builder& builder, std::string_view what) {
  if (!builder.is_eager()) fail_not_staged("the derivative of " + std::string(what) + "'s vectors");
}

Value inverse_or_zero(Builder& builder, const Value& x) {
  const Matrices m(builder);
  const Dtype dtype = logical_type(x).dtype;
  const Value zero = m.number(0, dtype), one = m.number(1, dtype);
  const Value none = ops::call(builder, handles().equal, {x, zero});
  const Value divisor = ops::call(builder, handles().where, {none, one, x});
  return ops::call(builder, handles().where, {none, zero, ops::call(builder, handles().divide, {one, divisor})});
}

Family linalg_equal_entries() {
  static const Entry* const entries[] = {&moves_apart_entry(), &equal_pairs_entry(), &zero_values_entry(),
                                         &has_limit_entry()};
  return entries;
}

}  // namespace covec::ops
