// Keeps an element in a register while a loop runs, if the loop reads and sets it at a loop-invariant index. Examples
// are s[i] += a[i, j] * x[j] in the loop over j, and the additions in the reverse of x[i] * x[j]. The register starts
// with the element, and the element is stored after the loop. An iteration then waits only for arithmetic, not for
// memory as well.
//
// Bits and errors are kept. Three checks run before the loop. The invariant indices are in range, they name different
// elements, and the other indices of the same tensor count from the front (these move by one in each iteration). If a
// check fails, the loop runs as it was written, and errors come from the iteration that causes them. The pass knows
// beforehand in which iteration a moving index meets an element in a register. In that iteration the elements are
// stored, the iteration runs as it was written, and the elements are read again.
//
// After Callahan, Carr and Kennedy, "Improving register allocation for subscripted variables" (1990). The trade-off:
// three copies of the loop's code, and some thirty instructions before it. Start at invariant_elements, at the end.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "jit/passes/analysis/failures.hpp"
#include "jit/passes/analysis/graph_edits.hpp"
#include "jit/passes/analysis/loop_elements.hpp"
#include "jit/passes/analysis/operation_writer.hpp"
#include "jit/passes/analysis/region_copy.hpp"
#include "jit/passes/passes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/index_spec.hpp"

namespace covec::passes {

using namespace ir;

namespace {

// Iterations for which some thirty instructions before the loop are worth it.
constexpr int64_t min_iterations = 4;
constexpr size_t max_meetings = 4;  // of moving indices with elements in registers

using Element = LoopElements::Element;
using Moving = LoopElements::Moving;

// --- what is asked before the loop ---

class Test {
 public:
  Test(const OperationWriter& write, const Operation& loop, const LoopElements& found, std::vector<Operation>& to)
      : write_(write), loop_(loop), found_(found), to_(to) {}

  // False: too many meetings.
  bool build() {
    ask(less, Value(min_iterations - 1), loop_.args[0]);
    for (const Element& element : found_.elements)
      from_front_.push_back(from_front(loop_.args[element.tensor + 1], element.index));
    for (const LoopElements::Steady& read : found_.steady) from_front(read.tensor, read.index);
    for (size_t p = 0; p < found_.elements.size(); ++p) {
      for (size_t q = 0; q < p; ++q) ask_different(p, q);
      for (const Moving& moving : found_.moving) meet(moving, p);
    }
    return meetings_.size() <= max_meetings;
  }
  const Value& holds() const { return *holds_; }
  bool meets() const { return !meetings_.empty(); }
  // The first iteration behind this one that meets an element; none: a number that no iteration has.
  Value next_meeting(std::vector<Operation>& to, const Value& after) const {
    Value next(INT64_MAX);
    for (const Meeting& each : meetings_) {
      const Value later = write_.truth(to, less, {after, each.at});
      const Value at = write_.number(to, ops::handles().where, {later, each.at, Value(INT64_MAX)});
      next = is_symbol(next) ? write_.number(to, ops::handles().minimum, {next, at}) : at;
    }
    return next;
  }

 private:
  struct Meeting {
    IndexSum first;
    bool falls = false;
    Value element, at;
  };

  void both(const Value& truth) {
    holds_ = holds_ ? write_.truth(to_, ops::handles().bit_and, {*holds_, truth}) : truth;
  }
  void ask(const ops::Entry& entry, const Value& a, const Value& b) { both(write_.truth(to_, entry, {a, b})); }

