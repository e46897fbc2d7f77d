// How the values looked that went into code at its last call: the next call's are compared with them in place, and
// nothing is allocated. Values that match have the same Signature; those that do not may have it too. Start at
// Pattern::add, then Walk.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "interpreter/compiler.hpp"
#include "jit/compiler/signature.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::jit {

class Pattern {
  // Values in the order of a walk that visits a tree before its parts.
  struct Node {
    enum class Kind : uint8_t { leaf, tree, closure, builtin, compiled };
    Kind kind = Kind::leaf;
    ObjectKind tree = ObjectKind::tuple;
    uint64_t word = 0;  // leaf: Signature::word_of; tree: how many parts
    std::shared_ptr<const RecordLayout> layout;
    const void* function = nullptr;  // closure: its body; builtin: the entry
    const Value* globals = nullptr;
  };

 public:
  // False for a value that cannot be compared in place.
  bool add(const Value& value);
  size_t leaves() const { return leaves_; }

  // Over the values again, in the order in which they were added.
  class Walk {
   public:
    explicit Walk(const Pattern& pattern) : next_(pattern.nodes_.data()) {}
    bool matches(const Value& value) {
      const Node& node = *next_++;
      if (node.kind == Node::Kind::leaf) [[likely]]
        return Signature::word_of(value) == node.word;
      return value.is_object() && matches(node, value);
    }

   private:
    bool matches(const Node& node, const Value& value);
    const Node* next_;
  };

 private:
  bool add_tree(const Value& value);
  bool add_function(const Callable& function);
  std::vector<Node> nodes_;
  size_t leaves_ = 0;
};

// The numbers and tensors of a value that has matched, copied to `to`; gives where the next one goes.
Value* copy_leaves(const Value& value, Value* to);

}  // namespace covec::jit
