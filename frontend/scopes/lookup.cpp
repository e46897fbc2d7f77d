// See lookup.hpp.
#include "frontend/scopes/lookup.hpp"

#include <algorithm>

#include "frontend/scopes/captures.hpp"

namespace covec::resolve {

using core::CaptureSource;

Found Lookup::find(FunctionScope& scope, std::string_view name) const {
  for (size_t i = scope.targets.size(); i-- > 0;) {
    if (scope.targets[i].name == name.data()) return {Found::Kind::target, scope.targets[i].slot, nullptr, nullptr};
  }
  const auto use = scope.uses.find(name.data());
  if (use != scope.uses.end()) use->second.read = true;
  if (scope.is_module()) return find_in_module(name);
  auto local = scope.locals.find(name.data());
  if (local != scope.locals.end() && local->second.slot < scope.visible_slots) {
    return {Found::Kind::local, local->second.slot, nullptr, nullptr};
  }
  if (scope.siblings != nullptr) {
    auto sibling = scope.siblings->find(name.data());
    if (sibling != scope.siblings->end()) return {Found::Kind::function, 0, nullptr, sibling->second};
  }
  bool itself = !scope.parent->is_module() && !name.empty() && scope.function->name.data() == name.data();
  if (itself) return {Found::Kind::function, 0, nullptr, &scope};
  Found outer = find(*scope.parent, name);
  bool of_slot = outer.kind == Found::Kind::local || outer.kind == Found::Kind::target;
  if (!of_slot && outer.kind != Found::Kind::capture) return outer;
  CaptureSource source{of_slot ? CaptureSource::From::local : CaptureSource::From::capture, outer.index};
  return {Found::Kind::capture, capture(scope, source, name), nullptr, nullptr};
}

Found Lookup::find_in_module(std::string_view name) const {
  auto slot = module_.slots.find(name);
  if (slot != module_.slots.end()) return {Found::Kind::global, slot->second, nullptr, nullptr};
  const Builtin* builtin = builtins_.find(name);
  if (builtin != nullptr) return {Found::Kind::builtin, 0, builtin, nullptr};
  return {};
}

std::optional<core::Slot> Lookup::assigned(const FunctionScope& scope, std::string_view name) const {
  if (scope.is_module()) {
    auto found = module_.slots.find(name);
    if (found == module_.slots.end()) return std::nullopt;
    return core::Slot{true, found->second};
  }
  auto found = scope.locals.find(name.data());
  if (found == scope.locals.end()) return std::nullopt;
  return core::Slot{false, found->second.slot};
}

std::vector<std::string_view> Lookup::own_names(const FunctionScope& scope) const {
  std::vector<std::string_view> out;
  for (const FunctionScope* s = &scope; s != nullptr; s = s->parent) {
    const auto named = std::ranges::subrange(s->slot_names.begin(),
                                             s->slot_names.begin() + std::min(s->named_slots, s->visible_slots));
    out.insert(out.end(), named.begin(), named.end());
    for (const LiveTarget& target : s->targets) out.push_back(s->slot_names[target.slot]);
  }
  out.insert(out.end(), module_.names.begin(), module_.names.end());
  return out;
}

std::vector<std::string_view> Lookup::visible_names(const FunctionScope& scope) const {
  std::vector<std::string_view> out = own_names(scope);
  std::vector<std::string_view> builtins = builtins_.names();
  out.insert(out.end(), builtins.begin(), builtins.end());
  return out;
}

bool Lookup::is_module(std::string_view name) const {
  const std::vector<std::string_view> modules = builtins_.modules();
  return std::ranges::find(modules, name) != modules.end();
}

std::string_view Lookup::module_with(std::string_view name) const {
  std::string_view only;
  for (const std::string_view module : builtins_.modules()) {
    if (!builtins_.module_has(module, name)) continue;
    if (!only.empty()) return {};
    only = module;
  }
  return only;
}

}  // namespace covec::resolve