  // The index, counted from the front, and that it is in range.
  std::vector<Value> from_front(const Value& tensor, const std::vector<Value>& indices) {
    std::vector<Value> result;
    for (size_t axis = 0; axis < indices.size(); ++axis) {
      const Value& index = indices[axis];
      const auto known = std::ranges::find_if(places_, [&](const ElementUse& place) {
        return place.tensor == id_of(tensor) && place.axis == axis && same_number(place.index, index);
      });
      if (known == places_.end()) {
        places_.push_back({id_of(tensor), axis, index, in_range(index, extent(tensor, axis))});
        result.push_back(places_.back().from_front);
      } else {
        result.push_back(known->from_front);
      }
    }
    return result;
  }
  Value in_range(const Value& index, const Value& extent) {
    if (!is_symbol(index) && index.i64() >= 0) {
      ask(less, index, extent);
      return index;
    }
    const Value counted = write_.number(to_, ops::handles().add, {index, extent});
    Value from_front = counted;
    if (is_symbol(index)) {
      const Value negative = write_.truth(to_, less, {index, Value(int64_t{0})});
      from_front = write_.number(to_, ops::handles().where, {negative, counted, index});
      ask(less, from_front, extent);
    }
    ask(ops::handles().less_equal, Value(int64_t{0}), from_front);
    return from_front;
  }
  Value extent(const Value& tensor, size_t axis) {
    const auto [known, is_new] = extents_.try_emplace({id_of(tensor), axis});
    if (is_new) known->second = write_.extent(to_, tensor, axis);
    return known->second;
  }

  void ask_different(size_t p, size_t q) {
    const Element &a = found_.elements[p], &b = found_.elements[q];
    if (a.tensor != b.tensor) return;
    std::optional<Value> differ;
    for (size_t axis = 0; axis < a.index.size(); ++axis) {
      if (differ_as_written(a.index[axis], b.index[axis])) return;
      if (same_number(a.index[axis], b.index[axis])) continue;
      const Value here = write_.truth(to_, ops::handles().not_equal, {from_front_[p][axis], from_front_[q][axis]});
      differ = differ ? write_.truth(to_, ops::handles().bit_or, {*differ, here}) : here;
    }
    both(*differ);
  }

  // An iteration at most, for the index moves.
  void meet(const Moving& moving, size_t p) {
    const Element& element = found_.elements[p];
    if (element.tensor != moving.tensor) return;
    for (size_t axis = 0; axis < element.index.size(); ++axis) {
      if (axis != moving.axis && differ_as_written(element.index[axis], moving.index[axis])) return;
    }
    const Value& to = from_front_[p][moving.axis];
    const auto same = [&](const Meeting& each) {
      return each.first == moving.first && each.falls == moving.falls && same_number(each.element, to);
    };
    if (std::ranges::any_of(meetings_, same)) return;
    const Value from = first(moving);
    const Value at = write_.number(to_, ops::handles().subtract,
                                   moving.falls ? std::vector<Value>{from, to} : std::vector<Value>{to, from});
    meetings_.push_back({moving.first, moving.falls, to, at});
  }

  // The index in the first iteration, and that it counts from the front in all.
  Value first(const Moving& moving) {
    for (const auto& [known, index] : firsts_) {
      if (known->first == moving.first && known->falls == moving.falls) return index;
    }
    Value index = write_.sum(to_, moving.first), least(int64_t{0});
    if (moving.falls) least = write_.number(to_, ops::handles().subtract, {loop_.args[0], Value(int64_t{1})});
    ask(ops::handles().less_equal, least, index);
    firsts_.emplace_back(&moving, index);
    return index;
  }
  struct ElementUse {
    Id tensor;
    size_t axis;
    Value index, from_front;
  };
  const OperationWriter& write_;
  const Operation& loop_;
  const LoopElements& found_;
  std::vector<Operation>& to_;
  const ops::Entry& less = ops::handles().less;
  std::optional<Value> holds_;
  std::vector<ElementUse> places_;
  std::map<std::pair<Id, size_t>, Value> extents_;
  std::vector<std::vector<Value>> from_front_;  // by element
  std::vector<std::pair<const Moving*, Value>> firsts_;
  std::vector<Meeting> meetings_;
};

// --- the loop with elements in registers ---

// A copy of the loop's body in which elements are numbers.
class BodyInRegisters {
 public:
  // `steady`: what is read at indices that do not change; what is computed of it alone goes to `before`, too.
  BodyInRegisters(Graph& graph, const OperationWriter& write, const LoopElements& found,
                  const std::vector<Value>& steady, std::vector<Operation>& before)
      : graph_(graph), write_(write), found_(found), steady_(steady), before_(before), copy_(graph) {}
  RegionCopy& copy() { return copy_; }

