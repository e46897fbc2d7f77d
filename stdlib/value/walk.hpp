// The one walk over the leaves of a value, for code that meets them at different times and needs the same order. That
// is a compiled function's key, the symbols that it is staged with, and the leaves of later calls (jit/compiler). A
// value comes before its parts, and the parts come in order. Every call of a compiled function uses the walk. So
// numbers and tensors are told apart in place, trees are walked in place, and rarer values take a slower path. The
// recursion is as deep as the values are nested. A visitor that meets values for the first time must limit this depth.
// An open (generic) walk takes a list of any length as one leaf, but not below a function that takes its captures apart
// (Callable::keeps_trees). Start at walk.
#pragma once

#include <span>
#include <vector>

#include "stdlib/value/tree.hpp"
#include "stdlib/value/value.hpp"

namespace covec {

enum class WalkedAs : uint8_t {
  leaf,   // a number, a tensor, a traced value
  whole,  // what has no parts to look at: strings, none, builtins, symbols, …
  parts,  // a tree, a sequence, a function known by its captures: they come next
};
WalkedAs walked_as(const Value& value);
// A leaf of generic walks: text, a list of numbers of one dtype, or of tensors of one dtype and rank (not one without
// items, of which nobody knows what they would be), and a list, tuple or map that is long.
inline constexpr size_t longest_walked = 64;
bool is_generic_leaf(const Value& value);
// Whether what is below is not walked as generic.
bool keeps_trees(const Value& value);

// Tells the visitor leaf(value), whole(value), or parts(value, count) of each value; it says whether to go on. False
// where it ever said no.
template <class Visitor>
[[gnu::always_inline]] inline bool walk(const Value& value, Visitor& visitor);
template <class Visitor>
bool walk_further(const Value& value, Visitor& visitor);

template <class Visitor>
[[gnu::always_inline]] inline bool walk_all(std::span<const Value> values, Visitor& visitor) {
  for (const Value& value : values) {
    if (!walk(value, visitor)) return false;
  }
  return true;
}

// Visits what is below a function that keeps trees.
template <class Visitor>
struct InTrees {
  Visitor& visitor;
  bool enter() {
    if constexpr (requires { visitor.enter(); }) return visitor.enter();
    return true;
  }
  void leave() {
    if constexpr (requires { visitor.leave(); }) visitor.leave();
  }
  bool leaf(const Value& value) { return visitor.leaf(value); }
  bool whole(const Value& value) { return visitor.whole(value); }
  bool parts(const Value& value, size_t count) { return visitor.parts(value, count); }
};

template <class Visitor>
[[gnu::noinline]] bool walk_rarer(const Value& value, Visitor& visitor) {
  switch (walked_as(value)) {
    case WalkedAs::leaf: return visitor.leaf(value);
    case WalkedAs::whole: return visitor.whole(value);
    case WalkedAs::parts: break;
  }
  const std::vector<Value> parts = parts_of(value);
  if (!visitor.parts(value, parts.size())) return false;
  if constexpr (requires { visitor.generic(); }) {
    if (visitor.generic() && keeps_trees(value)) {
      InTrees<Visitor> inner{visitor};
      return walk_all<InTrees<Visitor>>(parts, inner);
    }
  }
  return walk_all<Visitor>(parts, visitor);
}

template <class Visitor>
bool walk_parts(const Value& value, Visitor& visitor) {
  if constexpr (requires { visitor.generic(); }) {
    if (visitor.generic() && is_generic_leaf(value)) return visitor.leaf(value);
  }
  if (const std::vector<Value>* items = children(value))
    return visitor.parts(value, items->size()) && walk_all<Visitor>(*items, visitor);
  return walk_rarer(value, visitor);
}

template <class Visitor>
[[gnu::noinline]] bool walk_further(const Value& value, Visitor& visitor) {
  if constexpr (requires { visitor.enter(); }) {
    const bool goes_on = visitor.enter() && walk_parts(value, visitor);
    visitor.leave();
    return goes_on;
  } else {
    return walk_parts(value, visitor);
  }
}

template <class Visitor>
[[gnu::always_inline]] inline bool walk(const Value& value, Visitor& visitor) {
  return value.is_numeric() ? visitor.leaf(value) : walk_further(value, visitor);
}

// The same value with f(leaf) in the place of each leaf of that walk, asked for in its order; f.of_parts(z), where
// there is one, is what a complex value of such parts becomes.
template <class F>
Value map_walk(const Value& value, const F& f, bool generic = false) {
  if (generic && is_generic_leaf(value)) return f(value);
  switch (walked_as(value)) {
    case WalkedAs::leaf: return f(value);
    case WalkedAs::whole: return value;
    case WalkedAs::parts: break;
  }
  const bool opens = generic && !keeps_trees(value);
  Value mapped = map_parts(value, [&](const Value& part) { return map_walk(part, f, opens); });
  if constexpr (requires { f.of_parts(mapped); }) {
    if (is_complex(mapped)) return f.of_parts(mapped);
  }
  return mapped;
}

}  // namespace covec
