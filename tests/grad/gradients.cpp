// First derivatives: values, trees, zero cotangents, the order of adding, costs.
#include "tests/grad/world.hpp"

#include <chrono>
#include <cmath>
#include <limits>

namespace covec::test {

using Gradients = World;

TEST_F(Gradients, OfASumOfSquares) {
  const Value f = fn1([&](Value x) { return sum(mul(x, x)); });
  expect_near(numbers(call(grad(f), {vector({1, 2, -3})})), {2, 4, -6});
}

TEST_F(Gradients, OfAScalar) {
  const Value f = fn1([&](Value x) { return mul(sin(x), exp(x)); });
  const double x = 0.7;
  EXPECT_NEAR(number(call(grad(f), {x})), std::exp(x) * (std::sin(x) + std::cos(x)), 1e-14);
}

TEST_F(Gradients, BroadcastOperandsAreSummed) {
  const Value f = fn2([&](Value x, Value y) { return sum(mul(x, y)); });
  const Value x = tensor({2, 3}, {1, 2, 3, 4, 5, 6}), y = vector({10, 20, 30});
  expect_near(numbers(call(grad(f, 1), {x, y})), {5, 7, 9});
  expect_near(numbers(call(grad(f, 0), {x, 2.0})), std::vector<double>(6, 2.0));
  EXPECT_DOUBLE_EQ(number(call(grad(f, 1), {x, 2.0})), 21);
}

TEST_F(Gradients, OfSeveralParametersByNumberAndName) {
  const Value f = fn2([&](Value x, Value y) { return sum(mul(mul(x, x), y)); });
  const Value both = make_tuple({Value(int64_t{0}), make_string("y")});
  const Value result = call(grad(f, both), {3.0, 5.0});
  ASSERT_TRUE(result.is(ObjectKind::tuple));
  EXPECT_DOUBLE_EQ(number(result.tuple().items[0]), 30);
  EXPECT_DOUBLE_EQ(number(result.tuple().items[1]), 9);
  EXPECT_DOUBLE_EQ(number(call(grad(f, make_string("y")), {5.0, 3.0}, {"y", "x"})), 9);
  EXPECT_TRUE(call(grad(f, make_tuple({Value(int64_t{0})})), {3.0, 5.0}).is(ObjectKind::tuple));
}

TEST_F(Gradients, InTheTreeOfTheParameter) {
  const Value f = fn1(
      [&](Value p) { return add(sum(mul(*p.record().find("w"), 2.0)), p.record().find("parts")->tuple().items[0]); });
  const Value p = record({"w", "name", "n", "parts"}, {vector({1, 2}), make_string("layer"), Value(int64_t{4}),
                                                       make_tuple({Value(1.0), vector({7})})});
  const Value result = call(grad(f), {p});
  expect_near(numbers(*result.record().find("w")), {2, 2});
  EXPECT_TRUE(result.record().find("name")->is_none());
  EXPECT_TRUE(result.record().find("n")->is_none());
  EXPECT_DOUBLE_EQ(number(result.record().find("parts")->tuple().items[0]), 1);
  expect_near(numbers(result.record().find("parts")->tuple().items[1]), {0});
  EXPECT_TRUE(output.warnings.empty());
}

TEST_F(Gradients, KeepTheDtypeOfTheParameter) {
  const Value f = fn2([&](Value x, Value y) { return sum(mul(x, y)); });
  EXPECT_EQ(dtype_of(call(grad(f, 1), {op("f32", {vector({1, 2})}), 2.0})), Dtype::f64);
  EXPECT_EQ(dtype_of(call(grad(f, 0), {op("f32", {vector({1, 2})}), 2.0})), Dtype::f32);
}

TEST_F(Gradients, ValueAndAux) {
  const Value f = fn1([&](Value x) { return make_tuple({mul(x, x), add(x, 1.0), make_string("rest")}); });
  const Value with_aux = op("grad", {f, Value(int64_t{0}), Value(true)});
  const Value result = call(with_aux, {3.0});
  ASSERT_EQ(result.tuple().items.size(), 3u);
  EXPECT_DOUBLE_EQ(number(result.tuple().items[0]), 6);
  EXPECT_TRUE(result.tuple().items[1].is_scalar()) << "traces are taken off what escapes";
  const Value pair = call(op("value_and_grad", {fn1([&](Value x) { return mul(x, x); })}), {3.0});
  EXPECT_DOUBLE_EQ(number(pair.tuple().items[0]), 9);
  EXPECT_DOUBLE_EQ(number(pair.tuple().items[1]), 6);
}

TEST_F(Gradients, ABranchNotTakenDoesNotPoison) {
  const Value f = fn1([&](Value x) {
    return sum(op("where", {op("greater", {x, 0.0}), op("sqrt", {x}), Value(0.0)}));
  });
  expect_near(numbers(call(grad(f), {vector({0, 4})})), {0, 0.25});
  const Value ieee = op("grad", {f, Value(int64_t{0}), Value(false), make_string("ieee")});
  EXPECT_TRUE(std::isnan(numbers(call(ieee, {vector({0, 4})}))[0]));
}

TEST_F(Gradients, ZeroCotangentsStayZeroInSecondOrder) {
  const Value f = fn1([&](Value x) { return op("where", {op("greater", {x, 0.0}), op("sqrt", {x}), Value(0.0)}); });
  EXPECT_EQ(number(call(grad(grad(f)), {0.0})), 0.0);
  EXPECT_EQ(number(call(grad(grad(grad(f))), {0.0})), 0.0);
}

// Cotangents are added in reverse program order, the first on the left: ((last + middle) + first).
TEST_F(Gradients, AddInReverseProgramOrder) {
  const double a = 1e16, b = 1, c = -1e16;
  const Value f = fn1([&](Value x) {
    const Value first = mul(x, a), middle = mul(x, b), last = mul(x, c);
    return add(add(first, middle), last);
  });
  EXPECT_EQ(number(call(grad(f), {1.0})), (c + b) + a);
  const Value g = fn1([&](Value x) {
    const Value first = mul(x, b), middle = mul(x, a), last = mul(x, c);
    return add(add(first, middle), last);
  });
  EXPECT_EQ(number(call(grad(g), {1.0})), (c + a) + b);
  EXPECT_NE((c + b) + a, (c + a) + b);
}

TEST_F(Gradients, ThroughControlFlow) {
  const Value f = fn1([&](Value x) {
    Value y = x;
    while (truth(op("less", {y, 100.0}))) y = mul(y, y);
    return y;
  });
  EXPECT_DOUBLE_EQ(number(call(grad(f), {2.0})), 8 * std::pow(2, 7));
}

TEST_F(Gradients, ForwardEqualsReverseEqualsDifferences) {
  const Value f = fn1([&](Value x) { return sum(mul(sin(mul(x, x)), exp(op("negative", {x})))); });
  const Value x = vector({0.3, -1.2, 2.0});
  const std::vector<double> reverse = numbers(call(grad(f), {x}));
  for (int i = 0; i < 3; ++i) {
    std::vector<double> unit(3, 0.0);
    unit[i] = 1;
    const Value pair = op("jvp", {f, x, vector(unit)});
    EXPECT_NEAR(number(pair.tuple().items[1]), reverse[i], 1e-14);
    EXPECT_DOUBLE_EQ(number(pair.tuple().items[0]), number(call(f, {x})));
  }
  EXPECT_LT(number(rest("check_grad", {f, Value()}, {x})), 1e-7);
}

TEST_F(Gradients, PullbackMayBeCalledAgain) {
  const Value f = fn2([&](Value x, Value y) { return make_tuple({mul(x, y), sin(x)}); });
  const Value pair = op("vjp", {f, make_tuple({Value(2.0), Value(3.0)})});
  EXPECT_DOUBLE_EQ(number(pair.tuple().items[0].tuple().items[0]), 6);
  const Value pullback = pair.tuple().items[1];
  for (int i = 0; i < 2; ++i) {
    const Value both = call(pullback, {make_tuple({Value(1.0), Value()})});
    EXPECT_DOUBLE_EQ(number(both.tuple().items[0]), 3);
    EXPECT_DOUBLE_EQ(number(both.tuple().items[1]), 2);
    EXPECT_DOUBLE_EQ(number(call(pullback, {make_tuple({Value(0.0), Value(int64_t{2})})}).tuple().items[0]),
                     2 * std::cos(2.0));
  }
}

TEST_F(Gradients, StopGradientAndIndependence) {
  const Value f = fn1([&](Value x) { return mul(op("stop_gradient", {x}), x); });
  EXPECT_DOUBLE_EQ(number(call(grad(f), {3.0})), 3);
  EXPECT_TRUE(output.warnings.empty());
  const Value g = fn1([&](Value) { return Value(2.0); });
  for (int i = 0; i < 3; ++i) EXPECT_EQ(numbers(call(grad(g), {vector({1, 2})})), (std::vector<double>{0, 0}));
  ASSERT_EQ(output.warnings.size(), 1u);
  EXPECT_NE(output.warnings[0].find("does not depend on x"), std::string::npos);
}

TEST_F(Gradients, ThroughIndexing) {
  const Value f = fn1([&](Value x) { return mul(at(x, int64_t{1}), add(at(x, int64_t{1}), at(x, int64_t{-1}))); });
  expect_near(numbers(call(grad(f), {vector({1, 2, 3})})), {0, 7, 2});
  const Value g = fn1([&](Value x) { return sum(mul(put(x, int64_t{0}, at(x, int64_t{2})), vector({1, 10, 100}))); });
  expect_near(numbers(call(grad(g), {vector({1, 2, 3})})), {0, 10, 101});
}

// y[i] = sin(y[i-1]) in a loop: the sweep must cost what is touched, not n copies of y.
TEST_F(Gradients, OfALoopOfUpdatesAllocateLinearly) {
  const auto bytes = [&](int64_t n) {
    const Value f = fn1([&, n](Value y) {
      for (int64_t i = 1; i < n; ++i) {
        Value next = sin(at(y, i - 1));
        Value moved = std::move(y);
        ops::IndexSpec spec;
        spec.push(ops::IndexSpec::Item::at);
        Value args[] = {std::move(moved), std::move(next), Value(spec.packed())};
        Value items[] = {Value(i)};
        y = ops::call(builder, ops::index_update_entry(), args, items);
      }
      return at(y, n - 1);
    });
    const Value x = op("add", {vector(std::vector<double>(static_cast<size_t>(n), 0.0)), 0.5});
    const auto start = std::chrono::steady_clock::now();
    pool->reset_peak();
    const uint64_t before = pool->account().allocations;
    const Value gradient = call(grad(f), {x});
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    RecordProperty("seconds_" + std::to_string(n), std::to_string(seconds));
    double product = 1, y = 0.5;
    for (int64_t i = 1; i < n; ++i) {
      product *= std::cos(y);
      y = std::sin(y);
    }
    EXPECT_NEAR(numbers(gradient)[0], product, 1e-12);
    // Large blocks: one y per step would be n of them.
    return std::pair(pool->account().peak, pool->account().allocations - before);
  };
  const auto small = bytes(1000), large = bytes(10000);
  EXPECT_LT(large.second, 14 * small.second);
  EXPECT_LT(large.first, 14 * small.first);
}

TEST_F(Gradients, OfADeepGraph) {
  const Value f = fn1([&](Value x) {
    for (int i = 0; i < 200000; ++i) x = mul(x, 1.0);
    return x;
  });
  EXPECT_DOUBLE_EQ(number(call(grad(f), {2.0})), 1);
}

TEST_F(Gradients, GiveTheirMemoryBack) {
  const Value x = vector({1, 2, 3});
  const Value f = fn1([&](Value v) { return sum(mul(v, sin(v))); });
  call(grad(f), {x});
  const uint64_t used = pool->account().used;
  call(grad(f), {x});
  EXPECT_EQ(pool->account().used, used);
  const Value broken = fn1([&](Value v) -> Value {
    const Value y = mul(v, v);
    return add(y, vector({1, 2}));
  });
  EXPECT_NE(error_of([&] { call(grad(broken), {x}); }), "");
  EXPECT_EQ(pool->account().used, used);
}

TEST_F(Gradients, DebugNamesTheOperation) {
  const Value f = fn1([&](Value x) { return sum(op("sqrt", {mul(x, 0.0)})); });
  const int place = 0;
  const auto* site = reinterpret_cast<const Span*>(&place);  // opaque here
  context.site = site;
  const Value debug = op("grad", {f, Value(int64_t{0}), Value(false), make_string("zero"), Value(true)});
  try {
    call(debug, {vector({1, 2})});
    FAIL() << "no error";
  } catch (const OpError& error) {
    EXPECT_NE(error.message.find("sqrt"), std::string::npos);
    EXPECT_EQ(error.site, site);
  }
}

}  // namespace covec::test
