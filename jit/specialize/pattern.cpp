#include "jit/specialize/pattern.hpp"

#include "stdlib/value/callable.hpp"

namespace covec::jit {

namespace {

// Records made at one place of a program share their layout.
bool same_names(const RecordLayout& a, const RecordLayout& b) { return &a == &b || a.names == b.names; }

}  // namespace

bool Pattern::Adder::leaf(const Value& value) {
  const uint64_t word = Signature::word_of(value);
  to.nodes_.emplace_back().word = word;
  ++to.leaves_;
  return word != 0;  // a traced value is none to compare in place
}

bool Pattern::Adder::whole(const Value& value) {
  if (value.is_none()) {
    to.nodes_.emplace_back().kind = Node::Kind::none;
    return true;
  }
  if (value.is(ObjectKind::string)) {
    Node& node = to.nodes_.emplace_back();
    node.kind = Node::Kind::text;
    node.text = value;
    return true;
  }
  if (!value.is(ObjectKind::function) || value.function().entry() == nullptr) return false;
  Node& node = to.nodes_.emplace_back();
  node.kind = Node::Kind::builtin;
  node.function = value.function().entry();
  return true;
}

bool Pattern::Adder::parts(const Value& value, size_t count) {
  if (value.is(ObjectKind::function)) return function(value.function(), count);
  if (!is_tree(value) || value.is(ObjectKind::map)) return false;
  Node& node = to.nodes_.emplace_back();
  node.kind = Node::Kind::tree;
  node.tree = value.object()->kind;
  node.word = count;
  if (node.tree == ObjectKind::record) node.layout = value.record().layout;
  return true;
}

// Functions that are known by their code alone: whose captures are to be looked at is left to Signature.
bool Pattern::Adder::function(const Callable& function, size_t captures) {
  Node& node = to.nodes_.emplace_back();
  ClosureParts parts;
  if (closure_parts(function, parts)) {
    node.kind = Node::Kind::closure;
    node.function = parts.function;
    node.globals = parts.globals;
    return captures == 0;
  }
  node.kind = Node::Kind::compiled;
  return function.compiled_from() != nullptr;
}

void Pattern::compare(std::span<const SmallExtents> extents, std::span<const SmallExtents> compared, int64_t most) {
  const uint64_t above = static_cast<uint64_t>(most) + 1;
  axes_.clear();
  size_t leaf = 0;
  for (Node& node : nodes_) {
    if (node.kind != Node::Kind::leaf) continue;
    const unsigned rank = (node.word & 0xff) == tensor_kind ? node.word >> 16 & 0xff : 0;
    const size_t before = axes_.size();
    for (unsigned axis = 0; axis < rank; ++axis) {
      if (extent_in(compared[leaf], rank - 1 - axis) == 0) continue;
      const uint64_t extent = extent_in(extents[leaf], rank - 1 - axis);
      axes_.push_back(extent != 0 ? Axis{extent, 1, axis} : Axis{above, 1 - above, axis});
    }
    node.axes = static_cast<uint32_t>(axes_.size() - before);
    ++leaf;
  }
}

bool Pattern::Walk::whole(const Value& value) {
  const Node& node = *next_++;
  if (node.kind == Node::Kind::text)
    return value.is(ObjectKind::string) && value.string().text == node.text.string().text;
  if (node.kind == Node::Kind::none) return value.is_none();
  return node.kind == Node::Kind::builtin && value.is(ObjectKind::function) &&
         value.function().entry() == node.function;
}

bool Pattern::Walk::parts(const Value& value, size_t count) {
  const Node& node = *next_++;
  if (node.kind == Node::Kind::tree) {
    if (value.object()->kind != node.tree || count != node.word) return false;
    return node.layout == nullptr || same_names(*value.record().layout, *node.layout);
  }
  if (!value.is(ObjectKind::function)) return false;
  const Callable& function = value.function();
  if (node.kind == Node::Kind::compiled) return function.compiled_from() != nullptr;
  ClosureParts parts;
  return node.kind == Node::Kind::closure && count == 0 && closure_parts(function, parts) &&
         parts.function == node.function && parts.globals == node.globals;
}

Value* copy_leaves(const Value& value, Value* to, bool generic) {
  struct Copier {
    Value* to;
    bool in_generic;
    bool generic() const { return in_generic; }
    bool leaf(const Value& value) {
      *to++ = value;
      return true;
    }
    bool whole(const Value&) { return true; }
    bool parts(const Value&, size_t) { return true; }
  } copier{to, generic};
  walk(value, copier);
  return copier.to;
}

}  // namespace covec::jit
