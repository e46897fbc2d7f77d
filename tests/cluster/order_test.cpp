// Ranks of different engines and tiers meet in the same order, as often, and with the same values: code, the
// interpreter, and calls that go now to the one and now to the other.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/cluster/random_collectives.hpp"
#include "tests/cluster/simulated.hpp"

namespace covec::testing {

namespace {

using Environment = ClusterOptions::Environment;

const Environment eager = {{"COVEC_ENGINE", "eager"}};
const Environment compiled = {{"COVEC_ENGINE", "compiled"}};
const Environment code = {{"COVEC_TIER", "code"}};
const Environment mixed = {{"COVEC_TIER", "mixed"}};
const Environment timed = {};
const Environment cut = {{"COVEC_ENGINE", "compiled"}, {"COVEC_JOURNAL", "1"}};

struct Pairing {
  const char* name;
  Environment first, second;
};
const Pairing pairings[] = {
    {"code, eager", code, eager},         {"eager, code", eager, code},   {"compiled, mixed", compiled, mixed},
    {"mixed, compiled", mixed, compiled}, {"mixed, mixed", mixed, mixed}, {"timed, code", timed, code},
    {"cut, eager", cut, eager},
};

// What rank 0 prints, if no rank reports anything.
std::string printed(const std::string& program, const Environment& first, const Environment& second) {
  const auto results =
      run_on(2, program, {.patience = {.report = 60, .end = 60, .error = 1}, .environments = {first, second}});
  for (const RankResult& result : results) {
    EXPECT_EQ(result.status, 0) << result.said;
    EXPECT_EQ(result.said, "");
  }
  return results[0].printed;
}

void expect_pairing(const Pairing& pairing, const std::string& program, const std::string& expected) {
  SCOPED_TRACE(pairing.name);
  EXPECT_EQ(printed(program, pairing.first, pairing.second), expected);
}

// All calls twice, as the second one goes by what the first has found out.
void expect_order(const std::string& functions, const std::string& calls, const std::string& expected) {
  const std::string program = "import parallel\nr = parallel.rank()\n" + functions + calls + calls;
  SCOPED_TRACE(program);
  EXPECT_EQ(printed(program, eager, eager), expected + expected);
  for (const Pairing& pairing : pairings) expect_pairing(pairing, program, expected + expected);
}

size_t count_of(const std::string& text, const std::string& piece) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(piece, at)) != std::string::npos; ++at) ++count;
  return count;
}

unsigned programs_wanted() {
  if (const char* const given = std::getenv("COVEC_PROGRAMS")) return static_cast<unsigned>(std::atoi(given));
  return std::getenv("COVEC_LONG") != nullptr ? 1000 : 60;
}

unsigned first_seed() {
  const char* const given = std::getenv("COVEC_SEED");
  return given != nullptr ? static_cast<unsigned>(std::atoi(given)) : 1;
}

}  // namespace

TEST(Order, in_loops) {
  expect_order(
      "@compile\nfn f(x, n) {\n  s = 0.0\n  for i in range(n) {\n    s = s + parallel.all_sum(x * i)\n"
      "    if i == 3 { continue }\n    parallel.all_max(s)\n    if s > 40 { break }\n  }\n  return s\n}\n",
      "for n in list(0, 1, 4, 9) { print(f(1.0 + r, n)) }\n", "0.0\n0.0\n18.0\n45.0\n");
  expect_order(
      "@compile\nfn f(x) {\n  k = 0\n  while parallel.all_max(x) > 1 {\n    x = x * 0.5\n    k = k + 1\n  }\n"
      "  return k\n}\n",
      "print(f(3.0 + 10 * r), f(0.5 * r))\n", "4 0\n");
}

TEST(Order, in_branches) {
  expect_order(
      "@compile\nfn f(x, n) {\n  y = parallel.all_sum(x) if n > 1 else x * 0.0\n"
      "  if n > 0 and parallel.all_max(n) > 2 { y = y + parallel.all_sum(2 * x) }\n"
      "  return y if n > 2 or parallel.all_min(n) == 0 else -parallel.all_sum(y)\n}\n",
      "for n in range(4) { print(f(1.0 + r, n)) }\n", "0.0\n-0.0\n-6.0\n9.0\n");
}

TEST(Order, at_early_returns) {
  expect_order(
      "fn g(x, n) {\n  for i in range(5) {\n    x = 0.5 * parallel.all_sum(x)\n    if i == n { return x }\n  }\n"
      "  return parallel.all_max(x) + 1\n}\n"
      "@compile\nfn f(x, n) = g(x, n) + parallel.all_sum(g(x, n + 1))\n",
      "for n in list(0, 3, 4, 7) { print(f(1.0 + r, n)) }\n", "4.5\n4.5\n6.5\n7.5\n");
}

