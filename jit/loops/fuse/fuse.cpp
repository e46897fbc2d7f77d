#include "jit/loops/fuse/fuse.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <set>

#include "jit/loops/build_reduce.hpp"
#include "jit/loops/fuse/value_uses.hpp"
#include "jit/loops/operands.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/ops/index/index.hpp"
#include "stdlib/ops/linalg/linalg.hpp"
#include "stdlib/value/broadcast.hpp"

namespace covec::loops {

namespace {

using ir::Id;

// Two extents that may be one when the function runs; the one that says more.
bool may_equal(Dim a, Dim b) { return a == b || !a.known() || !b.known(); }

bool may_equal(const Shape& a, const Shape& b) {
  if (a.rank() != b.rank()) return false;
  for (unsigned axis = 0; axis < a.rank(); ++axis) {
    if (!may_equal(a[axis], b[axis])) return false;
    // One extent that is 1 for sure against an unknown one: most likely a broadcast.
    if (a[axis] != b[axis] && (a[axis] == Dim(1) || b[axis] == Dim(1))) return false;
  }
  return true;
}

Shape sharper(const Shape& a, const Shape& b) {
  Shape result = a;
  for (unsigned axis = 0; axis < a.rank(); ++axis) {
    if (b[axis].known()) result[axis] = b[axis];
  }
  return result;
}

class Fusing {
 public:
  Fusing(const ir::Graph& graph, const ir::Region& region, const FuseLimits& limits)
      : graph_(graph), operations_(region.operations), limits_(limits), uses_(region) {
    groups_.reserve(operations_.size());
    for (uint32_t i = 0; i < operations_.size(); ++i) prepare(i);
  }

  std::vector<Unit> run() {
    if (limits_.fuse) {
      for (uint32_t i = 0; i < operations_.size(); ++i) {
        if (elementwise_[i]) join_producers(i);
      }
      for (uint32_t i = 0; i < operations_.size(); ++i) join_reduction(i);
    }
    if (limits_.fuse && !limits_.plain) {
      for (uint32_t i = 0; i < operations_.size(); ++i) join_update(i);
      for (auto i = static_cast<uint32_t>(operations_.size()); i-- > 0;) join_product(i);
    }
    return units();
  }

 private:
  struct Group {
    std::vector<uint32_t> members;  // ascending
    uint32_t position = 0;          // the operation in whose place it runs
    std::set<Id> inputs;            // arrays
    uint32_t constants = 0;         // uses of constant tensors
    uint32_t instructions = 0;
    uint32_t slow = 0;      // of these
    bool lengthy = false;   // a member is
    bool can_fail = false;  // an element
    bool may_fail = false;
    Shape shape;
    uint32_t reduction = none, product = none, update = none;  // that have joined the kernel
    bool has_joined(uint32_t operation) const {
      return operation == reduction || operation == product || operation == update;
    }
  };
  static constexpr uint32_t none = UINT32_MAX;

  void prepare(uint32_t i) {
    const ir::Operation& operation = operations_[i];
    const bool on_numbers = limits_.device.computes(operation);
    elementwise_.push_back(on_numbers || is_elementwise(graph_, operation));
    boundary_.push_back(Boundary::none);
    lengthy_.push_back(false);
    Group& group = groups_.emplace_back();
    group_of_.push_back(i);
    group.members = {i};
    group.position = i;
    if (!elementwise_[i]) {
      group.may_fail = other_may_fail(operation);
      return;
    }
    const Weight weight = weigh(graph_, operation);
    group.instructions = weight.instructions;
    group.slow = weight.slow;
    group.lengthy = weight.instructions >= lengthy;
    lengthy_[i] = group.lengthy;
    group.can_fail = weight.fails;
    group.may_fail = weight.fails || shapes_may_fail(graph_, operation);
    group.shape = graph_.values[operation.results[0]].type.shape;
    each_use(operation, [&](Id id) {
      if (on_numbers || !graph_.values[id].type.shape.empty()) group.inputs.insert(id);
    });
    for (const Value& value : operation.args) group.constants += value.is_tensor();
  }

  // Of an operation that is no kernel's: may fail, or has an effect.
  bool other_may_fail(const ir::Operation& operation) const {
    if (!operation.regions.empty()) return true;
    if (is_number_operation(graph_, operation)) return weigh(graph_, operation).fails;
    return ir::is_ordered(graph_, operation) && !is_safe_reduction(graph_, operation);
  }

