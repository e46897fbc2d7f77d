#include "jit/passes/scalar_choice.hpp"

#include <algorithm>
#include <cmath>

namespace covec::passes {

using namespace ir;

namespace {

// What things take, in nanoseconds, roughly: of a tensor, and of a number.
constexpr double launch = 25, product = 150, fused_operation = 3, view = 15, load = 1, instruction = 0.5;
constexpr double iterations_of_a_loop = 8;
constexpr double never = 1e30;
constexpr double max_instructions = 4096;  // of values that hang together: code takes time to make

}  // namespace

void ScalarChoice::make() {
  find(graph_.body);
  if (recipes_.empty()) return;
  weigh(graph_.body, 0);
  for (Node& node : nodes_) node.chosen = node.candidate && is_profitable(leader_of(node.leader));
  for (auto it = recipes_.begin(); it != recipes_.end();) it = goes(it->second) ? std::next(it) : recipes_.erase(it);
  need(graph_.body);
}

const Recipe* ScalarChoice::recipe(const Operation& operation) const {
  const auto found = recipes_.find(&operation);
  return found == recipes_.end() ? nullptr : &found->second.recipe;
}

bool ScalarChoice::small(Id id) const {
  const ValueInfo& info = graph_.values[id];
  return !info.boxed && !info.type.shape.empty() && is_small(info.type);
}

bool ScalarChoice::alike(const Value& value, Id id) const {
  const Type& type = graph_.values[id].type;
  if (!is_symbol(value)) return value.is_numeric() && logical_type(value) == type;
  const ValueInfo& info = graph_.values[id_of(value)];
  return !info.boxed && info.type == type;
}

void ScalarChoice::find(Region& region) {
  for (Operation& operation : region.operations) {
    for (Region& inner : operation.regions) find(inner);
    if (is_loop(operation))
      find_carried(operation);
    else if (operation.kind == Kind::if_)
      find_joined(operation);
    else if (operation.kind == Kind::push || operation.kind == Kind::pop)
      find_stack(operation);
    else if (operation.kind == Kind::undefined)
      nodes_[operation.results[0]].candidate = small(operation.results[0]);
    else if (operation.kind == Kind::pause)
      find_given(operation);
    else
      find_made(operation);
  }
  if (&region == &graph_.body) join_stacks();
}

void ScalarChoice::find_made(const Operation& operation) {
  std::optional<Recipe> recipe = recipe_of(graph_, evaluator_, operation);
  if (!recipe) return;
  const Id result = operation.results[0];
  Made made{std::move(*recipe), result, {}};
  for (const Value& source : made.recipe.sources) {
    if (!is_symbol(source) || !small(id_of(source))) continue;
    if (!made.of || nodes_[id_of(source)].candidate) made.of = id_of(source);
  }
  const bool number = graph_.values[result].type.shape.empty();
  if (number && (!made.of || made.recipe.kind == Recipe::Kind::pointwise)) return;
  nodes_[result].candidate = !number;
  nodes_[result].pointwise = made.recipe.kind == Recipe::Kind::pointwise;
  recipes_.emplace(&operation, std::move(made));
}

void ScalarChoice::find_carried(const Operation& operation) {
  const Region& body = operation.regions.back();
  for (size_t k = 0; k < operation.results.size(); ++k) {
    const Id result = operation.results[k], inside = body.parameters[k + leading(operation)];
    nodes_[result].conditional = nodes_[inside].conditional = true;
    const Value& first = operation.args[k + leading(operation)];
    if (!small(result) || !alike(first, inside) || !alike(body.results[k], result)) continue;
    if (graph_.values[inside].type != graph_.values[result].type) continue;
    candidates({result, inside}, {first, body.results[k]});
    if (operation.kind == Kind::while_) candidates({result, operation.regions[0].parameters[k]}, {});
  }
}

void ScalarChoice::find_joined(const Operation& operation) {
  for (size_t k = 0; k < operation.results.size(); ++k) {
    const Id result = operation.results[k];
    const Value &a = operation.regions[0].results[k], &b = operation.regions[1].results[k];
    nodes_[result].conditional = true;
    if (small(result) && alike(a, result) && alike(b, result)) candidates({result}, {a, b});
  }
}

// Cotangents, of which some may be absent.
void ScalarChoice::find_given(const Operation& pause) {
  for (const Id id : pause.results) nodes_[id].conditional = true;
}

void ScalarChoice::find_stack(const Operation& operation) {
  Stack& stack = stacks_[static_cast<size_t>(operation.number)];
  if (operation.kind == Kind::push)
    stack.pushed.push_back(operation.args[0]);
  else
    stack.popped.push_back(operation.results[0]);
}

void ScalarChoice::join_stacks() {
  for (Stack& stack : stacks_) {
    stack.fits = !stack.popped.empty() && small(stack.popped[0]);
    for (const Id id : stack.popped)
      stack.fits = stack.fits && graph_.values[id].type == graph_.values[stack.popped[0]].type;
    for (const Value& value : stack.pushed) stack.fits = stack.fits && alike(value, stack.popped[0]);
    if (stack.fits) candidates(stack.popped, stack.pushed);
  }
}

void ScalarChoice::candidates(const std::vector<Id>& own, const std::vector<Value>& others) {
  for (const Id id : own) {
    nodes_[id].candidate = true;
    linked_.emplace_back(own[0], id);
  }
  for (const Value& value : others) {
    if (is_symbol(value)) linked_.emplace_back(own[0], id_of(value));
  }
}

Id ScalarChoice::leader_of(Id id) {
  while (nodes_[id].leader != id) id = nodes_[id].leader = nodes_[nodes_[id].leader].leader;
  return id;
}

void ScalarChoice::link(Id a, Id b) {
  if (!nodes_[b].candidate && nodes_[b].conditional) add(a, -never);  // an element could not be read
  if (!nodes_[a].candidate || !nodes_[b].candidate) return;
  const Id to = leader_of(a), from = leader_of(b);
  if (to == from) return;
  nodes_[from].leader = to;
}

void ScalarChoice::weigh(Region& region, unsigned depth) {
  const double times = std::pow(iterations_of_a_loop, std::min(depth, 6u));
  for (Operation& operation : region.operations) {
    for (Region& inner : operation.regions) weigh(inner, depth + (is_loop(operation) ? 1 : 0));
    const auto made = recipes_.find(&operation);
    if (made != recipes_.end()) {
      weigh(made->second, times);
    } else if (operation.kind == Kind::apply || operation.kind == Kind::box || operation.kind == Kind::call ||
               operation.kind == Kind::interpret || operation.kind == Kind::pause || operation.kind == Kind::invoke) {
      each_operand_of(operation,
                      [&](const Value& value) { each_symbol(value, [&](Id id) { add(id, -launch * times); }); });
    }
  }
  if (&region != &graph_.body) return;
  for (const Value& result : region.results) each_symbol(result, [&](Id id) { add(id, -launch); });
  for (const auto& [a, b] : linked_) link(a, b);
  for (const auto& [operation, made] : recipes_) {
    for (const Value& source : made.recipe.sources) {
      if (is_symbol(source) && small(id_of(source))) link(at(made), id_of(source));
    }
  }
  for (const Gain& each : gains_) {
    if (!nodes_[each.id].candidate) continue;
    Node& leader = nodes_[leader_of(each.id)];
    leader.gain += each.gain;
    leader.instructions += each.instructions;
  }
}

void ScalarChoice::weigh(const Made& made, double times) {
  const bool number = !nodes_[made.result].candidate;
  const double instructions = made.recipe.instructions * static_cast<double>(made.recipe.elements.size());
  double gain = -instruction * instructions * times;
  if (number && made.recipe.kind == Recipe::Kind::pick) return add(at(made), load * times);
  bool views = made.recipe.kind == Recipe::Kind::pick && made.recipe.sources.size() == 1, fused = false;
  for (const Value& source : made.recipe.sources) {
    if (!is_symbol(source) || !small(id_of(source))) continue;
    const Node& node = nodes_[id_of(source)];
    fused |= node.pointwise && made.recipe.kind == Recipe::Kind::pointwise;
    if (!node.candidate) gain -= load * static_cast<double>(made.recipe.elements.size()) * times;
  }
  const bool multiplies = made.recipe.kind == Recipe::Kind::chain || made.recipe.kind == Recipe::Kind::dot;
  gain += (views ? view : fused ? fused_operation : multiplies ? product : launch) * times;
  add(at(made), gain, instructions);
}

bool ScalarChoice::is_profitable(Id leader) const {
  return nodes_[leader].gain > 0 && nodes_[leader].instructions <= max_instructions;
}

bool ScalarChoice::goes(const Made& made) const {
  return nodes_[made.result].chosen || (!nodes_[made.result].candidate && nodes_[*made.of].chosen);
}

void ScalarChoice::need_whole(const Value& value) {
  each_symbol(value, [&](Id id) { nodes_[id].whole = true; });
}

void ScalarChoice::need(Region& region) {
  for (Operation& operation : region.operations) {
    for (Region& inner : operation.regions) need(inner);
    if (recipe(operation) != nullptr) continue;
    if (is_loop(operation))
      need_carried(operation);
    else if (operation.kind == Kind::if_)
      need_joined(operation);
    else if (operation.kind == Kind::push)
      carry(operation.args[0], stack_goes(operation));
    else
      each_operand_of(operation, [&](const Value& value) { need_whole(value); });
  }
  if (&region == &graph_.body) {
    for (const Value& result : region.results) need_whole(result);
  }
}

void ScalarChoice::carry(const Value& value, bool as_numbers) {
  if (!as_numbers) need_whole(value);
}

void ScalarChoice::need_carried(const Operation& operation) {
  const Region& body = operation.regions.back();
  for (size_t i = 0; i < leading(operation); ++i) need_whole(operation.args[i]);
  if (operation.kind == Kind::while_) need_whole(operation.regions[0].results[0]);
  if (operation.exits) need_whole(body.results.back());
  for (size_t k = 0; k < operation.results.size(); ++k) {
    carry(operation.args[k + leading(operation)], chosen(operation.results[k]));
    carry(body.results[k], chosen(operation.results[k]));
  }
}

void ScalarChoice::need_joined(const Operation& operation) {
  need_whole(operation.args[0]);
  for (const Region& path : operation.regions) {
    for (size_t k = 0; k < operation.results.size(); ++k) carry(path.results[k], chosen(operation.results[k]));
  }
}

bool ScalarChoice::stack_goes(const Operation& operation) const {
  const Stack& stack = stacks_[static_cast<size_t>(operation.number)];
  return stack.fits && chosen(stack.popped[0]);
}

}  // namespace covec::passes
