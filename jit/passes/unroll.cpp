// Unrolls short loops of known length. The index becomes a constant, so scalarize knows elements of small tensors by
// name, and the iterations fuse like other code. Values that the reverse loop popped from stacks are named directly.
//
// Bits, order and errors are those of the loop: operations are copied with their source places. Extents that an
// iteration computes belong to it, so symbolic dimensions that stem from one are copied with it.
//
// The trade-off: code grows, so a loop of `max_operations` or more stays as it is. Inner loops come first, so nested
// loops are unrolled as far as they fit. Start at Unrolling::unroll().
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "jit/passes/analysis/evaluate.hpp"
#include "jit/passes/analysis/graph_edits.hpp"
#include "jit/passes/analysis/region_copy.hpp"
#include "jit/passes/passes.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::passes {

using namespace ir;

namespace {

constexpr int64_t longest_unrolled = 8;  // of a loop (docs/compiling.md)
constexpr size_t max_operations = 128;   // of a loop
constexpr size_t max_in_function = 512;  // of all of them: code takes time to make

// Values that others stand for now.
class Names {
 public:
  void set(Id id, Value value) { names_[id] = std::move(value); }
  bool empty() const { return names_.empty(); }
  Value current(Value value) const {
    for (auto found = find(value); found != names_.end(); found = find(value)) value = found->second;
    return value;
  }
  void apply(Graph& graph) const {
    apply(graph.body);
    for (DimExpression& dim : graph.dims) {
      const bool of_value = dim.kind == DimExpression::Kind::axis_of || dim.kind == DimExpression::Kind::number;
      if (of_value && names_.contains(dim.value)) ir::rename(dim, current(graph.symbol(dim.value)));
    }
  }

 private:
  void apply(Region& region) const {
    for (Operation& operation : region.operations) {
      for (Value& arg : operation.args) rename(arg);
      for (Value& arg : operation.rest) rename(arg);
      for (Region& inner : operation.regions) apply(inner);
    }
    for (Value& result : region.results) rename(result);
  }
  using Map = std::unordered_map<Id, Value>;
  Map::const_iterator find(const Value& value) const {
    return is_symbol(value) ? names_.find(id_of(value)) : names_.end();
  }
  void rename(Value& value) const {
    if (has_symbols(value)) value = replace_symbols(value, [&](const Value& symbol) { return current(symbol); });
  }

  Map names_;
};

class Unrolling {
 public:
  explicit Unrolling(Graph& graph) : graph_(graph) {}

  bool run() {
    rebuild(graph_.body, [&](Operation& operation, std::vector<Operation>& out) {
      if (!is_short(operation)) return false;
      unroll(operation, out);
      return true;
    });
    if (!changed_) return false;
    names_.apply(graph_);
    return true;
  }

 private:
  bool is_short(const Operation& operation) {
    if (operation.kind != Kind::for_ || operation.exits) return false;
    const int64_t iterations = iterations_of(operation);
    if (iterations < 2 || iterations > longest_unrolled) return false;
    const std::optional<size_t> each = count(operation.regions[0]);
    const size_t all = each ? *each * static_cast<size_t>(iterations) : max_operations + 1;
    if (all > max_operations || unrolled_ + all > max_in_function) return false;
    unrolled_ += all;
    return true;
  }
  // The number of iterations, also where a loop that is unrolled by now gave it (that of a reverse loop); 0 where
  // unknown.
  int64_t iterations_of(const Operation& operation) const {
    const Value iterations = names_.current(operation.args[0]);
    return iterations.tag() == Tag::i64 ? iterations.i64() : 0;
  }
  // How many operations an iteration is; nothing where there is one that has to stay in a loop.
  static std::optional<size_t> count(const Region& region) {
    size_t operations = region.operations.size();
    for (const Operation& operation : region.operations) {
      const bool plain = operation.kind == Kind::apply || operation.kind == Kind::dimension ||
                         operation.kind == Kind::undefined || operation.kind == Kind::if_ ||
                         operation.kind == Kind::push || operation.kind == Kind::pop;
      if (!plain) return std::nullopt;
      for (const Region& inner : operation.regions) {
        const std::optional<size_t> inside = count(inner);
        if (!inside) return std::nullopt;
        operations += *inside;
      }
    }
    return operations;
  }

  void unroll(const Operation& operation, std::vector<Operation>& out) {
    const Region& body = operation.regions[0];
    std::vector<Value> carried(operation.args.begin() + 1, operation.args.end());
    for (Value& value : carried) value = names_.current(value);
    for (int64_t index = 0, iterations = iterations_of(operation); index < iterations; ++index) {
      RegionCopy iteration(
          graph_, [&](const Value& value) { return names_.current(value); }, &evaluator_);
      iteration.set(body.parameters[0], Value(index));
      for (size_t k = 0; k < carried.size(); ++k) iteration.set(body.parameters[k + 1], carried[k]);
      iteration.copy(body, out);
      for (size_t k = 0; k < carried.size(); ++k) carried[k] = iteration.value(body.results[k]);
    }
    for (size_t k = 0; k < carried.size(); ++k) names_.set(operation.results[k], carried[k]);
    changed_ = true;
  }

  Graph& graph_;
  Evaluator evaluator_;
  Names names_;          // what the loops gave is what their last iterations give
  size_t unrolled_ = 0;  // operations made
  bool changed_ = false;
};

// Stacks that are pushed and popped in one region and never in one inside it: what is popped is known by name.
class Stacks {
 public:
  explicit Stacks(Graph& graph) : graph_(graph), stacks_(graph.stacks) {}

  void run() {
    find(graph_.body);
    Names names;
    for (const Stack& stack : stacks_) {
      if (!stack.plain()) continue;
      for (const auto& [id, value] : stack.popped) names.set(id, value);
    }
    if (names.empty()) return;
    sweep(graph_.body);
    names.apply(graph_);
  }

 private:
  struct Stack {
    const Region* region = nullptr;
    bool apart = false;  // in several regions, or popped where it is empty
    std::vector<Value> held;
    std::vector<std::pair<Id, Value>> popped;
    bool plain() const { return region != nullptr && !apart && held.empty(); }
  };
  static bool on_stack(const Operation& operation) {
    return operation.kind == Kind::push || operation.kind == Kind::pop;
  }
  Stack& stack_of(const Operation& operation) { return stacks_[static_cast<size_t>(operation.number)]; }

  void find(const Region& region) {
    for (const Operation& operation : region.operations) {
      for (const Region& inner : operation.regions) find(inner);
      if (on_stack(operation)) see(operation, region);
    }
  }
  void see(const Operation& operation, const Region& region) {
    Stack& stack = stack_of(operation);
    stack.apart |= stack.region != nullptr && stack.region != &region;
    stack.region = &region;
    if (operation.kind == Kind::push) return stack.held.push_back(operation.args[0]);
    stack.apart |= stack.held.empty();
    if (stack.apart) return;
    stack.popped.emplace_back(operation.results[0], stack.held.back());
    stack.held.pop_back();
  }
  void sweep(Region& region) {
    std::erase_if(region.operations,
                  [&](const Operation& operation) { return on_stack(operation) && stack_of(operation).plain(); });
    for (Operation& operation : region.operations) {
      for (Region& inner : operation.regions) sweep(inner);
    }
  }

  Graph& graph_;
  std::vector<Stack> stacks_;
};

}  // namespace

void unroll(Graph& graph) {
  if (!Unrolling(graph).run()) return;
  Stacks(graph).run();
  simplify(graph);
}

}  // namespace covec::passes
