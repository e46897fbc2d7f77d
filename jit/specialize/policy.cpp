#include "jit/specialize/policy.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <span>

#include "jit/cost/cost_model.hpp"
#include "jit/loops/fuse/fuse.hpp"
#include "jit/loops/operands.hpp"
#include "stdlib/device/devices.hpp"
#include "stdlib/gate/gate.hpp"
#include "stdlib/tensor/pool.hpp"

namespace covec::jit {

namespace {

// What comes before an operation whose error the interpreter says, who makes the call again for it.
enum class Before : uint8_t { prints, effects, pause };

bool is(Before before, const ir::Operation& operation) {
  if (before == Before::pause) return operation.kind == ir::Kind::pause;
  if (operation.kind == ir::Kind::apply) {
    const ops::Effects& effects = operation.entry->effects;
    return before == Before::prints ? effects.prints : effects.outside || effects.calls;
  }
  if (before == Before::prints) return false;
  return operation.kind == ir::Kind::call || (operation.kind == ir::Kind::interpret && !operation.only_fails);
}

// Goes through a graph in the order of the run.
class Repetitions {
 public:
  Repetitions(const ir::Graph& graph, Before before) : before_(before) { walk(graph.body); }
  // The first operation with something before it; nullptr: there is none.
  const ir::Operation* found() const { return found_; }

 private:
  void walk(const ir::Region& region) {
    for (const ir::Operation& operation : region.operations) {
      if (operation.replays_error && done_ && found_ == nullptr) found_ = &operation;
      done_ = done_ || is(before_, operation);
      for (const ir::Region& inner : operation.regions) walk(inner);
      if (!is_loop(operation) && operation.kind != ir::Kind::recursion)
        continue;  // of a loop what is done comes before its beginning as well
      for (const ir::Region& inner : operation.regions) walk(inner);
    }
  }

  const Before before_;
  bool done_ = false;
  const ir::Operation* found_ = nullptr;
};

// Of the operations whose error the interpreter says: those of a derivative have no place of their own.
Span first_place(const ir::Graph& graph, const ir::Region& region) {
  for (const ir::Operation& operation : region.operations) {
    const Span& own = graph.places[operation.place].whole;
    if (operation.replays_error && own.known()) return own;
    for (const ir::Region& inner : operation.regions) {
      if (const Span found = first_place(graph, inner); found.known()) return found;
    }
  }
  return {};
}

bool acts_outside(const ir::Region& region) {
  return std::ranges::any_of(region.operations, [](const ir::Operation& operation) {
    return (operation.kind == ir::Kind::apply && operation.entry->effects.outside) ||
           std::ranges::any_of(operation.regions, acts_outside);
  });
}

// Whether numbers are all that there is: what a function that calls itself is compiled of.
class OfNumbers {
 public:
  explicit OfNumbers(const ir::Graph& graph) : graph_(graph) {}
  bool holds() const {
    return graph_.body.parameters.size() <= loops::Routine::max_parameters && is_number(graph_.body.parameters) &&
           graph_.body.results.size() == 1 && loops::is_number(graph_, graph_.body.results[0]) && region(graph_.body);
  }

 private:
  bool is_number(std::span<const ir::Id> ids) const {
    return std::ranges::all_of(ids, [&](ir::Id id) { return loops::is_number(graph_, id); });
  }
  bool region(const ir::Region& region) const {
    return is_number(region.parameters) && std::ranges::all_of(region.operations, [&](const ir::Operation& operation) {
             return this->operation(operation);
           });
  }
  bool operation(const ir::Operation& operation) const {
    using ir::Kind;
    if (!is_number(operation.results)) return false;
    switch (operation.kind) {
      case Kind::apply: return loops::is_number_operation(graph_, operation);
      case Kind::undefined:
      case Kind::itself: return true;
      case Kind::if_:
      case Kind::for_:
      case Kind::while_: return std::ranges::all_of(operation.regions, [&](const auto& r) { return region(r); });
      default: return false;
    }
  }

