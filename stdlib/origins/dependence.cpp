#include "stdlib/origins/dependence.hpp"

#include "stdlib/autodiff/apply.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::autodiff {

namespace {

std::vector<OpenLevel> open_vmaps(const ops::Context& context) {
  std::vector<OpenLevel> vmaps;
  for (const OpenLevel* level = context.innermost; level != nullptr; level = level->outer) {
    if (level->kind == TraceKind::batch) vmaps.insert(vmaps.begin(), *level);
  }
  return vmaps;
}

}  // namespace

Looking::Looking(ops::Builder& b)
    : tape_(b.pool()), vmaps_(b.context(), nullptr, open_vmaps(b.context())), scope_(b.context(), TraceKind::tape) {
  scope_.open().only_looks = true;
  scope_.open().tape = &tape_;
}

bool Looking::reaches(const Value& tree) const {
  bool found = false;
  map_deep(tree, [&](const Value& leaf) {
    for (const Value* at = &leaf; at->is_traced(); at = &at->traced().primal)
      found |= at->traced().level == scope_.level();
    return leaf;
  });
  return found;
}

bool is_looking(const ops::Context& context) {
  const OpenLevel* level = context.innermost;
  while (level != nullptr && !level->only_looks) level = level->outer;
  return level != nullptr;
}

Value depending(const OpenLevel& level, const Value& on, const Value& tree) {
  return map_leaves(tree, [&](const Value& leaf) {
    if (!is_operand(leaf) || !is_differentiable(leaf) || is_traced_at(leaf, level.level)) return leaf;
    return make_tape(level.level, leaf, level.tape->pass_on(on.traced().node));
  });
}

}  // namespace covec::autodiff
