// Functions of the language on two engines: eager on every instruction set, and lowered to C99. The values must agree bit for bit,
// and where one fails the other must.
#include <gtest/gtest.h>

#include "interpreter/eval/closure.hpp"
#include "interpreter/session/session.hpp"
#include "jit/lower/lower.hpp"
#include "stdlib/ops/pointwise.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/tree.hpp"
#include "tests/ir/c99_engine.hpp"

namespace {

using namespace covec;

struct Case {
  const char* function;   // its definition, named f
  const char* arguments;  // a tuple of values, as text
};

constexpr Case cases[] = {
    {"fn f(x, y) = x * y + 1.0", "(linspace(-1, 1, 7), [2.0])"},
    {"fn f(x, y) = x * y + 1.0", "(linspace(-1, 1, 0), 3.0)"},
    {"fn f(x) { r = exp(-x^2); return sin(r) / (1 + r) }", "(reshape(linspace(-5, 5, 300), 20, 15),)"},
    {"fn f(x, y) = where(x > y, x, 0) ^ 2", "(randn(7, 1), randn(5))"},
    {"fn f(a, b, x) = a * exp(-x^2) + b * sin(x) + sqrt(abs(x))", "(f32(1.5), f32(-0.5), f32(randn(1000)))"},
    {"fn f(n, k) = n // k + n % k", "([-7, 7, 8], [2, -3, 5])"},
    {"fn f(n, k) = n // k", "([1, 2, 3], [1, 0, 2])"},
    {"fn f(x, y) = x + y", "(zeros(3), zeros(4))"},
    {"fn f(x, y) = x + y", "(zeros(3, 1), zeros(1, 4))"},
    {"fn f(x) = i32(x) + f32(x)", "([1.5, -2.5, 1e10, nan],)"},
    {"fn f(x) = sum(x)", "(f32(randn(100000)),)"},
    {"fn f(x) = sum(x)", "(zeros(0),)"},
    {"fn f(x) = sum(x, axis=0)", "(f32(randn(3000, 7)),)"},
    {"fn f(x) = sum(x, axis=1, keepdims=true)", "(f32(randn(7, 9000)),)"},
    {"fn f(x) = sum(x, axis=(0, 2))", "(randn(5, 6, 700),)"},
    {"fn f(x) = prod(x, axis=-1) + max(x) - min(x, axis=-1)", "(randn(5, 6),)"},
    {"fn f(x) = mean((x - mean(x))^2)", "(f32(randn(333)),)"},
    {"fn f(x) = (any(x > 0), all(x > 0, axis=0))", "(randn(4, 5),)"},
    {"fn f(x) = logsumexp(x, axis=1)", "(10 * randn(6, 300),)"},
    {"fn f(x) = logsumexp(x)", "([-inf, -inf],)"},
    {"fn f(x) = (argmax(x, axis=1), argmax(x))", "([[1.0, 3.0, 3.0], [nan, 5.0, nan]],)"},
    {"fn f(x) = (sum(x), mean(x))", "([true, false, true],)"},
    {"fn f(x) { e = exp(x - max(x, axis=1, keepdims=true)); return e / sum(e, axis=1, keepdims=true) }", "(f32(randn(8, 100)),)"},
};

const core::Function& function_of(Session& session) {
  return static_cast<const Closure&>(session.find_global("f")->function()).function;
}

std::vector<Value> items_of(const Value& value) {
  return value.is(ObjectKind::tuple) ? value.tuple().items : std::vector<Value>{value};
}

TEST(Programs, EagerAndC99AgreeBitForBit) {
  tests::C99Engine engine;
  SessionOptions options;
  options.use_environment = false;
  Session session(options);
  std::vector<std::vector<Value>> arguments;
  std::vector<Value> functions;
  for (const Case& one : cases) {
    SCOPED_TRACE(one.function);
    ASSERT_NO_THROW({
      session.run_text("case", one.function);
      arguments.push_back(items_of(*session.run_text("arguments", one.arguments)));
    });
    std::vector<ir::ParameterType> types;
    for (const Value& a : arguments.back()) types.push_back({dtype_of(a), rank_of(a)});
    functions.push_back(*session.find_global("f"));
    ir::Graph graph;
    try {
      graph = ir::lower(function_of(session), types, session.context());
    } catch (const ir::NotLowered& reason) {
      FAIL() << reason.reason;
    } catch (const OpError& error) {
      FAIL() << error.message;
    }
    ASSERT_EQ(ir::verify(graph), "");
    engine.add(std::move(graph));
  }
  engine.build();
  int compared = 0;
  for (ops::Isa isa : {ops::Isa::baseline, ops::Isa::avx2, ops::Isa::avx512}) {
    if (isa > ops::detect_isa()) continue;
    session.context().isa = isa;
    for (size_t n = 0; n < std::size(cases); ++n) {
      SCOPED_TRACE(std::string(cases[n].function) + " of " + cases[n].arguments);
      const auto outcome = engine.run(n, arguments[n], *session.context().pool);
      std::optional<Value> eager;
      try {
        eager = session.call(functions[n], arguments[n]);
      } catch (const CovecError&) {
      }
      ASSERT_EQ(eager.has_value(), !outcome.failed_operation.has_value());
      ++compared;
      if (!eager) continue;
      const std::vector<Value> expected = items_of(*eager);
      ASSERT_EQ(expected.size(), outcome.results.size());
      for (size_t r = 0; r < expected.size(); ++r) EXPECT_TRUE(tests::same_bits(expected[r], outcome.results[r])) << r;
    }
  }
  EXPECT_GE(compared, static_cast<int>(std::size(cases)));
}

}  // namespace