  struct State {
    Value tensor;
    std::vector<Value> elements;  // by number; of other tensors as well
  };
  void define(Id id, State state) {
    copy_.set(id, state.tensor);
    states_[id] = std::move(state);
  }
  const State& state(const Value& tensor) const { return states_.at(id_of(tensor)); }

  void region(const Region& region, std::vector<Operation>& to) {
    for (const Operation& operation : region.operations) this->operation(operation, to);
  }

 private:
  bool is_state(Id id) const { return found_.states.contains(id); }

  void operation(const Operation& operation, std::vector<Operation>& to) {
    if (const auto access = found_.accesses.find(&operation); access != found_.accesses.end())
      return element(operation, access->second, to);
    if (const auto read = found_.steady_reads.find(&operation); read != found_.steady_reads.end()) {
      stays_.insert(operation.results[0]);
      return copy_.set(operation.results[0], steady_[read->second]);
    }
    if (operation.kind == Kind::if_) return branch(operation, to);
    if (stays(operation)) {
      stays_.insert(operation.results[0]);
      return copy_.copy(operation, before_);
    }
    copy_.copy(operation, to);
    for (const Id id : operation.results) {
      if (is_state(id)) define(id, {copy_.value(graph_.symbol(id)), state(operation.args[0]).elements});
    }
  }

  // Computed of numbers that do not change, of which one has been read before the loop.
  bool stays(const Operation& operation) const {
    if (operation.kind != Kind::apply || operation.entry->pointwise == nullptr || !operation.rest.empty()) return false;
    bool any = false, all = true;
    for (const Value& arg : operation.args) {
      const bool was_read = is_symbol(arg) && stays_.contains(id_of(arg));
      any |= was_read;
      all &= was_read || (found_.is_outside(arg) && (!is_symbol(arg) || is_number(arg)));
    }
    return any && all && !may_fail_or_acts(graph_, operation);
  }
  bool is_number(const Value& value) const {
    return !graph_.values[id_of(value)].boxed && type_in(graph_, value).shape.empty();
  }

  void element(const Operation& operation, size_t element, std::vector<Operation>& to) {
    const State& before = state(operation.args[0]);
    if (operation.entry == &ops::handles().index_read) return copy_.set(operation.results[0], before.elements[element]);
    State after = before;
    Value number = copy_.value(operation.args[1]);
    if (operation.entry == &ops::handles().index_add) {
      const Type type{graph_.values[operation.results[0]].type.dtype, {}};
      number = write_.apply(to, ops::handles().add, {before.elements[element], number}, type);
      to.back().place = operation.place;
    }
    after.elements[element] = std::move(number);
    define(operation.results[0], std::move(after));
  }

  void branch(const Operation& operation, std::vector<Operation>& to) {
    Operation made;
    made.kind = Kind::if_;
    made.place = operation.place;
    made.args = {copy_.value(operation.args[0])};
    made.regions.resize(2);
    for (size_t side = 0; side < 2; ++side) region(operation.regions[side], made.regions[side].operations);
    const auto give = [&](Id id, const Value& a, const Value& b) {
      made.results.push_back(id);
      made.regions[0].results.push_back(a);
      made.regions[1].results.push_back(b);
    };
    for (size_t k = 0; k < operation.results.size(); ++k) {
      const Value &a = operation.regions[0].results[k], &b = operation.regions[1].results[k];
      const Id result = operation.results[k];
      if (!is_state(result)) {
        const Value from_a = copy_.value(a), from_b = copy_.value(b);
        give(copy_.define(result), from_a, from_b);
        continue;
      }
      const State &on_a = state(a), &on_b = state(b);
      State joined{{}, on_a.elements};
      give(copy_.define(result), on_a.tensor, on_b.tensor);
      joined.tensor = graph_.symbol(made.results.back());
      for (size_t e = 0; e < joined.elements.size(); ++e) {
        const Value &one = on_a.elements[e], &other = on_b.elements[e];
        if (is_symbol(one) && is_symbol(other) && id_of(one) == id_of(other)) continue;
        give(graph_.add(Type{type_in(graph_, one).dtype, {}}), one, other);
        joined.elements[e] = graph_.symbol(made.results.back());
      }
      define(result, std::move(joined));
    }
    to.push_back(std::move(made));
  }

