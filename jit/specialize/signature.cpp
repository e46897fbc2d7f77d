#include "jit/specialize/signature.hpp"

#include <algorithm>
#include <bit>
#include <functional>

#include "interpreter/compiler.hpp"
#include "stdlib/ops/derivatives/composite.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/map.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/tree.hpp"
#include "stdlib/value/walk.hpp"

namespace covec::jit {

namespace {

enum Word : uint64_t {
  none = 6,
  unbound,
  text,
  tuple,
  list,
  record,
  complex,
  map,
  closure,
  builtin,
  transformed,
  sequence,
  active_node,
  object,
  opened,
};

static_assert(none > Signature::long_word);

uint64_t word(Word kind, uint64_t detail = 0) { return kind | detail << 8; }

uint64_t address(const void* pointer) { return std::bit_cast<uint64_t>(pointer); }

bool is_long_text(const Value& text) {
  constexpr size_t longest = 1000;  // bytes
  return text.string().text.size() > longest;
}

// A function that is known as a whole would hide its active values from code.
bool holds_traced(const Value& value) {
  return std::ranges::any_of(autodiff::deep_leaves(std::span(&value, 1)),
                             [](const Value& leaf) { return leaf.is_traced(); });
}

// What the walk meets, as words.
class Adder {
 public:
  explicit Adder(Signature& to) : to_(to) {}

  bool generic() const { return to_.generic; }
  bool enter() { return ++depth_ <= deepest && to_.words.size() <= max_words; }
  void leave() { --depth_; }

  bool leaf(const Value& value) {
    if (value.is_traced()) return add_active(value.traced());
    if (to_.words.size() > max_words) return false;
    to_.long_text |= value.is(ObjectKind::string) && is_long_text(value);
    to_.words.push_back(Signature::word_of(value));
    to_.leaves.push_back(value);
    to_.extents.push_back(small_extents(value));
    return true;
  }

  bool whole(const Value& value) {
    if (!value.is_object()) {
      to_.words.push_back(word(value.is_none() ? none : unbound));
      return true;
    }
    if (value.is_symbol()) return false;
    if (value.is(ObjectKind::string)) {
      to_.varies = to_.may_be_generic = true;
      return add_text(value.string().text);
    }
    if (value.is(ObjectKind::function) && value.function().entry() != nullptr) {
      to_.words.push_back(word(builtin));
      to_.words.push_back(address(value.function().entry()));
      return true;
    }
    if (holds_traced(value)) return false;
    to_.holds_more |= value.is(ObjectKind::function) && value.function().holds_more();
    to_.words.push_back(word(object));
    to_.words.push_back(address(value.object()));
    to_.fixed.push_back(value);
    return true;
  }

  bool parts(const Value& value, size_t count) {
    switch (value.object()->kind) {
      case ObjectKind::tuple:
        to_.may_be_generic |= is_generic_leaf(value);
        to_.words.push_back(word(tuple, count));
        return true;
      case ObjectKind::list:
        to_.varies |= count > few_items;
        to_.may_be_generic |= is_generic_leaf(value);
        to_.words.push_back(word(list, count));
        return true;
      case ObjectKind::record:
        to_.words.push_back(word(record, count));
        for (const std::string& name : value.record().layout->names) {
          to_.words.push_back(std::hash<std::string>{}(name));
        }
        return true;
      case ObjectKind::map: to_.may_be_generic |= is_generic_leaf(value); return add_map(map_of(value));
      case ObjectKind::complex: to_.words.push_back(word(complex, count)); return true;
      case ObjectKind::sequence:
        to_.words.push_back(word(sequence, count));
        return add_text(value.sequence().staging_key());
      default: return add_function(value.function(), count);
    }
  }

 private:
  // A map is structure while its keys are a few strings; a function that takes any other is not compiled.
  bool add_map(const Map& of) {
    if (of.size() > longest_walked) return false;
    to_.words.push_back(word(map, of.size()));
    for (const Value& key : of.keys()) {
      if (!key.is(ObjectKind::string)) return false;
      to_.words.push_back(std::hash<std::string>{}(key.string().text));
    }
    return true;
  }

  bool add_text(const std::string& content) {
    to_.words.push_back(word(text, content.size()));
    to_.words.push_back(std::hash<std::string>{}(content));
    return true;
  }

  bool add_function(const Callable& function, size_t captures) {
    ClosureParts parts;
    if (closure_parts(function, parts)) {
      to_.words.push_back(word(closure));
      to_.words.push_back(address(parts.function));
      to_.words.push_back(address(parts.globals));
      to_.source_units.push_back(parts.source_unit);
    } else {
      to_.words.push_back(word(transformed));
      add_text(function.staging_key());
    }
    to_.words.push_back(captures);
    return true;
  }

  bool add_active(const Traced& traced) {
    if (traced.trace != TraceKind::tape || traced.primal.is_traced() || (to_.level != 0 && to_.level != traced.level)) {
      return false;
    }
    to_.level = traced.level;
    const auto known = std::find(to_.nodes.begin(), to_.nodes.end(), traced.node);
    const auto number = static_cast<uint32_t>(known - to_.nodes.begin()) + 1;
    if (known == to_.nodes.end()) to_.nodes.push_back(traced.node);
    to_.active.resize(to_.leaves.size(), 0);
    to_.active.push_back(number);
    to_.words.push_back(word(active_node, number));
    return walk(traced.primal, *this);
  }

  // Beyond these, code for one structure alone is not worth making.
  static constexpr unsigned deepest = 100;
  static constexpr size_t max_words = 10000;
  static constexpr size_t few_items = 8;
  Signature& to_;
  unsigned depth_ = 0;
};

}  // namespace

uint64_t Signature::word_of_generic(const Value& value) {
  if (value.is(ObjectKind::string)) return text_word | uint64_t{is_long_text(value)} << 8;
  if (value.is(ObjectKind::list) && value.list().of_one_kind()) return list_word | kind_word(value.list().item(0)) << 8;
  return is_tree(value) ? long_word | static_cast<uint64_t>(value.object()->kind) << 8 : 0;
}

bool Signature::is_long() const {
  return std::ranges::any_of(
      leaves, [](const Value& leaf) { return is_tree(leaf) && children(leaf)->size() > longest_walked; });
}

bool Signature::add(const Value& value) {
  Adder adder(*this);
  return walk(value, adder);
}

void Signature::begin_generic() {
  generic = true;
  words.push_back(word(opened));
}

uint64_t Signature::hash() const {
  uint64_t hash = 0x9e3779b97f4a7c15;
  for (const uint64_t w : words) hash = (hash ^ w) * 0xff51afd7ed558ccd + (hash >> 29);
  return hash;
}

}  // namespace covec::jit
