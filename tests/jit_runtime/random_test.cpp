// Random graphs against the same graphs walked eagerly, and the machine-code and C99 back ends on them.
#include <cstdlib>
#include <cstring>
#include <set>

#include "jit/simd/compile.hpp"
#include "jit/source/engine.hpp"
#include "stdlib/ops/contract/isa.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "tests/jit_runtime/random_graph.hpp"

namespace covec::test {
namespace {

int graphs_wanted(int usual) {
  const char* wanted = std::getenv("COVEC_GRAPHS");  // more of them, by hand
  return wanted != nullptr ? std::atoi(wanted) : usual;
}

// `compile(program)` gives something with code() and kernel(i), or null.
template <class Compile>
void compare(int graphs, Compile compile) {
  Machine machine;
  for (int seed = 0; seed < graphs && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("graph " + std::to_string(seed));
    RandomGraph random(machine);
    std::vector<Value> inputs;
    const auto graph = random.make(inputs);
    const auto plan = jit::make_plan(graph);
    const auto compiled = compile(plan->program);
    ASSERT_NE(compiled, nullptr);
    std::vector<loops::KernelFunction> kernels;
    for (size_t k = 0; k < plan->program.kernels.size(); ++k) kernels.push_back(compiled->kernel(k));
    const Outcome wanted = run_eagerly(machine, *graph, inputs);
    expect_equal(run_plan(machine, *plan, {compiled->code(), kernels.data()}, inputs), wanted,
                 loops::print(plan->program));
  }
}

TEST(RandomGraphs, AreWhatTheyAreEagerly) {
  Machine machine;
  const int graphs = graphs_wanted(1500);
  int failing = 0;
  for (int seed = 0; seed < graphs && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("graph " + std::to_string(seed));
    RandomGraph random(machine);
    std::vector<Value> inputs;
    const auto graph = random.make(inputs);
    failing += run_eagerly(machine, *graph, inputs).error.has_value();
    expect_same(machine, graph, inputs);
  }
  EXPECT_GT(failing, graphs / 10);
  EXPECT_LT(failing, graphs * 2 / 3);
}

TEST(RandomGraphs, InC99) {
  compare(graphs_wanted(60), [](const loops::Program& program) { return source::compile(program); });
}

TEST(RandomGraphs, InMachineCode) {
  const ops::Isa isa = ops::detect_isa();
  if (isa == ops::Isa::baseline) GTEST_SKIP() << "machine code needs a processor with AVX2";
  compare(graphs_wanted(1500), [](const loops::Program& program) { return simd::compile(program, ops::Isa::avx2); });
  if (isa != ops::Isa::avx512) return;
  compare(graphs_wanted(1500), [](const loops::Program& program) { return simd::compile(program, ops::Isa::avx512); });
}

// Whether it makes bytes wherever it stands. Others need not: constants become operands of other instructions,
// comparisons the jump that asks for them, what ends a part or a function may be where the code goes anyway, and the
// processor need not move what lies there already, or divide it by 1. The poll of a loop is emitted at its end, as the
// next iteration's.
bool always_makes_bytes(const loops::Instruction& i) {
  namespace instruction = loops::instruction;
  if (const auto* const scalar = std::get_if<instruction::Scalar>(&i)) {
    const bool compares = scalar->op >= ops::ScalarOp::lt && scalar->op <= ops::ScalarOp::ne;
    return !compares && scalar->op != ops::ScalarOp::floor_divide;
  }
  return !loops::is<instruction::Constant, instruction::Move, instruction::EndIf, instruction::BreakIf,
                    instruction::BreakUnless, instruction::Poll, instruction::Leave>(i);
}

// For a profile: each instruction has its place in the bytes, and they are those without places.
TEST(RandomGraphs, PlacesChangeNoByte) {
  const ops::Isa isa = ops::detect_isa();
  if (isa == ops::Isa::baseline) GTEST_SKIP() << "machine code needs a processor with AVX2";
  Machine machine;
  for (int seed = 0; seed < graphs_wanted(300); ++seed) {
    SCOPED_TRACE("graph " + std::to_string(seed));
    std::vector<Value> inputs;
    loops::Program program = jit::make_plan(RandomGraph(machine).make(inputs))->program;
    uint32_t last = 0;
    for (loops::Instruction& i : program.code.instructions) i.place = ++last;
    const auto plain = simd::compile(program, isa), placed = simd::compile(program, isa, {.placed = true});
    ASSERT_TRUE(plain != nullptr && placed != nullptr);
    const ops::PlacedCode &without = plain->placed(), &with = placed->placed();
    ASSERT_EQ(without.bytes, with.bytes);
    ASSERT_EQ(std::memcmp(reinterpret_cast<void*>(without.begin), reinterpret_cast<void*>(with.begin), with.bytes), 0);
    EXPECT_TRUE(without.places.empty());
    std::set<uint32_t> seen;
    for (size_t k = 0; k < with.places.size(); ++k) {
      EXPECT_TRUE(k == 0 || with.places[k - 1].offset < with.places[k].offset);
      EXPECT_LE(with.places[k].place, last);
      EXPECT_EQ(with.place_at(with.begin + with.places[k].offset), with.places[k].place);
      seen.insert(with.places[k].place);
    }
    for (const loops::Instruction& i : program.code.instructions)
      EXPECT_TRUE(seen.contains(i.place) || !always_makes_bytes(i)) << i.place << " in\n" << loops::print(program);
    EXPECT_EQ(with.place_at(with.begin + with.bytes), 0);
    EXPECT_EQ(with.place_at(with.begin - 1), 0);
  }
}

}  // namespace
}  // namespace covec::test
