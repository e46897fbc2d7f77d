// Programs on a simulated cluster: the same prints, warnings, draws and errors on 1, 2, 3, 5 and 9 ranks, and what
// happens where ranks differ, fail, die or are late.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "tests/cluster/own_folder.hpp"
#include "tests/cluster/simulated.hpp"

namespace covec::testing {

namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::filesystem::path> programs() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(COVEC_CLUSTER_PROGRAMS)) paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

std::string with_import(const std::string& program) { return "import parallel\n" + program; }

}  // namespace

class Programs : public ::testing::TestWithParam<Engines> {};

TEST_P(Programs, are_the_same_on_any_number_of_ranks) {
  const OwnFolder folder;
  for (const auto& path : programs()) {
    SCOPED_TRACE(path.filename().string());
    const std::string program = text_of(path);
    const ClusterOptions options{.engines = GetParam()};
    const RankResult alone = run_on(1, program, options).front();
    EXPECT_EQ(alone.status, 0) << alone.said;
    EXPECT_FALSE(alone.printed.empty());
    for (const int ranks : {2, 3, 5, 9}) {
      SCOPED_TRACE(std::to_string(ranks) + " ranks");
      const std::vector<RankResult> results = run_on(ranks, program, options);
      EXPECT_EQ(results[0].printed, alone.printed);
      EXPECT_EQ(results[0].warned, alone.warned);
      for (const RankResult& result : results) {
        EXPECT_EQ(result.status, 0);
        EXPECT_EQ(result.said, "");
      }
    }
  }
}
std::string name_of_engines(const ::testing::TestParamInfo<Engines>& info) {
  const char* const names[] = {"eager", "compiled", "mixed"};
  return names[static_cast<size_t>(info.param)];
}
INSTANTIATE_TEST_SUITE_P(Engines, Programs, ::testing::Values(Engines::eager, Engines::compiled, Engines::mixed),
                         name_of_engines);

TEST(Cluster, a_common_error_is_told_once) {
  const std::string program =
      with_import("fn f(i) {\n    if i == 3 { error(\"no\") }\n    return i\n}\nparallel.map(f, 5)\n");
  const RankResult alone = run_on(1, program).front();
  EXPECT_EQ(alone.status, 1);
  for (const int ranks : {2, 4}) {
    const std::vector<RankResult> results = run_on(ranks, program);
    EXPECT_EQ(results[0].said, alone.said);
    for (const RankResult& result : results) EXPECT_EQ(result.status, 1);
    for (int rank = 1; rank < ranks; ++rank) EXPECT_EQ(results[rank].said, "");
  }
}

TEST(Cluster, exit_in_a_part_ends_all_ranks) {
  const std::string program =
      with_import("parallel.map(i -> exit(3) if i == 4 else print(i), 6)\nprint(\"not here\")\n");
  const RankResult alone = run_on(1, program).front();
  EXPECT_EQ(alone.printed, "0\n1\n2\n3\n");
  for (const RankResult& result : run_on(3, program)) {
    EXPECT_EQ(result.status, 3);
    EXPECT_FALSE(result.was_aborted);
  }
  EXPECT_EQ(run_on(3, program)[0].printed, alone.printed);
}

TEST(Cluster, ranks_in_different_places) {
  const auto results =
      run_each({with_import("parallel.map(i -> i, 4)\n"), with_import("x = 1\nparallel.sum(i -> i, 4)\n")});
  for (const RankResult& result : results) EXPECT_EQ(result.status, 1);
  EXPECT_NE(
      results[0].said.find("error: ranks meet in different places: rank 0 in parallel.map, rank 1 in parallel.sum"),
      std::string::npos)
      << results[0].said;
  EXPECT_NE(results[0].said.find("parallel.map(i -> i, 4)"), std::string::npos) << results[0].said;
}

TEST(Cluster, the_same_operation_at_another_line) {
  const std::string first =
      with_import("r = 0\nif r == 0 { parallel.map(i -> i, 4) } else {\n    parallel.map(i -> 2 * i, 4) }\n");
  std::string second = first;
  second.replace(second.find("r = 0"), 5, "r = 1");
  const auto results = run_each({first, second});
  EXPECT_NE(results[0].said.find("different places: rank 0 in parallel.map, rank 1 in parallel.map"),
            std::string::npos);
  EXPECT_NE(results[0].said.find("program.covec:3:"), std::string::npos) << results[0].said;
  EXPECT_NE(results[0].said.find("parallel.map(i -> 2 * i, 4)"), std::string::npos) << results[0].said;
  EXPECT_EQ(results[1].said, "");  // rank 0 tells what is common
}