  Group& group(uint32_t operation) { return groups_[group_of_[operation]]; }

  // Merges the groups that the operands of `i` come from with its own, the latest first.
  void join_producers(uint32_t i) {
    std::vector<uint32_t> producers;
    each_use(operations_[i], [&](Id id) {
      if (graph_.values[id].type.shape.empty() && !limits_.device.computes(operations_[i])) return;
      const std::optional<uint32_t> made = uses_.maker(id);
      if (!made || !elementwise_[*made]) {
        note_boundary(i, Boundary::elsewhere);
      } else {
        producers.push_back(*made);
      }
    });
    std::sort(producers.begin(), producers.end(), std::greater<>());
    for (const uint32_t producer : producers) {
      if (group_of_[producer] == group_of_[i]) continue;
      const Boundary why = merge(group_of_[producer], group_of_[i]);
      if (why != Boundary::none) note_boundary(i, why);
    }
  }

  void note_boundary(uint32_t i, Boundary why) { boundary_[i] = std::max(boundary_[i], why); }

  Boundary merge(uint32_t producer, uint32_t consumer) {
    Group &a = groups_[producer], &b = groups_[consumer];
    if (a.reduction != none || b.reduction != none) return Boundary::placement;
    if (a.instructions + b.instructions > limits_.instructions || a.members.size() + b.members.size() > limits_.members)
      return Boundary::size;
    if (lengthy_in_sequence(a, b)) return Boundary::size;
    if (limits_.plain && has_failure(a) && has_failure(b)) return Boundary::order;
    const size_t inputs = joint_inputs(a, b).size();
    if (inputs > limits_.inputs || inputs + a.constants + b.constants > limits_.arrays) return Boundary::inputs;
    if (!shapes_fit(a, b)) return Boundary::shape;
    uint32_t position = 0;
    if (const Boundary why = place(a, b, position); why != Boundary::none) return why;
    absorb(producer, consumer, position);
    return Boundary::none;
  }

  // A processor looks some two hundred instructions ahead. Where each of them waits for the one before, it works on
  // hardly two vectors at a time; lengthy operations (exp, sin; not division) in kernels of their own take half the
  // time, even with what lies between stored. Side by side they wait for nothing, and stay together.
  static constexpr uint32_t lengthy = 32;  // instructions

  bool lengthy_in_sequence(const Group& a, const Group& b) const {
    if (!a.lengthy || !b.lengthy) return false;
    std::vector<uint32_t> members;
    std::ranges::merge(a.members, b.members, std::back_inserter(members));
    std::set<Id> late;  // what comes after a lengthy operation, and what it gives
    for (const uint32_t member : members) {
      bool waits = false;
      each_use(operations_[member], [&](Id id) { waits |= late.contains(id); });
      if (waits && lengthy_[member]) return true;
      if (waits || lengthy_[member]) late.insert(operations_[member].results[0]);
    }
    return false;
  }

  // Where nobody finds the first that fails (C), a kernel has one operation that can.
  bool has_failure(const Group& a) const {
    return std::ranges::any_of(a.members, [&](uint32_t member) {
      const ops::Entry* const entry = operations_[member].entry;
      return elementwise_[member] && entry->pointwise != nullptr && entry->pointwise->lower_failure != nullptr;
    });
  }

  std::set<Id> joint_inputs(const Group& a, const Group& b) const {
    std::set<Id> inputs = a.inputs;
    inputs.insert(b.inputs.begin(), b.inputs.end());
    for (const Group* group : {&a, &b}) {
      for (const uint32_t member : group->members) inputs.erase(operations_[member].results[0]);
    }
    return inputs;
  }

  static bool in(const Group& group, uint32_t operation) {
    return std::binary_search(group.members.begin(), group.members.end(), operation);
  }

  // The operation runs where the group does.
  static bool runs(const Group& group, uint32_t operation) {
    return in(group, operation) || group.has_joined(operation);
  }

  bool used_outside(uint32_t member, const Group& a, const Group& b) const {
    const auto outside = [&](uint32_t user) { return !in(a, user) && !in(b, user); };
    return std::ranges::any_of(uses_.users(operations_[member].results[0]), outside);
  }

  bool shapes_fit(const Group& a, const Group& b) const {
    const bool same = may_equal(a.shape, b.shape);
    const bool cheap = Weight{a.instructions, a.slow}.cheap();
    if (!same && (!cheap || fit_to(a.shape, b.shape) == Fit::fails)) return false;
    const Shape shape = same ? sharper(a.shape, b.shape) : b.shape;
    for (const Group* group : {&a, &b}) {
      for (const uint32_t member : group->members) {
        const Shape& own = graph_.values[operations_[member].results[0]].type.shape;
        if (!may_equal(own, shape) && used_outside(member, a, b)) return false;
      }
    }
    return true;
  }

