// What names mean, and how values travel into closures. A name is looked for from the inside out: comprehension
// targets, the function's own slots, sibling functions, the enclosing functions (then it is captured, by every
// function on the way), the module, the builtins. Siblings refer to each other without cycles: a reference is a
// closure made anew, so a function also captures what the siblings it mentions need; that grows until nothing
// changes, in connect_siblings.
#include <algorithm>
#include <deque>
#include <unordered_map>

#include "frontend/resolve/resolver.hpp"

namespace covec::resolve {

using core::CaptureSource;
using messages::message;

// --- finding ---

Found Resolver::find(FunctionScope& scope, std::string_view name) {
  for (size_t i = scope.targets.size(); i-- > 0;) {
    if (scope.targets[i].name == name.data()) return {Found::Kind::target, scope.targets[i].slot, nullptr, nullptr};
  }
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

Found Resolver::find_in_module(std::string_view name) {
  auto slot = module_.slots.find(name);
  if (slot != module_.slots.end()) return {Found::Kind::global, slot->second, nullptr, nullptr};
  const Builtin* builtin = builtins_.find(name);
  if (builtin != nullptr) return {Found::Kind::builtin, 0, builtin, nullptr};
  return {};
}

// The number of a capture of `scope` that comes from `source` in its parent; added where new.
uint32_t Resolver::capture(FunctionScope& scope, CaptureSource source, std::string_view name) {
  for (uint32_t i = 0; i < scope.captures.size(); ++i) {
    if (scope.captures[i].from == source.from && scope.captures[i].index == source.index) return i;
  }
  scope.captures.push_back(source);
  scope.capture_names.push_back(name);
  return static_cast<uint32_t>(scope.captures.size() - 1);
}

core::Expr* Resolver::name(std::string_view written, Span span) {
  std::string_view name = intern(written);
  return found(find(*scope_, name), name, span);
}

core::Expr* Resolver::found(const Found& what, std::string_view name, Span span) {
  switch (what.kind) {
    case Found::Kind::target: return temporary(what.index, span);
    case Found::Kind::local: {
      auto* e = make<core::Local>(span);
      e->slot = what.index;
      return e;
    }
    case Found::Kind::capture: {
      auto* e = make<core::Capture>(span);
      e->index = what.index;
      return e;
    }
    case Found::Kind::global: {
      auto* e = make<core::Global>(span);
      e->slot = what.index;
      if (!scope_->is_module()) module_.read_by_functions[what.index] = true;
      return e;
    }
    case Found::Kind::builtin: {
      auto* e = make<core::BuiltinRef>(span);
      e->builtin = what.builtin;
      return e;
    }
    case Found::Kind::function: return closure_of(*what.function, span);
    case Found::Kind::nothing: break;
  }
  return unknown_name(name, span);
}

core::Expr* Resolver::closure_of(FunctionScope& target, Span span) {
  auto* e = make<core::MakeClosure>(span);
  e->function = target.function;
  e->definition = false;
  e->self = &target == scope_;
  if (!e->self) sibling_uses_.push_back({scope_, &target, e});
  return e;
}

// --- unknown names ---

namespace {

struct Habit {
  std::string_view word;
  std::string_view hint;
};
constexpr Habit kHabits[] = {
    {"True", "write true"},
    {"False", "write false"},
    {"None", "write none"},
    {"null", "write none"},
    {"nil", "write none"},
    {"NaN", "write nan"},
    {"Infinity", "write inf"},
    {"np", "NumPy's functions are builtins: sum(x)"},
    {"math", "these functions are builtins: sin(x)"},
    {"lambda", "write x -> e"},
    {"str", {}},
    {"bool", {}},
    {"append", "write xs.push(v)"},
    {"int", "write i64(x)"},
    {"float", "write f64(x)"},
    {"int32", "write i32"},
    {"int64", "write i64"},
    {"float32", "write f32"},
    {"float64", "write f64"},
    {"double", "write f64"},
    {"array", "write [1, 2] or tensor(x)"},
    {"asarray", "write tensor(x)"},
    {"concatenate", "write concat((a, b))"},
    {"cat", "write concat((a, b))"},
    {"hstack", "write concat((a, b), axis=1)"},
    {"vstack", "write concat((a, b))"},
    {"expand_dims", "write unsqueeze(x, axis)"},
    {"flatten", "write reshape(x, -1)"},
    {"ravel", "write reshape(x, -1)"},
    {"swapaxes", "write permute(x, 1, 0)"},
    {"moveaxis", "write permute(x, 1, 0)"},
    {"ndim", "write x.rank"},
    {"shape", "write x.shape"},
    {"size", "write x.size"},
    {"astype", "write f32(x)"},
    {"absolute", "write abs(x)"},
    {"power", "write x ^ y"},
    {"remainder", "write x % y"},
    {"arcsin", "write asin(x)"},
    {"arccos", "write acos(x)"},
    {"arctan", "write atan(x)"},
    {"arctan2", "write atan2(y, x)"},
    {"nonzero", "x[mask] reads where a mask is true; argsort(mask, descending=true) sorts by it"},
    {"take", "write x[indices] or gather(x, indices, axis)"},
    {"random", "rand, randn and randint are builtins"},
    {"help", "?name shows a builtin's page in the REPL, covec doc NAME on the command line"},
    {"doc", "?name shows a builtin's page in the REPL, covec doc NAME on the command line"},
};

}  // namespace

core::Expr* Resolver::unknown_name(std::string_view name, Span span) {
  if (unknown_.insert(name).second) {
    Diagnostic& d = report(message("unknown_name"), span, {name});
    std::string_view near = nearest_name(name, visible_names());
    if (!near.empty()) d.hint = "did you mean `" + std::string(near) + "`?";
    for (const Habit& habit : kHabits) {
      if (habit.word == name && !habit.hint.empty()) d.hint = habit.hint;
    }
  }
  return constant({}, span);
}

std::vector<std::string_view> Resolver::visible_names() const {
  std::vector<std::string_view> out;
  for (const FunctionScope* s = scope_; s != nullptr; s = s->parent) {
    out.insert(out.end(), s->slot_names.begin(), s->slot_names.end());
  }
  out.insert(out.end(), module_.names.begin(), module_.names.end());
  std::vector<std::string_view> builtins = builtins_.names();
  out.insert(out.end(), builtins.begin(), builtins.end());
  return out;
}

// --- siblings ---

// Where `user` finds what is at `source` in `home`, a function around it.
uint32_t Resolver::reach(FunctionScope& user, const FunctionScope& home, CaptureSource source, std::string_view name) {
  if (user.parent == &home) return capture(user, source, name);
  CaptureSource from{CaptureSource::From::capture, reach(*user.parent, home, source, name)};
  return capture(user, from, name);
}

// Gives `node`, in `user`, the captures that `target` has by now; tells whether any function's captures grew. A user
// inside the target itself has them all already or gets them on the way.
bool Resolver::grow(FunctionScope& user, const FunctionScope& target, core::MakeClosure& node) {
  size_t before = 0, after = 0;
  for (const FunctionScope* s = &user; s != target.parent; s = s->parent) before += s->captures.size();
  node.captures.clear();
  for (size_t i = 0; i < target.captures.size(); ++i) {
    uint32_t index = reach(user, *target.parent, target.captures[i], target.capture_names[i]);
    node.captures.push_back({CaptureSource::From::capture, index});
  }
  for (const FunctionScope* s = &user; s != target.parent; s = s->parent) after += s->captures.size();
  return after != before;
}

void Resolver::connect_siblings() {
  std::unordered_map<const FunctionScope*, std::vector<size_t>> uses_of;
  std::deque<size_t> work;
  std::vector<bool> queued(sibling_uses_.size(), true);
  for (size_t i = 0; i < sibling_uses_.size(); ++i) {
    uses_of[sibling_uses_[i].target].push_back(i);
    work.push_back(i);
  }
  while (!work.empty()) {
    SiblingUse use = sibling_uses_[work.front()];
    queued[work.front()] = false;
    work.pop_front();
    if (!grow(*use.user, *use.target, *use.node)) continue;
    // Every function from the user up to the block may have grown: whoever mentions one of them looks again.
    for (const FunctionScope* s = use.user; s != use.target->parent; s = s->parent) {
      for (size_t i : uses_of[s]) {
        if (!queued[i]) work.push_back(i);
        queued[i] = true;
      }
    }
  }
}

void Resolver::fill_captures() {
  for (const auto& scope : scopes_) {
    for (core::MakeClosure* maker : scope->makers) maker->captures = scope->captures;
    if (!scope->is_module()) scope->function->capture_names = scope->capture_names;
  }
}

}  // namespace covec::resolve
