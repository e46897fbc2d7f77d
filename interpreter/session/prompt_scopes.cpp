#include "interpreter/session/prompt_scopes.hpp"

#include <algorithm>

namespace covec {

Module& PromptScopes::open(const std::string& name, const std::string& file) {
  Module& scope = *scopes_.emplace_back(std::make_unique<Module>(name, file));
  scope.state = Module::State::running;
  return scope;
}

void PromptScopes::close(Module& scope) {
  scope.state = Module::State::done;
  if (!units_.has_closures_of(scope)) scope.globals.clear();
}

void PromptScopes::forget_unused() {
  std::erase_if(scopes_,
                [&](const auto& scope) { return scope->state == Module::State::done && !units_.has_units_of(*scope); });
}

void PromptScopes::clear() {
  for (const auto& scope : scopes_) scope->globals.clear();
}

}  // namespace covec
