// Merges equal operations (common subexpression elimination). Two operations are equal if they apply the same entry to
// the same operands and attributes, or read the same extent. The first one's result replaces the second one's where it
// is visible: later in its region, and in nested regions.
//
// Bits are kept, since operators are functions. An operation that may fail is merged too: at the second place the first
// has not failed, so the second would not fail either. Operations that draw random numbers, print, read files or call
// functions are never merged. Nor are operations that only the run can type.
//
// Not merged either are new tensors of zeros and the like that are changed in place later: each change to one of two
// names would copy the tensor, and making it costs no more than a copy.
//
// The trade-off: values live longer. Operands are compared as they are: b + a is not a + b.
#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>

#include "jit/passes/passes.hpp"
#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/create/create.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::passes {

using namespace ir;

namespace {

uint64_t mixed(uint64_t hash, uint64_t with) {
  hash = (hash ^ with) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 32;
}

uint64_t bits_of(const Value& number) {
  uint64_t bits = 0;
  std::memcpy(&bits, number.scalar_data(), size_of(number.scalar_dtype()));
  return bits;
}

uint64_t hash_of(const Value& value) {
  const auto tag = static_cast<uint64_t>(value.tag());
  if (value.is_scalar()) return mixed(tag, bits_of(value));
  if (!value.is_object()) return tag;
  if (is_symbol(value)) return mixed(100, id_of(value));
  if (value.is(ObjectKind::string)) return std::hash<std::string>()(value.string().text);
  uint64_t hash = 200;
  if (!is_tree(value)) return mixed(hash, std::bit_cast<uint64_t>(value.object()));
  for (const Value& item : *children(value)) hash = mixed(hash, hash_of(item));
  return hash;
}

bool equal(const Value& a, const Value& b) {
  if (a.tag() != b.tag()) return false;
  if (a.is_scalar()) return bits_of(a) == bits_of(b);
  if (!a.is_object() || a.object() == b.object()) return true;
  if (a.object()->kind != b.object()->kind) return false;
  if (is_symbol(a)) return id_of(a) == id_of(b);
  if (a.is(ObjectKind::string)) return a.string().text == b.string().text;
  if (!is_tree(a) || children(a)->size() != children(b)->size()) return false;
  if (!same_names(a, b)) return false;
  for (size_t i = 0; i < children(a)->size(); ++i) {
    if (!equal((*children(a))[i], (*children(b))[i])) return false;
  }
  return true;
}

bool equal(const std::vector<Value>& a, const std::vector<Value>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!equal(a[i], b[i])) return false;
  }
  return true;
}

// What can be merged.
bool is_function(const Graph& graph, const Operation& operation) {
  if (operation.kind == Kind::dimension || operation.kind == Kind::box) return true;
  if (operation.kind != Kind::apply) return false;
  // A list that two names have is copied by the next push: lists are made where the program makes them.
  if (operation.entry->staging == ops::Staging::lists) return !graph.values[operation.results[0]].list;
  if (operation.entry->staging != ops::Staging::typed) return false;
  const ops::Effects& effects = operation.entry->effects;
  return !effects.random && !effects.prints && !effects.outside && !effects.calls;
}

// A new tensor that depends on nothing but its shape, or on a number.
bool is_fresh(const Operation& operation) {
  const ops::Entry* entry = operation.entry;
  return entry == &ops::zeros_entry() || entry == &ops::ones_entry() || entry == &ops::full_entry() ||
         entry == &ops::zeros_like_entry() || entry == &ops::ones_like_entry() || entry == &ops::eye_entry();
}

class Merging {
 public:
  explicit Merging(Graph& graph)
      : graph_(graph), stands_for_(graph.values.size(), Value::unbound()), changed_(graph.values.size(), 0) {}

  void run() {
    find_changed(graph_.body);
    region(graph_.body);
    for (DimExpression& dim : graph_.dims) {
      const bool of_value = dim.kind == DimExpression::Kind::axis_of || dim.kind == DimExpression::Kind::number;
      if (!of_value || dim.value >= stands_for_.size()) continue;
      const Value& now = stands_for_[dim.value];
      if (is_symbol(now)) dim.value = id_of(now);
    }
  }

