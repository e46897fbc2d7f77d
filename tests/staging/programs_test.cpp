// Functions of the language on Symbols: indexing, products, transformations inside and outside, on operands whose sizes
// broadcast only when they run.
#include "stdlib/autodiff/batch.hpp"
#include "stdlib/ops/derivatives/directional.hpp"
#include "stdlib/ops/derivatives/vmap.hpp"
#include "stdlib/ops/general/general.hpp"
#include "stdlib/ops/general/sequences.hpp"
#include "stdlib/ops/linalg/linalg.hpp"
#include "stdlib/value/callable.hpp"
#include "tests/staging/staging_support.hpp"

namespace covec::test {

namespace {

struct Program {
  const char* function;  // its last line gives the function
  std::vector<const char*> operands;
  bool staged = true;  // over examples too
};

const Program programs[] = {
    {"x -> x[1] * 2", {"[1.0, 2, 3]"}},
    {"x -> x[-1]", {"[[1.0, 2], [3, 4]]"}},
    {"(x, i) -> x[i] * x", {"[1.0, 2, 3]", "1"}},
    {"(x, i) -> x[i]", {"[1.0, 2, 3]", "[2, 0]"}},
    {"(x, i, j) -> x[i:j] ^ 2", {"[1.0, 2, 3, 4]", "1", "3"}},
    {"x -> x[1:] * x[:-1]", {"[1.0, 2, 3]"}},
    {"x -> x[::-1] * x", {"[1.0, 2, 3]"}},
    {"x -> x[::2] ^ 2", {"[1.0, 2, 3]"}},
    {"x -> x[:, 1] * x[0]", {"[[1.0, 2], [3, 4]]"}},
    {"x -> x[..., newaxis] * x", {"[[1.0, 2], [3, 4]]"}},
    {"x -> x[[0, 0, 2]] * 2", {"[1.0, 2, 3]"}},
    {"(x, i) -> x[i, i]", {"[[1.0, 2], [3, 4]]", "[1, 0, 1]"}},
    {"(x, i) -> x[:, i] ^ 2", {"[[1.0, 2], [3, 4]]", "[1, 0, 1]"}},
    {"(x, i) -> x[i, :, i]", {"f64(arange(8)).reshape(2, 2, 2)", "[1, 0]"}},
    {"x -> x[x > 1.5] ^ 2", {"[1.0, 2, 3]"}},
    {"(x, m) -> x[m, 0]", {"[[1.0, 2], [3, 4]]", "[true, false]"}},
    {"fn f(x, v) { y = x * 2; y[1] = v; return y * y }\nf", {"[1.0, 2, 3]", "5.0"}},
    {"fn f(x, v) { y = x * 2; y[1:] = v * v; return y * y }\nf", {"[1.0, 2, 3]", "[4.0, 5.0]"}},
    {"fn f(x, v) { y = x * 2; y[1:] += v * v; return y * y }\nf", {"[1.0, 2, 3]", "4.0"}},
    {"fn f(x, v, i) { y = x * 2; y[i] = v * v; return y * y }\nf", {"[1.0, 2, 3]", "[4.0, 5]", "[1, 1]"}},
    {"fn f(x, v, i) { y = x * 2; y[i] += v * v; return y * y }\nf", {"[1.0, 2, 3]", "[4.0, 5]", "[1, 1]"}},
    {"fn f(x, v) { y = x * 2; y[x > 1.5] = v * v; return y * y }\nf", {"[1.0, 2, 3]", "4.0"}},
    {"fn f(x, v) { y = x * 2; y[:, 0] = v; return y * y }\nf", {"[[1.0, 2], [3, 4]]", "[4.0, 5]"}},
    // broadcasting that only the run knows
    {"(x, y) -> x * y + sin(x)", {"[[1.0], [2.0]]", "[3.0, 4, 5]"}},
    {"(x, y) -> where(x > y, x * y, y)", {"[[1.0], [2.0]]", "[3.0, 1, 5]"}},
    {"(x, y) -> atan2(x, y) / x ^ y", {"[[1.0, 2], [2.0, 1]]", "[[3.0, 1]]"}},
    {"(x, y) -> sum(x * y, axis=0) * y", {"[[1.0], [2.0]]", "[[3.0, 4, 5]]"}},
    {"(x, y) -> mean(x * y, axis=(0, 1)) + max(x) * min(y)", {"[[1.0], [2.0]]", "[3.0, 4, 5]"}},
    {"x -> x - mean(x, axis=1, keepdims=true)", {"[[1.0, 3], [2.0, 7]]"}},
    {"x -> logsumexp(x, axis=1) * x[:, 0]", {"[[1.0, 3], [2.0, 7]]"}},
    {"x -> x / sum(x ^ 2) ^ 0.5", {"f32([1, 2, 3])"}},
    {"x -> mean(x) * x", {"f32([1, 2, 3])"}},
    // products
    {"(x, w, b) -> tanh(x @ w + b)", {"[[1.0, 2], [3, 4], [5, 6]]", "[[1.0, 2], [0.5, 1]]", "[0.1, 0.2]"}},
    {"(a, b) -> a @ b", {"[[[1.0, 2]], [[3.0, 4]]]", "[[1.0], [-1.0]]"}},
    {"(a, b) -> a @ b", {"[1.0, -1]", "[[[1.0], [2.0]], [[3.0], [5.0]]]"}},
    {"(a, b) -> a @ b", {"[[[[1.0, 2]]], [[[3.0, 4]]]]", "[[[1.0], [2.0]], [[3.0], [5.0]]]"}},
    {"(a, b) -> a @ b * a", {"[1.0, -1]", "[2.0, 3]"}},
    {"(a, b) -> (a.T @ b).T", {"[[1.0, -1], [2, 3]]", "[[2.0, 3], [4, 5]]"}},
    // shapes
    {"x -> reshape(x, len(x), -1) * 2", {"f64(arange(12)).reshape(2, 3, 2)"}},
    {"x -> reshape(x, -1) * 2", {"f64(arange(12)).reshape(2, 3, 2)"}},
    {"x -> reshape(x, -1, 2) ^ 2", {"f64(arange(12)).reshape(2, 3, 2)"}, false},
    {"(x, n) -> reshape(x, n, -1) ^ 2", {"f64(arange(12)).reshape(2, 3, 2)", "4"}, false},
    {"(x, y) -> concat((x, y, x * y[:1]))", {"[1.0, 2]", "[3.0, 4, 5]"}},
    {"(x, y) -> concat((x, y), axis=1) ^ 2", {"[[1.0, 2]]", "[[3.0]]"}},
    {"(x, y) -> stack((x, y, x * y), axis=1)", {"[1.0, 2]", "[3.0, 4]"}},
    {"(x, y) -> [x, y, x * y]", {"[1.0, 2]", "[3.0, 4]"}},
    {"(x, y) -> [x, y, 1] * x", {"1.5", "2.5"}},
    {"x -> tile(x, 2) * repeat(x, 2)", {"[1.0, 2]"}},
    {"x -> broadcast_to(x, 2, len(x)) ^ 2", {"[1.0, 2]"}},
    {"x -> zeros(len(x), 2) + ones_like(x)[:, newaxis] * x[:, newaxis]", {"[1.0, 2, 3]"}},
    {"x -> full((len(x), 2), x[0]) * eye(len(x), 2)", {"[1.0, 2, 3]"}},
    {"(x, n) -> arange(n) * linspace(x, 2 * x, 3)", {"1.5", "3"}, false},
    {"x -> arange(len(x)) * x", {"[1.0, 2, 3]"}},
    {"x -> flip(x, axis=0) * transpose(x, (1, 0))", {"[[1.0, 2], [3, 4]]"}},
    {"x -> squeeze(x, axis=1) * unsqueeze(x, 0)", {"[[[1.0, 2]], [[3, 4]]]"}},
    // transformations inside
    {"x -> grad(y -> sum(sin(y) * y))(x)", {"[1.0, 2, 3]"}},
    {"(x, w) -> grad((x, w) -> mean(tanh(x @ w) ^ 2), wrt=1)(x, w)", {"[[1.0, 2], [3, 4], [5, 6]]", "[1.0, 0.5]"}},
    {"(x, w) -> value_and_grad((x, w) -> sum((x * w) ^ 2), wrt=(0, 1))(x, w)",
     {"[[1.0, 2], [3, 4]]", "[[1.0], [0.5]]"}},
    {"x -> hessian(y -> sum(sin(y) * y) + y[0] * y[1])(x)", {"[1.0, 2, 3]"}},
    {"x -> jacobian(y -> sin(y) * y)(x)", {"[1.0, 2, 3]"}},
    {"(x, w) -> jacobian((x, w) -> x @ w, wrt=1, mode=\"reverse\")(x, w)",
     {"[[1.0, 2], [3, 4], [5, 6]]", "[1.0, 0.5]"}},
    {"(x, w) -> jacobian((x, w) -> x @ w, wrt=(0, 1), mode=\"forward\")(x, w)", {"[[1.0, 2], [3, 4]]", "[1.0, 0.5]"}},
    {"x -> vmap(y -> y * sum(y))(x)", {"[[1.0, 2], [3, 4], [5, 6]]"}},
    {"(x, w) -> vmap((a, b) -> a @ b, in_axes=(0, none))(x, w)", {"[[1.0, 2], [3, 4], [5, 6]]", "[[1.0], [0.5]]"}},
    {"x -> vmap(grad(y -> sum(y ^ 3)))(x)", {"[[1.0, 2], [3, 4], [5, 6]]"}},
    {"x -> vmap(a -> vmap(b -> a * b)(x[0]))(x)", {"[[1.0, 2], [3, 4], [5, 6]]"}},
    {"(x, y) -> vmap((a, b) -> a * b)(x, y)", {"[[1.0, 2], [3, 4]]", "[3.0, 4]"}},
    {"x -> checkpoint(y -> sin(y) * y)(x)", {"[1.0, 2, 3]"}},
    {"x -> jvp(y -> sin(y) * y, (x,), (x * 2,))", {"[1.0, 2, 3]"}},
    {"(x, t) -> jvp(y -> sin(y) * y, (x,), (t,))", {"[1.0, 2, 3]", "[1.0, 0, 2]"}},
    {"x -> stop_gradient(x) * x", {"[1.0, 2, 3]"}},
    {"x -> tree_map(y -> y * 2, {a: x, b: (x, x * x)})", {"[1.0, 2, 3]"}},
    {"x -> permutation(x, key=5) * 2", {"[1.0, 2, 3]"}},
};

Function function_of(Language& language, const Program& program) {
  const Value f = language.evaluate(program.function);
  return [f](ops::Builder& b, std::span<Value> given) { return f.function().call(b, given, {}); };
}

std::vector<Value> operands_of(Language& language, const Program& program) {
  std::vector<Value> operands;
  for (const char* text : program.operands) operands.push_back(language.evaluate(text));
  return operands;
}

// The function of its float operands alone.
Function on_floats(const Function& f, const std::vector<Value>& all, std::vector<Value>& floats) {
  for (const Value& operand : all) {
    if (is_float_value(operand)) floats.push_back(operand);
  }
  return [f, all](ops::Builder& b, std::span<Value> given) {
    std::vector<Value> args = all;
    size_t next = 0;
    for (Value& arg : args) {
      if (is_float_value(arg)) arg = given[next++];
    }
    return f(b, args);
  };
}

}  // namespace

class StagedProgram : public ::testing::TestWithParam<Program> {
 protected:
  Language language;
  void stage(const char* what, const Function& f, const std::vector<Value>& operands, bool must) {
    const bool staged = check_staged(language, f, operands);
    count_case(staged ? what : "not staged");
    EXPECT_TRUE(staged || !must) << what << " of " << GetParam().function;
  }
};

TEST_P(StagedProgram, ComputesTheSame) {
  const Function f = function_of(language, GetParam());
  stage("values", f, operands_of(language, GetParam()), true);
}

TEST_P(StagedProgram, IsDifferentiated) {
  std::vector<Value> floats;
  const Function f = on_floats(function_of(language, GetParam()), operands_of(language, GetParam()), floats);
  const Value callable = wrap(f);
  std::vector<Value> copies = floats;
  const Value seed = direction(language.builder(), f(language.builder(), copies));
  const Function gradient = gradient_of(callable, {seed});
  stage("cotangents", gradient, floats, true);
  stage(
      "second derivatives",
      [&](ops::Builder& b, std::span<Value> given) {
        const Value primals = make_tuple({given.begin(), given.end()});
        return autodiff::jvp(b, wrap(gradient), primals, primals);
      },
      floats, true);
  const Value gradients = wrap(gradient);
  copies = floats;
  const Value again = direction(language.builder(), gradient(language.builder(), copies));
  stage("reverse over reverse", gradient_of(gradients, {again}), floats, true);
}

TEST_P(StagedProgram, RunsOverExamples) {
  std::vector<Value> floats, examples;
  const Function f = on_floats(function_of(language, GetParam()), operands_of(language, GetParam()), floats);
  for (const Value& operand : floats) examples.push_back(stacked(language.builder(), operand));
  const auto over = [&](const Function& each) {
    const Value mapped = autodiff::make_vmap(wrap(each), int64_t{0});
    return [mapped](ops::Builder& b, std::span<Value> given) { return mapped.function().call(b, given, {}); };
  };
  const bool masks = std::string(GetParam().function).find('>') != std::string::npos;
  stage("examples", over(f), examples, GetParam().staged && !masks);
  std::vector<Value> copies = floats;
  const Value seed = direction(language.builder(), f(language.builder(), copies));
  stage("cotangents of examples", over(gradient_of(wrap(f), {seed})), examples, GetParam().staged && !masks);
}

INSTANTIATE_TEST_SUITE_P(Programs, StagedProgram, ::testing::ValuesIn(programs));

}  // namespace covec::test
