// Pointwise operators through ops::call: promotion, broadcasting, strides, reuse of operands, threads, special values,
// messages.
#include <algorithm>
#include <cmath>

#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/elementwise/bodies/arithmetic.hpp"
#include "stdlib/ops/elementwise/bodies/casts.hpp"
#include "stdlib/ops/elementwise/bodies/compare.hpp"
#include "stdlib/ops/elementwise/bodies/functions.hpp"
#include "stdlib/ops/elementwise/bodies/logic.hpp"
#include "stdlib/ops/elementwise/family.hpp"
#include "tests/ops/structure_support.hpp"

namespace covec::test {
namespace {

using namespace ops;

class Pointwise : public Engine {
 protected:
  template <class Operator>
  Value apply(std::vector<Value> args, uint32_t literals = 0) {
    return ops::call(builder, entry_of<Operator>(), args, {}, literals);
  }
  Value f32(const std::vector<int64_t>& dims, const std::vector<float>& e) { return tensor(Dtype::f32, dims, e); }
  Value i32(const std::vector<int64_t>& dims, const std::vector<int32_t>& e) { return tensor(Dtype::i32, dims, e); }
};

TEST_F(Pointwise, Promotion) {
  using C = OperandClass;
  const PromotionOperand t32{Dtype::f32, C::tensor}, t64{Dtype::f64, C::tensor}, s32{Dtype::f32, C::rank0},
      s64{Dtype::f64, C::rank0}, l64{Dtype::f64, C::literal}, ti32{Dtype::i32, C::tensor}, ti64{Dtype::i64, C::tensor},
      si64{Dtype::i64, C::rank0}, li{Dtype::i64, C::literal}, tb{Dtype::boolean, C::tensor}, si32{Dtype::i32, C::rank0},
      sb{Dtype::boolean, C::rank0};
  const struct {
    PromotionOperand a, b;
    Dtype result;
  } rows[] = {{t32, l64, Dtype::f32},  {t32, s64, Dtype::f32},   {t32, t64, Dtype::f64},   {s32, s64, Dtype::f64},
              {s32, l64, Dtype::f32},  {ti64, l64, Dtype::f64},  {ti32, s64, Dtype::f64},  {ti64, s32, Dtype::f32},
              {ti64, t32, Dtype::f32}, {ti32, si64, Dtype::i32}, {ti32, li, Dtype::i32},   {ti32, ti64, Dtype::i64},
              {tb, li, Dtype::i64},    {tb, si32, Dtype::i32},   {tb, tb, Dtype::boolean}, {tb, l64, Dtype::f64},
              {sb, s32, Dtype::f32},   {si32, li, Dtype::i32},   {si32, si64, Dtype::i64}, {li, t32, Dtype::f32}};
  for (const auto& row : rows) {
    const PromotionOperand pair[] = {row.a, row.b}, back[] = {row.b, row.a};
    EXPECT_EQ(promote(pair), row.result) << name_of(row.a.dtype) << " " << name_of(row.b.dtype);
    EXPECT_EQ(promote(back), row.result);
  }
}

TEST_F(Pointwise, DtypesOfResults) {
  EXPECT_EQ(dtype_of(apply<Add>({Value(true), Value(true)})), Dtype::i64);
  EXPECT_EQ(apply<Add>({Value(true), Value(true)}).i64(), 2);
  EXPECT_EQ(apply<Divide>({Value(int64_t{7}), Value(int64_t{2})}).f64(), 3.5);
  EXPECT_EQ(dtype_of(apply<Multiply>({f32({2}, {1, 2}), Value(2.0)}, 2)), Dtype::f32);
  EXPECT_EQ(dtype_of(apply<Sin>({i32({2}, {1, 2})})), Dtype::f64);
  EXPECT_EQ(dtype_of(apply<Less>({i32({2}, {1, 2}), Value(1.5)})), Dtype::boolean);
  EXPECT_EQ(dtype_of(apply<Where>({mask({2}, {1, 0}), mask({2}, {1, 0}), mask({2}, {0, 0})})), Dtype::boolean);
  EXPECT_EQ(dtype_of(apply<Minimum>({mask({2}, {1, 0}), Value(true)})), Dtype::boolean);
  EXPECT_EQ(dtype_of(apply<Power>({f32({2}, {1, 2}), Value(int64_t{2})}, 2)), Dtype::f32);
  EXPECT_EQ(dtype_of(apply<Floor>({f32({1}, {1.5f})})), Dtype::f32);
}

TEST_F(Pointwise, Broadcasting) {
  EXPECT_EQ(numbers(apply<Add>({f64({2, 1}, {1, 2}), f64({3}, {10, 20, 30})})),
            (std::vector<double>{11, 21, 31, 12, 22, 32}));
  EXPECT_EQ(dims(apply<Add>({count({2, 1, 4}), count({3, 1})})), (std::vector<int64_t>{2, 3, 4}));
  EXPECT_EQ(dims(apply<Add>({count({0, 3}), count({3})})), (std::vector<int64_t>{0, 3}));
  EXPECT_EQ(dims(apply<Add>({count({0, 3}), count({1, 1})})), (std::vector<int64_t>{0, 3}));
  EXPECT_EQ(dims(apply<Add>({count({0, 600}), count({600})})), (std::vector<int64_t>{0, 600}));
  EXPECT_EQ(dims(apply<Add>({count({600, 0}), count({600, 1})})), (std::vector<int64_t>{600, 0}));
  EXPECT_EQ(dims(apply<Sin>({count({0})})), (std::vector<int64_t>{0}));
  EXPECT_EQ(numbers(apply<Clip>({f64({3}, {-1, 0.5, 2}), f64({2, 1}, {0, 1}), Value(1.5)})),
            (std::vector<double>{0, 0.5, 1.5, 1, 1, 1.5}));
}

// The result of adding element by element, the slow and plain way, for tensors of any strides.
std::vector<double> plain_sum(const Value& a, const Value& b, const std::vector<int64_t>& dims) {
  std::vector<double> result;
  std::vector<int64_t> index(dims.size(), 0);
  int64_t total = 1;
  for (int64_t d : dims) total *= d;
  const auto at = [&](const Value& v) {
    const Tensor& t = v.tensor();
    int64_t offset = 0;
    for (unsigned axis = 0; axis < t.rank(); ++axis) {
      const int64_t i = index[axis + dims.size() - t.rank()];
      offset += (t.dim(axis) == 1 ? 0 : i) * t.stride(axis);
    }
    return t.dtype() == Dtype::f32   ? static_cast<double>(t.as<float>()[offset])
           : t.dtype() == Dtype::i32 ? static_cast<double>(t.as<int32_t>()[offset])
                                     : t.as<double>()[offset];
  };
  for (int64_t k = 0; k < total; ++k) {
    int64_t rest = k;
    for (size_t axis = dims.size(); axis-- > 0;) index[axis] = rest % dims[axis], rest /= dims[axis];
    result.push_back(at(a) + at(b));
  }
  return result;
}

TEST_F(Pointwise, StridesAndMixedDtypes) {
  for (int64_t rows : {3, 40, 70}) {
    for (int64_t columns : {2, 5, 33, 600}) {
      const Value x = count({columns, rows}), y = count({rows, columns}, 0.5), line = count({columns}, -7);
      const int64_t strides[] = {1, rows};
      const Value transposed = Tensor::view(x, x.tensor().data(), Shape{Dim(rows), Dim(columns)}, strides);
      const Value whole = apply<ToI32>({y});
      const std::vector<int64_t> dims = {rows, columns};
      EXPECT_EQ(numbers(apply<Add>({transposed, y})), plain_sum(transposed, y, dims));
      EXPECT_EQ(numbers(apply<Add>({transposed, line})), plain_sum(transposed, line, dims));
      EXPECT_EQ(numbers(apply<Add>({whole, transposed})), plain_sum(whole, transposed, dims));
      EXPECT_EQ(numbers(apply<Add>({transposed, count({rows, 1})})), plain_sum(transposed, count({rows, 1}), dims));
      EXPECT_EQ(numbers(apply<Add>({whole, count({rows, 1})})), plain_sum(whole, count({rows, 1}), dims));
    }
  }
}

TEST_F(Pointwise, ThreadsDoNotChangeBits) {
  const int64_t n = 300001;
  std::vector<float> numbers_in(static_cast<size_t>(n));
  for (size_t i = 0; i < numbers_in.size(); ++i) numbers_in[i] = static_cast<float>(i) * 0.37f - 5000;
  const Value x = f32({n}, numbers_in);
  context.threads = 1;
  const Value one = apply<Sin>({x}), square = apply<Multiply>({x, x});
  context.threads = 2;
  const Value two = apply<Sin>({x});
  EXPECT_EQ(std::memcmp(one.tensor().data(), two.tensor().data(), static_cast<size_t>(n) * 4), 0);
  const Value wide = count({601, 700}), column = count({601, 1});
  const Value broadcast = apply<Add>({wide, column});
  for (int64_t i = 0; i < 601; i += 13)
    EXPECT_EQ(broadcast.tensor().as<double>()[i * 700 + 5], static_cast<double>(i * 700 + 5 + i));
}

TEST_F(Pointwise, ReusesWhatNobodyElseHolds) {
  Value x = count({1000});
  const std::byte* place = x.tensor().data();
  Value args[] = {std::move(x), Value(1.0)};
  const Value y = ops::call(builder, entry_of<Add>(), args);
  EXPECT_EQ(y.tensor().data(), place);
  EXPECT_EQ(y.tensor().as<double>()[999], 1000);
  Value kept = count({1000});
  const Value copy = kept;
  Value more[] = {std::move(kept), Value(1.0)};
  const Value z = ops::call(builder, entry_of<Add>(), more);
  EXPECT_EQ(copy.tensor().as<double>()[5], 5);
  EXPECT_EQ(z.tensor().as<double>()[5], 6);
}

TEST_F(Pointwise, NumbersBesideSmallAndLargeTensors) {
  for (int64_t n : {3, 5000, 70000}) {
    std::vector<float> e(static_cast<size_t>(n), 1.5f);
    const Value x = f32({n}, e);
    const Value by_literal = apply<Multiply>({x, Value(0.1)}, 2),
                by_integer = apply<Subtract>({Value(int64_t{16777217}), x});
    EXPECT_EQ(by_literal.tensor().as<float>()[n - 1], 1.5f * 0.1f);
    EXPECT_EQ(by_integer.tensor().as<float>()[n - 1], 16777216.0f - 1.5f);
    EXPECT_EQ(dtype_of(apply<Less>({x, Value(int64_t{2})})), Dtype::boolean);
    EXPECT_EQ(dtype_of(apply<Add>({i32({1}, {1}), Value(0.5f)})), Dtype::f32);
    EXPECT_EQ(dtype_of(apply<Add>({i32({1}, {1}), Value(0.5)})), Dtype::f64);
    EXPECT_EQ(dtype_of(apply<Add>({mask({1}, {1}), Value(true)})), Dtype::i64);
  }
}

TEST_F(Pointwise, BoolsStayBools) {
  EXPECT_EQ(numbers(apply<Maximum>({mask({3}, {1, 0, 0}), mask({3}, {0, 0, 1})})), (std::vector<double>{1, 0, 1}));
  EXPECT_EQ(numbers(apply<Where>({mask({3}, {1, 0, 0}), mask({3}, {0, 1, 0}), Value(true)})),
            (std::vector<double>{0, 1, 1}));
  EXPECT_EQ(numbers(apply<Less>({mask({2}, {1, 0}), mask({2}, {1, 1})})), (std::vector<double>{0, 1}));
  EXPECT_EQ(numbers(apply<BitNot>({mask({2}, {1, 0})})), (std::vector<double>{0, 1}));
}

TEST_F(Pointwise, CastsOfTheSameDtypeShare) {
  const Value x = count({10});
  EXPECT_EQ(apply<ToF64>({x}).tensor().data(), x.tensor().data());
}

TEST_F(Pointwise, IntegerPower) {
  EXPECT_EQ(apply<Power>({Value(2.0), Value(int64_t{-2})}, 2).f64(), 0.25);
  EXPECT_EQ(apply<Power>({Value(int64_t{3}), Value(int64_t{4})}, 2).i64(), 81);
  EXPECT_EQ(apply<Power>({Value(int64_t{-2}), Value(int64_t{63})}).i64(), INT64_MIN);
  EXPECT_EQ(apply<Power>({Value(0.1), Value(int64_t{3})}, 2).f64(), 0.1 * (0.1 * 0.1));
  EXPECT_EQ(error_of([&] { apply<Power>({Value(int64_t{2}), Value(int64_t{-1})}, 2); }).code, "negative_exponent");
  EXPECT_EQ(error_of([&] {
              apply<Power>({i64({2}, {1, 2}), i64({2}, {1, -2})});
            }).message,
            "an integer cannot be raised to a negative power at element [1]");
  EXPECT_NE(error_of([&] { apply<Power>({Value(int64_t{2}), Value(int64_t{-1})}); }).hint, "");
}

TEST_F(Pointwise, Messages) {
  EXPECT_EQ(error_of([&] {
              apply<Add>({count({3}), count({4})});
            }).message,
            "cannot add f64[3] and f64[4]: dimensions 3 and 4 differ on axis 0");
  EXPECT_EQ(error_of([&] {
              apply<Less>({count({2, 3}), count({2, 4})});
            }).message,
            "cannot compare f64[2, 3] and f64[2, 4]: dimensions 3 and 4 differ on axis 1");
  const OpError error = error_of([&] { apply<Multiply>({count({3}), count({2, 4})}); });
  ASSERT_EQ(error.labels.size(), 2u);
  EXPECT_EQ(error.labels[1].text, "b is f64[2, 4]");
  EXPECT_EQ(error_of([&] {
              apply<FloorDivide>({i64({2, 2}, {1, 2, 3, 4}), i64({2}, {1, 0})});
            }).message,
            "integer division by zero at element [0, 1]");
  EXPECT_EQ(error_of([&] {
              apply<Modulo>({Value(int64_t{1}), Value(int64_t{0})});
            }).message,
            "integer division by zero");
  EXPECT_EQ(error_of([&] { apply<BitAnd>({count({2}), Value(int64_t{1})}); }).code, "pointwise_integers");
  EXPECT_EQ(error_of([&] { apply<BitOr>({Value(true), Value(int64_t{1})}); }).code, "pointwise_mixed");
  EXPECT_EQ(error_of([&] { apply<LogicalNot>({Value(int64_t{1})}); }).code, "pointwise_not");
  EXPECT_EQ(error_of([&] { apply<Where>({Value(1.0), Value(1.0), Value(2.0)}); }).code, "pointwise_condition");
  EXPECT_EQ(error_of([&] { apply<Add>({i32({1}, {1}), Value(int64_t{1} << 40)}, 2); }).code, "literal_range");
}

TEST_F(Pointwise, IntegersOfTwoWidthsCompareExactly) {
  EXPECT_EQ(numbers(apply<Less>({i32({2}, {1, -1}), Value(int64_t{1} << 32)})), (std::vector<double>{1, 1}));
  EXPECT_EQ(numbers(apply<Equal>({i32({1}, {0}), Value(int64_t{1} << 32)}, 2)), (std::vector<double>{0}));
}

TEST_F(Pointwise, WholeValues) {
  EXPECT_TRUE(apply<Equal>({make_string("a"), make_string("a")}).boolean());
  EXPECT_TRUE(apply<NotEqual>({make_string("a"), Value()}).boolean());
  EXPECT_EQ(error_of([&] { apply<NotEqual>({make_string("a"), Value(1.0)}); }).code, "kinds_differ");
  EXPECT_TRUE(apply<Equal>({Value(), Value()}).boolean());
  EXPECT_EQ(apply<Add>({make_string("a"), make_string("b")}).string().text, "ab");
  EXPECT_EQ(error_of([&] { apply<Add>({make_string("a"), Value(1.0)}); }).code, "not_numeric");
}

TEST_F(Pointwise, ScalarFastPathAgrees) {
  const double numbers_in[] = {0, -0.0, 1.5, -2.25, INFINITY, NAN, 1e300};
  const int64_t integers_in[] = {0, 1, -1, 7, -7, INT64_MAX, INT64_MIN};
  std::vector<Value> all;
  for (double x : numbers_in) all.push_back(Value(x));
  for (int64_t x : integers_in) all.push_back(Value(x));
  for (const Entry* entry : elementwise_family()) {
    if (entry->pointwise == nullptr || entry->pointwise->scalar == nullptr) continue;
    PointwiseOperator slow = *entry->pointwise;
    slow.scalar = nullptr;
    Entry copy = *entry;
    copy.pointwise = &slow;
    for (const Value& a : all) {
      for (const Value& b : all) {
        Value quick;
        if (!entry->pointwise->scalar(a, b, quick)) continue;
        const Value general = ops::call(builder, copy, {a, b});
        ASSERT_EQ(quick.tag(), general.tag()) << entry->name;
        if (quick.tag() == Tag::f64 && quick.f64() != quick.f64())
          EXPECT_TRUE(general.f64() != general.f64());
        else
          EXPECT_EQ(std::memcmp(quick.scalar_data(), general.scalar_data(), 8), 0) << entry->name;
      }
    }
  }
}

// The partial derivatives, at a point, of an operator applied to numbers.
struct AtPoint {
  Builder& builder;
  const Entry& entry;
  double operator()(std::vector<double> x) const {
    std::vector<Value> args;
    for (double v : x) args.push_back(Value(v));
    return ops::call(builder, cast_entry(Dtype::f64), {ops::call(builder, entry, args)}).f64();
  }
  double partial(unsigned i, const std::vector<double>& x) const {
    std::vector<Value> operands(x.begin(), x.end());
    const std::vector<Type> types(x.size());
    std::vector<Value> args = operands;
    const Value result = ops::call(builder, entry, args);
    const Type result_type{};
    RuleContext rules(builder, false);
    const Residuals residuals{operands, types, &result, &result_type, x.size()};
    Value d = entry.derivative.partial()->times(rules, i, residuals, Value(1.0));
    return ops::call(builder, cast_entry(Dtype::f64), {d}).f64();
  }
};

TEST_F(Pointwise, PartialsMatchFiniteDifferences) {
  int checked = 0;
  for (const Entry* entry : elementwise_family()) {
    if (entry->pointwise == nullptr || entry->derivative.partial() == nullptr || entry->pointwise->info.parameter)
      continue;
    const AtPoint f{builder, *entry};
    for (double base : {0.37, 1.21, 2.83}) {
      std::vector<double> x;
      for (unsigned i = 0; i < entry->parameters.size(); ++i) x.push_back(base * (1 + 0.31 * i * (i % 2 ? 1 : -1)));
      for (unsigned i = 0; i < x.size(); ++i, ++checked) {
        const double h = 1e-6;
        std::vector<double> above = x, below = x;
        above[i] += h, below[i] -= h;
        const double expected = (f(above) - f(below)) / (2 * h);
        if (std::isnan(expected)) continue;  // outside of its domain
        EXPECT_NEAR(f.partial(i, x), expected, 1e-6 * (1 + std::abs(expected)))
            << entry->name << " operand " << i << " at " << base;
      }
    }
  }
  EXPECT_GT(checked, 30);
}

TEST_F(Pointwise, PartialsAtKinks) {
  EXPECT_EQ((AtPoint{builder, entry_of<Absolute>()}.partial(0, {0.0})), 0);
  EXPECT_EQ((AtPoint{builder, entry_of<Relu>()}.partial(0, {0.0})), 0);
  const AtPoint largest{builder, entry_of<Maximum>()}, clip{builder, entry_of<Clip>()},
      power{builder, entry_of<Power>()};
  EXPECT_EQ(largest.partial(0, {2.0, 2.0}), 1);
  EXPECT_EQ(largest.partial(1, {2.0, 2.0}), 0);
  EXPECT_EQ(clip.partial(0, {1.0, 1.0, 2.0}), 1);
  EXPECT_EQ(clip.partial(0, {2.5, 1.0, 2.0}), 0);
  EXPECT_EQ(clip.partial(2, {2.5, 1.0, 2.0}), 1);
  EXPECT_EQ(power.partial(0, {0.0, 0.0}), 0);
  EXPECT_EQ(power.partial(1, {0.0, 2.0}), 0);
  EXPECT_EQ(power.partial(0, {0.0, 1.0}), 1);
}

}  // namespace
}  // namespace covec::test
