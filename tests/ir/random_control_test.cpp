// The runtime's random graphs (all shapes, reductions, elements, branches, loops, boxes; many fail) run eagerly before
// and after the passes: the same values, or the same error in the same place.
#include "tests/ir/ir_support.hpp"
#include "tests/jit_runtime/random_graph.hpp"

namespace covec::test {

namespace {

// Dimensions that the maker has left open are those of the value that has them first.
class Dimensions {
 public:
  explicit Dimensions(ir::Graph& graph) : graph_(graph), named_(graph.dims.size(), 0) {}
  void name(const ir::Region& region) {
    for (const ir::Id id : region.parameters) name(id);
    for (const ir::Operation& operation : region.operations) {
      for (const ir::Region& inner : operation.regions) name(inner);
      for (const ir::Id id : operation.results) name(id);
    }
  }

 private:
  void name(ir::Id id) {
    const Shape& shape = graph_.values[id].type.shape;
    for (unsigned axis = 0; axis < shape.rank(); ++axis) {
      if (shape[axis].known() || named_[shape[axis].id()] != 0) continue;
      named_[shape[axis].id()] = 1;
      graph_.dims[shape[axis].id()] = {ir::DimExpression::Kind::axis_of, id, axis, 0, 0};
    }
  }
  ir::Graph& graph_;
  std::vector<char> named_;
};

TEST(RandomControl, PassesKeepEveryBitAndError) {
  Machine machine;
  int failing = 0;
  constexpr int rounds = 3000;
  for (int round = 0; round < rounds && !HasFailure(); ++round) {
    SCOPED_TRACE("graph " + std::to_string(round));
    std::vector<Value> inputs;
    ir::Graph before = *RandomGraph(machine).make(inputs);
    Dimensions(before).name(before.body);
    ASSERT_EQ(ir::verify(before), "") << ir::print(before);
    ir::Graph after = before;
    for (const Pass pass : {passes::dce, passes::fold, passes::simplify, passes::cse, passes::licm, passes::simplify,
                            passes::cse, passes::licm, passes::dce}) {
      pass(after);
      ASSERT_EQ(ir::verify(after), "") << ir::print(before) << ir::print(after);
    }
    const Outcome wanted = run_eagerly(machine, before, inputs);
    failing += wanted.error.has_value();
    expect_equal(run_eagerly(machine, after, inputs), wanted, ir::print(before) + ir::print(after));
  }
  EXPECT_GT(failing, rounds / 10);
}

}  // namespace

}  // namespace covec::test
