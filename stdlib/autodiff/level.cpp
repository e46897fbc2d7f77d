// Opens and closes levels, and unwraps their values.
#include "stdlib/autodiff/level.hpp"

#include "stdlib/autodiff/tape.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::autodiff {

LevelScope::LevelScope(ops::Context& context, TraceKind kind)
    : context_(context), open_{kind, context.last_level += 2, context.innermost} {
  context.innermost = &open_;
  context.level = open_.level;
}

void LevelScope::close() {
  if (!is_open_) return;
  is_open_ = false;
  const bool is_split = open_.tape != nullptr && open_.tape->is_split();
  OpenLevel* const outer = is_split ? open_.tape->split_outer() : open_.outer;
  context_.innermost = outer;
  context_.level = outer == nullptr ? 0 : outer->level;
}

const OpenLevel* find_level(const ops::Context& context, uint64_t level) {
  const OpenLevel* open = context.innermost;
  while (open != nullptr && open->level > level) open = open->outer;
  return open != nullptr && open->level == level ? open : nullptr;
}

bool is_tape_open(const ops::Context& context) {
  const OpenLevel* level = context.innermost;
  while (level != nullptr && level->kind != TraceKind::tape) level = level->outer;
  return level != nullptr;
}

Value make_jvp(uint64_t level, Value primal, Value tangent) {
  Traced* traced = new Traced(TraceKind::jvp, level, std::move(primal));
  traced->tangent = std::move(tangent);
  return Value::adopt(traced);
}

Value make_tape(uint64_t level, Value primal, uint32_t node) {
  Traced* traced = new Traced(TraceKind::tape, level, std::move(primal));
  traced->node = node;
  return Value::adopt(traced);
}

Value make_batch(uint64_t level, Value examples) {
  return Value::adopt(new Traced(TraceKind::batch, level, std::move(examples)));
}

namespace {

bool identical(const Value& a, const Value& b) {
  if (a.tag() != b.tag()) return false;
  return a.is_object() ? a.object() == b.object() : a.i64() == b.i64();
}

constexpr unsigned capture_depth = 1000;  // of closures that capture closures

// Gives the tree itself back where nothing changes.
template <class LeafFunction>
Value map_captured(const Value& value, const LeafFunction& f, unsigned depth) {
  if (!is_tree(value) && !value.is(ObjectKind::function) && !value.is(ObjectKind::sequence)) return f(value);
  bool changed = false;
  const auto map = [&](const Value& part) {
    Value result = map_captured(part, f, depth + 1);
    changed |= !identical(result, part);
    return result;
  };
  if (is_tree(value)) {
    Value mapped = map_leaves(value, map);
    return changed ? mapped : value;
  }
  if (depth > capture_depth) fail(message("too_deep"), {std::to_string(capture_depth)});
  std::vector<Value> parts = parts_of(value);
  for (Value& part : parts) part = map(part);
  return changed ? with_parts(value, std::move(parts)) : value;
}

}  // namespace

Value map_deep(const Value& tree, FunctionRef<Value(const Value&)> leaf) { return map_captured(tree, leaf, 0); }

Value strip(const Value& tree, uint64_t level) {
  if (!tree.is_object() || tree.is_tensor()) return tree;
  return map_captured(
      tree,
      [level](const Value& leaf) {
        const Value* at = &leaf;
        while (at->is_traced() && at->traced().level >= level && at->traced().trace != TraceKind::batch)
          at = &at->traced().primal;
        return *at;
      },
      0);
}

bool is_active(const ops::Context& context, const Value& tree) {
  if (context.innermost == nullptr) return false;
  bool active = false;
  const auto look = [&](const Value& leaf) {
    for (const Value* at = &leaf; at->is_traced(); at = &at->traced().primal) {
      const Traced& traced = at->traced();
      active |= is_active(traced) && find_level(context, traced.level) != nullptr;
    }
    return leaf;
  };
  map_captured(tree, look, 0);
  return active;
}

namespace {

Value plain_leaf(const Value& leaf) {
  if (!leaf.is_traced() || leaf.traced().level == origin_level) return leaf;
  const Traced& traced = leaf.traced();
  Value below = plain_leaf(traced.primal);
  if (traced.trace != TraceKind::batch) return below;
  return traced.primal.is_traced() ? make_batch(traced.level, std::move(below)) : leaf;
}

Value stopped_leaf(const Value& leaf) {
  if (!leaf.is_traced()) return leaf;
  const Traced& traced = leaf.traced();
  Value below = stopped_leaf(traced.primal);
  if (traced.trace == TraceKind::batch) return make_batch(traced.level, std::move(below));
  if (traced.deciding == nullptr) return below;
  Value kept = make_jvp(traced.level, std::move(below), Value());
  kept.traced().node = traced.node;
  kept.traced().deciding = traced.deciding;
  return kept;
}

}  // namespace

Value without_derivatives(const Value& tree) { return map_captured(tree, plain_leaf, 0); }

Value stopped(const Value& tree) { return map_captured(tree, stopped_leaf, 0); }

}  // namespace covec::autodiff
