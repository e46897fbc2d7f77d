#include "jit/passes/scalar_choice.hpp"

#include <algorithm>

#include "jit/passes/analysis/costs.hpp"
#include "jit/passes/analysis/iterations.hpp"
#include "jit/passes/scalar_needs.hpp"

namespace covec::passes {

using namespace ir;

namespace {

using namespace costs;

// In nanoseconds, too: an operation that is part of another's kernel; an element carried from one iteration to the
// next.
constexpr double fused_operation = 3, carry = 0.5;
constexpr double change_in_place = 2;           // of an element
constexpr double max_iterations_of_nest = 1e6;  // as many as any nest counts for
// A product in an adjoint is written twice, the second time with four instructions in place of one (ScalarWriter).
constexpr double repaired_product = 5;

// Elements that are picked are what they were before.
double instructions_of(const Recipe& recipe) {
  const auto computed = [&](const std::vector<Recipe::Part>& parts) {
    return recipe.kind == Recipe::Kind::add ? parts.size() == 2 : recipe.kind != Recipe::Kind::pick;
  };
  return recipe.instructions * static_cast<double>(std::ranges::count_if(recipe.elements, computed));
}

// Whether there are more elements than make up for the time to compile them where they are computed once.
bool is_long(const Type& type) {
  constexpr int64_t max_once = 16;  // elements
  return type.shape.known() && elements_of(type.shape) > max_once;
}

bool takes_tensors(Kind kind) {
  return kind == Kind::apply || kind == Kind::box || kind == Kind::call || kind == Kind::interpret ||
         kind == Kind::pause || kind == Kind::invoke;
}

bool is_call(Recipe::Kind kind) {
  switch (kind) {
    case Recipe::Kind::lanes:
    case Recipe::Kind::in_order:
    case Recipe::Kind::dot:
    case Recipe::Kind::draw:
    case Recipe::Kind::chain:
    case Recipe::Kind::unless_zero:
    case Recipe::Kind::extreme: return true;
    default: return false;
  }
}

}  // namespace

void ScalarChoice::make() {
  find(graph_.body, nullptr);
  if (nothing()) return;
  weigh(graph_.body, 1);
  sets_.choose();
  for (auto it = recipes_.begin(); it != recipes_.end();) it = goes(it->second) ? std::next(it) : recipes_.erase(it);
  std::erase_if(changes_, [&](const auto& each) { return !goes_by_elements(each.second); });
  std::erase_if(choices_, [&](const auto& each) { return !goes_by_choice(*each.first, each.second); });
  whole_ = ScalarNeeds(graph_, *this).find();
}

const Recipe* ScalarChoice::recipe(const Operation& operation) const {
  const auto found = recipes_.find(&operation);
  return found == recipes_.end() ? nullptr : &found->second.recipe;
}

const Recipe* ScalarChoice::change(const Operation& operation) const {
  const auto found = changes_.find(&operation);
  return found == changes_.end() ? nullptr : &found->second;
}

const IndexChoice* ScalarChoice::index(const Operation& operation) const {
  const auto found = choices_.find(&operation);
  return found == choices_.end() ? nullptr : &found->second;
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

void ScalarChoice::find(Region& region, const Operation* loop) {
  for (const Id id : region.parameters) sets_[id].loop = loop;
  for (Operation& operation : region.operations) {
    for (const Id id : operation.results) sets_[id].loop = loop;
    for (Region& inner : operation.regions) find(inner, is_loop(operation) ? &operation : loop);
    if (is_loop(operation))
      find_carried(operation);
    else if (operation.kind == Kind::if_)
      find_joined(operation);
    else if (operation.kind == Kind::push || operation.kind == Kind::pop)
      find_stack(operation);
    else if (operation.kind == Kind::undefined)
      sets_[operation.results[0]].candidate = small(operation.results[0]);
    else if (operation.kind == Kind::pause)
      find_given(operation);
    else if (operation.kind == Kind::apply)
      find_made(operation, loop);
  }
  if (&region == &graph_.body) join_stacks();
}

void ScalarChoice::find_made(const Operation& operation, const Operation* loop) {
  find_index(operation, loop);
  std::optional<Recipe> recipe;
  if (loop != nullptr || !is_long(graph_.values[operation.results[0]].type))
    recipe = recipe_of(graph_, evaluator_, operation);
  if (!recipe) {
    if (std::optional<Recipe> change = change_of(graph_, evaluator_, operation))
      changes_.emplace(&operation, std::move(*change));
    return;
  }
  const Id result = operation.results[0];
  Made made{std::move(*recipe), result, {}};
  for (const Value& source : made.recipe.sources) {
    if (!is_symbol(source) || !small(id_of(source))) continue;
    if (!made.of || sets_[id_of(source)].candidate) made.of = id_of(source);
  }
  const bool number = graph_.values[result].type.shape.empty();
  if (number && (!made.of || made.recipe.kind == Recipe::Kind::pointwise)) return;
  sets_[result].candidate = !number;
  sets_[result].pointwise = made.recipe.kind == Recipe::Kind::pointwise;
  recipes_.emplace(&operation, std::move(made));
}

// A tensor that is made outside of the loop is put together there, once: its elements are read from memory.
void ScalarChoice::find_index(const Operation& operation, const Operation* loop) {
  std::optional<IndexChoice> index = index_choice(graph_, evaluator_, operation);
  if (!index || (index->reads && sets_[id_of(operation.args[0])].loop != loop)) return;
  if (!index->reads) sets_.join({operation.results[0]}, {operation.args[0]});
  choices_.emplace(&operation, std::move(*index));
}

void ScalarChoice::find_carried(const Operation& operation) {
  const Region& body = operation.regions.back();
  for (size_t k = 0; k < operation.results.size(); ++k) {
    const Id result = operation.results[k], inside = body.parameters[k + leading(operation)];
    sets_[result].conditional = sets_[inside].conditional = true;
    const Value& first = operation.args[k + leading(operation)];
    if (!small(result) || !alike(first, inside) || !alike(body.results[k], result)) continue;
    if (graph_.values[inside].type != graph_.values[result].type) continue;
    sets_.join({result, inside}, {first, body.results[k]});
    if (operation.kind == Kind::while_) sets_.join({result, operation.regions[0].parameters[k]}, {});
  }
}

void ScalarChoice::find_joined(const Operation& operation) {
  for (size_t k = 0; k < operation.results.size(); ++k) {
    const Id result = operation.results[k];
    const Value &a = operation.regions[0].results[k], &b = operation.regions[1].results[k];
    sets_[result].conditional = true;
    if (small(result) && alike(a, result) && alike(b, result)) sets_.join({result}, {a, b});
  }
}

// Cotangents, of which some may be absent.
void ScalarChoice::find_given(const Operation& pause) {
  for (const Id id : pause.results) sets_[id].conditional = true;
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
    if (stack.fits) sets_.join(stack.popped, stack.pushed);
  }
}

void ScalarChoice::weigh(Region& region, double times) {
  for (Operation& operation : region.operations) {
    const double repeated =
        is_loop(operation) ? std::min(times * iterations_of(operation), max_iterations_of_nest) : times;
    if (is_loop(operation)) weigh_carried(operation, repeated);
    for (Region& inner : operation.regions) weigh(inner, repeated);
    const auto made = recipes_.find(&operation);
    const IndexChoice* const index = this->index(operation);
    if (index != nullptr) weigh_index(operation, *index, times);
    if (made != recipes_.end()) {
      weigh(made->second, region, times);
      if (made->second.recipe.kind == Recipe::Kind::part && index == nullptr) weigh_whole(operation.args[0], times);
    } else if (const Recipe* written = change(operation)) {
      if (index == nullptr) weigh_whole(operation.args[0], times);
      weigh_change(operation, *written, times);
    } else if (operation.kind == Kind::push) {
      each_symbol(operation.args[0], [&](Id id) { sets_.add(id, kept * times); });
    } else if (operation.kind == Kind::pop) {
      sets_.add(operation.results[0], kept * times);
    } else if (takes_tensors(operation.kind) && index == nullptr) {
      each_operand_of(operation, [&](const Value& value) { weigh_whole(value, times); });
    }
  }
  if (&region != &graph_.body) return;
  for (const Value& result : region.results) each_symbol(result, [&](Id id) { sets_.add(id, -launch); });
  sets_.link_joined();
  for (const auto& [operation, made] : recipes_) {
    for (const Value& source : made.recipe.sources) {
      if (is_symbol(source) && small(id_of(source))) sets_.link(at(made), id_of(source));
    }
  }
}

void ScalarChoice::weigh(const Made& made, const Region& region, double times) {
  const bool number = !sets_[made.result].candidate;
  const double instructions = instructions_of(made.recipe);
  double gain = -instruction * instructions * times;
  if (number && made.recipe.kind == Recipe::Kind::pick) return sets_.add(at(made), load * times);
  const bool part = made.recipe.kind == Recipe::Kind::part;
  if (part) gain -= load * static_cast<double>(made.recipe.elements.size()) * times;
  const bool pointwise = made.recipe.kind == Recipe::Kind::pointwise;
  bool views = part || (made.recipe.kind == Recipe::Kind::pick && made.recipe.sources.size() == 1), fused = false;
  for (const Value& source : made.recipe.sources) {
    if (!is_symbol(source) || !small(id_of(source))) continue;
    const ScalarSets::Node& node = sets_[id_of(source)];
    fused |= pointwise && (node.pointwise || node.kernel == &region);
    if (!node.candidate) gain -= load * static_cast<double>(made.recipe.elements.size()) * times;
  }
  for (const Value& source : made.recipe.sources) {
    if (pointwise && is_symbol(source)) sets_[id_of(source)].kernel = &region;
  }
  const bool system = made.recipe.kind == Recipe::Kind::system;
  gain += (views                       ? view
           : fused                     ? fused_operation
           : system                    ? system_call
           : is_call(made.recipe.kind) ? call
                                       : launch) *
          times;
  sets_.add(at(made), gain, instructions * (made.recipe.zeros != 0 ? repaired_product : 1));
}

void ScalarChoice::weigh_carried(const Operation& loop, double times) {
  for (const Id id : loop.results) {
    if (small(id)) sets_.add(id, -carry * static_cast<double>(elements_of(graph_.values[id].type.shape)) * times);
  }
}

void ScalarChoice::weigh_whole(const Value& value, double times) {
  each_symbol(value, [&](Id id) { sets_.add(id, -launch * times); });
}

void ScalarChoice::weigh_change(const Operation& operation, const Recipe& recipe, double times) {
  if (is_symbol(operation.args[1]))
    sets_.add(id_of(operation.args[1]), (call - load * static_cast<double>(recipe.elements.size())) * times);
}

void ScalarChoice::weigh_index(const Operation& operation, const IndexChoice& index, double times) {
  const double instructions = index.instructions(), spent = -instruction * instructions;
  if (index.reads) return sets_.add(id_of(operation.args[0]), spent * times, instructions);
  const auto elements = static_cast<double>(index.index.places.size());
  const Id result = operation.results[0];
  sets_.add(result, (change_in_place * elements + spent) * times, instructions);
  each_symbol(operation.args[1], [&](Id id) {
    if (small(id)) sets_.read(result, id);
  });
}

bool ScalarChoice::goes(const Made& made) const {
  return sets_[made.result].chosen || (!sets_[made.result].candidate && sets_[*made.of].chosen);
}

// A tensor that is not among the candidates is in memory anyway, from where its elements are moved. The elements of
// one that stays although it is a candidate are written where they go by what computes them (loops/coalesce.hpp).
bool ScalarChoice::goes_by_elements(const Recipe& change) const {
  const Value& value = change.sources[0];
  if (!is_symbol(value)) return true;
  const ScalarSets::Node& node = sets_[id_of(value)];
  return node.candidate ? node.chosen : !node.conditional || !small(id_of(value));
}

bool ScalarChoice::goes_by_choice(const Operation& operation, const IndexChoice& index) const {
  const Id result = operation.results[0];
  if (!index.reads) return sets_[result].chosen;
  return chosen(operation.args[0]) && (sets_[result].chosen || graph_.values[result].type.shape.empty());
}

bool ScalarChoice::stack_goes(const Operation& operation) const {
  const Stack& stack = stacks_[static_cast<size_t>(operation.number)];
  return stack.fits && chosen(stack.popped[0]);
}

}  // namespace covec::passes
