// Gradients of functions of all ranks on a simulated cluster: what they are is tested by programs (programs/), here
// what must be refused, and that random functions give the same bits on every engine.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/cluster/random_losses.hpp"
#include "tests/cluster/simulated.hpp"

namespace covec::testing {

namespace {

const char* const parts =
    "import parallel\n"
    "parts = parallel.map(i -> f64(i), 12)\n"
    "first = parts.first\n"
    "x = 0.1 * stack(parts.items)\n"
    "p = [0.7, 1.3]\n"
    "fn told(f) {\n    try { print(f()) } catch err { print(err.message) }\n}\n";

// What two ranks print, on all engines.
void expect_printed(const std::string& program, const std::string& printed) {
  for (const Engines engines : {Engines::eager, Engines::compiled, Engines::mixed}) {
    SCOPED_TRACE(static_cast<int>(engines));
    const std::vector<RankResult> results = run_on(2, parts + program, {.engines = engines});
    EXPECT_EQ(results[0].printed, printed) << results[0].said;
    for (const RankResult& result : results) EXPECT_EQ(result.status, 0) << result.said;
  }
}

unsigned setting(const char* variable, unsigned otherwise) {
  const char* const given = std::getenv(variable);
  return given != nullptr ? static_cast<unsigned>(std::atoi(given)) : otherwise;
}

}  // namespace

TEST(Gradients, of_one_rank_name_the_other_ones) {
  const std::string message =
      "parallel.all_sum: it stands in a gradient of one rank: parallel.grad differentiates a function of all ranks\n";
  expect_printed(
      "f = p -> parallel.all_sum(sum(p[0] * x))\n"
      "told(() -> grad(f)(p))\n"
      "told(() -> compile(grad(f))(p))\n"
      "told(() -> grad(compile(f))(p))\n"
      "told(() -> vjp(f, (p,)))\n"
      "told(() -> jacobian(f, mode=\"reverse\")(p))\n"
      "told(() -> hessian(f)(p))\n"
      "told(() -> grad(q -> sum(parallel.grad(f)(q)))(p))\n",
      message + message + message + message + message + message +
          "parallel.grad: it stands in a gradient of one rank: parallel.grad differentiates a function of all ranks\n");
  // It is of this rank alone where no collective depends on its variable.
  expect_printed("told(() -> grad(q -> sum(q^2) * parallel.all_sum(1.0))(p))\n", "[2.8, 5.2]\n");
}

TEST(Gradients, want_one_result_and_one_variable) {
  const auto results = run_on(2, std::string(parts) + "parallel.grad(q -> sum(q[0] * x))(p)\n");
  EXPECT_NE(results[0].said.find("error: parallel.grad: the result differs between ranks: "), std::string::npos)
      << results[0].said;
  EXPECT_NE(results[0].said.find("sum it by parallel.all_sum"), std::string::npos) << results[0].said;
  EXPECT_NE(results[0].said.find("parallel.grad(q -> sum(q[0] * x))(p)"), std::string::npos) << results[0].said;
  expect_printed(
      "told(() -> parallel.grad(q -> f64(first))(p))\n"
      "told(() -> parallel.grad(q -> parallel.all_sum(sum(q)))(p + first))\n"
      "told(() -> parallel.grad(q -> parallel.all_sum(sum(q.a)))({b: 1.0, a: p + first}))\n"
      "told(() -> parallel.grad(q -> p)(p))\n"
      "told(() -> parallel.grad(q -> 1)(p))\n"
      "told(() -> parallel.grad(3)(p))\n"
      "told(() -> parallel.grad(q -> 1.0, local=\"r\")(p))\n",
      "parallel.grad: the result differs between ranks: 0 on rank 0, 6 on rank 1: sum it by parallel.all_sum\n"
      "q differs between rank 0 and rank 1: parallel.grad takes it as one variable; name it in local= if each rank has "
      "its own\n"
      "q differs between rank 0 and rank 1: parallel.grad takes it as one variable; name it in local= if each rank has "
      "its own\n"
      "parallel.grad needs a scalar result, got f64[2]; use jacobian or sum\n"
      "parallel.grad needs a float result, got i64\n"
      "parallel.grad: parallel.grad needs a function, got i64\n"
      "parallel.grad: a lambda has no parameter named r\n");
}

// Whether an operand depends on the variable counts on no rank: the function of all ranks has a gradient.
TEST(Gradients, of_an_operand_that_is_active_on_one_rank) {
  expect_printed(
      "for at in (0, 6) {\n"
      "    f = q -> parallel.all_sum(q[0] * q[1] if first == at else 2.0)\n"
      "    print(parallel.grad(f)(p), compile(parallel.grad(f))(p), parallel.grad(compile(f))(p))\n"
      "    print(f\"{jvp(f, (p,), ([1.0, 0.0],))[1]}\", parallel.grad(q -> q[0] * f(p))(p))\n"
      "    print(reshape(jacobian(parallel.grad(f), mode=\"forward\")(p), 4))\n"
      "    print(parallel.grad(q -> parallel.grad(f)(q) @ [1.0, 2.0])(p))\n"
      "    print(parallel.grad(checkpoint(q -> checkpoint(f)(q if first == at else [0.0, 0.0])))(p))\n"
      "}\n",
      "[1.3, 0.7] [1.3, 0.7] [1.3, 0.7]\n1.3 [2.91, 0.0]\n[0.0, 1.0, 1.0, 0.0]\n[2.0, 1.0]\n[1.3, 0.7]\n"
      "[1.3, 0.7] [1.3, 0.7] [1.3, 0.7]\n1.3 [2.91, 0.0]\n[0.0, 1.0, 1.0, 0.0]\n[2.0, 1.0]\n[1.3, 0.7]\n");
  // A gradient of one rank is an error on all.
  expect_printed(
      "f = q -> parallel.all_sum(q[0] if first == 0 else 2.0)\n"
      "told(() -> grad(f)(p))\n"
      "told(() -> compile(grad(f))(p))\n",
      "parallel.all_sum: it stands in a gradient of one rank: parallel.grad differentiates a function of all ranks\n"
      "parallel.all_sum: it stands in a gradient of one rank: parallel.grad differentiates a function of all ranks\n");
}

TEST(Gradients, of_some_ranks_alone) {
  expect_printed(
      "f = q -> parallel.all_sum(sum(q))\n"
      "told(() -> jvp(f, (p,), ([1.0, 0.0],)) if first == 0 else f(p))\n"
      "told(() -> jvp(f, (p,), ([1.0, 0.0],)) if first != 0 else f(p))\n",
      "parallel.all_sum: it stands in a derivative on rank 0, and not on rank 1\n"
      "parallel.all_sum: it stands in a derivative on rank 1, and not on rank 0\n");
}

// A rank's parts use what it has itself; it may have captured what depends on the variable on some ranks alone.
TEST(Gradients, of_parts_that_use_what_a_rank_has) {
  expect_printed(
      "scale = 1.0 if first == 0 else 2.0\n"
      "fn f(q) {\n"
      "    t = q[0]^3 * scale\n"
      "    return parallel.sum(i -> t * i, 6)\n"
      "}\n"
      "fn g(q) {\n"
      "    t = q[0] if first == 0 else 2.0\n"
      "    return parallel.sum(i -> t^3 * (i + 1), 3)\n"
      "}\n"
      "for h in (f, g) {\n"
      "    print(parallel.grad(h)([2.0, 1.0]), compile(parallel.grad(h))([2.0, 1.0]), jvp(h, ([2.0, 1.0],), ([1.0, "
      "0.0],))[1])\n"
      "    print(jacobian(parallel.grad(h), mode=\"forward\")([2.0, 1.0])[0], parallel.grad(q -> "
      "parallel.grad(h)(q)[0])([2.0, 1.0]))\n"
      "}\n",
      "[324.0, 0.0] [324.0, 0.0] 324.0\n[324.0, 0.0] [324.0, 0.0]\n"
      "[12.0, 0.0] [12.0, 0.0] 12.0\n[12.0, 0.0] [12.0, 0.0]\n");
}

// Also where its argument is active on one rank alone.
TEST(Gradients, of_functions_with_rules) {
  expect_printed(
      "fn cube(y) = parallel.all_sum(y^3)\n"
      "@derivative(of=cube)\n"
      "fn cube_back(y, result, ct) = parallel.all_sum(ct) * 3 * y^2\n"
      "f = q -> cube(q[0] if first == 0 else 2.0) * q[1]\n"
      "print(f\"{parallel.grad(f)(p)} {compile(parallel.grad(f))(p)}\")\n"
      "fn power(y, k=2) = y^k\n"
      "@derivative(of=power)\n"
      "fn power_back(y, k, result, ct) = (ct * k * y^(k - 1), none)\n"
      "print(parallel.grad(q -> power(q[0], 3) * power(3.0))([2.0, 1.0]))\n",
      "[1.911, 8.343] [1.911, 8.343]\n[108.0, 0.0]\n");
  // A function in the result holds a float: where the argument is active, the body runs again, without collectives.
  expect_printed(
      "fn cube(y) {\n"
      "    count = parallel.all_sum(1.0)\n"
      "    return {y: parallel.all_sum(y^3), per_rank: v -> v / count}\n"
      "}\n"
      "@derivative(of=cube)\n"
      "fn cube_back(y, result, ct) = parallel.all_sum(ct.y) * 3 * y^2\n"
      "f = q -> cube(q[0] if first == 0 else 2.0).y * q[1]\n"
      "print(f\"{parallel.grad(f)(p)} {compile(parallel.grad(f))(p)}\")\n",
      "[1.911, 8.343] [1.911, 8.343]\n");
}

TEST(Gradients, of_what_some_ranks_do_not_give) {
  expect_printed(
      "fn f(q) {\n"
      "    given = parallel.broadcast({a: q^2, b: (none, q[1], 3)} if first == 0 else none)\n"
      "    mine = parallel.scatter(stack((q, q^3)) if first != 0 else none, root=1)\n"
      "    return parallel.all_sum(sum(given.a) * given.b[1] * given.b[2] + sum(mine))\n"
      "}\n"
      "fn same_on_one(q) = 6 * sum(q^2) * q[1] + sum(q) + sum(q^3)\n"
      "fn near(u, v) = max(abs(u - v)) < 1e-12 * (1 + max(abs(v)))\n"
      "direction = [1.0, 0.5]\n"
      "second = hessian(same_on_one)(p)\n"
      "print(near(f(p), same_on_one(p)), near(parallel.grad(f)(p), grad(same_on_one)(p)))\n"
      "print(near(compile(parallel.grad(f))(p), grad(same_on_one)(p)))\n"
      "print(near(jvp(f, (p,), (direction,))[1], grad(same_on_one)(p) @ direction))\n"
      "print(near(jvp(parallel.grad(f), (p,), (direction,))[1], second @ direction))\n"
      "print(near(parallel.grad(q -> parallel.grad(f)(q) @ direction)(p), second @ direction))\n"
      "told(() -> parallel.grad(q -> parallel.broadcast(q[0] if first == 0 else 1))(p))\n",
      "true true\ntrue\ntrue\ntrue\ntrue\n"
      "parallel.broadcast: f64 in a derivative on rank 0, i64 on rank 1\n");
}

TEST(Gradients, in_loops_that_run_again) {
  const std::string program =
      "fn f(p) {\n"
      "    s = 0.0\n"
      "    for k in range(4) { s = s + sum(sin(p * k)) * parallel.all_sum(1.0) }\n"
      "    return s\n"
      "}\n";
  const std::string message =
      "a collective in a loop of a gradient with memory=: each rank runs its loops again as its own memory demands\n";
  expect_printed(program +
                     "told(() -> grad(f, memory=\"1 MB\")(p))\n"
                     "told(() -> compile(grad(f, memory=\"1 MB\"))(p))\n"
                     "told(() -> grad(compile(f), memory=\"1 MB\")(p))\n",
                 message + message + message);
}

TEST(Gradients, collectives_of_examples) {
  const std::string one_by_one =
      "vmap(f): its examples turn out to run one by one, but all together they have made a collective\n";
  const std::string each =
      "parallel.all_sum: the examples of the vmap around it run one by one, and would each make it\n";
  expect_printed(
      "print(vmap(q -> parallel.all_sum(q * (first + 1)))(p))\n"
      "print(compile(vmap(q -> parallel.all_sum(q * (first + 1))))(p))\n"
      "print(vmap(q -> q + parallel.all_sum(1))(p))\n"
      "print([parallel.all_sum(q) for q in p])\n"
      "print(vmap(q -> parallel.all_sum(q))(zeros(0)))\n"
      "fn f(q) {\n"
      "    s = parallel.all_sum(q)\n"
      "    return s if s > 2 else -s\n"
      "}\n"
      "told(() -> vmap(f)(p))\n"
      "fn g(q) = parallel.all_sum(q) if q > 1 else q\n"
      "told(() -> vmap(g)(p))\n"
      "told(() -> [parallel.all_sum(q) if q > 1 else q for q in p])\n"
      "told(() -> vmap(q -> parallel.sum(i -> q, 2))(p))\n",
      "[5.6, 10.4]\n[5.6, 10.4]\n[2.7, 3.3]\n[1.4, 2.6]\n[] (f64[0])\n" + one_by_one + each + each +
          "parallel.sum: parallel.sum changes a value that all examples of a vmap or comprehension share: call it "
          "outside, "
          "or write a for loop\n");
}

// The numbers are the same on every engine, bit for bit, also where odd ranks run code and even ones do not. The
// programs themselves compare with finite differences.
TEST(Gradients, of_random_functions) {
  const unsigned first = setting("COVEC_SEED", 1), count = setting("COVEC_PROGRAMS", 60);
  for (unsigned seed = first; seed < first + count && !HasFailure(); ++seed) {
    const std::string program = RandomLoss(seed).make();
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + program);
    for (const int ranks : {1, 3}) {
      const RankResult eager = run_on(ranks, program, {.engines = Engines::eager})[0];
      EXPECT_EQ(eager.status, 0) << eager.said;
      EXPECT_EQ(eager.printed.find("wrong"), std::string::npos) << eager.printed;
      for (const Engines engines : {Engines::compiled, Engines::mixed}) {
        const std::vector<RankResult> results = run_on(ranks, program, {.engines = engines});
        EXPECT_EQ(results[0].printed, eager.printed);
        for (const RankResult& result : results) EXPECT_EQ(result.status, 0) << result.said;
      }
    }
  }
}

}  // namespace covec::testing
