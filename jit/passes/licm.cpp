// Moves loop-invariant operations in front of the loop: those on values from outside the loop that have no effect and
// cannot fail. Inner loops come first, so that an operation leaves as many loops as possible.
//
// A number that all iterations leave alike, `f = c` or `f = f or c` where c does not change in the loop and nothing
// else reads f, is no longer carried: it is c or `f or c` after the loop, if there was an iteration. Flags of reverse
// loops, that say whether there is a cotangent, are like that.
//
// Bits and errors are kept. Such an operation gives the same value in each iteration. If the loop runs zero times,
// computing it costs only time.
//
// The trade-off: nothing leaves a branch, which might never be taken, so the loop's body must compute it in every
// iteration. An operation that may fail does not move, even if it would fail in the first iteration. It would have to
// move in front of everything that may fail or has an effect there. A tensor that repeats one number stays: kernels
// read the number.
#include <algorithm>

#include "jit/passes/analysis/failures.hpp"
#include "jit/passes/analysis/operation_writer.hpp"
#include "jit/passes/passes.hpp"
#include "stdlib/ops/contract/handles.hpp"
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
      std::vector<Operation> after;
      if (operation.kind == Kind::for_) {
        for (size_t k = operation.results.size(); k-- > 0;) settle(operation, k, depth, out, after);
      }
      for (const Id id : operation.results) depth_[id] = depth;
      out.push_back(std::move(operation));
      std::ranges::move(after, std::back_inserter(out));
    }
    region.operations = std::move(out);
  }

  // The k-th carried value, where it is such a number: what each iteration makes of it is made before the loop.
  void settle(Operation& loop, size_t k, uint32_t depth, std::vector<Operation>& before,
              std::vector<Operation>& after) {
    Region& body = loop.regions[0];
    const Id number = body.parameters[k + 1];
    const ValueInfo& info = graph_.values[number];
    if (info.boxed || !info.type.shape.empty()) return;
    const Type type = info.type;
    const bool set_inside = is_symbol(body.results[k]) && depth_[id_of(body.results[k])] > depth;
    const auto setting = set_inside ? setting_of(body, k, depth) : body.operations.end();
    if (set_inside ? setting == body.operations.end() || uses_in(body, number) != 1 : uses_in(body, number) != 0)
      return;
    const Value began = loop.args[k + 1];
    Value ends = body.results[k];
    if (set_inside) {
      for (Value& arg : setting->args) arg = is_same(arg, number) ? began : arg;
      depth_[setting->results[0]] = depth;
      before.push_back(std::move(*setting));
      body.operations.erase(setting);
    }
    // Where there is an iteration.
    OperationWriter writer(graph_, loop.place);
    const Value any = writer.truth(after, ops::handles().less, {Value(int64_t{0}), loop.args[0]});
    writer.apply(after, ops::handles().where, {any, ends, began}, type);
    after.back().results = {loop.results[k]};
    depth_[loop.results[k]] = depth;
    depth_.resize(graph_.values.size(), depth);
    const auto erase = [](auto& list, size_t place) { list.erase(list.begin() + static_cast<std::ptrdiff_t>(place)); };
    erase(loop.results, k);
    erase(loop.args, k + 1);
    erase(body.parameters, k + 1);
    erase(body.results, k);
  }

  // The operation `flag or c` that gives the k-th carried value.
  std::vector<Operation>::iterator setting_of(Region& body, size_t k, uint32_t depth) const {
    const Id flag = body.parameters[k + 1];
    return std::ranges::find_if(body.operations, [&](const Operation& operation) {
      if (operation.kind != Kind::apply || operation.entry != &ops::handles().bit_or ||
          operation.results[0] != id_of(body.results[k]))
        return false;
      const size_t at = is_same(operation.args[0], flag) ? 0 : 1;
      const Value& other = operation.args[1 - at];
      return is_same(operation.args[at], flag) && (!is_symbol(other) || depth_[id_of(other)] <= depth);
    });
  }
  static bool is_same(const Value& value, Id id) { return is_symbol(value) && id_of(value) == id; }

  static size_t uses_in(const Region& region, Id id) {
    size_t uses = 0;
    const auto see = [&](Id used) { uses += used == id ? 1 : 0; };
    for (const Operation& operation : region.operations) {
      for (const Value& arg : operation.args) each_symbol(arg, see);
      for (const Value& arg : operation.rest) each_symbol(arg, see);
      for (const Region& inner : operation.regions) uses += uses_in(inner, id);
    }
    for (const Value& result : region.results) each_symbol(result, see);
    return uses;
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
