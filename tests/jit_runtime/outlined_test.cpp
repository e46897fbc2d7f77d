// What is left out of compiled code, in all back ends: operators on numbers whose seldom cases are steps, columns that
// a second kernel takes as they are, and extents that are read where they lie.
#include <cmath>

#include "jit/simd/compile.hpp"
#include "jit/source/engine.hpp"
#include "stdlib/ops/contract/isa.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/value/tree.hpp"
#include "tests/jit_runtime/machine.hpp"

namespace covec::test {
namespace {

class LeftOut : public ::testing::Test {
 protected:
  Machine machine;

  template <class Compiled>
  void run(const loops::Plan& plan, const Compiled& compiled, const std::vector<Value>& inputs, const Outcome& wanted) {
    ASSERT_NE(compiled, nullptr);
    std::vector<loops::KernelFunction> kernels;
    for (size_t k = 0; k < plan.program.kernels.size(); ++k) kernels.push_back(compiled->kernel(k));
    expect_equal(run_plan(machine, plan, {compiled->code(), kernels.data()}, inputs), wanted,
                 loops::print(plan.program));
  }

  // Compiled once, on each list of inputs.
  void check(const std::shared_ptr<const ir::Graph>& graph, const std::vector<std::vector<Value>>& lists) {
    const auto plan = jit::make_plan(graph);
    ASSERT_EQ(loops::verify(plan->program), "") << loops::print(plan->program);
    const auto c99 = source::compile(plan->program);
    std::vector<std::unique_ptr<simd::Compiled>> machines;
    const ops::Isa isa = ops::detect_isa();
    if (isa != ops::Isa::baseline) machines.push_back(simd::compile(plan->program, ops::Isa::avx2));
    if (isa == ops::Isa::avx512) machines.push_back(simd::compile(plan->program, isa));
    for (const std::vector<Value>& inputs : lists) {
      const Outcome wanted = run_eagerly(machine, *graph, inputs);
      expect_same(machine, graph, inputs);
      run(*plan, c99, inputs, wanted);
      for (const auto& compiled : machines) run(*plan, compiled, inputs, wanted);
    }
  }
};

constexpr double odd[] = {0.5,    1e30, -3e7,  INFINITY, -INFINITY, NAN,   0.0,    -0.0, 1e-42,  -88,
                          1e-310, 7e8,  2.5e5, -1e300,   709.9,     1e-45, -745.2, 3,    -20.25, 8192};

TEST_F(LeftOut, SeldomCasesOfNumbers) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    for (const char* name : {"sin", "cos", "exp", "log", "tanh", "pow", "mod", "floor_divide", "atan2"}) {
      GraphMaker g;
      const Value x = g.parameter({dtype, {}}), y = g.parameter({dtype, {}});
      const bool two = ops::find_entry(name)->pointwise->info.arity == 2;
      const Value result = g.apply(name, two ? std::vector<Value>{x, y} : std::vector<Value>{x});
      const auto graph = g.finish(make_tuple({result, g.apply("add", {result, y})}));
      std::vector<std::vector<Value>> lists;
      for (const double a : odd) {
        for (const double b : {2.0, -0.75, 1e25, static_cast<double>(INFINITY)}) {
          if (dtype == Dtype::f32)
            lists.push_back({Value(static_cast<float>(a)), Value(static_cast<float>(b))});
          else
            lists.push_back({Value(a), Value(b)});
          if (!two) break;
        }
      }
      check(graph, lists);
    }
  }
}

// Many numbers are alive around the seldom steps: all registers and some memory.
TEST_F(LeftOut, StepsInTheMidstOfALoopLeaveRegistersAlone) {
  GraphMaker g;
  const Value n = g.parameter({Dtype::i64, {}}), scale = g.parameter({Dtype::f64, {}});
  std::vector<Value> carried;
  for (int i = 0; i < 20; ++i) carried.push_back(Value(0.37 * i - 2));
  for (int i = 0; i < 12; ++i) carried.push_back(Value(int64_t{i} * 7919));
  const auto body = [&](Value index, std::vector<Value> now) {
    std::vector<Value> next;
    for (size_t i = 0; i < 20; ++i) {
      const Value other = g.apply("multiply", {now[(i + 7) % 20], scale});
      next.push_back(g.apply("add", {g.apply(i % 2 == 0 ? "sin" : "cos", {other}), now[i]}));
    }
    for (size_t i = 20; i < 32; ++i) next.push_back(g.apply("add", {now[i], index}));
    return next;
  };
  std::vector<Value> results = g.for_(n, carried, body);
  const auto graph = g.finish(make_tuple(std::move(results)));
  std::vector<std::vector<Value>> lists;
  for (const double s : {1.0, 1e7, 3e7, 1e9, 1e300, static_cast<double>(NAN)})
    lists.push_back({Value(int64_t{6}), Value(s)});
  check(graph, lists);
}

TEST_F(LeftOut, ColumnsAndRows) {
  for (const auto& dims :
       std::vector<std::vector<int64_t>>{{7, 3}, {5, 31}, {5, 32}, {9, 33}, {40, 1500}, {3, 1}, {1, 70}}) {
    GraphMaker g;
    const Dim n = g.dim(), m = g.dim();
    const Value x = g.parameter({Dtype::f64, {n, m}}), row = g.parameter({Dtype::f32, {m}});
    const Value column = g.parameter({Dtype::f64, {n, Dim(1)}}), narrow = g.parameter({Dtype::f32, {n, Dim(1)}});
    const Value moved = g.apply("divide", {g.apply("subtract", {x, column}), g.apply("multiply", {narrow, row})});
    const auto graph = g.finish(make_tuple({moved, g.reduce("sum", g.apply("sin", {moved}), Value(int64_t{0}))}));
    EXPECT_EQ(jit::make_plan(graph)->program.kernels.size(), 2 * jit::make_plan(graph)->launches.size());
    check(graph, {{machine.random(Dtype::f64, dims), machine.random(Dtype::f32, {dims[1]}),
                   machine.random(Dtype::f64, {dims[0], 1}), machine.random(Dtype::f32, {dims[0], 1})}});
  }
}

TEST_F(LeftOut, Extents) {
  GraphMaker g;
  const Dim n = g.dim(), m = g.dim();
  const Value x = g.parameter({Dtype::f64, {n, m}});
  const Value rows = g.dimension(x, 0), columns = g.dimension(x, 1);
  const auto graph = g.finish(make_tuple({g.apply("multiply", {rows, columns}), columns}));
  const auto plan = jit::make_plan(graph);
  for (const loops::Instruction& i : plan->program.code.instructions) {
    const auto* const call = std::get_if<loops::instruction::CallStep>(&i);
    if (call == nullptr) continue;
    EXPECT_TRUE(plan->steps[call->step].is<loops::step::Drop>());
  }
  check(graph, {{machine.random(Dtype::f64, {3, 5})}, {machine.random(Dtype::f64, {0, 7})}});
}

}  // namespace
}  // namespace covec::test
