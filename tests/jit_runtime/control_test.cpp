// Numbers and control flow: what is carried, moved, updated in place, and put on stacks.
#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/ops/create/create.hpp"
#include "stdlib/value/tree.hpp"
#include "tests/jit_runtime/machine.hpp"

namespace covec::test {
namespace {

const Type f64_number{Dtype::f64, {}}, i64_number{Dtype::i64, {}}, bool_number{Dtype::boolean, {}};

class Control : public ::testing::Test {
 protected:
  Machine machine;
  template <class Action>
  static size_t steps(const loops::Plan& plan) {
    size_t count = 0;
    for (const loops::Instruction& i : plan.program.code.instructions) {
      const auto* const call = std::get_if<loops::instruction::CallStep>(&i);
      count += call != nullptr && plan.steps[call->step].is<Action>();
    }
    return count;
  }
};

TEST_F(Control, NumbersNeedNoSteps) {
  GraphMaker g;
  const Value n = g.parameter(i64_number);
  const std::vector<Value> results =
      g.for_(n, {Value(0.0), Value(int64_t{1})}, [&](Value i, std::vector<Value> carried) -> std::vector<Value> {
        const Value x = g.apply("f64", {i});
        return {g.apply("add", {carried[0], g.apply("multiply", {x, x})}),
                g.apply("mod", {g.apply("multiply", {carried[1], Value(int64_t{7})}, 2), Value(int64_t{1000})}, 2)};
      });
  const auto graph = g.finish(make_tuple({results[0], results[1]}));
  const auto plan = jit::make_plan(graph);
  for (const loops::Instruction& i : plan->program.code.instructions) {
    EXPECT_FALSE(loops::is<loops::instruction::CallStep>(i));
  }
  for (const int64_t count : {0, 1, 2, 100}) expect_same(machine, graph, {Value(count)});
}

TEST_F(Control, SwapsKeepTheirOrder) {
  GraphMaker g;
  const Value n = g.parameter(i64_number), x = g.parameter({Dtype::f64, {g.dim()}}),
              y = g.parameter({Dtype::f64, {g.dim()}});
  const std::vector<Value> r =
      g.for_(n, {x, y, Value(1.0), Value(2.0), Value(3.0)}, [&](Value, std::vector<Value> c) -> std::vector<Value> {
        return {c[1], c[0], c[3], c[4], c[2]};
      });
  const auto graph = g.finish(make_tuple({r[0], r[1], r[2], r[3], r[4]}));
  for (const int64_t count : {0, 1, 2, 5}) {
    expect_same(machine, graph, {Value(count), machine.random(Dtype::f64, {3}), machine.random(Dtype::f64, {4})});
  }
}

TEST_F(Control, OneValueCarriedTwice) {
  GraphMaker g;
  const Value n = g.parameter(i64_number), x = g.parameter({Dtype::f64, {g.dim()}});
  const std::vector<Value> r = g.for_(n, {x, x}, [&](Value i, std::vector<Value> c) -> std::vector<Value> {
    const Value next = g.apply("add", {g.apply("multiply", {c[0], c[1]}), i});
    return {next, next};
  });
  const auto graph = g.finish(make_tuple({r[0], r[1], x}));
  for (const int64_t count : {0, 1, 3}) expect_same(machine, graph, {Value(count), machine.random(Dtype::f64, {3})});
}

TEST_F(Control, UpdatesInALoopStayInPlace) {
  GraphMaker g;
  const Value n = g.parameter(i64_number), x = g.parameter({Dtype::f64, {g.dim()}});
  const std::vector<Value> r = g.for_(n, {x}, [&](Value i, std::vector<Value> c) -> std::vector<Value> {
    const Value old = g.read(f64_number, c[0], {i});
    const Value written = g.write(c[0], g.apply("multiply", {old, Value(2.0)}, 2), {i});
    return {g.write(written, i, {Value(int64_t{-1})}, true)};
  });
  const auto graph = g.finish(r[0]);
  const auto plan = jit::make_plan(graph);
  for (const loops::Instruction& i : plan->program.code.instructions) {
    EXPECT_FALSE(loops::is<loops::instruction::CallStep>(i)) << loops::print(plan->program);
  }
  Value input = machine.random(Dtype::f64, {40});
  const std::byte* place = input.tensor().data();
  std::vector<Value> inputs;
  inputs.emplace_back(int64_t{39});
  inputs.push_back(std::move(input));
  EXPECT_EQ(run_plan(machine, *plan, std::move(inputs)).value.tensor().data(), place);
  const Value shared = machine.random(Dtype::f64, {40});
  expect_same(machine, graph, {Value(int64_t{40}), shared});
  expect_same(machine, graph, {Value(int64_t{41}), shared});
  expect_same(machine, graph, {Value(int64_t{0}), shared});
}

// The old tensor is needed after the update: it must not change.
TEST_F(Control, UpdatesOfWhatIsNeededCopy) {
  GraphMaker g;
  const Value n = g.parameter(i64_number), x = g.parameter({Dtype::i64, {g.dim(), g.dim()}});
  const Value changed = g.write(x, Value(int64_t{5}), {Value(int64_t{0}), n});
  const Value total = g.apply("add", {x, changed});
  const std::vector<Value> r = g.for_(n, {total}, [&](Value i, std::vector<Value> c) -> std::vector<Value> {
    const Value other = g.write(x, i, {i, i});
    return {g.apply("add", {c[0], other})};
  });
  const auto graph = g.finish(make_tuple({changed, r[0], x}));
  expect_same(machine, graph, {Value(int64_t{2}), machine.random(Dtype::i64, {3, 3})});
  expect_same(machine, graph, {Value(int64_t{3}), machine.random(Dtype::i64, {3, 3})});
}

TEST_F(Control, TensorsInLoopsAreMadeWhereTheyAreCarried) {
  GraphMaker g;
  const Dim m = g.dim();
  const Value n = g.parameter(i64_number), x = g.parameter({Dtype::f64, {m}}), y = g.parameter({Dtype::f64, {m}});
  const std::vector<Value> r = g.for_(n, {x}, [&](Value, std::vector<Value> c) -> std::vector<Value> {
    return {g.apply("add", {g.apply("multiply", {c[0], Value(0.5)}, 2), y})};
  });
  const auto graph = g.finish(r[0]);
  const auto plan = jit::make_plan(graph);
  EXPECT_EQ(steps<loops::step::Move>(*plan), 0u);
  EXPECT_EQ(steps<loops::step::RunLaunch>(*plan), 1u);
  for (const int64_t count : {0, 1, 4}) {
    expect_same(machine, graph, {Value(count), machine.random(Dtype::f64, {3}), machine.random(Dtype::f64, {3})});
  }
}

TEST_F(Control, BranchesGiveValues) {
  GraphMaker g;
  const Dim m = g.dim();
  const Value c = g.parameter(bool_number), x = g.parameter({Dtype::f64, {m}}), s = g.parameter(f64_number);
  const std::vector<Value> r = g.if_(
      c, {{Dtype::f64, {m}}, f64_number},
      [&]() -> std::vector<Value> {
        return {g.apply("multiply", {x, s}), g.apply("add", {s, s})};
      },
      [&]() -> std::vector<Value> {
        return {x, Value(0.25)};
      });
  const auto graph = g.finish(make_tuple({g.apply("add", {r[0], r[1]}), r[1]}));
  for (const bool condition : {false, true}) {
    expect_same(machine, graph, {Value(condition), machine.random(Dtype::f64, {5}), Value(3.0)});
  }
}

TEST_F(Control, BranchesInLoops) {
  GraphMaker g;
  const Dim m = g.dim();
  const Value n = g.parameter(i64_number), x = g.parameter({Dtype::f64, {m}}), y = g.parameter({Dtype::f64, {m}});
  const std::vector<Value> r = g.for_(n, {x, y}, [&](Value i, std::vector<Value> c) -> std::vector<Value> {
    const Value odd = g.apply("equal", {g.apply("mod", {i, Value(int64_t{2})}, 2), Value(int64_t{1})}, 2);
    const std::vector<Value> inner = g.if_(
        odd, {{Dtype::f64, {m}}, {Dtype::f64, {m}}},
        [&]() -> std::vector<Value> {
          const Value sum = g.apply("add", {c[0], c[1]});
          return {sum, g.apply("subtract", {c[0], c[1]})};
        },
        [&]() -> std::vector<Value> {
          return {c[1], g.write(c[0], Value(1.5), {Value(int64_t{0})})};
        });
    return {inner[1], inner[0]};
  });
  const auto graph = g.finish(make_tuple({r[0], r[1]}));
  for (const int64_t count : {0, 1, 2, 3, 7}) {
    expect_same(machine, graph, {Value(count), machine.random(Dtype::f64, {20}), machine.random(Dtype::f64, {20})});
  }
}

TEST_F(Control, LoopsEndEarly) {
  GraphMaker g;
  const Value n = g.parameter(i64_number), x = g.parameter({Dtype::f64, {g.dim()}});
  const std::vector<Value> f = g.for_(
      n, {x, Value(int64_t{0}), Value(true)},
      [&](Value i, std::vector<Value> c) -> std::vector<Value> {
        const Value go_on = g.apply("less", {i, Value(int64_t{5})}, 2);
        return {g.apply("add", {c[0], i}), i, go_on, c[2]};
      },
      true);
  const std::vector<Value> w = g.while_(
      {f[1], f[0]},
      [&](std::vector<Value> c) {
        return g.apply("less", {c[0], Value(int64_t{20})}, 2);
      },
      [&](std::vector<Value> c) -> std::vector<Value> {
        const Value next = g.apply("add", {c[0], Value(int64_t{3})}, 2);
        return {next, g.apply("multiply", {c[1], next}), g.apply("less", {next, Value(int64_t{14})}, 2)};
      },
      true);
  const auto graph = g.finish(make_tuple({f[0], f[1], f[2], w[0], w[1]}));
  for (const int64_t count : {0, 1, 6, 20})
    expect_same(machine, graph, {Value(count), machine.random(Dtype::f64, {3})});
}

TEST_F(Control, NestedLoops) {
  GraphMaker g;
  const Value x = g.parameter({Dtype::f64, {g.dim(), g.dim()}});
  const Value rows = g.dimension(x, 0), columns = g.dimension(x, 1);
  const std::vector<Value> r = g.for_(rows, {x, Value(0.0)}, [&](Value i, std::vector<Value> c) {
    return g.for_(columns, {c[0], c[1]}, [&](Value j, std::vector<Value> d) -> std::vector<Value> {
      const Value old = g.read(f64_number, d[0], {i, j});
      const Value sum = g.apply("add", {d[1], old});
      return {g.write(d[0], sum, {i, j}), sum};
    });
  });
  const auto graph = g.finish(make_tuple({r[0], r[1]}));
  const auto plan = jit::make_plan(graph);
  EXPECT_EQ(steps<loops::step::Move>(*plan), 0u);
  expect_same(machine, graph, {machine.random(Dtype::f64, {4, 3})});
  expect_same(machine, graph, {machine.random(Dtype::f64, {0, 3})});
}

TEST_F(Control, FailingNumbersRaise) {
  GraphMaker g;
  const Value a = g.parameter(i64_number), b = g.parameter(i64_number);
  const Value q = g.apply("floor_divide", {a, b});
  const auto graph = g.finish(g.apply("pow", {q, b}));
  expect_same(machine, graph, {Value(int64_t{7}), Value(int64_t{2})});
  expect_same(machine, graph, {Value(int64_t{7}), Value(int64_t{0})});
  expect_same(machine, graph, {Value(int64_t{7}), Value(int64_t{-2})});
}

TEST_F(Control, ElementsOutOfRangeRaise) {
  for (const bool writes : {false, true}) {
    GraphMaker g;
    const Value x = g.parameter({Dtype::f32, {g.dim(), g.dim()}}), i = g.parameter(i64_number);
    const Value j = g.parameter({Dtype::i32, {}});
    const auto graph = g.finish(writes ? g.write(x, i, {i, j}) : g.read({Dtype::f32, {}}, x, {i, j}));
    for (const int64_t at : {0, 2, 3, -1, -3, -4}) {
      for (const int32_t to : {0, 1, 2, -2, -3}) {
        expect_same(machine, graph, {machine.random(Dtype::f32, {3, 2}), Value(at), Value(to)});
      }
    }
  }
}

TEST_F(Control, StacksOfNumbersAndTensors) {
  GraphMaker g;
  const Type row{Dtype::f64, {g.dim()}};
  const Value n = g.parameter(i64_number), x = g.parameter(row);
  const uint32_t numbers = g.stack(), tensors = g.stack();
  const std::vector<Value> there = g.for_(n, {x}, [&](Value i, std::vector<Value> c) -> std::vector<Value> {
    g.push(numbers, i);
    g.push(tensors, c[0]);
    return {g.apply("multiply", {c[0], Value(1.5)}, 2)};
  });
  const std::vector<Value> back = g.for_(n, {there[0]}, [&](Value, std::vector<Value> c) -> std::vector<Value> {
    const Value i = g.pop(numbers, i64_number), y = g.pop(tensors, row);
    return {g.apply("add", {g.apply("multiply", {c[0], i}), y})};
  });
  const auto graph = g.finish(back[0]);
  for (const int64_t count : {0, 1, 3, 5000})
    expect_same(machine, graph, {Value(count), machine.random(Dtype::f64, {2})});
}

TEST_F(Control, BoxesAndTrees) {
  GraphMaker g;
  const Type vector{Dtype::f64, {g.dim()}};
  const Value x = g.parameter(vector), s = g.parameter(f64_number), any = g.boxed_parameter();
  const Value boxed = g.box(make_tuple({x, s, any, Value(int64_t{3})}));
  const Value alone = g.box(g.apply("add", {x, s}));
  const Value again = g.unbox(alone, vector);
  const Value number = g.unbox(g.box(s), f64_number);
  const auto graph = g.finish(make_tuple({boxed, again, g.apply("add", {number, Value(1.0)}, 2), x}));
  expect_same(machine, graph, {machine.random(Dtype::f64, {4}), Value(2.0), make_string("text")});
  expect_same(machine, graph, {machine.random(Dtype::f64, {4}), Value(2.0), machine.random(Dtype::f64, {4})});
}

TEST_F(Control, UndefinedValuesAreCarried) {
  GraphMaker g;
  const Type vector{Dtype::f64, {g.dim()}};
  const Value n = g.parameter(i64_number), x = g.parameter(vector);
  ir::Operation& nothing = g.append(ir::Kind::undefined);
  const Value before = g.result_of(nothing, vector);
  ir::Operation& zero = g.append(ir::Kind::undefined);
  const Value number = g.result_of(zero, f64_number);
  const std::vector<Value> r = g.for_(n, {before, number, x}, [&](Value i, std::vector<Value> c) -> std::vector<Value> {
    return {g.apply("add", {c[2], i}), g.apply("f64", {i}), c[2]};
  });
  const auto graph = g.finish(make_tuple({r[0], r[1], r[2]}));
  expect_same(machine, graph, {Value(int64_t{3}), machine.random(Dtype::f64, {4})});
}

TEST_F(Control, InterpretedStatementsAndCalls) {
  machine.statements = [](const ir::Operation&, std::span<Value> live, std::span<Value> results) -> int64_t {
    results[0] = make_tuple({live[0], live[1]});
    return live[1].i64() > 2 ? 7 : 0;
  };
  GraphMaker g;
  const Value x = g.parameter({Dtype::f64, {g.dim()}}), n = g.parameter(i64_number), f = g.boxed_parameter();
  ir::Operation& operation = g.append(ir::Kind::interpret);
  operation.args = {x, n};
  operation.exits = true;
  const Value pair = g.boxed_result_of(operation);
  g.boxed_result_of(operation);
  const Value ended = g.result_of(operation, i64_number);
  ir::Operation& call = g.append(ir::Kind::call);
  call.args = {f, x};
  const Value called = g.boxed_result_of(call);
  const auto graph = g.finish(make_tuple({pair, g.apply("add", {ended, n}), called}));
  for (const int64_t number : {1, 3}) {
    expect_same(machine, graph,
                {machine.random(Dtype::f64, {4}), Value(number), ops::function_of(*ops::find_entry("sin"))});
  }
}

TEST_F(Control, LibraryStepsGiveNumbersAndTensors) {
  GraphMaker g;
  const Dim n = g.dim();
  const Value x = g.parameter({Dtype::f64, {n, n}}), k = g.parameter(i64_number);
  const Value product = g.apply_as({Dtype::f64, {n, n}}, "matmul", {x, x});
  const Value total = g.reduce("sum", product), top = g.reduce("argmax", product);
  const Value zeros = g.apply_as({Dtype::f64, {g.dim()}}, "zeros", {Value(), Value()}, {k});
  const auto graph = g.finish(make_tuple({product, g.apply("add", {total, top}), g.apply("add", {zeros, total})}));
  expect_same(machine, graph, {machine.random(Dtype::f64, {3, 3}), Value(int64_t{4})});
  expect_same(machine, graph, {machine.random(Dtype::f64, {3, 3}), Value(int64_t{-4})});
}

TEST_F(Control, InterruptsAreSeen) {
  GraphMaker g;
  const std::vector<Value> r = g.while_(
      {Value(int64_t{0})},
      [&](std::vector<Value> c) {
        return g.apply("less", {Value(int64_t{-1}), c[0]}, 1);
      },
      [&](std::vector<Value> c) -> std::vector<Value> {
        return {g.apply("add", {c[0], Value(int64_t{1})}, 2)};
      });
  const auto graph = g.finish(r[0]);
  std::atomic<bool> interrupt = true;
  machine.context().interrupt = &interrupt;
  const Outcome outcome = run_compiled(machine, graph, {});
  machine.context().interrupt = nullptr;
  ASSERT_TRUE(outcome.error.has_value());
  EXPECT_EQ(outcome.error->code, "interrupted");
}

// Nothing of a call stays behind, whether it ends well or not; and a plan runs again after an error.
TEST_F(Control, CallsLeaveNothingBehind) {
  GraphMaker g;
  const Dim n = g.dim();
  const Value x = g.parameter({Dtype::i64, {n}}), y = g.parameter({Dtype::i64, {n}});
  const Value sum = g.apply("add", {x, y}), top = g.reduce("max", sum);
  const auto graph = g.finish(make_tuple({g.apply("floor_divide", {sum, g.apply("subtract", {y, top})}), sum}));
  const auto plan = jit::make_plan(graph);
  const Value a = machine.tensor<int64_t>({2}, {1, 2}), b = machine.tensor<int64_t>({2}, {3, 4});
  run_plan(machine, *plan, {a, b});
  const uint64_t used = machine.pool().account().used;
  for (int i = 0; i < 3; ++i) {
    run_plan(machine, *plan, {a, b});
    run_plan(machine, *plan, {a, machine.tensor<int64_t>({2}, {-1, 6})});
    EXPECT_EQ(machine.pool().account().used, used);
    EXPECT_EQ(a.object()->references, 1u);
  }
}

}  // namespace
}  // namespace covec::test
