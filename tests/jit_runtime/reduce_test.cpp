// Reductions that take their elements from a kernel: the bits of the eager ones, whatever the shape, the axes, the
// instruction set and the number of threads.
#include "stdlib/ops/shape/shape.hpp"
#include "stdlib/value/tree.hpp"
#include "tests/jit_runtime/machine.hpp"

namespace covec::test {
namespace {

class Reductions : public ::testing::Test {
 protected:
  Machine machine;

  // reduce(x · y + 1) over x's shape; y broadcasts.
  std::shared_ptr<const ir::Graph> product(const char* entry, Dtype dtype, unsigned rank, unsigned other, Value axis,
                                           bool keepdims) {
    GraphMaker g;
    Shape shape, smaller;
    for (unsigned i = 0; i < rank; ++i) shape.push_back(g.dim());
    for (unsigned i = rank - other; i < rank; ++i) smaller.push_back(shape[i]);
    const Value x = g.parameter({dtype, shape}), y = g.parameter({dtype, smaller});
    const Value made = g.apply("add", {g.apply("multiply", {x, y}), Value(int64_t{1})}, 2);
    const auto graph = g.finish(g.reduce(entry, made, axis, keepdims));
    const auto plan = jit::make_plan(graph);
    EXPECT_EQ(plan->launches.size(), 1u);
    EXPECT_EQ(plan->launches[0].reductions.size(), 1u);
    return graph;
  }

  void check(const char* entry, Dtype dtype, const std::vector<int64_t>& dims, unsigned other, Value axis,
             bool keepdims = false) {
    const auto rank = static_cast<unsigned>(dims.size());
    const std::vector<int64_t> smaller(dims.end() - other, dims.end());
    SCOPED_TRACE(std::string(entry) + " " + std::string(name_of(dtype)) + Shape(dims.begin(), dims.size()).text());
    expect_same(machine, product(entry, dtype, rank, other, std::move(axis), keepdims),
                {machine.random(dtype, dims), machine.random(dtype, smaller)});
  }
};

const char* const entries[] = {"sum", "mean", "prod", "max", "min", "any", "all"};

TEST_F(Reductions, AllKindsAndDtypes) {
  for (const char* entry : entries) {
    for (const Dtype dtype : {Dtype::boolean, Dtype::i32, Dtype::i64, Dtype::f32, Dtype::f64}) {
      check(entry, dtype, {100}, 1, Value());
      check(entry, dtype, {7, 33}, 2, Value(int64_t{1}), true);
      check(entry, dtype, {33, 7}, 2, Value(int64_t{0}));
      check(entry, dtype, {0}, 1, Value());
      check(entry, dtype, {0, 3}, 2, Value(int64_t{0}));
      check(entry, dtype, {3, 0}, 2, Value(int64_t{0}), true);
    }
  }
}

TEST_F(Reductions, BitsOfAllLengths) {
  for (const int64_t n : {1, 2, 31, 32, 33, 63, 64, 65, 2047, 2048, 2049, 4096, 4097, 6143, 10000}) {
    check("sum", Dtype::f64, {n}, 1, Value());
    check("mean", Dtype::f32, {n}, 1, Value());
    check("sum", Dtype::f64, {3, n}, 1, Value(int64_t{-1}));
    check("sum", Dtype::f64, {n, 3}, 1, Value(int64_t{0}));
    check("sum", Dtype::f32, {n, 1}, 2, Value(int64_t{0}), true);
    check("sum", Dtype::f64, {1, n}, 1, Value(int64_t{0}));
    check("sum", Dtype::f64, {n, 1}, 2, Value(int64_t{1}));
  }
}

TEST_F(Reductions, SeveralAxes) {
  check("sum", Dtype::f64, {5, 6, 70}, 3, make_tuple({Value(int64_t{1}), Value(int64_t{2})}));
  check("sum", Dtype::f64, {50, 6, 7}, 2, make_tuple({Value(int64_t{0}), Value(int64_t{1})}), true);
  check("sum", Dtype::f64, {3, 40, 50}, 1, Value());
  check("sum", Dtype::f32, {3, 5, 1100}, 1, Value(int64_t{0}));
  check("sum", Dtype::f32, {1030, 3, 5}, 3, Value(int64_t{0}));
}

TEST_F(Reductions, WideColumnsAreCutIntoTiles) {
  check("sum", Dtype::f64, {5, 2500}, 1, Value(int64_t{0}));
  check("prod", Dtype::f32, {9, 5000}, 2, Value(int64_t{0}));
}

TEST_F(Reductions, OnThreads) {
  machine.context().threads = 2;
  check("sum", Dtype::f64, {300000}, 1, Value());
  check("mean", Dtype::f32, {2, 150000}, 1, Value(int64_t{1}));
  check("sum", Dtype::f64, {60000, 4}, 2, Value(int64_t{0}));
  check("max", Dtype::f64, {400, 700}, 2, Value(int64_t{0}));
  check("sum", Dtype::f64, {70000, 3}, 2, Value(int64_t{1}));
}

TEST_F(Reductions, OtherResultsAreKept) {
  GraphMaker g;
  const Dim n = g.dim(), m = g.dim();
  const Value x = g.parameter({Dtype::f64, {n, m}}), y = g.parameter({Dtype::f64, {n, m}});
  const Value difference = g.apply("subtract", {x, y});
  const Value loss = g.reduce("sum", g.apply("multiply", {difference, difference}));
  const auto graph = g.finish(make_tuple({loss, difference}));
  const auto plan = jit::make_plan(graph);
  ASSERT_EQ(plan->launches.size(), 1u);
  EXPECT_EQ(plan->launches[0].reductions.size(), 1u);
  EXPECT_EQ(plan->launches[0].outputs.size(), 1u);
  for (const auto& dims : std::vector<std::vector<int64_t>>{{3, 4}, {30, 70}, {1, 1}, {0, 2}}) {
    expect_same(machine, graph, {machine.random(Dtype::f64, dims), machine.random(Dtype::f64, dims)});
    const Value transposed =
        ops::call(machine.eager(), ops::transpose_entry(), {machine.random(Dtype::f64, {dims[1], dims[0]})});
    expect_same(machine, graph, {transposed, machine.random(Dtype::f64, dims)});
  }
}

TEST_F(Reductions, ErrorsComeInOrder) {
  GraphMaker g;
  const Dim n = g.dim();
  const Value x = g.parameter({Dtype::i64, {n}}), y = g.parameter({Dtype::i64, {n}});
  const Value quotient = g.apply("floor_divide", {x, y});
  const auto graph = g.finish(g.reduce("max", quotient));
  const Value good = machine.tensor<int64_t>({3}, {7, -8, 9}), zero = machine.tensor<int64_t>({3}, {1, 0, 0});
  const Value none = machine.tensor<int64_t>({0}, {});
  expect_same(machine, graph, {good, good});
  expect_same(machine, graph, {good, zero});
  expect_same(machine, graph, {none, none});
}

TEST_F(Reductions, OfWhatIsNeededElsewhereAreSteps) {
  GraphMaker g;
  const Dim n = g.dim();
  const Value x = g.parameter({Dtype::f64, {n}});
  const Value square = g.apply("multiply", {x, x}), total = g.reduce("sum", square);
  const auto graph = g.finish(g.apply("divide", {square, total}));
  expect_same(machine, graph, {machine.random(Dtype::f64, {50})});
}

}  // namespace
}  // namespace covec::test
