// Jacobians and Hessians: modes, trees, shapes.
#include "tests/grad/world.hpp"

#include <cmath>

namespace covec::test {

class Jacobians : public World {
 protected:
  Value jacobian(const Value& f, const std::string& mode = "auto", Value wrt = int64_t{0}) {
    return op("jacobian", {f, wrt, make_string(mode)});
  }
};

TEST_F(Jacobians, ModesAgree) {
  const Value f = fn1([&](Value x) {
    return op("stack", {make_tuple({mul(at(x, int64_t{0}), at(x, int64_t{1})), sin(at(x, int64_t{2}))})});
  });
  const Value x = vector({2, 3, 0.5});
  const std::vector<double> wanted = {3, 2, 0, 0, 0, std::cos(0.5)};
  for (const char* mode : {"auto", "forward", "reverse"}) {
    const Value result = call(jacobian(f, mode), {x});
    EXPECT_EQ(shape_of(result), (Shape{Dim(2), Dim(3)})) << mode;
    expect_near(numbers(result), wanted);
  }
}

TEST_F(Jacobians, WideAndTall) {
  const Value wide = fn1([&](Value x) { return mul(sum(mul(x, x)), vector({1, 2})); });
  const Value tall = fn1([&](Value x) { return mul(sum(x), vector({1, 2, 3, 4, 5})); });
  for (const char* mode : {"auto", "forward", "reverse"}) {
    expect_near(numbers(call(jacobian(wide, mode), {vector({1, 2, 3})})), {2, 4, 6, 4, 8, 12});
    expect_near(numbers(call(jacobian(tall, mode), {vector({1, 2})})), {1, 1, 2, 2, 3, 3, 4, 4, 5, 5});
  }
}

TEST_F(Jacobians, OfTreesByTrees) {
  const Value f = fn2([&](Value p, Value s) {
    const Value a = *p.record().find("a"), b = *p.record().find("b");
    return record({"u", "v", "name"}, {mul(a, s), add(sum(mul(a, a)), b), make_string("f")});
  });
  const Value p = record({"a", "b", "n"}, {vector({1, 2}), Value(5.0), Value(int64_t{3})});
  const Value wrt = make_tuple({Value(int64_t{0}), Value(int64_t{1})});
  for (const char* mode : {"auto", "forward", "reverse"}) {
    const Value result = call(jacobian(f, mode, wrt), {p, 10.0});
    const Value u = *result.record().find("u"), v = *result.record().find("v");
    EXPECT_TRUE(result.record().find("name")->is_none());
    expect_near(numbers(*u.tuple().items[0].record().find("a")), {10, 0, 0, 10});
    expect_near(numbers(*u.tuple().items[0].record().find("b")), {0, 0});
    EXPECT_TRUE(u.tuple().items[0].record().find("n")->is_none());
    expect_near(numbers(u.tuple().items[1]), {1, 2});
    expect_near(numbers(*v.tuple().items[0].record().find("a")), {2, 4});
    expect_near(numbers(*v.tuple().items[0].record().find("b")), {1});
    expect_near(numbers(v.tuple().items[1]), {0});
  }
}

TEST_F(Jacobians, ShapesAreOutputThenInput) {
  const Value f = fn1([&](Value x) { return op("transpose", {x}); });
  const Value x = tensor({2, 3}, {1, 2, 3, 4, 5, 6});
  std::vector<double> first;
  for (const char* mode : {"auto", "forward", "reverse"}) {
    const Value result = call(jacobian(f, mode), {x});
    EXPECT_EQ(shape_of(result), (Shape{Dim(3), Dim(2), Dim(2), Dim(3)})) << mode;
    const std::vector<double> all = numbers(result);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 2; ++j) {
        for (int k = 0; k < 6; ++k) EXPECT_EQ(all[(i * 2 + j) * 6 + k], k == j * 3 + i ? 1 : 0);
      }
    }
  }
}

