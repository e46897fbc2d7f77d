// Small random programs, each checked in every way that derivatives can be had: forward against reverse, against finite
// differences, vmap against a loop, second derivatives in both orders of modes, Jacobians in all modes. Seeds are
// fixed.
#include "tests/grad/world.hpp"

#include <cmath>
#include <random>

namespace covec::test {

class RandomPrograms : public World {
 protected:
  // A program is a list of steps over values of shape (3,) and (): what each does is decided by numbers drawn
  // beforehand.
  struct Step {
    int what, a, b, k;
  };

  std::vector<Step> make_program(std::mt19937& random, int steps) {
    std::vector<Step> program;
    for (int i = 0; i < steps; ++i) {
      program.push_back({static_cast<int>(random() % 16), static_cast<int>(random()), static_cast<int>(random()),
                         static_cast<int>(random() % 3)});
    }
    return program;
  }

  Value step(const Step& s, const Value& a, const Value& b, const Value& matrix) {
    const Value third = Value(int64_t{s.k});
    switch (s.what) {
      case 0: return add(a, b);
      case 1: return mul(a, b);
      case 2: return sub(a, mul(b, 0.5));
      case 3: return sin(a);
      case 4: return op("tanh", {a});
      case 5: return op("exp", {op("negative", {mul(a, a)})});
      case 6: return op("divide", {a, add(mul(b, b), 1.0)});
      case 7: return mul(sum(a), 0.3);
      case 8: return add(b, op("max", {a}));
      case 9: return at(op("multiply", {a, vector({1, 2, 3})}), third);
      case 10: return put(mul(a, vector({1, 1, 1})), third, sum(b));
      case 11: return op("where", {op("greater", {a, b}), a, sin(b)});
      case 12: return op("matmul", {matrix, mul(a, vector({1, 0.5, 2}))});
      case 13:
        return op("concat", {make_tuple({at_range(mul(a, vector({1, 1, 1}))),
                                         op("reshape", {sum(b), make_tuple({Value(int64_t{1})})})})});
      case 14: return op("logsumexp", {op("stack", {make_tuple({sum(a), sum(b)})})});
      default: return op("maximum", {a, mul(b, 0.7)});
    }
  }
  Value at_range(Value x) {
    ops::IndexSpec spec;
    spec.push(ops::IndexSpec::Item::slice, true, false, false);
    Value args[] = {std::move(x), Value(spec.packed())};
    Value items[] = {Value(int64_t{1})};
    return ops::call(builder, ops::index_read_entry(), args, items);
  }

  // All values stay bounded: each step's result goes through tanh.
  Value run(const std::vector<Step>& program, const Value& x) {
    const Value matrix = tensor({3, 3}, {0.2, -0.4, 0.1, 0.3, 0.5, -0.2, -0.1, 0.6, 0.4});
    std::vector<Value> values = {x, mul(x, 0.9)};
    for (const Step& s : program) {
      const size_t n = values.size();
      const size_t a = static_cast<size_t>(s.a & 0x7fffffff) % n, b = static_cast<size_t>(s.b & 0x7fffffff) % n;
      values.push_back(op("tanh", {step(s, values[a], values[b], matrix)}));
    }
    Value total = 0.0;
    for (const Value& v : values) total = add(total, mul(v, 0.8));
    return mul(total, vector({1, -0.5, 0.25}));
  }
};

TEST_F(RandomPrograms, AreDifferentiatedAlikeInEveryWay) {
  std::mt19937 random(20240607);
  std::uniform_real_distribution<double> number_in(-1.2, 1.2);
  for (int round = 0; round < 150; ++round) {
    SCOPED_TRACE(round);
    const std::vector<Step> program = make_program(random, 1 + round % 9);
    const Value f = fn1([&](Value x) { return run(program, x); });
    const auto draw = [&] { return vector({number_in(random), number_in(random), number_in(random)}); };
    const Value x = draw(), t = draw(), ct = draw();

    // <ct, J t> forward and reverse.
    const Value forward = op("jvp", {f, x, t}).tuple().items[1];
    const Value reverse = call(op("vjp", {f, x}).tuple().items[1], {ct});
    EXPECT_NEAR(number(sum(mul(forward, ct))), number(sum(mul(reverse, t))), 1e-11);
    EXPECT_LT(number(rest("check_grad", {f, Value()}, {x})), 2e-5);

    // Jacobians.
    const std::vector<double> jacobian = numbers(call(op("jacobian", {f}), {x}));
    for (const char* mode : {"forward", "reverse"}) {
      expect_near(numbers(call(op("jacobian", {f, Value(int64_t{0}), make_string(mode)}), {x})), jacobian, 1e-11);
    }

    // vmap is a loop, bit by bit.
    const Value batch = op("stack", {make_tuple({x, t, ct})});
    std::vector<double> looped, mapped = numbers(call(vmap(f), {batch}));
    for (const Value& example : {x, t, ct}) {
      for (double v : numbers(call(f, {example}))) looped.push_back(v);
    }
    EXPECT_EQ(mapped, looped);

    // Second derivatives: forward over reverse, reverse over reverse, reverse over forward; and under vmap.
    const Value scalar = fn1([&](Value v) { return sum(mul(run(program, v), ct)); });
    const std::vector<double> hessian = numbers(call(op("hessian", {scalar}), {x}));
    const Value gradient = grad(scalar);
    expect_near(numbers(call(op("jacobian", {gradient, Value(int64_t{0}), make_string("reverse")}), {x})), hessian,
                1e-10);
    const Value directional = fn1([&](Value v) { return op("jvp", {scalar, v, t}).tuple().items[1]; });
    std::vector<double> product(3, 0.0);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) product[i] += hessian[i * 3 + j] * numbers(t)[j];
    }
    expect_near(numbers(call(grad(directional), {x})), product, 1e-10);
    std::vector<double> each;
    for (const Value& example : {x, t, ct}) {
      for (double v : numbers(call(gradient, {example}))) each.push_back(v);
    }
    EXPECT_EQ(numbers(call(vmap(gradient), {batch})), each);

    // Recomputed instead of stored: the same bits.
    EXPECT_EQ(numbers(call(grad(op("checkpoint", {scalar})), {x})), numbers(call(gradient, {x})));
  }
}

}  // namespace covec::test