  const ir::Graph& graph_;
};

}  // namespace

bool is_of_numbers(const ir::Graph& graph) { return OfNumbers(graph).holds(); }

namespace {

int64_t max_elements(std::span<const Value> leaves) {
  int64_t most = 0;
  for (const Value& leaf : leaves) {
    if (leaf.is_tensor()) most = std::max(most, leaf.tensor().size());
  }
  return most;
}

Given given(const Specialization& made, const Signature& signature) {
  Given all{.texts = signature.varies};
  all.checks = static_cast<int64_t>(made.checks());
  all.elements = max_elements(std::span(signature.leaves).first(signature.own));
  return all;
}

}  // namespace

Policy::Policy(const ops::Context& context) {
  const auto chosen = [&](const char* variable, const char* value) {
    const char* set = context.gate->variable(variable);
    return set != nullptr && std::strcmp(set, value) == 0;
  };
  if (chosen("COVEC_TIER", "code")) tier = Tier::code;
  if (chosen("COVEC_TIER", "interpreter")) tier = Tier::interpreter;
  if (chosen("COVEC_TIER", "mixed")) tier = Tier::mixed;
  if (const char* bytes = context.gate->variable("COVEC_JOURNAL"); bytes != nullptr && *bytes != '\0')
    max_journal = std::strtoull(bytes, nullptr, 10);
  const bool c99 = chosen("COVEC_ENGINE", "c99");
  compiles_all = c99 || chosen("COVEC_ENGINE", "compiled");
  options.engine = c99 ? BackEnd::c99 : BackEnd::simd;
  options.isa = context.isa;
  options.eager_kernels = !compiles_all && !chosen("COVEC_EAGER_KERNELS", "none");
  options.verify = compiles_all;
  options.check = context.pool->guarded();
  if (context.devices != nullptr && context.devices->forced()) {
    options.device_use = runtime::DeviceUse::all;
    if (compiles_all) device = context.devices->first();
  }
  enabled = !chosen("COVEC_ENGINE", "eager") && (c99 || context.isa != ops::Isa::baseline);
}

device::Accelerator* Policy::device_for(const CompileRequest& request) const {
  return request.device != nullptr ? request.device : device;
}

bool Policy::decide(Specialization& made, const ir::Graph& graph, const Value& function,
                    const Signature& signature) const {
  ClosureParts parts;
  // Compiled and interpreted calls in turn would cost more than interpreted ones.
  if (graph.recursive && !made.interpreted) made.interpret("a function that calls itself");
  made.recursive =
      made.interpreted && (graph.recursive || graph.calls_itself) && closure_parts(function.function(), parts);
  made.acts = acts_outside(graph.body);
  const Given given = jit::given(made, signature);
  made.elements = given.elements;
  Compiling found = made.interpreted || compiles_all ? Compiling::profitable : cost_model(graph, given);
  const bool little = found == Compiling::too_cheap || found == Compiling::checks_cost_more;
  if (little && (signature.device != nullptr || signature.measured))
    found = Compiling::profitable;  // as the program wants it
  made.by_choice = found != Compiling::profitable && graph.unstaged.empty();
  if (found == Compiling::too_cheap)
    made.interpret("too few operations: calling compiled code costs more than it saves");
  else if (found == Compiling::checks_cost_more)
    made.interpret("too few operations: checking the arguments costs more than the function");
  else if (made.by_choice)
    made.interpret("only text and values of unknown type, which compiling does not speed up");
  else if (found == Compiling::unprofitable)
    made.interpret(graph.unstaged.front().reason, graph.unstaged.front().at);
  if (made.by_choice) return true;
  if (!made.interpreted) check_repetitions(made, graph);
  return false;
}

// A call that has given its result already cannot be made again.
void Policy::check_repetitions(Specialization& made, const ir::Graph& graph) const {
  if (!graph.replays_errors) return;
  made.replays_errors = true;
  made.repeats_prints = Repetitions(graph, Before::prints).found() != nullptr;
  made.repeats_effects = Repetitions(graph, Before::effects).found() != nullptr;
  if (Repetitions(graph, Before::pause).found())
    made.interpret("an operation of a derivative might have to run again", first_place(graph, graph.body));
}

}  // namespace covec::jit
