// What is not a function, not a scalar, not a float, not there: each with its message.
#include "tests/grad/world.hpp"

namespace covec::test {

class Mistakes : public World {
 protected:
  Value identity() {
    return fn1([](Value x) { return x; });
  }
};

TEST_F(Mistakes, Results) {
  EXPECT_EQ(error_of([&] {
              call(grad(identity()), {vector({1, 2, 3})});
            }),
            "grad needs a scalar result, got f64[3]; use jacobian or sum");
  const Value integer = fn1([](Value) { return Value(int64_t{3}); });
  EXPECT_EQ(error_of([&] { call(grad(integer), {1.0}); }), "grad needs a float result, got i64");
  const Value text = fn1([](Value) { return make_string("x"); });
  EXPECT_EQ(error_of([&] { call(grad(text), {1.0}); }), "grad needs a scalar float result, got string");
  EXPECT_EQ(error_of([&] {
              call(op("hessian", {identity()}), {vector({1, 2, 3})});
            }),
            "hessian needs a scalar result, got f64[3]; use jacobian or sum");
  EXPECT_EQ(error_of([&] { call(op("jacobian", {integer}), {1.0}); }), "jacobian needs a float result, got i64");
  const Value aux = op("grad", {identity(), Value(int64_t{0}), Value(true)});
  EXPECT_NE(error_of([&] { call(aux, {1.0}); }).find("has_aux"), std::string::npos);
}

TEST_F(Mistakes, Parameters) {
  EXPECT_EQ(error_of([&] { call(grad(identity()), {int64_t{1}}); }), "grad needs floats, but x is i64");
  EXPECT_EQ(error_of([&] { grad(identity(), int64_t{1}); }), "grad: f has 1 parameters, there is no parameter 1");
  EXPECT_EQ(error_of([&] { grad(identity(), make_string("w")); }), "grad: f has no parameter named w");
  EXPECT_EQ(error_of([&] { grad(identity(), 1.5); }),
            "grad: wrt takes a parameter's number or name, or a tuple of them, not f64");
  EXPECT_EQ(error_of([&] {
              grad(identity(), make_tuple({Value(int64_t{0}), make_string("x")}));
            }),
            "grad: wrt names parameter 0 twice");
  EXPECT_EQ(error_of([&] { grad(identity(), make_tuple({})); }), "grad: wrt is empty");
  EXPECT_EQ(error_of([&] { call(grad(fn2([](Value x, Value) { return x; }), 1), {1.0}); }),
            "grad: the parameter y is not given in this call");
  EXPECT_EQ(error_of([&] { grad(Value(1.0)); }), "grad needs a function, got f64");
  EXPECT_NE(error_of([&] {
              op("jacobian", {identity(), Value(int64_t{0}), make_string("sideways")});
            }).find("sideways"),
            std::string::npos);
}

TEST_F(Mistakes, Cotangents) {
  const Value pair = op("vjp", {identity(), vector({1, 2})});
  const Value pullback = pair.tuple().items[1];
  EXPECT_EQ(error_of([&] {
              call(pullback, {vector({1, 2, 3})});
            }),
            "a cotangent of f64[2] must have its shape, got f64[3]");
  EXPECT_EQ(error_of([&] { call(pullback, {make_string("x")}); }),
            "a cotangent of f64[2] must be a tensor like it, got string");
  EXPECT_NE(error_of([&] { call(pullback, {}); }), "");
  EXPECT_NE(error_of([&] { op("jvp", {identity(), vector({1, 2}), Value(1.0)}); }), "");
  EXPECT_NE(error_of([&] {
              op("jvp", {identity(), make_tuple({Value(1.0)}), make_tuple({Value(1.0), Value(1.0)})});
            }),
            "");
}

TEST_F(Mistakes, Vmaps) {
  EXPECT_EQ(error_of([&] {
              call(vmap(fn2([](Value x, Value) { return x; })), {vector({1, 2}), vector({1, 2, 3})});
            }),
            "vmap(f): x has 2 examples, y has 3");
  EXPECT_EQ(error_of([&] { call(vmap(identity()), {1.0}); }), "vmap(f): x is f64, which has no axis 0");
  EXPECT_EQ(error_of([&] { call(vmap(identity(), Value()), {vector({1})}); }),
            "vmap(f): no argument has examples to map over");
  EXPECT_NE(error_of([&] { vmap(identity(), 1.5); }), "");
  EXPECT_NE(error_of([&] { vmap(identity(), make_string("w")); }), "");
  EXPECT_NE(error_of([&] { call(vmap(fn1([](Value) { return make_string("s"); })), {vector({1})}); }), "");
  const Value ragged = fn1([&](Value x) { return truth(op("greater", {x, 1.5})) ? vector({1, 2}) : vector({1}); });
  EXPECT_EQ(error_of([&] {
              call(vmap(ragged), {vector({1, 2})});
            }),
            "vmap(f): example 1 gives f64[2], example 0 gives f64[1]; only results of one shape can be stacked");
}

// Errors inside a vmap speak of one example.
TEST_F(Mistakes, InExamplesAreSaidOfOneExample) {
  const Value f = fn1([&](Value x) { return add(x, vector({1, 2, 3})); });
  EXPECT_NE(error_of([&] {
              call(vmap(f), {tensor({2, 2}, {1, 2, 3, 4})});
            }).find("f64[2] and f64[3]"),
            std::string::npos);
  const Value g = fn1([&](Value x) { return op("matmul", {x, vector({1, 2, 3})}); });
  EXPECT_NE(error_of([&] { call(vmap(g), {tensor({2, 2}, {1, 2, 3, 4})}); }).find("f64[2]"), std::string::npos);
  EXPECT_NE(error_of([&] { op("vjp", {fn1([](Value x) { return x; }), make_list({})}); }), "");
}

TEST_F(Mistakes, Rules) {
  const Value rule = fn(
      {"x", "y", "r", "ct"}, [](std::span<Value> args) { return args[3]; }, "f_vjp");
  const Value f = autodiff::attach_rule(fn2([&](Value x, Value y) { return mul(x, y); }), rule);
  EXPECT_EQ(error_of([&] {
              call(grad(f), {1.0, 2.0});
            }),
            "f_vjp must return one cotangent per argument: 2 are needed, got 1");
}

}  // namespace covec::test