  // Where both can run: the producers where the consumers are, or the other way round.
  Boundary place(const Group& a, const Group& b, uint32_t& position) {
    if (a.position > b.position) return Boundary::placement;
    constexpr uint32_t farthest = 256;  // groups between the two, which bounds the search
    if (b.position - a.position > farthest) return Boundary::placement;
    bool ordered = false, used = false;
    for (uint32_t i = a.position + 1; i < b.position; ++i) {
      const Group& between = group(i);
      if (between.position != i || &between == &a || &between == &b) continue;
      ordered |= between.may_fail;
      used |= reads(between, a);
    }
    const bool sinks = !used && !(ordered && a.may_fail);
    const bool rises = available(b, a) && !(ordered && b.may_fail);
    if (!sinks && !rises) return used && !available(b, a) ? Boundary::placement : Boundary::order;
    position = rises ? a.position : b.position;
    return Boundary::none;
  }

  bool reads(const Group& user, const Group& made) const {
    const auto used = [&](uint32_t operation) {
      return std::ranges::any_of(operations_[operation].results, [&](Id id) {
        return std::ranges::any_of(uses_.users(id), [&](uint32_t by) { return runs(user, by); });
      });
    };
    if (std::ranges::any_of(made.members, used)) return true;
    return std::ranges::any_of(std::array{made.reduction, made.product, made.update},
                               [&](uint32_t joined) { return joined != none && used(joined); });
  }

  // All that b needs, but for what a makes, is there before a runs.
  bool available(const Group& b, const Group& a) {
    bool all = true;
    for (const uint32_t member : b.members) {
      each_use(operations_[member], [&](Id id) {
        const std::optional<uint32_t> made = uses_.maker(id);
        if (!made || runs(a, *made) || in(b, *made)) return;
        all &= group(*made).position < a.position;
      });
    }
    return all;
  }

  void absorb(uint32_t producer, uint32_t consumer, uint32_t position) {
    Group &a = groups_[producer], &b = groups_[consumer];
    b.shape = may_equal(a.shape, b.shape) ? sharper(a.shape, b.shape) : b.shape;
    b.inputs = joint_inputs(a, b);
    b.constants += a.constants;
    b.instructions += a.instructions;
    b.slow += a.slow;
    b.lengthy |= a.lengthy;
    b.can_fail |= a.can_fail;
    b.may_fail |= a.may_fail;
    b.position = position;
    for (const uint32_t member : a.members) group_of_[member] = consumer;
    b.members.insert(b.members.end(), a.members.begin(), a.members.end());
    std::sort(b.members.begin(), b.members.end());
    a.members.clear();
    a.position = none;
  }

  // A reduction of what a kernel makes, and nobody else needs, belongs to the kernel.
  void join_reduction(uint32_t i) {
    if (elementwise_[i] || !is_fusible_reduction(graph_, operations_[i])) return;
    const Id x = ir::id_of(operations_[i].args[0]);
    const std::optional<uint32_t> made = uses_.maker(x);
    if (!made || !elementwise_[*made]) return;
    Group& a = group(*made);
    const Group& b = groups_[i];
    if (a.reduction != none || uses_.users(x).size() != 1) return;
    if (!may_equal(graph_.values[x].type.shape, a.shape)) return;
    uint32_t position = 0;
    if (place(a, b, position) != Boundary::none) return;
    a.reduction = i;
    join(i, *made, position);
  }

  // An operation that runs by itself becomes a part of a member's group.
  void join(uint32_t i, uint32_t member, uint32_t position) {
    Group& a = group(member);
    a.position = position;
    a.may_fail |= groups_[i].may_fail;
    groups_[i].members.clear();
    groups_[i].position = none;
    group_of_[i] = group_of_[member];
  }