// An error makes a call of code run again: no rank meets again for it.
TEST(Order, at_errors) {
  expect_order(
      "@compile\nfn f(x, m, k) {\n  s = 0.0\n  for i in range(2) {\n    s = s + parallel.all_sum(x)\n"
      "    print(\"met\", s)\n    s = s + sum(vmap(q -> q[k + i])(m))\n  }\n  return parallel.all_max(s)\n}\n"
      "fn told(k) {\n  try { print(f(1.0 + r, ones(2, 2), k)) } catch err { print(err.kind, err.line) }\n"
      "  print(parallel.all_sum(1))\n}\n",
      "for k in range(3) { told(k) }\n",
      "met 3.0\nmet 8.0\n10.0\n2\nmet 3.0\nmet 8.0\nindex 9\n2\nmet 3.0\nindex 9\n2\n");
  expect_order(
      "@compile\nfn f(x, n) {\n  y = parallel.all_sum(x)\n"
      "  try { y = y + parallel.all_sum(ones(n + 1)[0]) + sum(parallel.all_sum(ones(n + r))) } catch err { "
      "print(err.message) }\n"
      "  return parallel.all_max(y)\n}\n",
      "print(f(1.0, 2))\n", "parallel.all_sum: f64[2] on rank 0, f64[3] on rank 1\n2.0\n");
}

// Elements that are named twice make the interpreter run the call again, which is not to fail.
TEST(Order, where_code_gives_up) {
  expect_order(
      "@compile\nfn f(q, z, at) {\n  y = parallel.all_sum(q)\n  z[at] *= 2.0\n  return sum(z) * y\n}\n",
      "for at in list([0, 1], [0, 1, 1]) {\n  print(f(1.0, [1.0, 2.0], at), grad(q -> f(1.0, q, at))([1.0, 2.0]))\n"
      "  print(grad(checkpoint(q -> f(1.0, q, at)))([1.0, 2.0]), parallel.grad(q -> f(q, [1.0, 2.0], at))(1.0))\n}\n",
      "12.0 [4.0, 4.0]\n[4.0, 4.0] 12.0\n20.0 [4.0, 8.0]\n[4.0, 8.0] 20.0\n");
}

// What is timed, tried in both engines, or called so often that code takes over.
TEST(Order, at_changes_of_tiers) {
  expect_order(
      "@compile\nfn g(x) {\n  for i in range(20) { x = 0.5 * x + sin(x) }\n  return x\n}\n"
      "@compile\nfn f(x) = parallel.all_sum(g(x)) + g(parallel.all_max(x))\n"
      "fn many(n) {\n  s = 0.0\n  for i in range(n) { s = s + f(i + r) + g(i * (1 + r)) * 0 }\n"
      "  return parallel.all_min(s) == parallel.all_max(s)\n}\n",
      "print(many(400))\n", "true\n");
}

// No examples, some that are tried at once and then one by one, and those that are chosen between.
TEST(Order, in_examples) {
  const std::string apart = ": the examples of the vmap around it run one by one, and would each make it\n";
  expect_order(
      "@compile\nfn f(x) = sum([parallel.all_sum(q) for q in x]) + sum(vmap(q -> parallel.all_max(q) * q)(x))\n"
      "@compile\nfn g(x) = vmap(q -> parallel.all_sum(q) if q > 0 else q)(x)\n"
      "fn told(f, x) {\n  try { print(f(x)) } catch err { print(err.message) }\n}\n",
      "told(f, zeros(0))\ntold(f, [1.0, 2.0] * (1 + r))\ntold(g, [1.0, -1.0])\nprint(parallel.all_sum(1))\n",
      "0.0\n19.0\nparallel.all_sum" + apart + "2\n");
}

// Each by two pairings in turn. Most calls return, some fail.
TEST(Order, of_random_programs) {
  size_t calls = 0, errors = 0;
  for (unsigned seed = first_seed(); seed < first_seed() + programs_wanted() && !HasFailure(); ++seed) {
    const std::string program = RandomCollectives(seed).make();
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + program);
    const std::string expected = printed(program, eager, eager);
    for (const unsigned turn : {seed, seed + 3})
      expect_pairing(pairings[turn % std::size(pairings)], program, expected);
    calls += RandomCollectives::calls;
    errors += count_of(expected, "\nfailed");
  }
  EXPECT_GT(errors, calls / 20);
  EXPECT_LT(errors, calls / 2);
}

}  // namespace covec::testing
