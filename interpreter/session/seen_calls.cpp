#include "interpreter/session/seen_calls.hpp"

#include <algorithm>

#include "interpreter/eval/interpreter.hpp"
#include "interpreter/session/prompt_scopes.hpp"
#include "stdlib/autodiff/level.hpp"
#include "stdlib/gate/effect_journal.hpp"

namespace covec {

SeenCalls::SeenCalls(Session& session, std::vector<SavedFrame> frames) : session_(session) {
  for (SavedFrame& frame : frames) calls_.emplace_back().frame = std::move(frame);
}

SeenCalls SeenCalls::of_error(Session& session, const CovecError& error) {
  return {session, session.interpreter().saved_frames().of(error.diagnostics.front())};
}

SeenCalls SeenCalls::of_breakpoint(Session& session) {
  const Span* const site = session.context().site;
  return {session, frames_from(session.interpreter().call_stack().innermost(), site != nullptr ? *site : Span())};
}

SeenCalls::~SeenCalls() {
  for (const Call& call : calls_) {
    if (call.scope != nullptr) session_.scopes().close(*call.scope);
  }
}

std::string SeenCalls::name(size_t call) const {
  const Closure* const closure = calls_[call].frame.closure();
  return closure != nullptr ? signature_of(closure->function) : "";
}

namespace {

// What control flow sees of it, in all examples of a vmap.
Value primal(const Value& value) {
  if (!value.is_object() || value.is_tensor()) return value;
  return autodiff::map_deep(value, [](const Value& leaf) {
    const Value* at = &leaf;
    while (at->is_traced()) at = &at->traced().primal;
    return *at;
  });
}

// No copy that has been changed: one cell, or the same object.
bool is_same(const Value& a, const Value& b) {
  if (a.tag() != b.tag()) return false;
  if (a.is_object()) return a.object() == b.object();
  return *static_cast<const int64_t*>(a.scalar_data()) == *static_cast<const int64_t*>(b.scalar_data());
}

SeenCalls::Variable::State state_of(const Value& slot) {
  using State = SeenCalls::Variable::State;
  return was_moved(slot) ? State::moved : slot.is_unbound() ? State::unassigned : State::held;
}

// The names of a module, each once, in the order of their definition.
std::vector<std::pair<std::string_view, uint32_t>> names_of(const Module& module) {
  std::vector<std::pair<std::string_view, uint32_t>> names(module.scope.slots.begin(), module.scope.slots.end());
  std::ranges::sort(names, {}, &std::pair<std::string_view, uint32_t>::second);
  return names;
}

}  // namespace

// As they were, where the module's import has failed with the error.
const Value* SeenCalls::globals_of(const SavedFrame& frame) const {
  const Module* const module = frame.source_unit->module;
  const auto text = std::ranges::find_if(calls_, [&](const Call& call) {
    const SavedFrame& other = call.frame;
    return other.closure() == nullptr && other.source_unit != nullptr && other.source_unit->module == module;
  });
  const bool is_gone = module->state == Module::State::failed && text != calls_.end();
  return is_gone ? text->frame.globals.data() : module->globals.data();
}

// Of a function those of its slots that have names, each once: a comprehension's variable hides what is called so
// around it, as long as it has a value. Of a module's text its names.
std::vector<SeenCalls::Variable> SeenCalls::variables(size_t call) const {
  const SavedFrame& frame = calls_[call].frame;
  std::vector<Variable> found;
  const auto add = [&](Variable variable) {
    const auto known = std::ranges::find(found, variable.name, &Variable::name);
    if (known == found.end())
      found.push_back(std::move(variable));
    else if (variable.state == Variable::State::held)
      *known = std::move(variable);
  };
  if (!frame.has_variables) return found;
  if (const Closure* const closure = frame.closure()) {
    const std::vector<std::string_view>& names = closure->function.capture_names;
    for (size_t i = 0; i < names.size(); ++i) {
      const Value& value = closure->captured[i];
      add({names[i], state_of(value), primal(value), true});
    }
  } else {
    const Module& module = *frame.source_unit->module;
    for (const auto& [name, slot] : names_of(module)) {
      const Value& value = globals_of(frame)[slot];
      if (name != "_" && !value.is_unbound()) add({name, Variable::State::held, primal(value)});
    }
  }
  const std::vector<std::string_view>& names = frame.slot_names();
  for (size_t i = 0; i < frame.slots.size(); ++i) {
    const Value& slot = frame.slots[i];
    const bool is_left = frame.closure() == nullptr && slot.is_unbound();  // of a comprehension that is not under way
    if (is_variable_name(names[i]) && !is_left) add({names[i], state_of(slot), primal(slot)});
  }
  for (Variable& variable : found) {
    if (const Value* const now = assigned(calls_[call], variable.name))
      variable = {variable.name, Variable::State::held, primal(*now)};
  }
  return found;
}

// What an input has made of the variable; null: nothing.
const Value* SeenCalls::assigned(const Call& call, std::string_view name) const {
  if (call.scope == nullptr) return nullptr;
  const auto found = call.scope->scope.slots.find(name);
  const size_t known = std::min(call.origins.size(), call.scope->globals.size());
  if (found == call.scope->scope.slots.end() || found->second >= known) return nullptr;
  const Value& now = call.scope->globals.data()[found->second];
  return is_same(now, call.origins[found->second].given) ? nullptr : &now;
}

void SeenCalls::give(Call& call, std::string_view name, Origin origin) {
  ModuleScope& scope = call.scope->scope;
  const auto [at, is_new] = scope.slots.try_emplace(name, static_cast<uint32_t>(scope.names.size()));
  if (!is_new) {
    call.origins[at->second] = std::move(origin);
    return;
  }
  scope.names.push_back(name);
  scope.read_by_functions.push_back(true);
  call.origins.push_back(std::move(origin));
}

// Inner names hide those around them.
Module& SeenCalls::scope_of(Call& call) {
  if (call.scope != nullptr) return *call.scope;
  const SavedFrame& frame = call.frame;
  const Module& around = *frame.source_unit->module;
  call.scope = &session_.scopes().open(around.name, around.file);
  using From = Origin::From;
  for (const auto& [name, slot] : names_of(around))
    give(call, name, {From::around, slot, primal(globals_of(frame)[slot])});
  if (const Closure* const closure = frame.closure()) {
    const std::vector<std::string_view>& names = closure->function.capture_names;
    for (uint32_t i = 0; i < names.size(); ++i) give(call, names[i], {From::capture, i, primal(closure->captured[i])});
  }
  const std::vector<std::string_view>& names = frame.slot_names();
  for (uint32_t i = 0; i < frame.slots.size(); ++i) {
    const Value& slot = frame.slots[i];
    const bool is_held = state_of(slot) == Variable::State::held;
    const bool is_known = call.scope->scope.slots.contains(names[i]);
    const bool is_variable = frame.closure() != nullptr && !is_known;
    const bool hides = frame.closure() != nullptr && is_known &&
                       call.origins[call.scope->scope.slots.at(names[i])].from == From::around;
    if (is_variable_name(names[i]) && (is_held || is_variable || hides))
      give(call, names[i], {From::slot, i, is_held ? primal(slot) : Value::unbound()});
  }
  // Past the limit of names the next input says so.
  const size_t count = call.scope->globals.grow(call.origins.size()) ? call.origins.size() : 0;
  for (size_t i = 0; i < count; ++i) call.scope->globals.data()[i] = call.origins[i].given;
  return *call.scope;
}

Session::Input SeenCalls::run(size_t call, std::string_view text) {
  return session_.run_input_in(scope_of(calls_[call]), text);
}

namespace {

void give_global(Module& module, std::string_view name, const Value& value) {
  ModuleScope& scope = module.scope;
  const auto [at, is_new] = scope.slots.try_emplace(name, static_cast<uint32_t>(scope.names.size()));
  if (is_new) {
    scope.names.push_back(name);
    scope.read_by_functions.push_back(true);
  }
  if (module.globals.grow(scope.names.size())) module.globals.data()[at->second] = value;
}

}  // namespace

std::vector<std::string> SeenCalls::keep_assignments() {
  std::vector<std::string> others;
  bool changes = false;
  for (Call& call : calls_) {
    if (call.scope == nullptr || call.frame.open == nullptr) continue;
    const Module& around = *call.frame.source_unit->module;
    for (size_t i = 0; i < std::min(call.origins.size(), call.scope->globals.size()); ++i) {
      const Origin& origin = call.origins[i];
      const Value& now = call.scope->globals.data()[i];
      if (is_same(now, origin.given)) continue;
      if (origin.from == Origin::From::slot)
        call.frame.open->slots[origin.index] = now;
      else if (origin.from == Origin::From::around && call.frame.closure() == nullptr)
        around.globals.data()[origin.index] = now;
      else {
        others.emplace_back(call.scope->scope.names[i]);
        continue;
      }
      changes = true;
    }
    if (call.frame.closure() != nullptr) continue;
    for (size_t i = call.origins.size(); i < call.scope->globals.size(); ++i) {
      const Value& given = call.scope->globals.data()[i];
      if (!given.is_unbound()) give_global(*call.frame.source_unit->module, call.scope->scope.names[i], given);
    }
  }
  if (ops::EffectJournal* const journal = session_.context().journal; changes && journal != nullptr)
    journal->note_changed_variables();
  return others;
}

}  // namespace covec