  // x[1:-1] = …: what a kernel makes, and nobody else needs, may be made in its place. Whether it can be is found out
  // when it runs (jit/runtime/launch.cpp): the part has the result's shape. Where it cannot, the update copies the
  // result. Elements that an array picks are no such part, and the update reads that array when the kernel may have
  // dropped it.
  void join_update(uint32_t i) {
    const ir::Operation& update = operations_[i];
    if (update.kind != ir::Kind::apply || update.entry != &ops::index_update_entry() || update.args.size() != 3) return;
    const Value &base = update.args[0], &value = update.args[1];
    const auto is_array = [&](const Value& index) { return ir::has_symbols(index) && !is_number(graph_, index); };
    if (std::ranges::any_of(update.rest, is_array)) return;
    if (!ir::is_symbol(base) || !ir::is_symbol(value) || ir::has_symbols(update.args[2])) return;
    const Id made = ir::id_of(value);
    const std::optional<uint32_t> maker = uses_.maker(made);
    if (!maker || !elementwise_[*maker] || uses_.users(made).size() != 1 || is_number(graph_, made)) return;
    Group& a = group(*maker);
    if (a.reduction != none || a.can_fail || is_from_library(a) || a.inputs.contains(ir::id_of(base))) return;
    const auto needed = [&](uint32_t member) { return member != *maker && used_outside(member, a, a); };
    if (std::ranges::any_of(a.members, needed)) return;
    uint32_t position = 0;
    if (place(a, groups_[i], position) != Boundary::none) return;
    a.update = i;
    join(i, *maker, position);
  }

  // maximum(x @ w + b, 0): the first kernel that needs a product of matrices may take its rows as they are finished.
  // Whether it can is found out when it runs (jit/runtime/product_launch.hpp).
  void join_product(uint32_t i) {
    const ir::Operation& product = operations_[i];
    if (product.kind != ir::Kind::apply || product.entry != &ops::matmul_entry() || product.args.size() != 2) return;
    const Id made = product.results[0];
    if (is_number(graph_, made) || graph_.values[made].boxed || !product.rest.empty()) return;
    uint32_t first = none;  // of those that need it
    for (const uint32_t by : uses_.users(made)) {
      if (by < operations_.size() && (first == none || group(by).position < group(first).position)) first = by;
    }
    if (first == none || !elementwise_[first]) return;
    Group& b = group(first);
    if (b.reduction != none || b.update != none || b.product != none || b.can_fail) return;
    if (is_from_library(b) || !b.inputs.contains(made)) return;
    // One that is there for an error of its shapes alone stores nothing.
    const auto stores = [&](uint32_t member) { return used_outside(member, b, b); };
    if (std::ranges::none_of(b.members, stores)) return;
    uint32_t position = 0;
    if (place(groups_[i], b, position) != Boundary::none) return;
    b.product = i;
    join(i, first, position);
  }

  // A long body that stands alone is a kernel from the library: the compiler that made that had more time.
  bool is_from_library(const Group& placed) const {
    if (!limits_.eager_kernels || placed.members.size() != 1 || placed.reduction != none || !placed.lengthy)
      return false;
    const ir::Operation& operation = operations_[placed.members[0]];
    const Dtype dtype = graph_.values[operation.results[0]].type.dtype;
    return is_float(dtype) && std::all_of(operation.args.begin(), operation.args.end(), [&](const Value& operand) {
             return ir::is_symbol(operand) && logical_type(operand).dtype == dtype;
           });
  }

  std::vector<Unit> units() {
    std::vector<Unit> result;
    for (uint32_t i = 0; i < operations_.size(); ++i) {
      const Group& placed = group(i);
      if (placed.position != i) continue;
      Unit& unit = result.emplace_back();
      unit.kernel = elementwise_[placed.members[0]] && !is_from_library(placed);
      for (const uint32_t member : placed.members) {
        unit.operations.push_back(&operations_[member]);
        unit.boundaries.push_back(boundary_[member]);
      }
      unit.can_fail = unit.kernel && placed.can_fail;
      const auto joined = [&](uint32_t operation) { return operation == none ? nullptr : &operations_[operation]; };
      unit.reduction = joined(placed.reduction);
      unit.product = joined(placed.product);
      unit.update = joined(placed.update);
    }
    return result;
  }

  const ir::Graph& graph_;
  const std::vector<ir::Operation>& operations_;
  const FuseLimits& limits_;
  const ValueUses uses_;
  std::vector<char> elementwise_;
  std::vector<char> lengthy_;
  std::vector<Boundary> boundary_;
  std::vector<Group> groups_;
  std::vector<uint32_t> group_of_;  // by operation
};

}  // namespace

std::vector<Unit> fuse(const ir::Graph& graph, const ir::Region& region, const FuseLimits& limits) {
  return Fusing(graph, region, limits).run();
}

}  // namespace covec::loops
