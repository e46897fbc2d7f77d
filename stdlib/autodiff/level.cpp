// Opening and closing of levels, and taking their values off again.
#include "stdlib/autodiff/level.hpp"

#include "stdlib/value/callable.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::autodiff {

LevelScope::LevelScope(ops::Context& context, TraceKind kind)
    : context_(context), open_{kind, ++context.last_level, context.innermost}, batches_(context.batches.size()) {
  context.innermost = &open_;
  context.level = open_.level;
}

void LevelScope::close() {
  if (!is_open_) return;
  is_open_ = false;
  context_.innermost = open_.outer;
  context_.level = open_.outer == nullptr ? 0 : open_.outer->level;
  context_.batches.resize(batches_, ops::OpenBatch{0, 0});
}

const OpenLevel* find_level(const ops::Context& context, uint64_t level) {
  const OpenLevel* open = context.innermost;
  while (open != nullptr && open->level > level) open = open->outer;
  return open != nullptr && open->level == level ? open : nullptr;
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

bool same_object(const Value& a, const Value& b) {
  return a.is_object() == b.is_object() && (!a.is_object() || a.object() == b.object());
}

// Chains of closures deeper than this keep their wrapped captures, which are constants once their levels are closed.
constexpr unsigned capture_depth = 200;

// Maps leaves and captured values; gives the tree itself back, unshared work, where nothing changes.
template <class LeafFunction>
Value map_escaping(const Value& value, const LeafFunction& f, unsigned depth = 0) {
  if (value.is_traced()) return f(value);
  if (!value.is_object() || value.is_tensor()) return value;
  bool changed = false;
  const auto map = [&](const Value& part) {
    Value result = map_escaping(part, f, depth + 1);
    changed |= !same_object(result, part);
    return result;
  };
  if (is_tree(value)) {
    Value mapped = map_leaves(value, map);
    return changed ? mapped : value;
  }
  if (!value.is(ObjectKind::function) || depth > capture_depth) return value;
  const Callable& function = value.function();
  std::vector<Value> captures = function.captures();
  for (Value& capture : captures) capture = map(capture);
  if (!changed) return value;
  Value copy = function.with_captures(std::move(captures));
  return copy.is_none() ? value : copy;
}

Value constant_leaf(const Value& value) {
  if (!value.is_traced()) return value;
  const Traced& traced = value.traced();
  Value below = constant_leaf(traced.primal);
  if (traced.trace != TraceKind::batch) return below;
  if (!traced.primal.is_traced()) return value;
  Value copy = make_batch(traced.level, std::move(below));
  copy.traced().iota = traced.iota;
  copy.traced().iota_start = traced.iota_start;
  return copy;
}

}  // namespace

Value strip(const Value& tree, uint64_t level) {
  return map_escaping(tree, [level](const Value& leaf) {
    const Value* at = &leaf;
    while (at->is_traced() && at->traced().level >= level && at->traced().trace != TraceKind::batch) at = &at->traced().primal;
    return *at;
  });
}

Value without_derivatives(const Value& tree) {
  return map_escaping(tree, [](const Value& leaf) { return constant_leaf(leaf); });
}

}  // namespace covec::autodiff
