#include "jit/specialize/cause.hpp"

#include <utility>

#include "jit/specialize/stage.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/map.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/tree.hpp"
#include "stdlib/value/walk.hpp"

namespace covec::jit {

namespace {

size_t count_leaves(const Value& value, bool in_generic) {
  struct Counter {
    bool in_generic;
    size_t leaves = 0;
    bool generic() const { return in_generic; }
    bool leaf(const Value&) {
      ++leaves;
      return true;
    }
    bool whole(const Value&) { return true; }
    bool parts(const Value&, size_t) { return true; }
  } counter{in_generic};
  walk(value, counter);
  return counter.leaves;
}

// The types of values as a key has them: "f64[_, 3]", "{w: f64[_], b: f64}"; and the names of their tensors: "p.w".
// Values are given in the order of the key's leaves.
class Types {
 public:
  struct Tensor {
    std::string name;
    Value value;
    size_t leaf;
  };

  // `before`: leaves that come first.
  Types(const Key& key, size_t before) : generic_(key.generic), known_(key.extents), next_(before) {}

  std::string text(const Value& value, const std::string& name) {
    if (generic_ && is_generic_leaf(value)) return of_generic_leaf(value);
    if (value.is_traced()) return "d " + text(value.traced().primal, name);
    if (value.is_scalar()) return ++next_, std::string(name_of(value.scalar_dtype()));
    if (value.is_tensor()) return of_tensor(value, name);
    if (is_tree(value)) return of_tree(value, name);
    if (value.is(ObjectKind::sequence)) {
      std::string out;
      for (const Value& part : value.sequence().parts()) out += (out.empty() ? "" : ", ") + text(part, name);
      return value.sequence().staging_key() + "(" + out + ")";
    }
    if (value.is(ObjectKind::string)) return of_string(value.string());
    if (!value.is(ObjectKind::function)) return describe(value);
    next_ += count_leaves(value, generic_);
    return value.function().name();
  }

  const std::vector<Tensor>& tensors() const { return tensors_; }

 private:
  std::string of_generic_leaf(const Value& value) {
    ++next_;
    if (value.is(ObjectKind::list) && value.list().of_one_kind()) {
      const Value& item = value.list().item(0);
      return "list " + std::string(name_of(dtype_of(item))) + (item.is_tensor() ? extents_text(item, 0) : "");
    }
    return value.is(ObjectKind::string) ? "string" : "long " + describe(value);
  }
  std::string of_tensor(const Value& value, const std::string& name) {
    tensors_.push_back({name, value, next_});
    const SmallExtents known = next_ < known_.size() ? known_[next_] : 0;
    ++next_;
    return std::string(name_of(value.tensor().dtype())) + extents_text(value, known);
  }
  static std::string extents_text(const Value& tensor, SmallExtents known) {
    std::string out;
    const unsigned rank = tensor.tensor().rank();
    for (unsigned axis = 0; axis < rank; ++axis) {
      const SmallExtents extent = extent_in(known, rank - 1 - axis);
      out += (axis == 0 ? "" : ", ") + (extent == 0 ? "_" : std::to_string(extent));
    }
    return "[" + out + "]";
  }
  std::string of_tree(const Value& value, const std::string& name) {
    const bool named = has_named_children(value);
    std::string out = named ? "{" : value.is(ObjectKind::list) ? "list(" : "(";
    const std::vector<Value>& items = *children(value);
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out += ", ";
      out += child_label(value, i) + text(items[i], is_complex(value) ? name : name + path_of(value, i));
    }
    return out + (named ? "}" : ")");
  }
  static std::string path_of(const Value& tree, size_t child) {
    if (tree.is(ObjectKind::record)) return "." + tree.record().layout->names[child];
    if (tree.is(ObjectKind::map)) return "[" + quoted(map_of(tree).keys()[child].string().text) + "]";
    return "[" + std::to_string(child) + "]";
  }
  static std::string of_string(const String& text) {
    constexpr int64_t longest = 24;  // characters
    if (text.length() <= longest) return quoted(text.text);
    return quoted(std::string(text.part(0, longest))) + "…";
  }

