#include "jit/passes/analysis/scalar_sets.hpp"

namespace covec::passes {

using namespace ir;

namespace {

// An instruction takes some five microseconds to compile (measured): its share for each of five thousand calls.
constexpr double compilation = 1;
constexpr double never = 1e30;
constexpr double max_instructions = 4096;  // of values that hang together: code takes time to make

}  // namespace

void ScalarSets::join(const std::vector<Id>& own, const std::vector<Value>& others) {
  for (const Id id : own) {
    nodes_[id].candidate = true;
    joined_.emplace_back(own[0], id);
  }
  for (const Value& value : others) {
    if (is_symbol(value)) joined_.emplace_back(own[0], id_of(value));
  }
}

Id ScalarSets::leader_of(Id id) {
  while (nodes_[id].leader != id) id = nodes_[id].leader = nodes_[nodes_[id].leader].leader;
  return id;
}

void ScalarSets::read(Id id, Id value) {
  if (!nodes_[value].candidate && nodes_[value].conditional) add(id, -never);
}

void ScalarSets::link_joined() {
  for (const auto& [a, b] : joined_) link(a, b);
}

void ScalarSets::link(Id a, Id b) {
  read(a, b);
  if (!nodes_[a].candidate || !nodes_[b].candidate) return;
  const Id to = leader_of(a), from = leader_of(b);
  if (to != from) nodes_[from].leader = to;
}

void ScalarSets::choose() {
  for (const Gain& each : gains_) {
    if (!nodes_[each.id].candidate) continue;
    Node& leader = nodes_[leader_of(each.id)];
    leader.gain += each.gain;
    leader.instructions += each.instructions;
  }
  for (Node& node : nodes_) {
    const Node& set = nodes_[leader_of(node.leader)];
    const bool is_profitable = set.gain > compilation * set.instructions && set.instructions <= max_instructions;
    node.chosen = node.candidate && is_profitable;
  }
}

}  // namespace covec::passes