TEST(Cluster, another_number_of_parts_can_be_caught) {
  const std::string catches =
      "try { parallel.map(i -> i, n) } catch err { print(err.message) }\nprint(parallel.sum(i -> i, 3))\n";
  const auto results = run_each({with_import("n = 4\n" + catches), with_import("n = 5\n" + catches)});
  EXPECT_EQ(results[0].printed, "parallel.map: 4 parts on rank 0, 5 parts on rank 1\n3\n");
  for (const RankResult& result : results) EXPECT_EQ(result.status, 0);
}

// A record that is right on rank 0 alone: the error comes to both.
TEST(Cluster, parts_of_another_rank) {
  const std::string program = with_import(
      "parts = {n: 2, first: 0, items: list(1)}\n"
      "try { parallel.map(i -> i, parts) } catch err { print(err.message) }\n"
      "try { parallel.sum(i -> i, parts) } catch err { print(err.message) }\n"
      "try { parallel.all_gather(parts) } catch err { print(err.message) }\n");
  const auto results = run_on(2, program);
  EXPECT_EQ(results[0].printed,
            "parallel.map: the argument must be what parallel.map gives, not a record\n"
            "parallel.sum: the argument must be what parallel.map gives, not a record\n"
            "parallel.all_gather: the argument must be what parallel.map gives, not a record\n");
  for (const RankResult& result : results) EXPECT_EQ(result.status, 0) << result.said;
}

TEST(Cluster, a_rank_that_has_ended) {
  const auto results = run_each({with_import("x = 1\nparallel.map(i -> i, 4)\n"), "x = 1\n"});
  EXPECT_EQ(results[0].said,
            "error: rank 1 has ended its program (status 0); rank 0 waits in parallel.map at program.covec:3\n");
  for (const RankResult& result : results) {
    EXPECT_EQ(result.status, 1);
    EXPECT_TRUE(result.was_aborted);
  }
  const auto with_status =
      run_each({"exit(3)", with_import("parallel.map(i -> i, 4)\n"), with_import("parallel.map(i -> i, 4)\n")});
  EXPECT_EQ(with_status[1].said,
            "error: rank 0 has ended its program (status 3); rank 1 waits in parallel.map at program.covec:2\n");
  EXPECT_EQ(with_status[2].said, "");
  EXPECT_EQ(with_status[2].status, 3);
}

TEST(Cluster, an_error_on_one_rank_alone) {
  const auto results = run_each({with_import("parallel.map(i -> i, 4)\n"), "x = 1 / \"a\"\n"});
  EXPECT_TRUE(results[1].said.starts_with("on rank 1 of 2 (host1):\nerror: ")) << results[1].said;
  EXPECT_EQ(results[0].said, "");
  EXPECT_TRUE(results[0].was_aborted);
  EXPECT_EQ(results[0].status, 1);
  // The other one ends without an error: nothing is aborted.
  const auto ended = run_each({"print(1)\n", "error(\"no\")\n"});
  EXPECT_EQ(ended[0].status, 0);
  EXPECT_EQ(ended[1].status, 1);
  EXPECT_TRUE(ended[1].said.starts_with("on rank 1 of 2 (host1):\nerror: no")) << ended[1].said;
}

TEST(Cluster, an_error_while_others_compute) {
  ClusterOptions options;
  options.patience.error = 0.05;
  options.faults = {{.rank = 0, .operation = 0, .kind = FaultKind::delay, .seconds = 0.5}};
  const auto results = run_each({with_import("parallel.map(i -> i, 4)\n"), "error(\"no\")\n"}, options);
  EXPECT_TRUE(results[1].said.starts_with("on rank 1 of 2 (host1):\nerror: no")) << results[1].said;
  for (const RankResult& result : results) EXPECT_TRUE(result.was_aborted);
}

TEST(Cluster, errors_that_differ_are_told_by_each_rank) {
  const auto results = run_each({"error(\"a\")\n", "error(\"b\")\n"});
  EXPECT_TRUE(results[0].said.starts_with("on rank 0 of 2 (host0):\nerror: a")) << results[0].said;
  EXPECT_TRUE(results[1].said.starts_with("on rank 1 of 2 (host1):\nerror: b")) << results[1].said;
}