  const bool generic_;
  const std::span<const SmallExtents> known_;
  size_t next_;
  std::vector<Tensor> tensors_;
};

// Another of that name whose arguments differ least.
const Specialization* nearest_to(const Specialization& made, const CodeTable& table) {
  const Specialization* nearest = nullptr;
  size_t most = 0;
  table.each([&](const Specialization& other) {
    const size_t arguments = made.cause.argument_types.size();
    if (&other == &made || other.name != made.name || other.cause.argument_types.size() != arguments) return;
    size_t same = 1;
    for (size_t i = 0; i < arguments; ++i) same += other.cause.argument_types[i] == made.cause.argument_types[i];
    if (same <= most) return;
    most = same;
    nearest = &other;
  });
  return nearest;
}

bool has_others(const Specialization& made, const CodeTable& table) {
  bool found = false;
  table.each([&](const Specialization& other) { found |= &other != &made && other.name == made.name; });
  return found;
}

// The leaves of the same family's last code before this one whose extents are nearest.
std::span<const SmallExtents> nearest_extents(const Specialization& made, const CodeTable& table) {
  std::span<const SmallExtents> nearest;
  std::pair<size_t, unsigned> best{SIZE_MAX, 0};  // how many leaves differ, and how much later code there is
  table.each([&](const Specialization& other) {
    if (&other == &made || other.family != made.family || other.key.extents.size() != made.key.extents.size()) return;
    size_t differ = 0;
    for (size_t i = 0; i < made.key.extents.size(); ++i) differ += other.key.extents[i] != made.key.extents[i];
    const std::pair<size_t, unsigned> now{differ, made.number - other.number};
    if (now >= best) return;
    best = now;
    nearest = other.key.extents;
  });
  return nearest;
}

// What is new in a member of a family.
std::string extents_cause(const Specialization& made, const CodeTable& table, const Types& types) {
  const std::span<const SmallExtents> before = nearest_extents(made, table);
  std::string text;
  for (const Types::Tensor& tensor : types.tensors()) {
    if (tensor.leaf >= before.size()) continue;
    const SmallExtents known = made.key.extents[tensor.leaf];
    const unsigned rank = tensor.value.tensor().rank();
    for (unsigned axis = 0; axis < rank; ++axis) {
      const SmallExtents now = extent_in(known, rank - 1 - axis), was = extent_in(before[tensor.leaf], rank - 1 - axis);
      if (now == was) continue;
      const int64_t extent = tensor.value.tensor().dim(axis);
      const bool any = now == 0 && extent >= 1 && extent <= made.key.max_extent;
      text += (text.empty() ? "" : "; ") + std::string(any ? "any extent" : "the extent") + " of " + tensor.name +
              " along axis " + std::to_string(axis) + (any ? " from now on" : " is " + std::to_string(extent)) +
              " (was " + (was == 0 ? "0 or above " + std::to_string(made.key.max_extent) : std::to_string(was)) + ")";
    }
  }
  return text.empty() ? "an extent of a captured value or of a module-level name has changed" : text;
}

}  // namespace

void explain_cause(Specialization& made, const CodeTable& table, const Value& function, std::span<const Value> args) {
  made.cause = {};
  const std::vector<std::string_view> names = names_of_arguments(function.function());
  Types types(made.key, count_leaves(function, false));
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string name(i < names.size() ? names[i] : "");
    made.cause.argument_types.push_back((name.empty() ? "" : name + ": ") +
                                        types.text(args[i], name.empty() ? "argument " + std::to_string(i + 1) : name));
    made.cause.types += (i > 0 ? ", " : "") + made.cause.argument_types.back();
  }
  if (made.joins) {
    made.cause.text = extents_cause(made, table, types);
    return;
  }
  const Specialization* nearest = nearest_to(made, table);
  if (nearest == nullptr) {
    made.cause.text = has_others(made, table) ? "another number of arguments" : "the first call";
    return;
  }
  for (size_t i = 0; i < args.size(); ++i) {
    if (nearest->cause.argument_types[i] == made.cause.argument_types[i]) continue;
    made.cause.text += (made.cause.text.empty() ? "" : "; ") + made.cause.argument_types[i] + " after " +
                       nearest->cause.argument_types[i];
  }
  if (made.cause.text.empty()) made.cause.text = "a captured value or a module-level name has changed";
}

}  // namespace covec::jit
