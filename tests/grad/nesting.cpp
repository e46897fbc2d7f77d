// Transformations of transformations: orders of derivatives, perturbation confusion, captures.
#include "tests/grad/world.hpp"

#include <cmath>

namespace covec::test {

using Nesting = World;

TEST_F(Nesting, ThirdDerivative) {
  const Value f = fn1([&](Value x) { return sin(mul(x, x)); });
  const double x = 0.8, s = std::sin(x * x), c = std::cos(x * x);
  EXPECT_NEAR(number(call(grad(f), {x})), 2 * x * c, 1e-14);
  EXPECT_NEAR(number(call(grad(grad(f)), {x})), 2 * c - 4 * x * x * s, 1e-13);
  EXPECT_NEAR(number(call(grad(grad(grad(f))), {x})), -12 * x * s - 8 * x * x * x * c, 1e-12);
}

// d/dx (x · d/dy (x + y)) is 1: a system that confuses the two perturbations gives 2.
TEST_F(Nesting, PerturbationsAreNotConfused) {
  const Value f = fn1([&](Value x) {
    const Value inner = grad(fn1([&](Value y) { return add(x, y); }));
    return mul(x, call(inner, {1.0}));
  });
  EXPECT_DOUBLE_EQ(number(call(grad(f), {1.0})), 1);
  EXPECT_DOUBLE_EQ(number(op("jvp", {f, Value(1.0), Value(1.0)}).tuple().items[1]), 1);
  const Value forward = fn1([&](Value x) {
    const Value pair = op("jvp", {fn1([&](Value y) { return mul(x, y); }), Value(1.0), Value(1.0)});
    return mul(x, pair.tuple().items[1]);
  });
  EXPECT_DOUBLE_EQ(number(op("jvp", {forward, Value(3.0), Value(1.0)}).tuple().items[1]), 6);
  EXPECT_DOUBLE_EQ(number(call(grad(forward), {3.0})), 6);
}

TEST_F(Nesting, ModesAgreeInSecondOrder) {
  const Value f = fn1([&](Value x) { return mul(exp(x), sin(x)); });
  const auto forward = [&](const Value& g) {
    return fn1([&, g](Value x) { return op("jvp", {g, x, Value(1.0)}).tuple().items[1]; });
  };
  const double x = 0.4, wanted = 2 * std::exp(x) * std::cos(x);
  EXPECT_NEAR(number(call(grad(grad(f)), {x})), wanted, 1e-14);
  EXPECT_NEAR(number(call(forward(forward(f)), {x})), wanted, 1e-14);
  EXPECT_NEAR(number(call(forward(grad(f)), {x})), wanted, 1e-14);
  EXPECT_NEAR(number(call(grad(forward(f)), {x})), wanted, 1e-14);
}

TEST_F(Nesting, HessianVectorProduct) {
  const Value f = fn1([&](Value x) { return sum(mul(mul(x, x), x)); });
  const Value pair = op("jvp", {grad(f), vector({1, 2, 3}), vector({1, 0, -1})});
  expect_near(numbers(pair.tuple().items[1]), {6, 0, -18});
}

TEST_F(Nesting, AnInnerGradientOfAnOuterParameter) {
  const Value f = fn2([&](Value w, Value x) {
    const Value inner = grad(fn1([&](Value v) { return sum(mul(mul(v, v), w)); }));
    return sum(mul(call(inner, {x}), x));  // 2·w·x²
  });
  expect_near(numbers(call(grad(f, 0), {vector({1, 1}), vector({2, 3})})), {8, 18});
  expect_near(numbers(call(grad(f, 1), {vector({1, 5}), vector({2, 3})})), {8, 60});
}

TEST_F(Nesting, ThroughAPullback) {
  const Value f = fn1([&](Value x) {
    const Value pair = op("vjp", {fn1([&](Value y) { return mul(mul(y, y), x); }), x});
    return call(pair.tuple().items[1], {x});  // 2·x·x·x
  });
  EXPECT_DOUBLE_EQ(number(call(f, {2.0})), 16);
  EXPECT_DOUBLE_EQ(number(call(grad(f), {2.0})), 24);
}

TEST_F(Nesting, CapturesAreStripped) {
  Value kept;
  const Value f = fn1([&](Value x) {
    const Value closure = Value::adopt(new Capturing(
        [&](std::span<Value> args, const std::vector<Value>& captured) { return mul(args[0], captured[0]); },
        {mul(x, 2.0)}));
    return make_tuple({mul(x, x), closure});
  });
  const Value result = call(op("grad", {f, Value(int64_t{0}), Value(true)}), {3.0});
  const Value closure = result.tuple().items[1];
  ASSERT_TRUE(closure.is(ObjectKind::function));
  EXPECT_TRUE(closure.function().captures()[0].is_scalar());
  EXPECT_DOUBLE_EQ(number(call(closure, {5.0})), 30);
}

// Even what slips out is a constant afterwards, to later transformations too.
TEST_F(Nesting, ClosedLevelsAreConstants) {
  Value leaked;
  call(grad(fn1([&](Value x) {
         leaked = mul(x, 2.0);
         return leaked;
       })),
       {3.0});
  ASSERT_TRUE(leaked.is_traced());
  const Value f = fn1([&](Value x) { return mul(x, leaked); });
  EXPECT_DOUBLE_EQ(number(call(grad(f), {1.0})), 6);
  EXPECT_TRUE(mul(leaked, 2.0).is_scalar());
}

TEST_F(Nesting, VmapOfGradAndGradOfVmap) {
  const Value f = fn1([&](Value x) { return mul(sin(x), x); });
  const std::vector<double> xs = {0.1, 0.7, -2};
  std::vector<double> wanted;
  for (double x : xs) wanted.push_back(std::cos(x) * x + std::sin(x));
  expect_near(numbers(call(vmap(grad(f)), {vector(xs)})), wanted);
  const Value total = fn1([&](Value x) { return sum(call(vmap(f), {x})); });
  expect_near(numbers(call(grad(total), {vector(xs)})), wanted);
  const Value twice = fn1([&](Value x) { return sum(call(vmap(grad(f)), {x})); });
  wanted.clear();
  for (double x : xs) wanted.push_back(2 * std::cos(x) - x * std::sin(x));
  expect_near(numbers(call(grad(twice), {vector(xs)})), wanted);
}

TEST_F(Nesting, ErrorsCloseAllLevels) {
  const Value bad = fn1([&](Value) -> Value { throw OpError{"internal", "stop", {}, "", nullptr}; });
  const Value f = fn1([&](Value x) { return call(vmap(grad(bad)), {x}); });
  EXPECT_EQ(error_of([&] { call(grad(f), {vector({1, 2})}); }), "stop");
  EXPECT_EQ(context.level, 0u);
  EXPECT_TRUE(context.batches.empty());
}

}  // namespace covec::test
