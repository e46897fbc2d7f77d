// Carries an element in a register if one iteration of a loop sets it and the next one reads it. A recurrence y[i] =
// f(y[i-1]) then waits only for arithmetic, not for memory as well. The element is still set.
//
// Bits and errors are kept. The tensor that an iteration reads is the one that the previous iteration's last update
// gave. An index is a sum of the loop's counters and of numbers from outside. So the pass knows that the read meets the
// element that was set, whether it counts from the end or not. The read cannot fail, since setting the element did not.
// The first iteration reads the element as before. Nothing is known of elements set two iterations before: an iteration
// in between may have set them by another index, or exchanged the tensor.
//
// After Callahan, Carr and Kennedy, "Improving register allocation for subscripted variables" (1990). The trade-off:
// each element takes two registers for the whole loop, so a loop carries only a few.
#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "jit/passes/analysis/index_sums.hpp"
#include "jit/passes/passes.hpp"
#include "stdlib/ops/contract/handles.hpp"

namespace covec::passes {

using namespace ir;

namespace {

constexpr unsigned max_carried = 8;  // in a loop

class Replacement {
 public:
  explicit Replacement(Graph& graph) : graph_(graph) {}
  void run() { region(graph_.body); }

 private:
  void region(Region& region) {
    for (Operation& operation : region.operations) {
      for (Region& inner : operation.regions) this->region(inner);
      if (is_loop(operation)) loop(operation);
    }
  }

  bool is_element(const Operation& operation, const ops::Entry& entry, size_t spec) const {
    return operation.kind == Kind::apply && operation.entry == &entry && names_element(graph_, operation, spec);
  }

  void loop(Operation& loop) {
    Region& body = loop.regions.back();
    const size_t first = leading(loop), carried = loop.args.size() - first;
    unsigned made = 0;
    bool looked = false;
    for (size_t i = 0; i < carried && made < max_carried; ++i) {
      if (!is_symbol(body.results[i])) continue;
      const Id given = id_of(body.results[i]);
      const auto set = std::ranges::find_if(body.operations, [&](const Operation& operation) {
        return operation.results.size() == 1 && operation.results[0] == given;
      });
      if (set == body.operations.end() || !is_element(*set, ops::handles().index_update, 2)) continue;
      const Id tensor = body.parameters[first + i];
      if (!is_number_of(graph_, set->args[1], graph_.values[tensor].type.dtype)) continue;
      if (!looked) look(loop);
      looked = true;
      if (carry(loop, tensor, *set)) ++made;
    }
  }

  // What is made in the loop, and what counts in it.
  void look(const Operation& loop) {
    makers_.clear();
    steps_.clear();
    const Region& body = loop.regions.back();
    for (const Id id : body.parameters) makers_[id] = nullptr;
    note_makers(body);
    if (loop.kind == Kind::for_) steps_[body.parameters[0]] = 1;
    for (size_t i = leading(loop); i < body.parameters.size(); ++i) {
      const Id id = body.parameters[i];
      const Value& next = body.results[i - leading(loop)];
      if (!is_number_of(graph_, graph_.symbol(id), Dtype::i64) || !is_number_of(graph_, next, Dtype::i64)) continue;
      steps_[id] = 0;  // so that it may stand in the sum
      const std::optional<IndexSum> sum = sum_of(next);
      if (sum && sum->times == std::map<Id, uint64_t>{{id, 1}})
        steps_[id] = sum->constant;
      else
        steps_.erase(id);
    }
  }

  void note_makers(const Region& region) {
    for (const Operation& operation : region.operations) {
      for (const Id id : operation.results) makers_[id] = &operation;
      if (operation.kind == Kind::if_) {
        for (const Region& inner : operation.regions) note_makers(inner);
      }
    }
  }

  std::optional<IndexSum> sum_of(const Value& number) const {
    return index_sum(graph_, makers_, number, [&](Id id) { return steps_.contains(id); });
  }

  // Whether a pass reads what the pass before has set: each index is a step behind.
  bool follows(const Operation& set, const Operation& read) {
    for (size_t axis = 0; axis < set.rest.size(); ++axis) {
      const std::optional<IndexSum> to = sum_of(set.rest[axis]), from = sum_of(read.rest[axis]);
      if (!to || !from || to->times != from->times) return false;
      uint64_t step = 0;
      for (const auto& [id, count] : from->times) {
        if (const auto counter = steps_.find(id); counter != steps_.end()) step += count * counter->second;
      }
      if (to->constant - from->constant != step) return false;
    }
    return true;
  }

  void find_reads(Region& region, Id tensor, const Operation& set, std::vector<Operation*>& found) {
    for (Operation& operation : region.operations) {
      if (operation.kind == Kind::if_) {
        for (Region& inner : operation.regions) find_reads(inner, tensor, set, found);
      } else if (is_element(operation, ops::handles().index_read, 1) && id_of(operation.args[0]) == tensor &&
                 follows(set, operation)) {
        found.push_back(&operation);
      }
    }
  }

  // False where nothing reads it.
  bool carry(Operation& loop, Id tensor, const Operation& set) {
    std::vector<Operation*> reads;
    find_reads(loop.regions.back(), tensor, set, reads);
    if (reads.empty()) return false;
    const uint64_t zero = 0;
    const Value nothing = Value::scalar(graph_.values[tensor].type.dtype, &zero);
    const Id element = add_carried(loop, nothing, set.args[1]), is_set = add_carried(loop, Value(false), Value(true));
    for (Operation* const read : reads) choose(*read, is_set, element);
    return true;
  }

  // One more value that the loop carries: its number in the body.
  Id add_carried(Operation& loop, Value at_first, Value next) {
    const Type type = logical_type(at_first);
    loop.args.push_back(std::move(at_first));
    const auto before_exit = [&](auto& list) { return list.end() - (loop.exits ? 1 : 0); };
    Region& body = loop.regions.back();
    body.results.insert(before_exit(body.results), std::move(next));
    loop.results.push_back(graph_.add(type));
    for (Region& region : loop.regions) region.parameters.push_back(graph_.add(type));
    return body.parameters.back();
  }

  // The read becomes: what is carried, if it is set.
  void choose(Operation& read, Id is_set, Id element) {
    Operation choice;
    choice.kind = Kind::if_;
    choice.place = read.place;
    choice.args = {graph_.symbol(is_set)};
    choice.results = read.results;
    choice.regions.resize(2);
    choice.regions[0].results = {graph_.symbol(element)};
    read.results = {graph_.add_like(read.results[0])};
    choice.regions[1].results = {graph_.symbol(read.results[0])};
    choice.regions[1].operations.push_back(std::move(read));
    read = std::move(choice);
  }

  Graph& graph_;
  Makers makers_;                           // of the loop's values
  std::unordered_map<Id, uint64_t> steps_;  // of its counters, for each iteration
};

}  // namespace

void scalar_replacement(Graph& graph) { Replacement(graph).run(); }

}  // namespace covec::passes
