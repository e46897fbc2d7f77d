// Records what is known of each value while a pass walks over a graph. This is its replacement, the operation that
// gives it, whether it is visible here, and its type with canonical extents. Start at now().
#pragma once

#include "jit/ir/graph.hpp"
#include "jit/passes/analysis/extents.hpp"

namespace covec::passes {

class KnownValues {
 public:
  explicit KnownValues(ir::Graph& graph) : graph_(graph), values_(graph.values.size()), extents_(graph, *this) {}

  // What stands for a value now: a Symbol or a constant.
  Value now(ir::Id id) const { return values_[id].now.is_unbound() ? graph_.symbol(id) : values_[id].now; }
  bool is_itself(ir::Id id) const { return values_[id].now.is_unbound(); }
  bool visible(ir::Id id) const { return values_[id].visible; }
  bool visible(const Value& value) const;  // all that it mentions
  // The operation that gives a value; nullptr for constants and parameters.
  const ir::Operation* maker(const Value& value) const {
    return ir::is_symbol(value) ? values_[ir::id_of(value)].maker : nullptr;
  }
  const ir::Operation* maker(const Value& value, const ops::Entry& entry) const;
  bool is_boxed(const Value& value) const { return ir::is_symbol(value) && graph_.values[ir::id_of(value)].boxed; }
  Type type(const Value& value) const;
  bool same_type(const Value& a, const Value& b);
  // The number that fills a tensor (or is the number): a constant or a Symbol. Unbound when there is none.
  Value filling(const Value& value) const;
  Extents& extents() { return extents_; }

  void resolve(Value& value) const;
  // From here on `by` stands for the value.
  void replace(ir::Id id, Value by);
  // While a scope lasts: what stood for the value is given back.
  Value exchange(ir::Id id, Value by) { return std::exchange(values_[id].now, std::move(by)); }
  void grow() { values_.resize(graph_.values.size()); }  // values have been added to the graph
  // The value is visible from here to the end of the scope.
  void define(ir::Id id, const ir::Operation* maker);
  // Extents of a value, where they say more than what is known.
  void take_extents(ir::Id id, const Shape& from);

  struct Scope {
    size_t defined, equal;
  };
  Scope open() const { return {defined_.size(), extents_.mark()}; }
  void close(const Scope& scope);

 private:
  struct Known {
    Value now = Value::unbound();  // unbound: itself
    const ir::Operation* maker = nullptr;
    bool visible = false;
  };
  void retype(ir::Id id);

  ir::Graph& graph_;
  std::vector<Known> values_;
  Extents extents_;
  std::vector<ir::Id> defined_;  // in the open scopes, in order
};

// One value of the graph, or one constant, bit by bit.
bool same_operand(const Value& a, const Value& b);

}  // namespace covec::passes
