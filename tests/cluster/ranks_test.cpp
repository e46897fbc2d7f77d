// Programs that name ranks, on a simulated cluster: what they get, and the errors where ranks differ.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>

#include "tests/cluster/own_folder.hpp"
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

// Longer files cannot be written meanwhile, and no signal says so.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*const handler_)(int);
};

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

TEST(Ranks, operands_of_other_collectives_that_differ) {
  expect_error("parallel.all_max(ones(3 + r))", "parallel.all_max: f64[3] on rank 0, f64[4] on rank 1");
  expect_error("parallel.all_gather(ones(2, r + 1))", "parallel.all_gather: f64[2, 1] on rank 0, f64[2, 2] on rank 1");
  expect_error("parallel.all_gather(ones(r + 1, 2), axis=1)",
               "parallel.all_gather: f64[1, 2] by axis 1 on rank 0, f64[2, 2] by axis 1 on rank 1");
  expect_error("parallel.broadcast(ones(3 + r))", "parallel.broadcast: f64[3] on rank 0, f64[4] on rank 1");
  expect_error("parallel.broadcast({a: 1} if r == 0 else {b: 1})",
               "parallel.broadcast: {a: .} on rank 0, {b: .} on rank 1");
  expect_error("parallel.scatter(ones(4) if r == 1 else ones(5), root=1)",
               "parallel.scatter: f64[5] on rank 0, f64[4] on rank 1");
  expect_error("parallel.sendrecv(ones(1 + r), 1 - r, 1 - r)", "parallel.sendrecv: f64[1] on rank 0, f64[2] on rank 1");
  expect_error("parallel.shift(ones(1 + r))", "parallel.shift: f64[1] on rank 0, f64[2] on rank 1");
}

TEST(Ranks, arguments_that_name_no_rank) {
  expect_error("parallel.broadcast(1, root=2)", "parallel.broadcast: `root` must be a rank, 0 to 1, not 2");
  expect_error("parallel.scatter([1.0], root=-1)", "parallel.scatter: `root` must be a rank, 0 to 1, not -1");
  expect_error("parallel.sendrecv(1.0, 5, none)", "parallel.sendrecv: `to` must be a rank, 0 to 1, or none, not 5");
  expect_error("parallel.sendrecv(1.0, none, -1)", "parallel.sendrecv: `from` must be a rank, 0 to 1, or none, not -1");
  expect_error("parallel.sendrecv(1.5, 0, none)",
               "parallel.sendrecv: rank 0 sends to rank 0, which receives from nobody", 1);
  expect_error("parallel.shift(1.0, grid=(3, 1))", "parallel.shift: the grid (3, 1) has 3 ranks, and there are 2");
  expect_error("parallel.shift(1.0, along=1)", "parallel.shift: along=1: the grid has the axes 0 to 0");
  expect_error("parallel.shift(1.0, by=0.5)", "parallel.shift: by must be an integer, not 0.5");
  expect_error("parallel.rows(2.5)", "parallel.rows: n must be an integer, not 2.5");
  expect_error("parallel.rows(-3)", "parallel.rows: n=-3 must be 0 at least");
  expect_error("parallel.shift(1, edge=0.5)", "parallel.shift: `edge` must be a number that i64 can hold");
  expect_error("parallel.rows(4, block=0)", "parallel.rows: block=0 must be 1 at least");
}

TEST(Ranks, senders_and_receivers_that_differ) {
  expect_error("parallel.sendrecv(1.0, 1 if r == 0 else none, none)",
               "parallel.sendrecv: rank 0 sends to rank 1, which receives from nobody");
  expect_error("parallel.sendrecv(1.0, none, 1 if r == 0 else none)",
               "parallel.sendrecv: rank 0 receives from rank 1, which sends to nobody");
  expect_error("parallel.sendrecv(\"a\", 0, 0)",
               "parallel.sendrecv: rank 1 sends to rank 0, which receives from rank 0");
}

TEST(Ranks, what_cannot_travel) {
  expect_error("parallel.broadcast(sin)", "parallel.broadcast: a function cannot travel to other ranks");
  expect_error("parallel.all_gather(sin)", "parallel.all_gather: a function cannot travel to other ranks");
  expect_error("parallel.sendrecv(sin, 1 - r, 1 - r)", "parallel.sendrecv: a function cannot travel to other ranks");
  expect_error("parallel.scatter(1.0)", "parallel.scatter: a number has no rows");
  expect_error("parallel.all_max(complex(1.0, 2.0))",
               "parallel.all_max: parallel.all_max does not take complex numbers");
}

