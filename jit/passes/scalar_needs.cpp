#include "jit/passes/scalar_needs.hpp"

namespace covec::passes {

using namespace ir;

std::vector<bool> ScalarNeeds::find() {
  need(graph_.body);
  return std::move(whole_);
}

void ScalarNeeds::need_whole(const Value& value) {
  each_symbol(value, [&](Id id) { whole_[id] = true; });
}

// The tensor in memory whose elements are read or written, and the numbers that name them.
void ScalarNeeds::need_part(const Operation& operation) {
  need_whole(operation.args[0]);
  for (const Value& number : operation.rest) need_whole(number);
}

void ScalarNeeds::need(Region& region) {
  for (Operation& operation : region.operations) {
    for (Region& inner : operation.regions) need(inner);
    if (choice_.index(operation) != nullptr) {
      for (const Value& number : operation.rest) need_whole(number);
      continue;
    }
    if (const Recipe* made = choice_.recipe(operation); made != nullptr || choice_.change(operation) != nullptr) {
      if (made == nullptr || made->kind == Recipe::Kind::part) need_part(operation);
      continue;
    }
    if (is_loop(operation))
      need_carried(operation);
    else if (operation.kind == Kind::if_)
      need_joined(operation);
    else if (operation.kind == Kind::push)
      carry(operation.args[0], choice_.stack_goes(operation));
    else
      each_operand_of(operation, [&](const Value& value) { need_whole(value); });
  }
  if (&region == &graph_.body) {
    for (const Value& result : region.results) need_whole(result);
  }
}

void ScalarNeeds::carry(const Value& value, bool as_numbers) {
  if (!as_numbers) need_whole(value);
}

void ScalarNeeds::need_carried(const Operation& operation) {
  const Region& body = operation.regions.back();
  for (size_t i = 0; i < leading(operation); ++i) need_whole(operation.args[i]);
  if (operation.kind == Kind::while_) need_whole(operation.regions[0].results[0]);
  if (operation.exits) need_whole(body.results.back());
  for (size_t k = 0; k < operation.results.size(); ++k) {
    carry(operation.args[k + leading(operation)], choice_.chosen(operation.results[k]));
    carry(body.results[k], choice_.chosen(operation.results[k]));
  }
}

void ScalarNeeds::need_joined(const Operation& operation) {
  need_whole(operation.args[0]);
  for (const Region& path : operation.regions) {
    for (size_t k = 0; k < operation.results.size(); ++k) carry(path.results[k], choice_.chosen(operation.results[k]));
  }
}

}  // namespace covec::passes