 private:
  void region(Region& region) {
    const size_t mark = order_.size();
    std::vector<char> gone(region.operations.size(), 0);
    bool any = false;
    for (size_t i = 0; i < region.operations.size(); ++i) any |= gone[i] = merged(region.operations[i]);
    for (Value& result : region.results) resolve(result);
    for (; order_.size() > mark; order_.pop_back()) known_.erase(order_.back());
    if (!any) return;
    size_t i = 0;
    std::erase_if(region.operations, [&](const Operation&) { return gone[i++] != 0; });
  }

  // Values that are changed in place, or may be under another name: as what a loop carries or what a path gives.
  void find_changed(const Region& region) {
    const auto change = [&](const Value& value) {
      if (is_symbol(value)) changed_[id_of(value)] = 1;
    };
    for (const Operation& operation : region.operations) {
      const bool updates = operation.kind == Kind::apply && (operation.entry == &ops::handles().index_add ||
                                                             operation.entry == &ops::handles().index_update);
      if (updates) change(operation.args[0]);
      if (is_loop(operation)) std::ranges::for_each(operation.args, change);
      for (const Region& inner : operation.regions) {
        std::ranges::for_each(inner.results, change);
        find_changed(inner);
      }
    }
  }

  // An operation where it stands; copies of its operands, since a region's operations move when it has been walked.
  struct Key {
    Kind kind;
    const ops::Entry* entry;
    int64_t number;
    uint32_t literals;
    std::vector<Value> args, rest;
    uint64_t hash;
    bool operator==(const Key& other) const {
      return hash == other.hash && kind == other.kind && entry == other.entry && number == other.number &&
             literals == other.literals && equal(args, other.args) && equal(rest, other.rest);
    }
  };
  struct Hash {
    size_t operator()(const Key& key) const { return key.hash; }
  };
  using Known = std::unordered_map<Key, Id, Hash>;

  static Key key_of(const Operation& operation) {
    uint64_t hash = mixed(static_cast<uint64_t>(operation.kind), std::bit_cast<uint64_t>(operation.entry));
    hash = mixed(hash, static_cast<uint64_t>(operation.number));
    for (const Value& arg : operation.args) hash = mixed(hash, hash_of(arg));
    for (const Value& arg : operation.rest) hash = mixed(hash, hash_of(arg));
    return {
        operation.kind, operation.entry, operation.number, operation.literals, operation.args, operation.rest, hash};
  }

  void resolve(Value& value) const {
    if (is_symbol(value)) {
      const Value& now = stands_for_[id_of(value)];
      if (!now.is_unbound()) value = now;
      return;
    }
    bool stale = false;
    each_symbol(value, [&](Id id) { stale |= !stands_for_[id].is_unbound(); });
    if (!stale) return;
    value = replace_symbols(value, [&](const Value& symbol) {
      const Value& now = stands_for_[id_of(symbol)];
      return now.is_unbound() ? symbol : now;
    });
  }

  // True when an earlier one stands for it.
  bool merged(Operation& operation) {
    for (Value& arg : operation.args) resolve(arg);
    for (Value& arg : operation.rest) resolve(arg);
    for (Region& inner : operation.regions) region(inner);
    if (!is_function(graph_, operation)) return false;
    if (changed_[operation.results[0]] != 0 && is_fresh(operation)) return false;
    const auto [found, added] = known_.try_emplace(key_of(operation), operation.results[0]);
    if (added) {
      order_.push_back(found);
      return false;
    }
    stands_for_[operation.results[0]] = graph_.symbol(found->second);
    return true;
  }

  Graph& graph_;
  std::vector<Value> stands_for_;  // by Id; unbound: itself
  std::vector<char> changed_;      // by Id
  Known known_;
  std::vector<Known::iterator> order_;
};

}  // namespace

void cse(Graph& graph) {
  Merging(graph).run();
  if (equal_stacks(graph)) Merging(graph).run();
}

}  // namespace covec::passes
