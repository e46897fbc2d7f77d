// Estimates whether partly interpreted code is worth compiling. Going to the interpreter for a statement and coming
// back costs more than the statement itself. The compiled code around it must make up for that. A loop always does. For
// the rest, the time that each operation saves against the interpreter is added up, in nanoseconds. The values were
// measured on small operands, where the overhead matters.
#include "jit/cost/cost_model.hpp"

#include <algorithm>

#include "stdlib/ops/shape/shape.hpp"

namespace covec::jit {

namespace {

// ns that an operation saves against the interpreter; measured on small operands, as the head says. A loop outweighs
// all else: it is always worth it.
constexpr int64_t of_number = 5, of_tensor = 30, of_text = -80, of_folded_text = 20,
                  of_statement = -interpreted_statement;
constexpr int64_t of_loop = 1'000'000, of_iteration = 20;
constexpr int64_t of_call = -25;          // from the interpreter, against that of a function that it runs itself
constexpr int64_t of_check = -2;          // at each thing that goes in
constexpr int64_t max_cheap_checks = 32;  // of a call

// [a, b]: the interpreter makes it as fast.
bool stacks_numbers(const ir::Graph& graph, const ir::Operation& operation) {
  const auto is_number = [&](const Value& part) {
    if (!ir::is_symbol(part)) return part.is_scalar();
    const ir::ValueInfo& info = graph.values[ir::id_of(part)];
    return !info.boxed && info.type.shape.empty();
  };
  return operation.entry == &ops::stack_entry() && !operation.rest.empty() &&
         std::ranges::all_of(operation.rest, is_number);
}

class Gain {
 public:
  // elements: of a tensor; text: what an operation on text gains.
  Gain(const ir::Graph& graph, int64_t elements, int64_t text) : graph_(graph), elements_(elements), text_(text) {}

  int64_t of(const ir::Region& region) const {
    int64_t sum = 0;
    for (const ir::Operation& operation : region.operations) sum += of(operation);
    return sum;
  }

 private:
  int64_t of(const ir::Operation& operation) const {
    switch (operation.kind) {
      case ir::Kind::for_: return operation.args[0].is_scalar() ? of_iterations(operation) : of_loop;
      case ir::Kind::while_:
      case ir::Kind::recursion:
      case ir::Kind::itself: return of_loop;
      case ir::Kind::interpret: return of_statement;
      case ir::Kind::if_: return std::max(of(operation.regions[0]), of(operation.regions[1]));
      case ir::Kind::apply: break;
      default: return 0;
    }
    const auto& result = graph_.values[operation.results[0]];
    if (result.list || stacks_numbers(graph_, operation)) return 0;
    if (result.boxed) return text_;
    const int64_t itself = result.type.shape.empty() ? of_number : of_tensor + elements_ / elements_in_ns;
    return itself + of_tensor * std::ranges::count_if(operation.args, &Value::is_tensor);  // constants are made once
  }
  // Of known number: less than that of a loop of any.
  int64_t of_iterations(const ir::Operation& loop) const {
    const int64_t iteration = of_iteration + std::max<int64_t>(0, of(loop.regions[0]));
    return iteration * std::clamp<int64_t>(loop.args[0].i64(), 0, of_loop / iteration);
  }

  const ir::Graph& graph_;
  const int64_t elements_, text_;
};

bool holds_tensors(const ir::Region& region, const ir::Graph& graph) {
  const auto is_tensor = [&](ir::Id id) { return !graph.values[id].boxed && !graph.values[id].type.shape.empty(); };
  return std::any_of(region.operations.begin(), region.operations.end(), [&](const ir::Operation& operation) {
    return std::any_of(operation.results.begin(), operation.results.end(), is_tensor) ||
           std::any_of(operation.regions.begin(), operation.regions.end(),
                       [&](const ir::Region& inner) { return holds_tensors(inner, graph); });
  });
}

size_t operations_in(const ir::Region& region) {
  size_t sum = region.operations.size();
  for (const ir::Operation& operation : region.operations) {
    for (const ir::Region& inner : operation.regions) sum += operations_in(inner);
  }
  return sum;
}

// What staging has done at once the interpreter would do at each call.
int64_t gain_of_staging(const ir::Graph& graph, bool texts) {
  const auto left = static_cast<int64_t>(operations_in(graph.body));
  return (texts ? of_folded_text : of_number) * std::max<int64_t>(0, graph.applied - left);
}

}  // namespace

// How much tensors gain depends on their sizes: with them around, text alone is no reason.
Compiling cost_model(const ir::Graph& graph, const Given& given) {
  const int64_t all = Gain(graph, 0, of_text).of(graph.body);
  const int64_t cost = of_call + of_check * given.checks;
  const int64_t gained = Gain(graph, given.elements, 0).of(graph.body) + gain_of_staging(graph, given.texts);
  const bool costs_more = gained + cost < 0;
  const bool checks_are_many = given.checks > max_cheap_checks;
  if (!graph.unstaged.empty())
    return all > 0 && !(checks_are_many && costs_more) ? Compiling::profitable : Compiling::unprofitable;
  if (costs_more) return checks_are_many ? Compiling::checks_cost_more : Compiling::too_cheap;
  return all >= 0 || holds_tensors(graph.body, graph) ? Compiling::profitable : Compiling::unprofitable;
}

}  // namespace covec::jit