TEST_F(Jacobians, PrintAndDrawOnce) {
  for (const char* mode : {"auto", "forward", "reverse"}) {
    output.printed.clear();
    context.random = {};
    const Value f = fn1([&](Value x) {
      rest("print", {Value()}, {make_string("run")});
      return mul(x, op("rand", {}));
    });
    const std::vector<double> result = numbers(call(jacobian(f, mode), {vector({1, 2})}));
    EXPECT_EQ(output.printed, "run\n") << mode;
    EXPECT_EQ(result[0], result[3]);
    EXPECT_EQ(context.random.calls, 1u);
  }
}

TEST_F(Jacobians, Hessian) {
  const Value f = fn1([&](Value x) { return mul(mul(at(x, int64_t{0}), at(x, int64_t{0})), at(x, int64_t{1})); });
  expect_near(numbers(call(op("hessian", {f}), {vector({2, 5})})), {10, 4, 4, 0});
  const Value g = fn2([&](Value x, Value y) { return mul(sin(x), y); });
  const Value blocks = call(op("hessian", {g, make_tuple({Value(int64_t{0}), Value(int64_t{1})})}), {0.3, 2.0});
  EXPECT_NEAR(number(blocks.tuple().items[0].tuple().items[0]), -2 * std::sin(0.3), 1e-14);
  EXPECT_NEAR(number(blocks.tuple().items[0].tuple().items[1]), std::cos(0.3), 1e-14);
  EXPECT_NEAR(number(blocks.tuple().items[1].tuple().items[0]), std::cos(0.3), 1e-14);
  EXPECT_NEAR(number(blocks.tuple().items[1].tuple().items[1]), 0, 1e-14);
}

TEST_F(Jacobians, OfScalarsAndOfNothing) {
  EXPECT_DOUBLE_EQ(number(call(jacobian(fn1([&](Value x) { return mul(x, x); })), {3.0})), 6);
  const Value empty = call(jacobian(fn1([&](Value x) { return mul(x, x); })), {vector({})});
  EXPECT_EQ(shape_of(empty), (Shape{Dim(0), Dim(0)}));
  const Value constant = call(jacobian(fn1([&](Value) { return Value(2.0); })), {vector({1, 2})});
  expect_near(numbers(constant), {0, 0});
  EXPECT_EQ(output.warnings.size(), 1u);
}

// World compares those of all functions that tests differentiate.
TEST_F(Jacobians, AreComparedWithSparseOnes) {
  const Value f = fn2([&](Value p, Value s) { return mul(*p.record().find("a"), s); });
  const Value p = record({"a", "n"}, {vector({1, 2}), Value(int64_t{3})});
  EXPECT_EQ(sparse.count(), 0);
  call(jacobian(f), {p, 10.0});
  EXPECT_EQ(sparse.count(), 1);
  call(grad(fn1([&](Value x) { return sum(mul(x, x)); })), {vector({1, 2})});
  const Value tangent = record({"a", "n"}, {vector({1, 2}), Value()});
  op("jvp", {f, make_tuple({p, 10.0}), make_tuple({tangent, 1.0})});
  EXPECT_EQ(sparse.count(), 3);
  call(jacobian(fn1([&](Value x) { return op("sqrt", {x}); })), {vector({0, 1})});
  EXPECT_EQ(sparse.count(), 3);  // infinite
}

TEST_F(Jacobians, UnderGradAndVmap) {
  const Value f = fn1([&](Value x) { return mul(mul(x, x), x); });
  const Value total = fn1([&](Value x) { return sum(call(jacobian(f), {x})); });
  expect_near(numbers(call(grad(total), {vector({1, 2})})), {6, 12});
  const Value each = call(vmap(jacobian(f)), {tensor({2, 2}, {1, 2, 3, 4})});
  EXPECT_EQ(shape_of(each), (Shape{Dim(2), Dim(2), Dim(2)}));
  expect_near(numbers(each), {3, 0, 0, 12, 27, 0, 0, 48});
}

}  // namespace covec::test
