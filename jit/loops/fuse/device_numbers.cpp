#include "jit/loops/fuse/device_numbers.hpp"

#include <algorithm>

#include "jit/loops/build_reduce.hpp"
#include "jit/loops/fuse/fuse.hpp"
#include "jit/loops/operands.hpp"
#include "stdlib/ops/shape/shape.hpp"

namespace covec::loops {

using ir::Id;
using ir::id_of;
using ir::is_symbol;

// First forward, what may stay, until loops have nothing more to carry; then backward, what somebody wants there.
class DeviceNumbers::Finder {
 public:
  Finder(const ir::Graph& graph, DeviceNumbers& found)
      : graph_(graph), found_(found), levels_(graph.values.size(), nowhere), wanted_(graph.values.size(), false) {
    found.kinds_.resize(graph.values.size(), Kind::here);
    found.places_.resize(graph.values.size(), 0);
  }

  void run() {
    do {
      changed_ = false;
      find(graph_.body, 0);
    } while (changed_);
    want_all(graph_.body.results);
    want(graph_.body);
  }

 private:
  using Kind = DeviceNumbers::Kind;
  static constexpr int nowhere = -1;

  // --- what may stay; its level: how many loops are around the innermost reduction that it is made of ---

  void find(const ir::Region& region, int depth) {
    for (const ir::Operation& operation : region.operations) {
      const bool loop = ir::is_loop(operation);
      for (const ir::Region& inner : operation.regions) find(inner, depth + loop);
      if (operation.kind == ir::Kind::if_) branch(operation);
      if (loop) carried(operation, depth);
      if (operation.kind == ir::Kind::apply) apply(operation, depth);
    }
  }

  void apply(const ir::Operation& operation, int depth) {
    const Id result = operation.results[0];
    if (!is_number(graph_, result)) return;
    if (gives_device_number(graph_, operation)) return note(result, Kind::reduced, depth, operation.place);
    int level = nowhere;
    for (const Value& operand : operation.args) level = std::max(level, level_of(operand));
    if (level == nowhere || !is_number_operation(graph_, operation) || weigh(graph_, operation).fails) return;
    note(result, Kind::computed, level, operation.place);
  }

  void branch(const ir::Operation& operation) {
    for (size_t k = 0; k < operation.results.size(); ++k) {
      const Id result = operation.results[k];
      const Value &a = operation.regions[0].results[k], &b = operation.regions[1].results[k];
      if (is_number(graph_, result) && like(result, a) && like(result, b))
        note(result, Kind::carried, std::max(level_of(a), level_of(b)), operation.place);
    }
  }

  void carried(const ir::Operation& operation, int depth) {
    const ir::Region& body = operation.regions.back();
    for (size_t k = 0; k < operation.results.size(); ++k) {
      const Id result = operation.results[k];
      const size_t argument = k + ir::leading(operation);
      const Value& next = body.results[k];
      if (!is_number(graph_, result) || !like(result, next) || !like(result, operation.args[argument])) continue;
      if (level_of(next) <= depth) continue;
      note(result, Kind::carried, depth, operation.place);
      note(body.parameters[argument], Kind::carried, depth, operation.place);
      if (operation.kind == ir::Kind::while_)
        note(operation.regions[0].parameters[k], Kind::carried, depth, operation.place);
    }
  }

  bool like(Id id, const Value& value) const {
    return is_number(graph_, value) && dtype_of(graph_, value) == graph_.values[id].type.dtype;
  }
  int level_of(const Value& value) const { return is_symbol(value) ? levels_[id_of(value)] : nowhere; }
  void note(Id id, Kind kind, int level, uint32_t place) {
    if (level <= levels_[id]) return;
    levels_[id] = level;
    found_.kinds_[id] = kind;
    found_.places_[id] = place;
    changed_ = true;
  }

  // --- what is wanted there ---

  void want(const Value& value) {
    if (is_symbol(value)) wanted_[id_of(value)] = true;
  }
  void want_all(const std::vector<Value>& values) {
    for (const Value& value : values) ir::each_symbol(value, [&](Id id) { wanted_[id] = true; });
  }

  void want(const ir::Region& region) {
    for (size_t i = region.operations.size(); i-- > 0;) {
      const ir::Operation& operation = region.operations[i];
      want_carried(operation);
      for (size_t inner = operation.regions.size(); inner-- > 0;) want(operation.regions[inner]);
      if (operation.kind != ir::Kind::apply) continue;
      Kind& kind = found_.kinds_[operation.results[0]];
      if (kind == Kind::computed && !wanted_[operation.results[0]]) kind = Kind::here;
      if (kind == Kind::computed || is_elementwise(graph_, operation)) want_all(operation.args);
      if (operation.entry == &ops::stack_entry()) want_all(operation.rest);
      if (operation.entry == &ops::broadcast_to_entry()) want(operation.args[0]);
    }
  }

  void want_carried(const ir::Operation& operation) {
    for (size_t k = 0; k < operation.results.size(); ++k) {
      if (found_.kinds_[operation.results[k]] != Kind::carried) continue;
      for (const ir::Region& region : operation.regions) {
        if (operation.kind != ir::Kind::while_ || &region != &operation.regions[0]) want(region.results[k]);
      }
      if (ir::is_loop(operation)) want(operation.args[k + ir::leading(operation)]);
    }
  }

  const ir::Graph& graph_;
  DeviceNumbers& found_;
  std::vector<int> levels_;   // by value
  std::vector<bool> wanted_;  // the same
  bool changed_ = false;
};

DeviceNumbers::DeviceNumbers(const ir::Graph& graph) { Finder(graph, *this).run(); }

}  // namespace covec::loops
