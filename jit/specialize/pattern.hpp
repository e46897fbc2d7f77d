// Records what the values of the last call looked like. The next call's values are compared with it in place, without
// allocation. Values that match have the same Signature; values that do not match may have it too. Start at
// Pattern::add, then Walk.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "interpreter/compiler.hpp"
#include "jit/specialize/signature.hpp"
#include "stdlib/value/tree.hpp"
#include "stdlib/value/walk.hpp"

namespace covec::jit {

class Pattern {
  // An extent of a leaf: one of `count` from `from` on, modulo 2⁶⁴.
  struct Axis {
    uint64_t from, count;
    unsigned axis;
  };
  // Values in the order of walk (stdlib/value/walk.hpp).
  struct Node {
    enum class Kind : uint8_t { leaf, tree, text, none, closure, builtin, compiled };
    Kind kind = Kind::leaf;
    ObjectKind tree = ObjectKind::tuple;
    uint64_t word = 0;  // leaf: Signature::word_of; tree: how many parts
    uint32_t axes = 0;  // leaf: of so many the extent is compared
    std::shared_ptr<const RecordLayout> layout;
    const void* function = nullptr;  // closure: its body; builtin: the entry
    const Value* globals = nullptr;
    Value text;
  };

 public:
  // False for a value that cannot be compared in place. generic: in a generic walk.
  bool add(const Value& value, bool generic = false) {
    Adder adder{*this, generic};
    return walk(value, adder);
  }
  size_t leaves() const { return leaves_; }
  // By leaf: the small extents, which are at most `most`, and the bits of the axes that are to have them.
  void compare(std::span<const SmallExtents> extents, std::span<const SmallExtents> compared, int64_t most);

  // Over the values again, in the order in which they were added.
  class Walk {
   public:
    explicit Walk(const Pattern& pattern) : next_(pattern.nodes_.data()), next_axis_(pattern.axes_.data()) {}
    bool matches(const Value& value, bool generic = false) {
      generic_ = generic;
      return walk(value, *this);
    }

    // What the walk asks.
    bool generic() const { return generic_; }
    bool leaf(const Value& value) {
      const Node& node = *next_++;
      if (node.kind != Node::Kind::leaf || Signature::word_of(value) != node.word) return false;
      for (const Axis* const end = next_axis_ + node.axes; next_axis_ != end; ++next_axis_) {
        const auto extent = static_cast<uint64_t>(tensor_header(value).dim(next_axis_->axis));
        if (extent - next_axis_->from >= next_axis_->count) return false;
      }
      return true;
    }
    bool whole(const Value& value);
    bool parts(const Value& value, size_t count);

   private:
    const Node* next_;
    const Axis* next_axis_;
    bool generic_ = false;
  };

 private:
  struct Adder {
    Pattern& to;
    bool in_generic;
    bool generic() const { return in_generic; }
    bool leaf(const Value& value);
    bool whole(const Value& value);
    bool parts(const Value& value, size_t count);
    bool function(const Callable& function, size_t captures);
  };

  std::vector<Node> nodes_;
  std::vector<Axis> axes_;  // of the leaves, in order
  size_t leaves_ = 0;
};

// The leaves of a value that has matched, copied to `to`; gives where the next one goes.
Value* copy_leaves(const Value& value, Value* to, bool generic = false);

}  // namespace covec::jit
