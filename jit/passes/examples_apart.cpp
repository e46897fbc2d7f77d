// Chooses how the examples of a vmap, a comprehension or a Jacobian run. Where a function has loops, staging writes
// both forms (ops::Builder::few_or_all): if there are no more than `max_apart` says, a loop over the examples;
// otherwise all at once, with an element of a tensor for each.
//
// Numbers live in registers, so loops that hold numbers alone are fast for one example after the other. A loop that
// keeps tensors is faster for all at once: each of its kernels and products then serves all examples. Only now, with
// small tensors turned into numbers, can this be seen. Of loops of numbers, as many examples run one by one as take no
// longer than the kernels of all at once: nothing is measured, both are counted. Where the number of examples is known,
// only one form stays. Bits are the same.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>

#include "jit/passes/analysis/iterations.hpp"
#include "jit/passes/analysis/scalar_recipe.hpp"
#include "jit/passes/passes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::passes {

using namespace ir;

namespace {

// In nanoseconds, roughly, measured with small loops on 2 to 64 examples, where how many there are makes no difference:
// a kernel over numbers, one over small tensors, a value put on a stack or taken off, another operation; and an
// operation on numbers, which mostly waits for the one before, or for its own many instructions.
constexpr double kernel_time = 55, rows_time = 250, stack_time = 200, call_time = 150;
constexpr double number_time = 1.3, instruction_time = 0.4;

class Weights {
 public:
  explicit Weights(const Graph& graph) : graph_(graph) {}

  // The time of an example by itself: none where its loops keep tensors.
  std::optional<double> of_one(const Region& way) {
    double loops = 0, all = 0;
    bool any = false;
    for (const Operation& operation : way.operations) {
      if (!is_loop(operation)) continue;
      const Region& body = operation.regions.back();
      const std::optional<double> inner = of_loops(body, any);
      if (!inner) return std::nullopt;
      loops += *inner;
      all += of_numbers(body).value_or(std::nan(""));
    }
    // Loops inside the loop over examples; if there are none (they were unrolled), all that is done for an example.
    if (any) return loops;
    return std::isnan(all) || all == 0 ? std::nullopt : std::optional(all);
  }

  // The time of all examples at once, while they are few.
  double of_all(const Region& region) const {
    double sum = 0;
    const Shape* kernel = nullptr;  // what the last operation is over, if the next one may be fused with it
    for (const Operation& operation : region.operations) {
      const double times = is_loop(operation) ? iterations_of(operation) : 1;
      for (const Region& inner : operation.regions) sum += times * of_all(inner);
      const bool pushes = operation.kind == Kind::push, pops = operation.kind == Kind::pop;
      if ((pushes && !is_number(operation.args[0])) || (pops && !is_number(operation.results[0]))) sum += stack_time;
      if (operation.kind != Kind::apply || on_numbers(operation)) continue;
      const Shape* const over = elements_of(operation);
      if (over == nullptr)
        sum += call_time;
      else if (kernel == nullptr || *kernel != *over)
        sum += over->rank() > 1 ? rows_time : kernel_time;
      kernel = operation.entry->pointwise == nullptr ? nullptr : over;
    }
    return sum;
  }

 private:
  // Loops in a region, of numbers alone.
  std::optional<double> of_loops(const Region& region, bool& any) {
    double sum = 0;
    for (const Operation& operation : region.operations) {
      const bool loop = is_loop(operation) || operation.kind == Kind::recursion;
      any |= loop;
      for (const Region& inner : operation.regions) {
        const std::optional<double> part = loop ? of_numbers(inner) : of_loops(inner, any);
        if (!part) return std::nullopt;
        sum += (loop ? iterations_of(operation) : 1) * *part;
      }
    }
    return sum;
  }
  double time_of(const Operation& operation) {
    if (operation.kind != Kind::apply || !on_numbers(operation)) return number_time;
    const std::optional<Recipe> recipe = recipe_of(graph_, evaluator_, operation);
    return std::max(number_time, recipe ? recipe->instructions * instruction_time : 0);
  }
  std::optional<double> of_numbers(const Region& region) {
    double sum = 0;
    for (const Operation& operation : region.operations) {
      if (!is_simple(operation)) return std::nullopt;
      sum += time_of(operation);
      if (leaves_to_library(operation)) continue;
      for (const Region& inner : operation.regions) {
        const std::optional<double> part = of_numbers(inner);
        if (!part) return std::nullopt;
        sum += (is_loop(operation) ? iterations_of(operation) : 1) * *part;
      }
    }
    return sum;
  }

