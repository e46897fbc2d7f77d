// Moves loop-invariant operations in front of the loop: those on values from outside the loop that have no effect and
// cannot fail. Inner loops come first, so that an operation leaves as many loops as possible.
//
// Bits and errors are kept. Such an operation gives the same value in each iteration. If the loop runs zero times,
// computing it costs only time.
//
// The trade-off: nothing leaves a branch, which might never be taken, so the loop's body must compute it in every
// iteration. An operation that may fail does not move, even if it would fail in the first iteration. It would have to
// move in front of everything that may fail or has an effect there. A tensor that repeats one number stays: kernels
// read the number.
#include "jit/passes/analysis/failures.hpp"
#include "jit/passes/passes.hpp"
#include "stdlib/ops/create/create.hpp"
#include "stdlib/ops/shape/shape.hpp"

namespace covec::passes {

using namespace ir;

namespace {

class Hoisting {
 public:
  explicit Hoisting(Graph& graph) : graph_(graph), depth_(graph.values.size(), 0) {}

  void run() { region(graph_.body, 0); }

 private:
  void region(Region& region, uint32_t depth) {
    for (const Id id : region.parameters) depth_[id] = depth;
    std::vector<Operation> out;
    out.reserve(region.operations.size());
    for (Operation& operation : region.operations) {
      const bool loops = operation.kind == Kind::for_ || operation.kind == Kind::while_;
      for (Region& inner : operation.regions) {
        this->region(inner, depth + 1);
        if (loops) move_out(inner, depth, out);
      }
      for (const Id id : operation.results) depth_[id] = depth;
      out.push_back(std::move(operation));
    }
    region.operations = std::move(out);
  }

  void move_out(Region& body, uint32_t depth, std::vector<Operation>& out) {
    std::vector<Operation> kept;
    kept.reserve(body.operations.size());
    for (Operation& operation : body.operations) {
      if (!may_move(operation, depth)) {
        kept.push_back(std::move(operation));
        continue;
      }
      depth_[operation.results[0]] = depth;
      out.push_back(std::move(operation));
    }
    body.operations = std::move(kept);
  }

  bool may_move(const Operation& operation, uint32_t depth) const {
    if (operation.kind != Kind::apply && operation.kind != Kind::dimension) return false;
    bool outside = true;
    const auto see = [&](Id id) { outside &= depth_[id] <= depth; };
    for (const Value& arg : operation.args) each_symbol(arg, see);
    for (const Value& arg : operation.rest) each_symbol(arg, see);
    if (!outside || is_repetition(operation)) return false;
    return operation.kind == Kind::dimension || !may_fail_or_acts(graph_, operation);
  }

  static bool is_repetition(const Operation& operation) {
    const ops::Entry* entry = operation.entry;
    return entry == &ops::broadcast_to_entry() || entry == &ops::zeros_entry() || entry == &ops::ones_entry() ||
           entry == &ops::full_entry() || entry == &ops::zeros_like_entry() || entry == &ops::ones_like_entry();
  }

  Graph& graph_;
  std::vector<uint32_t> depth_;  // of the region that defines a value
};

}  // namespace

void licm(Graph& graph) { Hoisting(graph).run(); }

}  // namespace covec::passes
