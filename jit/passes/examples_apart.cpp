// Chooses how the examples of a vmap, a comprehension or a Jacobian run. Where a function has loops, staging writes
// both forms (ops::Builder::few_or_all): if there are no more than `max_apart` says, a loop over the examples;
// otherwise all at once, with an element of a tensor for each.
//
// Numbers live in registers, so loops that hold numbers alone are fast for one example after the other. A loop that
// keeps tensors is faster for all at once: each of its kernels and products then serves all examples. Only now, with
// small tensors turned into numbers, can this be seen. Of loops of numbers, as many examples run one by one as take no
// longer than the kernels of all at once: nothing is measured, both are counted. A loop that lanes of vectors can run
// (jit/loops/lanes) is faster than kernels for any number of examples; if it holds numbers and arrays from the start,
// this is seen before small tensors are dissolved. Where the number of examples is known, only one form stays. Bits are
// the same.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>

#include "jit/passes/analysis/costs.hpp"
#include "jit/passes/analysis/iterations.hpp"
#include "jit/passes/analysis/scalar_recipe.hpp"
#include "jit/passes/passes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/create/create.hpp"
#include "stdlib/ops/derivatives/grad.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::passes {

using namespace ir;

namespace {

// In nanoseconds, roughly, measured with small loops. Of all examples at once: a kernel over numbers, one over small
// tensors, a value put on a stack or taken off, another operation; and for each example an instruction of a kernel over
// numbers, and an element of one over small tensors or of another operation.
constexpr double kernel_time = 25, rows_time = 250, stack_time = 30, call_time = 150;
constexpr double kernel_instruction = 0.06, element_time = 0.3, call_element_time = 1.5;
using costs::instruction_time, costs::number_time;
// Of numbers: an operation waits for those before, for a division or a root, or for its own many instructions. Those
// that do not wait for each other run side by side, and then each instruction has its share of the processor.
constexpr double division_time = 4.5;
constexpr double share_of_instruction = 0.2, share_of_division = 1;

constexpr unsigned max_axes_in_lanes = 4;  // of an array: LaneArray::max_rank of the loop IR

// The time of all examples at once, while they are few, and what each of them adds to it.
struct Together {
  double all = 0, each = 0;
  void add(const Together& other, double times) {
    all += times * other.all;
    each += times * other.each;
  }
};

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
      all += of_numbers(operation).value_or(std::nan(""));
    }
    // Loops inside the loop over examples; if there are none (they were unrolled), all that is done for an example.
    if (any) return loops;
    return std::isnan(all) || all == 0 ? std::nullopt : std::optional(all);
  }

  // A loop over examples that each lane of a vector can run for itself, as far as can be seen now.
  bool runs_in_lanes(const Operation& loop) {
    if (loop.kind != Kind::for_ || loop.exits || !in_lane(loop.regions[0], true)) return false;
    // Kernels over whole arrays are as fast over those of all examples, elements in loops are not.
    const auto is_kernel = [&](const Operation& operation, bool) {
      return operation.kind == Kind::apply && operation.entry->pointwise != nullptr && is_array(operation.results[0]);
    };
    const auto is_element = [&](const Operation& operation, bool in_loop) {
      return in_loop && operation.kind == Kind::apply && moves_number(operation);
    };
    return !any_of(loop.regions[0], is_kernel) || any_of(loop.regions[0], is_element);
  }

  Together of_all(const Region& region) {
    Together sum;
    const Shape* kernel = nullptr;  // what the last operation is over, if the next one may be fused with it
    for (const Operation& operation : region.operations) {
      const double times = is_loop(operation) ? iterations_of(operation) : 1;
      for (const Region& inner : operation.regions) sum.add(of_all(inner), times);
      const bool pushes = operation.kind == Kind::push, pops = operation.kind == Kind::pop;
      if ((pushes && !is_number(operation.args[0])) || (pops && !is_number(operation.results[0])))
        sum.all += stack_time;
      if (operation.kind != Kind::apply) continue;
      if (on_numbers(operation) || moves_number(operation)) {
        sum.all += share_of(operation);
        continue;
      }
      const Shape* const over = elements_of(operation);
      const Shape& result = graph_.values[operation.results[0]].type.shape;
      if (over == nullptr) {
        sum.add({call_time, elements_of_one(result) * call_element_time}, 1);
      } else {
        const bool rows = over->rank() > 1;
        if (kernel == nullptr || *kernel != *over) sum.all += rows ? rows_time : kernel_time;
        sum.all += share_of(operation);
        sum.each += rows ? elements_of_one(*over) * element_time : instructions_of(operation) * kernel_instruction;
      }
      kernel = operation.entry->pointwise == nullptr ? nullptr : over;
    }
    return sum;
  }

 private:
  // Loops in a region, of numbers alone.
  std::optional<double> of_loops(const Region& region, bool& any) {
    double sum = 0;
    for (const Operation& operation : region.operations) {
      if (is_loop(operation) || operation.kind == Kind::recursion) {
        any = true;
        const std::optional<double> iteration = of_numbers(operation);
        if (!iteration) return std::nullopt;
        sum += *iteration * iterations_of(operation);
        continue;
      }
      for (const Region& inner : operation.regions) {
        const std::optional<double> part = of_loops(inner, any);
        if (!part) return std::nullopt;
        sum += *part;
      }
    }
    return sum;
  }

  // When the values of a loop's body are there that depend on what the last iteration has given.
  using Ready = std::unordered_map<Id, double>;
  static std::optional<double> ready_of(const Value& value, const Ready& ready) {
    std::optional<double> last;
    each_symbol(value, [&](Id id) {
      if (const auto found = ready.find(id); found != ready.end()) last = std::max(last.value_or(0), found->second);
    });
    return last;
  }
  // An iteration: as long as the next one has to wait, or the share of all that it does, if that is longer.
  std::optional<double> of_numbers(const Operation& loop) {
    const Region& body = loop.regions.back();
    Ready ready;
    for (size_t i = leading(loop); i < body.parameters.size(); ++i) ready[body.parameters[i]] = 0;
    std::optional<double> time = of_numbers(body, ready);
    for (const Value& result : body.results) {
      if (time) time = std::max(*time, ready_of(result, ready).value_or(0));
    }
    return time;
  }
  // The share of all that a region does.
  std::optional<double> of_numbers(const Region& region, Ready& ready) {
    double work = 0;
    for (const Operation& operation : region.operations) {
      if (!is_simple(operation)) return std::nullopt;
      work += share_of(operation);
      double time = time_of(operation);
      std::optional<double> start;
      const auto waits = [&](const Value& value) {
        if (const auto last = ready_of(value, ready)) start = std::max(start.value_or(0), *last);
      };
      std::ranges::for_each(operation.args, waits);
      std::ranges::for_each(operation.rest, waits);
      double inside = 0;
      if (is_loop(operation)) {
        const std::optional<double> iteration = of_numbers(operation);
        if (!iteration) return std::nullopt;
        inside = *iteration * iterations_of(operation);
        time += inside;
      } else if (!leaves_to_library(operation)) {
        for (const Region& inner : operation.regions) {
          const std::optional<double> part = of_numbers(inner, ready);
          if (!part) return std::nullopt;
          inside = std::max(inside, *part);
          std::ranges::for_each(inner.results, waits);
        }
      } else {
        std::ranges::for_each(operation.regions[1].results, waits);
      }
      work += inside;
      for (const Id id : operation.results) {
        if (start) ready[id] = *start + time;
      }
    }
    return work;
  }
  bool divides(const Operation& operation) const {
    const ops::Handles& known = ops::handles();
    return operation.entry == &known.divide || operation.entry == &known.sqrt;
  }
  double time_of(const Operation& operation) {
    if (operation.kind == Kind::apply && divides(operation)) return division_time;
    return std::max(number_time, instructions_of(operation) * instruction_time);
  }
  // Those that mostly run.
  double instructions_of(const Operation& operation) {
    if (operation.kind != Kind::apply || operation.entry->pointwise == nullptr) return 1;
    const Dtype dtype = graph_.values[operation.results[0]].type.dtype;
    const auto [known, is_new] = instructions_.try_emplace({operation.entry, dtype}, 1);
    if (is_new) known->second = usual_instructions(graph_, operation);
    return known->second;
  }
  double share_of(const Operation& operation) {
    return operation.kind == Kind::apply && divides(operation) ? share_of_division
                                                               : instructions_of(operation) * share_of_instruction;
  }
  // Of an example: the other axes are those that are known.
  static double elements_of_one(const Shape& all) {
    double elements = 1;
    for (unsigned axis = 1; axis < all.rank(); ++axis) {
      if (all[axis].known()) elements *= static_cast<double>(all[axis].number());
    }
    return elements;
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

  // `of_example`: what stands for each example, which sets elements of the results.
  bool in_lane(const Region& region, bool of_example) {
    const ops::Handles& known = ops::handles();
    return std::ranges::all_of(region.operations, [&](const Operation& operation) {
      switch (operation.kind) {
        case Kind::apply:
          if (operation.entry == &known.index_update || operation.entry == &known.index_add) {
            if (is_number(operation.args[1])) return true;
            return of_example && operation.entry == &known.index_update && is_array(operation.args[1]);
          }
          if (makes_array(operation)) return true;
          if (operation.entry == &known.require || operation.entry == &autodiff::warn_unless_entry()) return true;
          return on_numbers(operation) || (operation.entry == &known.index_read && is_number(operation.results[0]));
        case Kind::for_:
        case Kind::while_:
        case Kind::if_:
          if (leaves_to_library(operation)) return true;
          return std::ranges::all_of(operation.results, [&](Id id) { return is_number(id) || is_array(id); }) &&
                 std::ranges::all_of(operation.regions, [&](const Region& inner) { return in_lane(inner, false); });
        case Kind::push: return is_number(operation.args[0]);
        case Kind::pop: return is_number(operation.results[0]);
        case Kind::dimension:
        case Kind::undefined: return true;
        default: return false;
      }
    });
  }

  // Whether `is(operation, in a loop)` holds for any.
  template <class Is>
  static bool any_of(const Region& region, const Is& is, bool in_loop = false) {
    return std::ranges::any_of(region.operations, [&](const Operation& operation) {
      return is(operation, in_loop) || std::ranges::any_of(operation.regions, [&](const Region& inner) {
               return any_of(inner, is, in_loop || is_loop(operation));
             });
    });
  }

  // An array of an example's own is filled with a number, or a part of another tensor. Lanes have those of few axes.
  bool is_array(Id id) const {
    const ValueInfo& info = graph_.values[id];
    return !info.boxed && !info.list && !info.type.shape.empty() && info.type.shape.rank() <= max_axes_in_lanes;
  }
  bool is_array(const Value& value) const { return is_symbol(value) && is_array(id_of(value)); }
  // Elements of arrays that are alike, one by one.
  bool maps_arrays(const Operation& operation) const {
    const auto fits = [&](const Value& operand) {
      return is_number(operand) || (is_array(operand) && graph_.values[id_of(operand)].type.shape ==
                                                             graph_.values[operation.results[0]].type.shape);
    };
    return operation.entry->pointwise != nullptr && std::ranges::all_of(operation.args, fits) &&
           std::ranges::all_of(operation.rest, fits);
  }
  bool makes_array(const Operation& operation) const {
    const ops::Handles& known = ops::handles();
    if (!is_array(operation.results[0])) return false;
    if (operation.entry == &known.broadcast_to || operation.entry == &known.expect_shape) {
      const Value& x = operation.args[0];
      return is_number(x) || (is_array(x) && graph_.values[id_of(x)].type.shape.rank() ==
                                                 graph_.values[operation.results[0]].type.shape.rank());
    }
    if (operation.entry == &ops::full_entry()) return is_number(operation.args[1]);
    if (operation.entry == &ops::ones_entry()) return true;
    return operation.entry == &known.zeros || operation.entry == &known.index_read || maps_arrays(operation);
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
  // Reads or writes an element.
  bool moves_number(const Operation& operation) const {
    const ops::Handles& known = ops::handles();
    if (operation.entry == &known.index_read) return is_number(operation.results[0]);
    const bool writes = operation.entry == &known.index_update || operation.entry == &known.index_add;
    return writes && is_number(operation.args[1]);
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
  std::map<std::pair<const ops::Entry*, Dtype>, unsigned> instructions_;  // of elementwise operations
};

constexpr double max_limit = 1e6;  // examples, more than ever run apart

class Choice {
 public:
  enum class Way : uint8_t { apart, apart_in_lanes, together };
  Choice(Graph& graph, Way way) : graph_(graph), way_(way) {}

  void run() {
    find(graph_.body);
    if (!most_.empty()) write(graph_.body);
  }

 private:
  void find(const Region& region) {
    for (const Operation& operation : region.operations) {
      const bool applies = operation.kind == Kind::apply;
      if (applies && operation.entry == &ops::handles().max_apart) {
        if (way_ != Way::apart_in_lanes) most_[operation.results[0]] = way_ == Way::apart ? operation.args[0].i64() : 0;
        of_.emplace(operation.results[0], operation.results[0]);
      } else if (applies && operation.entry->pointwise != nullptr) {
        for (const Value& operand : operation.args) {
          if (const Id* most = limit_in(operand)) of_.emplace(operation.results[0], *most);
        }
      } else if (operation.kind == Kind::if_ && limit_in(operation.args[0]) != nullptr) {
        const Id limit = *limit_in(operation.args[0]);
        if (way_ == Way::apart_in_lanes && runs_in_lanes(operation.regions[0]))
          most_[limit] = std::numeric_limits<int64_t>::max();
        if (way_ == Way::apart) most_[limit] = std::min(most_[limit], limit_of(operation));
      }
      for (const Region& inner : operation.regions) find(inner);
    }
  }
  const Id* limit_in(const Value& condition) const {
    const auto found = is_symbol(condition) ? of_.find(id_of(condition)) : of_.end();
    return found == of_.end() ? nullptr : &found->second;
  }
  bool runs_in_lanes(const Region& way) const {
    const auto loop = std::ranges::find_if(way.operations, is_loop);
    return loop != way.operations.end() && Weights(graph_).runs_in_lanes(*loop);
  }
  int64_t limit_of(const Operation& branch) const {
    Weights weights(graph_);
    const std::optional<double> one = weights.of_one(branch.regions[0]);
    if (!one) return 0;
    const Together together = weights.of_all(branch.regions[1]);
    const double saved = *one - together.each;  // by all at once, for each example
    const double most = saved > 0 ? together.all / saved : max_limit;
    return static_cast<int64_t>(std::min(most, max_limit));
  }

  void write(Region& region) {
    const auto number = [&](Value& value) {
      const auto found = is_symbol(value) ? most_.find(id_of(value)) : most_.end();
      if (found != most_.end()) value = Value(found->second);
    };
    for (Operation& operation : region.operations) {
      const Id* const limit = operation.kind == Kind::if_ ? limit_in(operation.args[0]) : nullptr;
      if (limit != nullptr && most_.contains(*limit) && most_[*limit] <= 0) operation.args[0] = Value(false);
      std::ranges::for_each(operation.args, number);
      std::ranges::for_each(operation.rest, number);
      for (Region& inner : operation.regions) write(inner);
    }
    std::ranges::for_each(region.results, number);
  }

  Graph& graph_;
  const Way way_;
  std::map<Id, int64_t> most_;     // by the result of a max_apart
  std::unordered_map<Id, Id> of_;  // what is computed from such a result
};

}  // namespace

void examples_in_lanes(Graph& graph) { Choice(graph, Choice::Way::apart_in_lanes).run(); }
void examples_apart(Graph& graph) { Choice(graph, Choice::Way::apart).run(); }
void examples_together(Graph& graph) { Choice(graph, Choice::Way::together).run(); }

}  // namespace covec::passes