  // A linear system that numbers solve, and the library where they cannot, which is rare (scalarize.cpp).
  bool leaves_to_library(const Operation& choice) {
    if (choice.kind != Kind::if_ || !choice.regions[1].operations.empty()) return false;
    return std::ranges::any_of(choice.regions[0].operations, [&](const Operation& operation) {
      if (operation.kind != Kind::apply) return false;
      const std::optional<Recipe> recipe = recipe_of(graph_, evaluator_, operation);
      return recipe && recipe->kind == Recipe::Kind::system;
    });
  }

  // The shape that an elementwise operation or a reduction goes over; nullptr: it is neither.
  const Shape* elements_of(const Operation& operation) const {
    if (operation.entry->pointwise != nullptr) return &graph_.values[operation.results[0]].type.shape;
    const bool reduces = operation.entry->reduce != nullptr && is_symbol(operation.args[0]);
    return reduces ? &graph_.values[id_of(operation.args[0])].type.shape : nullptr;
  }
  bool is_number(Id id) const { return !graph_.values[id].boxed && graph_.values[id].type.shape.empty(); }
  bool is_number(const Value& value) const { return is_symbol(value) ? is_number(id_of(value)) : !value.is_tensor(); }
  bool on_numbers(const Operation& operation) const {
    const auto number = [&](const Value& operand) { return is_number(operand); };
    return is_number(operation.results[0]) && std::ranges::all_of(operation.args, number) &&
           std::ranges::all_of(operation.rest, number);
  }
  // Elements and rows of tensors may be read and written.
  bool is_simple(const Operation& operation) const {
    const ops::Handles& known = ops::handles();
    switch (operation.kind) {
      case Kind::apply:
        return operation.entry == &known.index_read || operation.entry == &known.index_update ||
               operation.entry == &known.index_add || on_numbers(operation);
      case Kind::box:
      case Kind::unbox:
      case Kind::interpret:
      case Kind::call:
      case Kind::pause: return false;
      case Kind::push: return is_number(operation.args[0]);
      case Kind::pop: return is_number(operation.results[0]);
      default: return true;
    }
  }

  const Graph& graph_;
  Evaluator evaluator_;
};

class Choice {
 public:
  Choice(Graph& graph, bool apart) : graph_(graph), apart_(apart) {}

  void run() {
    find(graph_.body);
    if (!most_.empty()) write(graph_.body);
  }

 private:
  void find(const Region& region) {
    for (const Operation& operation : region.operations) {
      const bool applies = operation.kind == Kind::apply;
      if (applies && operation.entry == &ops::handles().max_apart) {
        most_[operation.results[0]] = apart_ ? operation.args[0].i64() : 0;
        of_.emplace(operation.results[0], operation.results[0]);
      } else if (applies && operation.entry->pointwise != nullptr) {
        for (const Value& operand : operation.args) {
          if (const Id* most = limit_in(operand)) of_.emplace(operation.results[0], *most);
        }
      } else if (operation.kind == Kind::if_ && limit_in(operation.args[0]) != nullptr) {
        int64_t& most = most_[*limit_in(operation.args[0])];
        most = std::min(most, limit_of(operation));
      }
      for (const Region& inner : operation.regions) find(inner);
    }
  }
  const Id* limit_in(const Value& condition) const {
    const auto found = is_symbol(condition) ? of_.find(id_of(condition)) : of_.end();
    return found == of_.end() ? nullptr : &found->second;
  }
  int64_t limit_of(const Operation& branch) const {
    Weights weights(graph_);
    const std::optional<double> one = weights.of_one(branch.regions[0]);
    if (!one) return 0;
    const double most = weights.of_all(branch.regions[1]) / *one;
    return most < 1e6 ? static_cast<int64_t>(most) : std::numeric_limits<int64_t>::max();
  }

  void write(Region& region) {
    const auto number = [&](Value& value) {
      const auto found = is_symbol(value) ? most_.find(id_of(value)) : most_.end();
      if (found != most_.end()) value = Value(found->second);
    };
    for (Operation& operation : region.operations) {
      const Id* const limit = operation.kind == Kind::if_ ? limit_in(operation.args[0]) : nullptr;
      if (limit != nullptr && most_[*limit] <= 0) operation.args[0] = Value(false);
      std::ranges::for_each(operation.args, number);
      std::ranges::for_each(operation.rest, number);
      for (Region& inner : operation.regions) write(inner);
    }
    std::ranges::for_each(region.results, number);
  }

  Graph& graph_;
  const bool apart_;
  std::map<Id, int64_t> most_;     // by the result of a max_apart
  std::unordered_map<Id, Id> of_;  // what is computed from such a result
};

}  // namespace

void examples_apart(Graph& graph) { Choice(graph, true).run(); }
void examples_together(Graph& graph) { Choice(graph, false).run(); }

}  // namespace covec::passes
