// vmap: batches, axes, control flow example by example, prints and draws.
#include "tests/grad/world.hpp"

#include <cmath>

namespace covec::test {

using Vmaps = World;

TEST_F(Vmaps, PointwiseAndReductions) {
  const Value f = fn1([&](Value x) { return mul(sum(x), sin(x)); });
  const Value x = tensor({2, 3}, {1, 2, 3, 4, 5, 6});
  const Value result = call(vmap(f), {x});
  EXPECT_EQ(shape_of(result), (Shape{Dim(2), Dim(3)}));
  expect_near(numbers(result), {6 * std::sin(1), 6 * std::sin(2), 6 * std::sin(3), 15 * std::sin(4), 15 * std::sin(5),
                                15 * std::sin(6)});
}

TEST_F(Vmaps, AxesByNumberNoneAndName) {
  const Value f = fn2([&](Value x, Value y) { return mul(x, y); });
  const Value x = tensor({2, 3}, {1, 2, 3, 4, 5, 6}), y = vector({10, 100, 1000});
  const Value rows = make_tuple({Value(int64_t{0}), Value()});
  expect_near(numbers(call(vmap(f, rows), {x, y})), {10, 200, 3000, 40, 500, 6000});
  const Value columns = make_tuple({Value(int64_t{-1}), Value(int64_t{0})});
  const Value by_column = call(vmap(f, columns), {x, y});
  EXPECT_EQ(shape_of(by_column), (Shape{Dim(3), Dim(2)}));
  expect_near(numbers(by_column), {10, 40, 200, 500, 3000, 6000});
  expect_near(numbers(call(vmap(f, make_string("x")), {x, y})), {10, 200, 3000, 40, 500, 6000});
  expect_near(numbers(call(vmap(f, make_tuple({make_string("y")})), {2.0, y})), {20, 200, 2000});
  expect_near(numbers(call(vmap(f, rows), {y, x}, {"y", "x"})), {10, 200, 3000, 40, 500, 6000});
}

TEST_F(Vmaps, TreesInAndOut) {
  const Value f = fn1([&](Value p) {
    return make_tuple({mul(*p.record().find("a"), 2.0), record({"b"}, {*p.record().find("b")}), Value(7.0)});
  });
  const Value axes = make_tuple({record({"b", "a"}, {Value(), Value(int64_t{0})})});
  const Value p = record({"a", "b"}, {vector({1, 2}), vector({3, 4, 5})});
  const Value result = call(vmap(f, axes), {p});
  expect_near(numbers(result.tuple().items[0]), {2, 4});
  expect_near(numbers(*result.tuple().items[1].record().find("b")), {3, 4, 5, 3, 4, 5});
  expect_near(numbers(result.tuple().items[2]), {7, 7});
}

TEST_F(Vmaps, Nest) {
  const Value outer_product =
      vmap(vmap(fn2([&](Value x, Value y) { return mul(x, y); }), make_tuple({Value(), Value(int64_t{0})})),
           make_tuple({Value(int64_t{0}), Value()}));
  const Value result = call(outer_product, {vector({1, 2}), vector({3, 4, 5})});
  EXPECT_EQ(shape_of(result), (Shape{Dim(2), Dim(3)}));
  expect_near(numbers(result), {3, 4, 5, 6, 8, 10});
}

// vmap counts ranks without the batch axis: an example's f64 number does not widen an f32 vector.
TEST_F(Vmaps, PromotionIsThatOfOneExample) {
  const Value f = fn2([&](Value x, Value s) { return mul(x, s); });
  const Value x = op("f32", {tensor({2, 2}, {1, 2, 3, 4})});
  const Value result = call(vmap(f), {x, vector({2, 3})});
  EXPECT_EQ(dtype_of(result), Dtype::f32);
  expect_near(numbers(result), {2, 4, 9, 12});
}

TEST_F(Vmaps, ConditionsRunPerExample) {
  const Value f = fn1([&](Value x) { return truth(op("greater", {x, 0.0})) ? op("sqrt", {x}) : op("negative", {x}); });
  expect_near(numbers(call(vmap(f), {vector({4, -3, 9})})), {2, 3, 3});
  const Value total = fn1([&](Value x) { return sum(call(vmap(f), {x})); });
  expect_near(numbers(call(grad(total), {vector({4, -3, 9})})), {0.25, -1, 1.0 / 6});
  expect_near(numbers(call(vmap(grad(f)), {vector({4, -3, 9})})), {0.25, -1, 1.0 / 6});
}

TEST_F(Vmaps, ConditionsInsideNestedVmaps) {
  const Value f = fn2([&](Value x, Value y) { return truth(op("greater", {x, y})) ? sub(x, y) : Value(0.0); });
  const Value inner = vmap(f, make_tuple({Value(), Value(int64_t{0})}));
  const Value both = vmap(inner, make_tuple({Value(int64_t{0}), Value()}));
  expect_near(numbers(call(both, {vector({1, 5}), vector({0, 2, 4})})), {1, 0, 0, 5, 3, 1});
}

TEST_F(Vmaps, TripCountsRunPerExample) {
  const Value f = fn1([&](Value n) {
    Value product = 1.0;
    const int64_t count = static_cast<int64_t>(number(concrete(n)));
    for (int64_t i = 0; i < count; ++i) product = mul(product, 2.0);
    return product;
  });
  expect_near(numbers(call(vmap(f), {vector({0, 3, 5})})), {1, 8, 32});
}

TEST_F(Vmaps, PrintsComeOperationByOperation) {
  const Value f = fn1([&](Value x) {
    rest("print", {Value()}, {x});
    rest("print", {Value()}, {make_string("once each")});
    return x;
  });
  call(vmap(f), {vector({1, 2})});
  EXPECT_EQ(output.printed, "1.0\n2.0\nonce each\nonce each\n");
}

TEST_F(Vmaps, PrintsAreNotRepeatedByARestart) {
  const Value f = fn1([&](Value x) {
    rest("print", {Value()}, {x});
    if (truth(op("greater", {x, 1.5}))) rest("print", {Value()}, {make_string("big")});
    rest("print", {Value()}, {make_string("end")});
    return x;
  });
  call(vmap(f), {vector({1, 2, 3})});
  EXPECT_EQ(output.printed, "1.0\n2.0\n3.0\nend\nbig\nend\nbig\nend\n");
}

TEST_F(Vmaps, PrintsOfNestedRestarts) {
  // The inner condition differs by the inner example first, then by the outer one.
  const Value f = fn2([&](Value x, Value y) {
    rest("print", {Value()}, {mul(x, y)});
    if (truth(op("greater", {y, 1.5}))) rest("print", {Value()}, {make_string("y")});
    if (truth(op("greater", {x, 1.5}))) rest("print", {Value()}, {make_string("x")});
    return x;
  });
  const Value inner = vmap(f, make_tuple({Value(), Value(int64_t{0})}));
  call(vmap(inner, make_tuple({Value(int64_t{0}), Value()})), {vector({1, 2}), vector({1, 2})});
  // All four products first (x outermost), once; then what each example has left, in the order in which it runs.
  EXPECT_EQ(output.printed.substr(0, 16), "1.0\n2.0\n2.0\n4.0\n");
  std::string tail = output.printed.substr(16);
  EXPECT_EQ(std::count(tail.begin(), tail.end(), 'y'), 2);
  EXPECT_EQ(std::count(tail.begin(), tail.end(), 'x'), 2);
  EXPECT_EQ(tail.size(), 8u);
}

TEST_F(Vmaps, DrawsAreTheSameWhetherRestartedOrNot) {
  const auto run = [&](bool branches) {
    context.random = {};
    const Value f = fn1([&](Value x) {
      const Value first = op("rand", {});
      if (branches) truth(op("greater", {x, 0.0}));
      return make_tuple({first, op("rand", {})});
    });
    const Value result = call(vmap(f), {vector({1, -2, 3})});
    EXPECT_EQ(context.random.calls, 2u);
    EXPECT_EQ(context.random.key, 0u);
    std::vector<double> all = numbers(result.tuple().items[0]);
    for (double x : numbers(result.tuple().items[1])) all.push_back(x);
    return all;
  };
  const std::vector<double> together = run(false);
  EXPECT_EQ(together, run(true));
  for (size_t i = 1; i < together.size(); ++i) EXPECT_NE(together[i], together[0]);
}

TEST_F(Vmaps, OverNoExamples) {
  const Value f = fn1([&](Value x) { return make_tuple({mul(x, 2.0), op("greater", {sum(x), 0.0})}); });
  const Value result = call(vmap(f), {tensor({0, 3}, {})});
  EXPECT_EQ(shape_of(result.tuple().items[0]), (Shape{Dim(0), Dim(3)}));
  EXPECT_EQ(dtype_of(result.tuple().items[1]), Dtype::boolean);
  const Value g = fn1([&](Value x) { return truth(op("greater", {x, 0.0})) ? x : mul(x, 2.0); });
  EXPECT_EQ(shape_of(call(vmap(g), {vector({})})), (Shape{Dim(0)}));
}

TEST_F(Vmaps, Ranges) {
  const Value x = vector({1, 10, 100});
  const Value result =
      autodiff::over_range(builder, 1, 1, 2, "a comprehension", [&](const Value& i) { return mul(at(x, i), i); });
  expect_near(numbers(result), {10, 200});
  const Value branching = autodiff::over_range(builder, 0, 2, 3, "a comprehension", [&](const Value& i) {
    return truth(op("greater", {i, int64_t{1}})) ? mul(i, int64_t{10}) : i;
  });
  expect_near(numbers(branching), {0, 20, 40});
}

}  // namespace covec::test
