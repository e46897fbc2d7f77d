// Programs that name ranks, on a simulated cluster: what they get, and the errors where ranks differ.
#include <gtest/gtest.h>

#include "tests/cluster/simulated.hpp"

namespace covec::testing {

namespace {

std::string importing(const std::string& program) { return "import parallel\nr = parallel.rank()\n" + program; }

// All engines; each rank catches the error, which is the same on all.
void expect_error(const std::string& expression, const std::string& message, int ranks = 2) {
  const std::string program =
      importing("@compile\nfn f(r) = " + expression + "\ntry { f(r) } catch err { print(err.message) }\n" +
                "print(parallel.all_sum(1))\n");
  for (const Engines engines : {Engines::eager, Engines::compiled, Engines::mixed}) {
    const auto results = run_on(ranks, program, {.engines = engines});
    EXPECT_EQ(results[0].printed, message + "\n" + std::to_string(ranks) + "\n") << expression;
    for (const RankResult& result : results) EXPECT_EQ(result.status, 0) << expression << "\n" << result.said;
  }
}

}  // namespace

TEST(Ranks, know_their_number) {
  const auto results = run_on(3, importing("if r > 0 { error(f\"{r} of {parallel.size()}\") }\n"));
  EXPECT_EQ(results[0].said, "");
  EXPECT_NE(results[1].said.find("error: 1 of 3"), std::string::npos) << results[1].said;
  EXPECT_NE(results[2].said.find("error: 2 of 3"), std::string::npos) << results[2].said;
}

TEST(Ranks, operands_that_differ) {
  expect_error("parallel.all_sum(ones(3 + r))", "parallel.all_sum: f64[3] on rank 0, f64[4] on rank 1");
  expect_error("parallel.all_sum(1 if r == 0 else 1.0)", "parallel.all_sum: i64 on rank 0, f64 on rank 1");
  expect_error("parallel.all_sum(ones(3) if r < 2 else f32(ones(3)))",
               "parallel.all_sum: f64[3] on rank 0, f32[3] on rank 2", 4);
  expect_error("parallel.all_sum({a: 1.0, b: 2.0} if r == 0 else {b: 1.0, a: 2.0})",
               "parallel.all_sum: f64 in {a: ., b: .} on rank 0, f64 in {b: ., a: .} on rank 1");
}

TEST(Ranks, both_places_are_shown) {
  const auto results =
      run_on(2, importing("if r == 0 { parallel.all_sum(1) } else {\n    x = 2 * parallel.all_sum(2.0) }\n"));
  EXPECT_TRUE(results[0].said.starts_with(
      "error: ranks meet in different places: rank 0 in parallel.all_sum, rank 1 in parallel.all_sum\n"))
      << results[0].said;
  EXPECT_NE(results[0].said.find("program.covec:3:"), std::string::npos) << results[0].said;
  EXPECT_NE(results[0].said.find("^^ rank 1"), std::string::npos) << results[0].said;
  EXPECT_NE(results[0].said.find("x = 2 * parallel.all_sum(2.0)"), std::string::npos) << results[0].said;
}

TEST(Ranks, do_not_meet_in_parts) {
  expect_error("parallel.map(i -> parallel.all_sum(i), 4)",
               "parallel.all_sum: it stands inside a part, and parts run by themselves, on one rank each");
}

}  // namespace covec::testing