TEST(Ranks, grids_of_ranks) {
  const auto results = run_on(6, importing("a = parallel.shift(r, grid=(2, 3), along=0, edge=-1)\n"
                                           "b = parallel.shift(r, grid=(2, 3), along=1, by=-1, edge=-1)\n"
                                           "c = parallel.shift(r, grid=(2, 3), along=1, edge=\"wrap\")\n"
                                           "for x in (a, b, c) { print(parallel.all_gather(x)) }\n"));
  EXPECT_EQ(results[0].printed, "[-1, -1, -1, 0, 1, 2]\n[1, 2, -1, 4, 5, -1]\n[2, 0, 1, 5, 3, 4]\n");
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

TEST(Ranks, save_one_file) {
  const OwnFolder folder;
  expect_error("parallel.save(\"nowhere/x.npy\", [1.0])",
               "parallel.save: cannot write nowhere/x.npy: No such file or directory");
  expect_error("parallel.save(\"/dev/full\" if r < 2 else \"x.npz\", {a: 1})",
               "parallel.save: cannot tell the format of '/dev/full': its name must end in .npy, .npz or .safetensors");
  expect_error("parallel.save(f\"x{r}.npy\", [1.0])", "parallel.save: 'x0.npy' on rank 0, 'x1.npy' on rank 1");
  expect_error("parallel.save(\"x.npz\", {a: 1} if r == 0 else {b: 1})",
               "parallel.save: 'x.npz' of {a: .} on rank 0, 'x.npz' of {b: .} on rank 1");
  expect_error("parallel.save(\"x.npz\", {a: 1, b: ones(3 + r // 2)})",
               "parallel.save: b is f64[3] on rank 0, f64[4] on rank 2", 3);
  expect_error("parallel.save(\"x.npz\", {a: 1, b: complex(1.0, r)})",
               "parallel.save: cannot write x.npz: b differs between rank 0 and rank 1");
  expect_error("parallel.save(\"x.npy\", r)",
               "parallel.save: cannot write x.npy: what is saved differs between rank 0 and rank 1");
  expect_error("parallel.map(i -> parallel.save(\"x.npy\", [1.0]), 4)",
               "parallel.save: it stands inside a part, and parts run by themselves, on one rank each");
  EXPECT_TRUE(std::filesystem::is_empty("."));
}

// The disk of rank 0 is full: here, files may not be longer than that.
TEST(Ranks, a_full_disk_is_an_error_on_all_ranks) {
  const OwnFolder folder;
  const FileSizeLimit limit(4096);
  const std::string program = importing(
      "x = zeros(2000)\n"
      "parallel.save(\"full.npy\", x[:10])\n"
      "try { parallel.save(\"full.npy\", x) } catch err { print(err.message) }\n"
      "print(len(load(\"full.npy\")), parallel.all_sum(1))\n"
      "parallel.save(\"full.npy\", x)\n");
  for (const int ranks : {1, 3}) {
    const auto results = run_on(ranks, program);
    EXPECT_EQ(results[0].printed,
              "parallel.save: cannot write full.npy: File too large\n10 " + std::to_string(ranks) + "\n");
    EXPECT_EQ(
        results[0].said.find("error: parallel.save: cannot write full.npy: File too large\n  --> program.covec:7:1"), 0)
        << results[0].said;
    for (const RankResult& result : results) EXPECT_EQ(result.status, 1);
    for (int rank = 1; rank < ranks; ++rank) EXPECT_EQ(results[rank].said, "");
  }
  const std::filesystem::directory_iterator files("."), end;
  EXPECT_EQ(std::distance(files, end), 1);  // no temporary one
}

TEST(Ranks, save_rows_that_fit) {
  const OwnFolder folder;
  expect_error("parallel.save_rows(\"x.npy\", ones(2, 3 + r))",
               "parallel.save_rows: f64[2, 3] to 'x.npy' on rank 0, f64[2, 4] to 'x.npy' on rank 1");
  expect_error("parallel.save_rows(\"x.npy\", ones(2) if r == 0 else complex(ones(2), 0))",
               "parallel.save_rows: f64[2] to 'x.npy' on rank 0, c128[2] to 'x.npy' on rank 1");
  expect_error("parallel.save_rows(f\"x{r}.npy\", ones(2))",
               "parallel.save_rows: f64[2] to 'x0.npy' on rank 0, f64[2] to 'x1.npy' on rank 1");
  expect_error("parallel.save_rows(\"nowhere/x.npy\", ones(2))",
               "parallel.save_rows: cannot write nowhere/x.npy: No such file or directory");
  expect_error("parallel.map(i -> parallel.save_rows(\"x.npy\", ones(2)), 4)",
               "parallel.save_rows: it stands inside a part, and parts run by themselves, on one rank each");
  EXPECT_TRUE(std::filesystem::is_empty("."));
}

// Only the rows of the last rank do not fit.
TEST(Ranks, a_disk_that_is_full_for_one_rank) {
  const OwnFolder folder;
  const FileSizeLimit limit(4096);
  const auto results =
      run_on(3, importing("parallel.save_rows(\"rows.npy\", ones(100))\n"
                          "try { parallel.save_rows(\"rows.npy\", ones(200)) } catch err { print(err.message) }\n"
                          "print(len(load(\"rows.npy\")), parallel.all_sum(1))\n"));
  EXPECT_EQ(results[0].printed, "parallel.save_rows: cannot write rows.npy: File too large\n300 3\n");
  for (const RankResult& result : results) EXPECT_EQ(result.status, 0) << result.said;
  const std::filesystem::directory_iterator files("."), end;
  EXPECT_EQ(std::distance(files, end), 1);
}

TEST(Ranks, a_save_of_each_rank_warns_once) {
  const OwnFolder folder;
  const std::string program = importing(
      "for k in range(3) { save(\"each.npy\", [1.0]) }\n"
      "parallel.map(i -> save(f\"part{i}.npy\", [1.0]), 2)\n");
  const std::string warning =
      "save: each rank that comes here writes the file, and there are 2; parallel.save writes it once, on rank 0";
  for (const Engines engines : {Engines::eager, Engines::compiled}) {
    EXPECT_EQ(run_on(1, program, {.engines = engines})[0].warned, "");
    const auto results = run_on(2, program, {.engines = engines});
    EXPECT_NE(results[0].warned.find(warning), std::string::npos) << results[0].warned;
    EXPECT_EQ(results[0].warned.find("warning", results[0].warned.find(warning)), std::string::npos);
    EXPECT_EQ(results[1].warned, "");
  }
}

TEST(Ranks, need_one_version) {
  const std::string program = importing("parallel.all_sum(1)\n");
  const auto results = run_on(3, program, {.versions = {"0.5.0", "0.5.0", "0.4.1"}});
  EXPECT_TRUE(results[0].said.starts_with(
      "error: parallel.all_sum: rank 0 runs Covec 0.5.0, and rank 2 runs Covec 0.4.1: all ranks need one version\n"
      "  --> program.covec:3:1\n"))
      << results[0].said;
  for (const RankResult& result : results) EXPECT_EQ(result.status, 2);
  EXPECT_EQ(results[2].said, "");
  for (const RankResult& result : run_on(2, program, {.versions = {"0.5.0", "0.5.0"}})) EXPECT_EQ(result.status, 0);
}

TEST(Ranks, arguments_of_another_kind) {
  expect_error("parallel.shift(1.0, grid=2)", "parallel.shift: grid must be a tuple of integers, not 2");
  expect_error("parallel.shift(1.0, grid=\"a\")", "parallel.shift: grid must be a tuple of integers, not a");
  expect_error("parallel.shift(1.0, grid=(2.0, 1))", "parallel.shift: grid must be a tuple of integers, not (2.0, 1)");
  expect_error("parallel.shift(1.0, edge=\"round\")", "parallel.shift: edge must be a number or \"wrap\", not round");
  expect_error("parallel.sendrecv(1.0, \"a\", 0)", "parallel.sendrecv: to must be an integer or none, not a");
  expect_error("parallel.sendrecv(1.0, none, 0.5)", "parallel.sendrecv: from must be an integer or none, not 0.5");
  expect_error("parallel.bounds(\"a\", 0, 2)", "parallel.bounds: n must be an integer, not a");
  expect_error("parallel.bounds(4, 0.5, 2)", "parallel.bounds: i must be an integer, not 0.5");
  expect_error("parallel.bounds(4, 0, none)", "parallel.bounds: of must be an integer, not none");
}

TEST(Ranks, are_not_told_apart_in_parts) {
  expect_error("parallel.map(i -> parallel.rank(), 4)",
               "parallel.rank: it stands inside a part, and parts must not depend on the rank that makes them");
  expect_error("parallel.sum(i -> parallel.size(), 4)",
               "parallel.size: it stands inside a part, and parts must not depend on the rank that makes them");
}

TEST(Ranks, do_not_meet_in_parts) {
  expect_error("parallel.map(i -> parallel.all_sum(i), 4)",
               "parallel.all_sum: it stands inside a part, and parts run by themselves, on one rank each");
  expect_error("parallel.map(i -> parallel.barrier(), 4)",
               "parallel.barrier: it stands inside a part, and parts run by themselves, on one rank each");
  expect_error("parallel.map(i -> parallel.broadcast(i), 4)",
               "parallel.broadcast: it stands inside a part, and parts run by themselves, on one rank each");
}

}  // namespace covec::testing
