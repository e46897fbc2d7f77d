// Elementwise operations: shapes, strides, dtypes, what is fused, and whose error it is.
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/shape/shape.hpp"
#include "stdlib/value/tree.hpp"
#include "tests/jit_runtime/machine.hpp"

namespace covec::test {
namespace {

const Type number_f64{Dtype::f64, {}};

class Kernels : public ::testing::Test {
 protected:
  Machine machine;
  static size_t kernels(const std::shared_ptr<const ir::Graph>& graph, bool eager_kernels = false) {
    return jit::make_plan(graph, {.eager_kernels = eager_kernels})->launches.size();
  }
};

TEST_F(Kernels, ChainsAreOneKernel) {
  GraphMaker g;
  const Dim n = g.dim();
  const Value x = g.parameter({Dtype::f64, {n}}), y = g.parameter({Dtype::f64, {n}}), s = g.parameter(number_f64);
  const Value product = g.apply("multiply", {x, y});
  const Value sum = g.apply("add", {g.apply("multiply", {product, s}), g.apply("multiply", {product, Value(2.0)}, 2)});
  const auto graph = g.finish(g.apply("exp", {sum}));
  EXPECT_EQ(kernels(graph), 1u);
  for (const int64_t size : {0, 1, 3, 64, 1000}) {
    expect_same(machine, graph, {machine.random(Dtype::f64, {size}), machine.random(Dtype::f64, {size}), Value(0.5)});
  }
}

TEST_F(Kernels, BroadcastsLikeEager) {
  const std::vector<std::vector<int64_t>> shapes = {{1},       {5},       {40},      {3, 1}, {3, 5}, {7, 40}, {7, 1},
                                                    {2, 3, 1}, {2, 1, 5}, {2, 3, 5}, {1, 1}, {0},    {3, 0},  {5, 3}};
  for (const auto& a : shapes) {
    for (const auto& b : shapes) {
      GraphMaker g;
      Shape sa, sb;
      for (size_t i = 0; i < a.size(); ++i) sa.push_back(g.dim());
      for (size_t i = 0; i < b.size(); ++i) sb.push_back(g.dim());
      const Value x = g.parameter({Dtype::f64, sa}), y = g.parameter({Dtype::f32, sb});
      const Value sum = g.apply("add", {g.apply("sin", {x}), y});
      const auto graph = g.finish(g.apply("maximum", {g.apply("multiply", {sum, sum}), x}));
      expect_same(machine, graph, {machine.random(Dtype::f64, a), machine.random(Dtype::f32, b)});
    }
  }
}

TEST_F(Kernels, ReadsStridedViews) {
  for (const auto& dims : std::vector<std::vector<int64_t>>{{6, 5}, {50, 60}, {3, 200}, {200, 3}}) {
    GraphMaker g;
    const Dim n = g.dim(), m = g.dim();
    const Value x = g.parameter({Dtype::f64, {m, n}}), y = g.parameter({Dtype::f64, {m, n}});
    const Value row = g.parameter({Dtype::i32, {n}});
    const auto graph = g.finish(g.apply("add", {g.apply("subtract", {x, y}), g.apply("multiply", {row, x})}));
    const Value plain = machine.random(Dtype::f64, {dims[1], dims[0]});
    const Value transposed = ops::call(machine.eager(), ops::transpose_entry(), {machine.random(Dtype::f64, dims)});
    const Value flipped = ops::call(machine.eager(), ops::flip_entry(),
                                    {
                                        plain,
                                        Value(),
                                    });
    const Value numbers = machine.random(Dtype::i32, {dims[0]});
    expect_same(machine, graph, {transposed, plain, numbers});
    expect_same(machine, graph, {transposed, transposed, numbers});
    expect_same(machine, graph, {flipped, transposed, numbers});
    const Value everywhere = ops::broadcast_to(machine.eager(), Value(2.5), Shape{Dim(dims[1]), Dim(dims[0])});
    expect_same(machine, graph, {everywhere, transposed, numbers});
    expect_same(machine, graph, {everywhere, everywhere, numbers});
  }
}

TEST_F(Kernels, MixesDtypes) {
  const Dtype all[] = {Dtype::boolean, Dtype::i32, Dtype::i64, Dtype::f32, Dtype::f64};
  for (const Dtype a : all) {
    for (const Dtype b : all) {
      GraphMaker g;
      const Dim n = g.dim();
      const Value x = g.parameter({a, {n}}), y = g.parameter({b, {n}});
      const Value less = g.apply("less", {x, y});
      const Value chosen = g.apply("where", {less, x, y});
      const Value sum = g.apply("add", {g.apply("multiply", {x, Value(int64_t{3})}, 2), chosen});
      const auto graph = g.finish(make_tuple({less, chosen, sum, g.apply("f32", {sum}), g.apply("sqrt", {y})}));
      expect_same(machine, graph, {machine.random(a, {77}), machine.random(b, {77})});
    }
  }
}

TEST_F(Kernels, SharesEqualWork) {
  GraphMaker g;
  const Dim n = g.dim();
  const Value x = g.parameter({Dtype::f64, {n}});
  const Value once = g.apply("multiply", {x, x}), twice = g.apply("multiply", {x, x});
  const auto graph = g.finish(g.apply("add", {once, twice}));
  const auto plan = jit::make_plan(graph);
  ASSERT_EQ(plan->program.kernels.size(), 1u);
  EXPECT_EQ(plan->program.kernels[0].inputs.size(), 1u);
  EXPECT_EQ(plan->program.kernels[0].code.size(), 3u);  // load, multiply, add
  expect_same(machine, graph, {machine.random(Dtype::f64, {10})});
}

TEST_F(Kernels, KeepsWhatIsNeededElsewhere) {
  GraphMaker g;
  const Dim n = g.dim();
  const Value x = g.parameter({Dtype::f64, {n}});
  const Value a = g.apply("multiply", {x, x}), total = g.reduce("max", a), b = g.apply("add", {a, total});
  const auto graph = g.finish(make_tuple({a, b, total}));
  expect_same(machine, graph, {machine.random(Dtype::f64, {30})});
  expect_same(machine, graph, {machine.random(Dtype::f64, {0})});
}

TEST_F(Kernels, DoesNotRepeatCostlyWorkForEachRow) {
  GraphMaker g;
  const Dim n = g.dim(), m = g.dim();
  const Value x = g.parameter({Dtype::f64, {n}}), y = g.parameter({Dtype::f64, {m, n}});
  const auto costly = g.finish(g.apply("add", {g.apply("exp", {x}), y}));
  EXPECT_EQ(kernels(costly), 2u);
  expect_same(machine, costly, {machine.random(Dtype::f64, {4}), machine.random(Dtype::f64, {3, 4})});
  GraphMaker h;
  const Dim k = h.dim(), l = h.dim();
  const Value u = h.parameter({Dtype::f64, {k}}), v = h.parameter({Dtype::f64, {l, k}});
  const auto cheap = h.finish(h.apply("add", {h.apply("negative", {u}), v}));
  EXPECT_EQ(kernels(cheap), 1u);
  expect_same(machine, cheap, {machine.random(Dtype::f64, {4}), machine.random(Dtype::f64, {3, 4})});
}

TEST_F(Kernels, LeavesLongOnesThatStandAloneToTheLibrary) {
  GraphMaker g;
  const Value x = g.parameter({Dtype::f64, {g.dim()}});
  const auto alone = g.finish(g.apply("exp", {x}));
  EXPECT_EQ(kernels(alone), 1u);
  EXPECT_EQ(kernels(alone, true), 0u);
  expect_same(machine, alone, {machine.random(Dtype::f64, {33})});
  GraphMaker h;
  const Value y = h.parameter({Dtype::f64, {h.dim()}});
  EXPECT_EQ(kernels(h.finish(h.apply("exp", {h.apply("negative", {y})})), true), 1u);
  GraphMaker i;
  EXPECT_EQ(kernels(i.finish(i.apply("exp", {i.parameter({Dtype::i64, {i.dim()}})})), true), 1u);
  GraphMaker j;
  EXPECT_EQ(kernels(j.finish(j.apply("abs", {j.parameter({Dtype::f64, {j.dim()}})})), true), 1u);
}

TEST_F(Kernels, ResultsOfOtherShapesThanExpected) {
  // a is needed, and may turn out to be smaller than the kernel's shape.
  GraphMaker g;
  const Value x = g.parameter({Dtype::f64, {g.dim()}}), y = g.parameter({Dtype::f64, {g.dim()}});
  const Value a = g.apply("multiply", {x, Value(2.0)}, 2), b = g.apply("add", {a, y});
  const auto graph = g.finish(make_tuple({a, b}));
  EXPECT_EQ(kernels(graph), 1u);
  expect_same(machine, graph, {machine.random(Dtype::f64, {5}), machine.random(Dtype::f64, {5})});
  expect_same(machine, graph, {machine.random(Dtype::f64, {1}), machine.random(Dtype::f64, {5})});
  expect_same(machine, graph, {machine.random(Dtype::f64, {5}), machine.random(Dtype::f64, {1})});
  expect_same(machine, graph, {machine.random(Dtype::f64, {5}), machine.random(Dtype::f64, {4})});
}

TEST_F(Kernels, SmallerResultsAfterLargerOnes) {
  GraphMaker g;
  const Value x = g.parameter({Dtype::f64, {g.dim()}}), y = g.parameter({Dtype::f64, {g.dim()}});
  const Value b = g.apply("add", {x, y}), a = g.apply("multiply", {x, Value(2.0)}, 2);
  const auto graph = g.finish(make_tuple({a, b, g.apply("subtract", {a, b})}));
  EXPECT_EQ(kernels(graph), 1u);
  expect_same(machine, graph, {machine.random(Dtype::f64, {1}), machine.random(Dtype::f64, {5})});
  expect_same(machine, graph, {machine.random(Dtype::f64, {5}), machine.random(Dtype::f64, {5})});
}

TEST_F(Kernels, TheFirstErrorOfTheProgramIsRaised) {
  GraphMaker g;
  const Value x = g.parameter({Dtype::i64, {g.dim()}}), y = g.parameter({Dtype::i64, {g.dim()}});
  const Value z = g.parameter({Dtype::i64, {g.dim()}});
  const Value a = g.apply("floor_divide", {x, y}), b = g.apply("mod", {a, z});
  const auto graph = g.finish(g.apply("add", {b, g.apply("add", {x, z})}));
  EXPECT_EQ(kernels(graph), 1u);
  const Value good = machine.tensor<int64_t>({3}, {7, -8, 9}), zero = machine.tensor<int64_t>({3}, {1, 0, 0});
  const Value longer = machine.tensor<int64_t>({4}, {1, 2, 3, 4}), none = machine.tensor<int64_t>({0}, {});
  expect_same(machine, graph, {good, good, good});
  expect_same(machine, graph, {good, zero, good});
  expect_same(machine, graph, {good, good, zero});
  expect_same(machine, graph, {good, zero, zero});
  expect_same(machine, graph, {good, zero, longer});
  expect_same(machine, graph, {good, longer, zero});
  expect_same(machine, graph, {none, none, none});
}

TEST_F(Kernels, DivisionByAWrittenNumberCannotFail) {
  GraphMaker g;
  const Value x = g.parameter({Dtype::i64, {g.dim()}});
  const auto graph = g.finish(g.apply("floor_divide", {x, Value(int64_t{3})}, 2));
  EXPECT_EQ(jit::make_plan(graph)->program.kernels[0].fails, loops::Kernel::never);
  expect_same(machine, graph, {machine.random(Dtype::i64, {50})});
  GraphMaker h;
  const Value y = h.parameter({Dtype::i32, {h.dim()}});
  const auto narrow = h.finish(h.apply("floor_divide", {y, Value(int64_t{0})}, 2));
  expect_same(machine, narrow, {machine.random(Dtype::i32, {5})});
}

// What fails or is seen outside keeps its order: the print comes before the division's error.
TEST_F(Kernels, EffectsAreNotCrossed) {
  GraphMaker g;
  const Value x = g.parameter({Dtype::i64, {g.dim()}}), y = g.parameter({Dtype::i64, {g.dim()}});
  const Value sum = g.apply("add", {x, y});
  ir::Operation& print = g.append(ir::Kind::apply);
  print.entry = ops::find_entry("print");
  ASSERT_NE(print.entry, nullptr);
  for (const ops::Parameter& parameter : print.entry->parameters) print.args.push_back(parameter.fallback);
  print.rest = {make_string("before")};
  g.boxed_result_of(print);
  const auto graph = g.finish(g.apply("floor_divide", {sum, y}));
  EXPECT_EQ(kernels(graph), 2u);
  const Value good = machine.tensor<int64_t>({2}, {7, -8}), zero = machine.tensor<int64_t>({2}, {1, 0});
  expect_same(machine, graph, {good, good});
  expect_same(machine, graph, {good, zero});
  expect_same(machine, graph, {good, machine.tensor<int64_t>({3}, {1, 0, 2})});
  EXPECT_EQ(run_compiled(machine, graph, {good, zero}).printed, "before\n");
}

TEST_F(Kernels, MovesAcrossWhatCannotFail) {
  GraphMaker g;
  const Dim n = g.dim();
  const Value x = g.parameter({Dtype::f64, {n}});
  const Value a = g.apply("multiply", {x, x}), total = g.reduce("sum", x), b = g.apply("add", {a, x});
  const auto graph = g.finish(make_tuple({b, total}));
  EXPECT_EQ(kernels(graph), 1u);
  expect_same(machine, graph, {machine.random(Dtype::f64, {12})});
}

TEST_F(Kernels, ResultsTakeThePlaceOfDyingOperands) {
  GraphMaker g;
  const Dim n = g.dim();
  const Value x = g.parameter({Dtype::f64, {n}});
  const auto graph = g.finish(g.apply("add", {x, Value(1.0)}, 2));
  const auto plan = jit::make_plan(graph);
  Value input = machine.random(Dtype::f64, {100});
  const std::byte* place = input.tensor().data();
  std::vector<Value> inputs;
  inputs.push_back(std::move(input));
  Outcome outcome = run_plan(machine, *plan, std::move(inputs));
  EXPECT_EQ(outcome.value.tensor().data(), place);
  // Shared: elsewhere.
  const Outcome again = run_plan(machine, *plan, {outcome.value});
  EXPECT_NE(again.value.tensor().data(), place);
}

TEST_F(Kernels, LongOnesRunOnThreads) {
  machine.context().threads = 2;
  GraphMaker g;
  const Dim n = g.dim();
  const Value x = g.parameter({Dtype::i64, {n}}), y = g.parameter({Dtype::i64, {n}});
  const auto graph = g.finish(g.apply("floor_divide", {x, y}));
  Value a = machine.random(Dtype::i64, {200000}), b = machine.random(Dtype::i64, {200000});
  for (int64_t i = 0; i < b.tensor().size(); ++i) b.tensor().as<int64_t>()[i] |= 1;
  expect_same(machine, graph, {a, b});
  EXPECT_GT(kernel_calls(), 1);
  b.tensor().as<int64_t>()[150000] = 0;
  expect_same(machine, graph, {a, b});
}

TEST_F(Kernels, RowsAndColumnsAreRepeated) {
  for (const unsigned threads : {1u, 2u}) {
    machine.context().threads = threads;
    for (const auto& dims : std::vector<std::vector<int64_t>>{{3000, 7}, {40000, 5}, {300, 33}, {200, 1500}, {3, 2}}) {
      GraphMaker g;
      const Dim n = g.dim(), m = g.dim();
      const Value x = g.parameter({Dtype::f64, {n, m}}), row = g.parameter({Dtype::f32, {m}});
      const Value column = g.parameter({Dtype::f64, {n, Dim(1)}});
      const Value moved = g.apply("multiply", {g.apply("subtract", {x, column}), row});
      const auto graph =
          g.finish(make_tuple({moved, g.reduce("sum", g.apply("multiply", {moved, x}), Value(int64_t{0}))}));
      EXPECT_EQ(kernels(graph), 1u);
      expect_same(machine, graph,
                  {machine.random(Dtype::f64, dims), machine.random(Dtype::f32, {dims[1]}),
                   machine.random(Dtype::f64, {dims[0], 1})});
    }
  }
}

TEST_F(Kernels, ManyArraysAreSeveralKernels) {
  GraphMaker g;
  const Dim n = g.dim();
  std::vector<Value> inputs;
  Value sum = g.parameter({Dtype::f64, {n}});
  inputs.push_back(machine.random(Dtype::f64, {9}));
  for (int i = 0; i < 30; ++i) {
    sum = g.apply("add", {sum, g.parameter({Dtype::f64, {n}})});
    inputs.push_back(machine.random(Dtype::f64, {9}));
  }
  const auto graph = g.finish(sum);
  EXPECT_GE(kernels(graph), 3u);
  EXPECT_LE(kernels(graph), 4u);
  expect_same(machine, graph, inputs);
}

TEST_F(Kernels, ConstantTensorsAreInputs) {
  GraphMaker g;
  const Value x = g.parameter({Dtype::f64, {Dim(3)}});
  const Value fixed = machine.tensor<double>({3}, {1, 2, 3});
  const auto graph = g.finish(g.apply("add", {g.apply("multiply", {x, fixed}), fixed}));
  expect_same(machine, graph, {machine.random(Dtype::f64, {3})});
  expect_same(machine, graph, {machine.random(Dtype::f64, {3})});
}

}  // namespace
}  // namespace covec::test
