// checkpoint and functions with rules of their own.
#include "tests/grad/world.hpp"

#include <cmath>

namespace covec::test {

class Composites : public World {
 protected:
  // x³ with a rule that says 100·ct, to tell who was asked.
  Value cube() {
    const Value f = fn1([&](Value x) { return mul(mul(x, x), x); });
    const Value rule = fn(
        {"x", "y", "ct"}, [&](std::span<Value> args) { return mul(args[2], mul(args[0], 100.0)); }, "cube_vjp");
    return autodiff::attach_rule(f, rule);
  }
};

TEST_F(Composites, EachModeHasItsRule) {
  const Value rule = fn(
      {"x", "y", "dx"}, [&](std::span<Value> args) { return mul(args[2], mul(args[0], 7.0)); }, "cube_jvp");
  const Value f = autodiff::attach_rule(cube(), rule, autodiff::RuleMode::forward);
  EXPECT_DOUBLE_EQ(number(call(grad(f), {2.0})), 200);
  EXPECT_DOUBLE_EQ(number(op("jvp", {f, 2.0, 1.0}).tuple().items[1]), 14);
  const Value slope = fn1([&](Value x) { return op("jvp", {f, x, 1.0}).tuple().items[1]; });
  EXPECT_DOUBLE_EQ(number(call(grad(slope), {2.0})), 7);
  EXPECT_DOUBLE_EQ(number(op("jvp", {grad(f), 2.0, 1.0}).tuple().items[1]), 100);
}

TEST_F(Composites, CheckpointGivesTheSame) {
  const Value f = fn1([&](Value x) { return sum(mul(sin(x), exp(x))); });
  const Value x = vector({0.1, -0.4, 2});
  const Value checked = op("checkpoint", {f});
  EXPECT_EQ(numbers(call(grad(checked), {x})), numbers(call(grad(f), {x})));
  const Value outer = fn1([&](Value v) { return mul(call(checked, {mul(v, v)}), 2.0); });
  const Value plain = fn1([&](Value v) { return mul(call(f, {mul(v, v)}), 2.0); });
  EXPECT_EQ(numbers(call(grad(outer), {x})), numbers(call(grad(plain), {x})));
  const auto second = [&](const Value& g) {
    return grad(fn1([&, g](Value v) { return sum(sin(call(grad(g), {v}))); }));
  };
  expect_near(numbers(call(second(checked), {x})), numbers(call(second(f), {x})));
  expect_near(numbers(op("jvp", {checked, x, x}).tuple().items[1]), numbers(op("jvp", {f, x, x}).tuple().items[1]));
}

TEST_F(Composites, CheckpointPrintsOnceAndReplaysDraws) {
  const Value f = fn1([&](Value x) {
    rest("print", {Value()}, {make_string("run")});
    return mul(mul(x, x), op("rand", {}));
  });
  const Value outer = fn1([&](Value x) {
    const Value y = call(op("checkpoint", {f}), {x});
    return add(y, mul(op("rand", {}), 0.0));
  });
  const double first = number(call(f, {3.0})) / 9;
  context.random = {};
  output.printed.clear();
  EXPECT_DOUBLE_EQ(number(call(grad(outer), {3.0})), 6 * first);
  EXPECT_EQ(output.printed, "run\n");
  EXPECT_EQ(context.random.calls, 2u);
}

TEST_F(Composites, CheckpointSeesCaptures) {
  const Value f = fn1([&](Value w) {
    const Value layer = Value::adopt(new Capturing(
        [&](std::span<Value> args, const std::vector<Value>& captured) { return mul(args[0], captured[0]); },
        {mul(w, w)}));
    return call(op("checkpoint", {layer}), {5.0});
  });
  EXPECT_DOUBLE_EQ(number(call(grad(f), {3.0})), 30);
}

TEST_F(Composites, CheckpointUnderVmap) {
  const Value f = fn2([&](Value x, Value w) { return mul(mul(sin(x), w), op("rand", {})); });
  const Value axes = make_tuple({Value(int64_t{0}), Value()});
  const auto total = [&](const Value& g) {
    return fn2([&, g](Value x, Value w) { return sum(call(vmap(g, axes), {x, w})); });
  };
  const Value x = vector({1, 2, 3});
  for (int64_t wrt : {0, 1}) {
    context.random = {};
    const std::vector<double> plain = numbers(call(grad(total(f), wrt), {x, 2.0}));
    context.random = {};
    expect_near(numbers(call(grad(total(op("checkpoint", {f})), wrt), {x, 2.0})), plain);
    EXPECT_EQ(context.random.calls, 1u);
    EXPECT_TRUE(context.batches.empty());
  }
}

TEST_F(Composites, CheckpointWithBatchedControl) {
  const Value f = fn1([&](Value x) { return truth(op("greater", {x, 0.0})) ? mul(x, x) : op("negative", {x}); });
  const Value total = fn1([&](Value x) { return sum(call(vmap(op("checkpoint", {f})), {x})); });
  expect_near(numbers(call(grad(total), {vector({3, -2})})), {6, -1});
}

TEST_F(Composites, ARuleIsAskedInReverse) {
  EXPECT_DOUBLE_EQ(number(call(cube(), {2.0})), 8);
  EXPECT_DOUBLE_EQ(number(call(grad(cube()), {2.0})), 200);
  EXPECT_DOUBLE_EQ(number(call(grad(grad(cube())), {2.0})), 100) << "the rule's body is differentiated";
  EXPECT_DOUBLE_EQ(number(op("jvp", {cube(), Value(2.0), Value(1.0)}).tuple().items[1]), 12)
      << "forward mode goes through f";
}

TEST_F(Composites, ARuleUnderVmap) {
  const Value f = cube();
  expect_near(numbers(call(vmap(grad(f)), {vector({1, 2})})), {100, 200});
  const Value total = fn1([&](Value x) { return sum(call(vmap(f), {x})); });
  expect_near(numbers(call(grad(total), {vector({1, 2})})), {100, 200});
  const Value diagonal = call(op("jacobian", {vmap(f)}), {vector({1, 2})});
  expect_near(numbers(diagonal), {100, 0, 0, 200});
}

TEST_F(Composites, ARuleOfSeveralArgumentsAndResults) {
  const Value f = fn({"p", "n", "y"}, [&](std::span<Value> args) {
    const Value w = *args[0].record().find("w");
    return make_tuple({mul(w, args[2]), args[1]});
  });
  const Value rule = fn({"p", "n", "y", "result", "ct"}, [&](std::span<Value> args) {
    const Value ct = args[4].tuple().items[0];
    EXPECT_TRUE(args[4].tuple().items[1].is_none());
    return make_tuple({record({"w"}, {mul(ct, 10.0)}), Value(), mul(ct, 20.0)});
  });
  const Value with_rule = autodiff::attach_rule(f, rule);
  const Value loss = fn2([&](Value w, Value y) {
    const Value args[] = {record({"w"}, {w}), Value(int64_t{3}), y};
    return call(with_rule, {args[0], args[1], args[2]}).tuple().items[0];
  });
  const Value both = call(grad(loss, make_tuple({Value(int64_t{0}), Value(int64_t{1})})), {2.0, 3.0});
  EXPECT_DOUBLE_EQ(number(both.tuple().items[0]), 10);
  EXPECT_DOUBLE_EQ(number(both.tuple().items[1]), 20);
}

TEST_F(Composites, ARuleMayNotHideACapture) {
  const Value f = fn1([&](Value w) {
    const Value inner = Value::adopt(new Capturing(
        [&](std::span<Value> args, const std::vector<Value>& captured) { return mul(args[0], captured[0]); }, {w}));
    const Value rule = fn({"x", "y", "ct"}, [&](std::span<Value> args) { return args[2]; });
    return call(autodiff::attach_rule(inner, rule), {5.0});
  });
  EXPECT_NE(error_of([&] { call(grad(f), {3.0}); }).find("captures"), std::string::npos);
}

}  // namespace covec::test
