#include "jit/lower/active.hpp"

#include <algorithm>

#include "stdlib/autodiff/sweep.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ir {

ActiveWalk::ActiveWalk(Stager& stager)
    : stager_(stager), scope_(stager.context(), TraceKind::tape), tape_(stager.pool()) {
  scope_.open().tape = &tape_;
}

Value ActiveWalk::input(Value symbol, uint32_t number) {
  if (number > inputs_.size()) inputs_.push_back({tape_.add_input(), logical_type(symbol)});
  return autodiff::make_tape(scope_.level(), std::move(symbol), inputs_[number - 1].number);
}

void ActiveWalk::see_leaf(const Value& leaf, ActiveNodes& active) {
  if (is_symbol(leaf) && stager_.graph_.values[id_of(leaf)].boxed)
    not_staged("a result of a type that only the run knows");
  uint32_t& number = active.leaves.emplace_back(0);
  if (!autodiff::is_traced_at(leaf, scope_.level())) return;
  const uint32_t node = leaf.traced().node;
  for (const std::vector<Node>* nodes : {&inputs_, &results_}) {
    for (const Node& known : *nodes) {
      ++number;
      if (known.number == node) return;
    }
  }
  ++number;
  results_.push_back({node, logical_type(leaf)});
}

void ActiveWalk::pause(const Value& given, std::vector<Value>& cotangents) {
  Operation operation;
  operation.kind = Kind::pause;
  operation.args = {given};
  const auto cotangent = [&](const Node& node) { return stager_.result_of(operation, node.type); };
  const auto perhaps = [&](const Node& node) {
    const Value whether = stager_.result_of(operation, Type{Dtype::boolean, {}});
    Value& held = cotangents[node.number];
    held = Value::unbound();
    stager_.maybes_[&held] = {cotangent(node), whether};
  };
  if (results_.size() == 1) {
    cotangents[results_[0].number] = cotangent(results_[0]);
  } else {
    for (const Node& node : results_) perhaps(node);
  }
  for (const Node& node : inputs_) perhaps(node);
  stager_.append(std::move(operation));
}

// Adds: whether there is a cotangent, and it.
void ActiveWalk::add_swept(std::vector<Value>& sums, std::vector<Value>& cotangents, const Node& node) {
  Value& cotangent = cotangents[node.number];
  Value value, whether;
  if (cotangent.is_unbound() && stager_.defined(&cotangent, value, whether)) {
    stager_.forget(&cotangent, 1);
  } else {
    whether = Value(!cotangent.is_none() && !cotangent.is_unbound());
    value = cotangent.is_unbound() ? Value() : cotangent;
  }
  sums.push_back(std::move(whether));
  sums.push_back(std::move(value));
}

ActiveNodes ActiveWalk::finish(const Value& result) {
  ActiveNodes active;
  autodiff::map_deep(result, [&](const Value& leaf) {
    see_leaf(leaf, active);
    return leaf;
  });
  active.inputs = static_cast<uint32_t>(inputs_.size());
  active.results = static_cast<uint32_t>(results_.size());
  const Value given = autodiff::strip(result, scope_.level());
  scope_.close();
  std::vector<Value> cotangents(tape_.nodes() + 1);
  pause(given, cotangents);
  autodiff::sweep(stager_, tape_, cotangents, autodiff::SweepOptions{.consume = true});
  std::vector<Value> sums;
  for (const Node& node : inputs_) add_swept(sums, cotangents, node);
  stager_.forget(cotangents.data(), cotangents.size());
  stager_.finish(make_tuple(std::move(sums)));
  return active;
}

}  // namespace covec::ir