TEST(Cluster, an_error_caught_on_one_rank_alone) {
  const std::string rest = "parallel.map(i -> i, 4)\n";
  const auto results = run_each({with_import("try { error(\"no\") } catch err { print(err.message) }\n" + rest),
                                 with_import("error(\"no\")\n" + rest)});
  EXPECT_EQ(results[0].printed, "no\n");
  EXPECT_TRUE(results[0].was_aborted);
  EXPECT_TRUE(results[1].said.starts_with("on rank 1 of 2 (host1):\nerror: no")) << results[1].said;
}

TEST(Cluster, a_rank_that_dies) {
  ClusterOptions options;
  options.faults = {{.rank = 1, .operation = 2, .kind = FaultKind::death}};
  const auto results = run_on(3, with_import("for k in range(9) { parallel.map(i -> i, 4) }\n"), options);
  for (const RankResult& result : results) {
    EXPECT_TRUE(result.was_aborted);
    EXPECT_EQ(result.status, 137);
  }
}

TEST(Cluster, the_library_fails) {
  ClusterOptions options;
  options.patience.error = 0.05;
  options.faults = {{.rank = 1, .operation = 1, .kind = FaultKind::failure}};
  const auto results = run_on(2, with_import("parallel.map(i -> i, 4)\n"), options);
  EXPECT_NE(results[1].said.find("MPI_Iallgather failed (error 15 of the MPI library)"), std::string::npos)
      << results[1].said;
  EXPECT_TRUE(results[0].was_aborted);
}

TEST(Cluster, a_late_rank_is_reported_once_and_waited_for) {
  ClusterOptions options;
  options.patience.report = 0.02;
  options.faults = {{.rank = 1, .operation = 0, .kind = FaultKind::delay, .seconds = 0.3}};
  const auto results = run_on(2, with_import("print(parallel.sum(i -> i, 4))\n"), options);
  EXPECT_EQ(results[0].said, "rank 0 has waited 0.02 s in parallel.sum at program.covec:2\n");
  EXPECT_EQ(results[0].printed, "6\n");
  EXPECT_EQ(results[1].said, "");
}

TEST(Cluster, a_late_rank_ends_the_job_where_the_user_says_so) {
  ClusterOptions options;
  options.patience.end = 0.02;
  options.faults = {{.rank = 1, .operation = 0, .kind = FaultKind::delay, .seconds = 0.3}};
  const auto results = run_on(2, with_import("print(parallel.sum(i -> i, 4))\n"), options);
  EXPECT_EQ(
      results[0].said,
      "rank 0 has waited 0.02 s in parallel.sum at program.covec:2: the time that COVEC_MPI_SECONDS gives is over\n");
  for (const RankResult& result : results) EXPECT_TRUE(result.was_aborted);
}

TEST(Cluster, an_interrupt_ends_all_ranks) {
  ClusterOptions options;
  options.interrupted = 0;
  options.patience.error = 0.05;
  options.faults = {{.rank = 1, .operation = 0, .kind = FaultKind::delay, .seconds = 0.2}};
  options.afterwards = with_import("try { parallel.map(i -> i, 2) } catch err { print(err.message) }\n");
  const auto results = run_on(2, with_import("print(parallel.sum(i -> i, 4))\n"), options);
  EXPECT_NE(results[0].said.find(": interrupted\n"), std::string::npos) << results[0].said;
  EXPECT_EQ(results[0].printed,
            "parallel.map: an interrupt or error has stopped what all ranks do together: this rank can do no more with "
            "others\n");
  for (const RankResult& result : results) EXPECT_TRUE(result.was_aborted);
}

TEST(Cluster, a_part_prints_too_much) {
  const std::string program = with_import(
      "line = list(\"x\" for i in range(2^19)).join(\"\")\n"
      "fn f(i) {\n    for k in range(34) { if i == 2 { print(line) } }\n}\n"
      "try { parallel.map(f, 4) } catch err { print(err.message) }\n");
  const RankResult alone = run_on(1, program).front();
  EXPECT_TRUE(alone.printed.ends_with("a part may print 16777216 bytes, and this one prints more\n")) << alone.said;
  EXPECT_EQ(run_on(3, program)[0].printed, alone.printed);
}

}  // namespace covec::testing