  Graph& graph_;
  const OperationWriter& write_;
  const LoopElements& found_;
  const std::vector<Value>& steady_;
  std::vector<Operation>& before_;
  RegionCopy copy_;
  std::set<Id> stays_;
  std::unordered_map<Id, State> states_;
};

class LoopInRegisters {
 public:
  LoopInRegisters(Graph& graph, const Operation& loop, const LoopElements& found, const OperationWriter& write,
                  const Test& test)
      : graph_(graph), loop_(loop), found_(found), write_(write), test_(test) {}

  void build(Region& region) {
    std::vector<Operation>& to = region.operations;
    Operation made;
    made.kind = Kind::for_;
    made.place = loop_.place;
    made.args = loop_.args;
    for (const Element& each : found_.elements) made.args.push_back(write_.read(to, argument(each), each.index));
    std::vector<Value> steady;
    for (const LoopElements::Steady& each : found_.steady) steady.push_back(write_.read(to, each.tensor, each.index));
    if (test_.meets()) made.args.push_back(test_.next_meeting(to, Value(int64_t{-1})));
    Region& body = made.regions.emplace_back();
    body.parameters = like(loop_.regions[0].parameters);
    for (size_t k = body.parameters.size(); k < made.args.size(); ++k) body.parameters.push_back(like(made.args[k]));
    BodyInRegisters inside(graph_, write_, found_, steady, to);
    test_.meets() ? choose(body, inside) : in_registers(body, body.parameters, inside);
    for (size_t k = 1; k < made.args.size(); ++k) made.results.push_back(graph_.add_like(body.parameters[k]));
    const std::vector<Id> given = made.results;
    to.push_back(std::move(made));
    for (size_t k = 0; k < carried(); ++k) region.results.push_back(graph_.symbol(given[k]));
    store(
        region.results, [&](size_t e) { return graph_.symbol(given[carried() + e]); }, to);
  }

 private:
  size_t carried() const { return loop_.results.size(); }
  const Value& argument(const Element& element) const { return loop_.args[element.tensor + 1]; }
  std::vector<Id> like(const std::vector<Id>& ids) {
    std::vector<Id> made;
    for (const Id id : ids) made.push_back(graph_.add_like(id));
    return made;
  }
  Id like(const Value& number) { return graph_.add(type_in(graph_, number)); }

  // `tensors`: by place among the carried values.
  void store(std::vector<Value>& tensors, FunctionRef<Value(size_t)> element, std::vector<Operation>& to) {
    for (size_t e = 0; e < found_.elements.size(); ++e) {
      const Element& each = found_.elements[e];
      if (each.is_set) tensors[each.tensor] = write_.update(to, tensors[each.tensor], element(e), each.index);
    }
  }

