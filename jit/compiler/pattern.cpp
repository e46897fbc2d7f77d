#include "jit/compiler/pattern.hpp"

#include <algorithm>

#include "stdlib/value/callable.hpp"

namespace covec::jit {

namespace {

// Records made at one place of a program share their layout.
bool same_names(const RecordLayout& a, const RecordLayout& b) { return &a == &b || a.names == b.names; }

}  // namespace

bool Pattern::add(const Value& value) {
  if (const uint64_t word = Signature::word_of(value)) {
    nodes_.emplace_back().word = word;
    ++leaves_;
    return true;
  }
  if (is_tree(value)) return add_tree(value);
  return value.is(ObjectKind::function) && add_function(value.function());
}

bool Pattern::add_tree(const Value& value) {
  const std::vector<Value>& items = *children(value);
  Node& node = nodes_.emplace_back();
  node.kind = Node::Kind::tree;
  node.tree = value.object()->kind;
  node.word = items.size();
  if (node.tree == ObjectKind::record) node.layout = value.record().layout;
  return std::ranges::all_of(items, [&](const Value& item) { return add(item); });
}

// Functions that are known by their code alone: whose captures are to be looked at is left to Signature.
bool Pattern::add_function(const Callable& function) {
  Node& node = nodes_.emplace_back();
  ClosureParts parts;
  if (closure_parts(function, parts)) {
    node.kind = Node::Kind::closure;
    node.function = parts.function;
    node.globals = parts.globals;
    return function.captures().empty();
  }
  if (const Value* made_from = function.compiled_from()) {
    node.kind = Node::Kind::compiled;
    return add(*made_from);
  }
  node.kind = Node::Kind::builtin;
  node.function = function.entry();
  return node.function != nullptr;
}

bool Pattern::Walk::matches(const Node& node, const Value& value) {
  if (node.kind == Node::Kind::tree) {
    if (value.object()->kind != node.tree) return false;
    if (node.layout != nullptr && !same_names(*value.record().layout, *node.layout)) return false;
    const std::vector<Value>& items = *children(value);
    return items.size() == node.word && std::ranges::all_of(items, [&](const Value& item) { return matches(item); });
  }
  if (!value.is(ObjectKind::function)) return false;
  const Callable& function = value.function();
  if (node.kind == Node::Kind::builtin) return function.entry() == node.function;
  if (node.kind == Node::Kind::compiled) {
    const Value* made_from = function.compiled_from();
    return made_from != nullptr && matches(*made_from);
  }
  ClosureParts parts;
  return closure_parts(function, parts) && parts.function == node.function && parts.globals == node.globals;
}

Value* copy_leaves(const Value& value, Value* to) {
  if (value.is_numeric()) {
    *to++ = value;
  } else if (is_tree(value)) {
    for (const Value& item : *children(value)) to = copy_leaves(item, to);
  }
  return to;
}

}  // namespace covec::jit
