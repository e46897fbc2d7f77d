#include "jit/compiler/signature.hpp"

#include <algorithm>

#include <functional>

#include "interpreter/compiler.hpp"
#include "jit/compiler/compiled.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::jit {

namespace {

enum Word : uint64_t {
  none = 3,
  unbound,
  text,
  tuple,
  list,
  record,
  closure,
  builtin,
  compiled,
  transformed,
  sequence,
  active_node,
  object,
};

static_assert(none > Signature::tensor_word);

uint64_t word(Word kind, uint64_t detail = 0) { return kind | detail << 8; }

uint64_t address(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

}  // namespace

bool Signature::add(const Value& value) {
  if (const uint64_t leaf = word_of(value)) {
    words.push_back(leaf);
    leaves.push_back(value);
    return true;
  }
  if (value.is_object()) return add_object(value);
  words.push_back(word(value.is_none() ? none : unbound));
  return true;
}

bool Signature::add_items(const std::vector<Value>& items) {
  for (const Value& item : items) {
    if (!add(item)) return false;
  }
  return true;
}

void Signature::add_text(const std::string& content) {
  words.push_back(word(text, content.size()));
  words.push_back(std::hash<std::string>{}(content));
}

bool Signature::add_object(const Value& value) {
  switch (value.object()->kind) {
    case ObjectKind::string: add_text(value.string().text); return true;
    case ObjectKind::tuple:
      words.push_back(word(tuple, value.tuple().items.size()));
      return add_items(value.tuple().items);
    case ObjectKind::list: words.push_back(word(list, value.list().items.size())); return add_items(value.list().items);
    case ObjectKind::record: {
      words.push_back(word(record, value.record().items.size()));
      for (const std::string& name : value.record().layout->names) words.push_back(std::hash<std::string>{}(name));
      return add_items(value.record().items);
    }
    case ObjectKind::function: return add_function(value);
    case ObjectKind::sequence: {
      const std::vector<Value> parts = value.sequence().parts();
      words.push_back(word(sequence, parts.size()));
      add_text(value.sequence().staging_key());
      return add_items(parts);
    }
    case ObjectKind::traced: return add_active(value);
    case ObjectKind::symbol: return false;
    default: break;
  }
  words.push_back(word(object));
  words.push_back(address(value.object()));
  fixed.push_back(value);
  return true;
}

bool Signature::add_active(const Value& value) {
  const Traced& traced = value.traced();
  if (traced.trace != TraceKind::tape || traced.primal.is_traced() || (level != 0 && level != traced.level))
    return false;
  level = traced.level;
  const auto known = std::find(nodes.begin(), nodes.end(), traced.node);
  const auto number = static_cast<uint32_t>(known - nodes.begin()) + 1;
  if (known == nodes.end()) nodes.push_back(traced.node);
  active.resize(leaves.size(), 0);
  active.push_back(number);
  words.push_back(word(active_node, number));
  return add(traced.primal);
}

bool Signature::add_function(const Value& value) {
  Callable& function = value.function();
  ClosureParts parts;
  if (closure_parts(function, parts)) {
    words.push_back(word(closure));
    words.push_back(address(parts.function));
    words.push_back(address(parts.globals));
  } else if (function.entry() != nullptr) {
    words.push_back(word(builtin));
    words.push_back(address(function.entry()));
    return true;
  } else if (const std::string key = function.staging_key(); !key.empty()) {
    words.push_back(word(transformed));
    add_text(key);
  } else {
    words.push_back(word(object));
    words.push_back(address(value.object()));
    fixed.push_back(value);
    return true;
  }
  const std::vector<Value> captures = function.captures();
  words.push_back(captures.size());
  return add_items(captures);
}

uint64_t Signature::hash() const {
  uint64_t hash = 0x9e3779b97f4a7c15;
  for (const uint64_t w : words) hash = (hash ^ w) * 0xff51afd7ed558ccd + (hash >> 29);
  return hash;
}

Value map_signature(const Value& value, const std::function<Value(const Value& leaf)>& f) {
  if (value.is_scalar() || value.is_tensor() || value.is_traced()) return f(value);
  if (!value.is_object()) return value;
  if (value.is(ObjectKind::function)) {
    ClosureParts parts;
    if (value.function().entry() != nullptr) return value;
    if (!closure_parts(value.function(), parts) && value.function().staging_key().empty()) return value;
  }
  return map_parts(value, [&](const Value& part) { return map_signature(part, f); });
}

std::string describe_signature(const Value& value) {
  if (value.is_traced()) return "d " + describe_signature(value.traced().primal);
  if (value.is_scalar()) return std::string(name_of(value.scalar_dtype()));
  if (value.is_tensor()) {
    std::string out = std::string(name_of(value.tensor().dtype())) + "[";
    for (unsigned axis = 0; axis < value.tensor().rank(); ++axis) out += axis == 0 ? "_" : ", _";
    return out + "]";
  }
  if (is_tree(value)) {
    const bool named = value.is(ObjectKind::record);
    std::string out = named ? "{" : value.is(ObjectKind::list) ? "list(" : "(";
    const std::vector<Value>& items = *children(value);
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out += ", ";
      if (named) out += value.record().layout->names[i] + ": ";
      out += describe_signature(items[i]);
    }
    return out + (named ? "}" : ")");
  }
  if (value.is(ObjectKind::sequence)) {
    std::string out;
    for (const Value& part : value.sequence().parts()) out += (out.empty() ? "" : ", ") + describe_signature(part);
    return value.sequence().staging_key() + "(" + out + ")";
  }
  if (value.is(ObjectKind::function)) return value.function().name();
  if (value.is(ObjectKind::string)) return "\"" + value.string().text + "\"";
  return describe(value);
}

}  // namespace covec::jit