  // Results: what is carried, the elements, the next meeting.
  void in_registers(Region& region, const std::vector<Id>& parameters, BodyInRegisters& body) {
    const Region& old = loop_.regions[0];
    std::vector<Value> elements;
    for (size_t e = 0; e < found_.elements.size(); ++e)
      elements.push_back(graph_.symbol(parameters[1 + carried() + e]));
    for (size_t k = 0; k < old.parameters.size(); ++k) {
      const Value now = graph_.symbol(parameters[k]);
      found_.states.contains(old.parameters[k]) ? body.define(old.parameters[k], {now, elements})
                                                : body.copy().set(old.parameters[k], now);
    }
    body.region(old, region.operations);
    for (const Value& result : old.results) region.results.push_back(body.copy().value(result));
    for (size_t e = 0; e < found_.elements.size(); ++e)
      region.results.push_back(body.state(old.results[found_.elements[e].tensor]).elements[e]);
    if (test_.meets()) region.results.push_back(graph_.symbol(parameters.back()));
  }

  // As it was written, between storing the elements and reading them again.
  void in_memory(Region& region, const std::vector<Id>& parameters) {
    const Region& old = loop_.regions[0];
    std::vector<Operation>& to = region.operations;
    std::vector<Value> now;
    for (size_t k = 0; k < carried(); ++k) now.push_back(graph_.symbol(parameters[k + 1]));
    store(
        now, [&](size_t e) { return graph_.symbol(parameters[1 + carried() + e]); }, to);
    RegionCopy copy(graph_);
    copy.set(old.parameters[0], graph_.symbol(parameters[0]));
    for (size_t k = 0; k < carried(); ++k) copy.set(old.parameters[k + 1], now[k]);
    copy.copy(old, to);
    for (const Value& result : old.results) region.results.push_back(copy.value(result));
    for (const Element& each : found_.elements) {
      const Value tensor = region.results[each.tensor];
      region.results.push_back(write_.read(to, tensor, each.index));
    }
    region.results.push_back(test_.next_meeting(to, graph_.symbol(parameters[0])));
  }

  void choose(Region& body, BodyInRegisters& inside) {
    Operation choice;
    choice.kind = Kind::if_;
    choice.place = loop_.place;
    choice.args = {write_.truth(body.operations, ops::handles().equal,
                                {graph_.symbol(body.parameters[0]), graph_.symbol(body.parameters.back())})};
    choice.regions.resize(2);
    in_memory(choice.regions[0], body.parameters);
    in_registers(choice.regions[1], body.parameters, inside);
    for (size_t k = 1; k < body.parameters.size(); ++k) {
      choice.results.push_back(graph_.add_like(body.parameters[k]));
      body.results.push_back(graph_.symbol(choice.results.back()));
    }
    body.operations.push_back(std::move(choice));
  }

  Graph& graph_;
  const Operation& loop_;
  const LoopElements& found_;
  const OperationWriter& write_;
  const Test& test_;
};

class Carrying {
 public:
  explicit Carrying(Graph& graph) : graph_(graph) {}
  void run() {
    rebuild(graph_.body, [&](Operation& loop, std::vector<Operation>& out) { return carry(loop, out); });
  }

 private:
  bool carry(const Operation& loop, std::vector<Operation>& out) {
    if (loop.kind != Kind::for_ || loop.exits) return false;
    if (!is_symbol(loop.args[0]) && loop.args[0].i64() < min_iterations) return false;
    LoopElements found(graph_, loop);
    if (!found.find()) return false;
    const OperationWriter write(graph_, loop.place);
    std::vector<Operation> before;
    Test test(write, loop, found, before);
    if (!test.build()) return false;
    std::ranges::move(before, std::back_inserter(out));
    Operation choice;
    choice.kind = Kind::if_;
    choice.place = loop.place;
    choice.args = {test.holds()};
    choice.results = loop.results;
    choice.regions.resize(2);
    LoopInRegisters(graph_, loop, found, write, test).build(choice.regions[0]);
    RegionCopy copy(graph_);
    copy.copy(loop, choice.regions[1].operations);
    for (const Id id : loop.results) choice.regions[1].results.push_back(copy.value(graph_.symbol(id)));
    out.push_back(std::move(choice));
    return true;
  }

  Graph& graph_;
};

}  // namespace

void invariant_elements(Graph& graph) { Carrying(graph).run(); }

}  // namespace covec::passes
