// See captures.hpp.
#include "frontend/scopes/captures.hpp"

#include <deque>
#include <unordered_map>

namespace covec::resolve {

using core::CaptureSource;

uint32_t capture(FunctionScope& scope, CaptureSource source, std::string_view name) {
  for (uint32_t i = 0; i < scope.captures.size(); ++i) {
    if (scope.captures[i].from == source.from && scope.captures[i].index == source.index) return i;
  }
  scope.captures.push_back(source);
  scope.capture_names.push_back(name);
  return static_cast<uint32_t>(scope.captures.size() - 1);
}

namespace {

// Where `user` finds what is at `source` in `owner`, a function around it.
uint32_t reach(FunctionScope& user, const FunctionScope& owner, CaptureSource source, std::string_view name) {
  if (user.parent == &owner) return capture(user, source, name);
  CaptureSource from{CaptureSource::From::capture, reach(*user.parent, owner, source, name)};
  return capture(user, from, name);
}

// Gives `node`, in `user`, the captures that `target` has by now; tells whether any function's captures grew. A user
// inside the target itself has them all already or gets them on the way.
bool grow(FunctionScope& user, const FunctionScope& target, core::MakeClosure& node) {
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

}  // namespace

void Captures::connect_siblings() {
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

void Captures::fill(const std::vector<std::unique_ptr<FunctionScope>>& scopes) const {
  for (const auto& scope : scopes) {
    for (core::MakeClosure* maker : scope->makers) maker->captures = scope->captures;
    if (!scope->is_module()) scope->function->capture_names = scope->capture_names;
  }
}

}  // namespace covec::resolve
