// Tuples, lists and records, and the walks over them. Records of one structure match by names in any order; a result
// has the first tree's order. Recursion deeper than 5000 is an error. Start at map_trees.
#include "stdlib/value/tree.hpp"

#include <algorithm>

#include "stdlib/value/callable.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/map.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/visits.hpp"

namespace covec {

namespace {

// Levels, as in tensor/equal.cpp.
constexpr unsigned depth_limit = 5000;

void check_depth(unsigned depth) {
  if (depth > depth_limit) fail(message("too_deep"), {std::to_string(depth_limit)});
}

}  // namespace

int RecordLayout::find(std::string_view name) const {
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<int>(i);
  }
  return -1;
}

const Value* Record::find(std::string_view name) const {
  const int at = layout->find(name);
  return at < 0 ? nullptr : &items[static_cast<size_t>(at)];
}

void List::reserve(size_t size) {
  if (size <= items_.capacity() - gap()) return;
  const bool behind_gap = size <= items_.capacity() && 4 * gap() >= items_.capacity();
  behind_gap ? close_gap() : move_to(std::max(size, items_.capacity()));
}

// A gap that is worth closing is room enough.
void List::grow() { reserve(std::max<size_t>(4, 4 * gap() >= items_.capacity() ? size() + 1 : 2 * items_.capacity())); }

// The account first: where memory does not suffice, the list is as it was.
void List::move_to(size_t room) {
  charge.change(block_bytes(sizeof(List)) + block_bytes(room * sizeof(Value)));
  std::vector<Value> moved;
  moved.reserve(room);
  moved.insert(moved.end(), std::make_move_iterator(first_), std::make_move_iterator(first_ + size()));
  items_ = std::move(moved);
  first_ = items_.data();
}

void List::close_gap() {
  items_.erase(items_.begin(), items_.begin() + static_cast<ptrdiff_t>(gap()));
  first_ = items_.data();
}

Value List::take(size_t place) {
  Value item = std::move(first_[place]);
  if (place == 0) {
    drop_front(1);
    return item;
  }
  items_.erase(items_.begin() + static_cast<ptrdiff_t>(gap() + place));
  alike_ -= place < alike_ ? 1 : 0;
  return item;
}

void List::cut(size_t size) {
  items_.resize(gap() + size);
  alike_ = std::min(alike_, size);
}

// Room that a queue needs no more is given back.
void List::drop_front(size_t count) {
  std::fill_n(first_, count, Value());
  first_ += count;
  alike_ -= std::min(alike_, count);
  if (2 * gap() <= items_.size()) return;
  constexpr size_t kept = 64;  // items whose room is kept
  items_.capacity() > kept && 4 * size() < items_.capacity() ? move_to(2 * size()) : close_gap();
}

bool List::of_one_kind() const {
  const size_t length = size();
  if (length == 0) return false;
  const uint64_t kind = kind_word(first_[0]);
  if (kind == 0) return false;
  while (alike_ < length && kind_word(first_[alike_]) == kind) ++alike_;
  return alike_ == length;
}

int64_t Range::length() const {
  const bool up = stride > 0;
  if (up ? start >= stop : start <= stop) return 0;
  const auto low = static_cast<uint64_t>(up ? start : stop), high = static_cast<uint64_t>(up ? stop : start);
  const uint64_t step = up ? static_cast<uint64_t>(stride) : -static_cast<uint64_t>(stride);
  const uint64_t count = (high - low - 1) / step + 1;
  if (count > INT64_MAX) fail(message("no_length"), {text()}, {}, "it has more numbers than i64 can count");
  return static_cast<int64_t>(count);
}

std::string Range::text() const {
  std::string out = "range(" + std::to_string(start) + ", " + std::to_string(stop);
  if (stride != 1) out += ", " + std::to_string(stride);
  return out + ")";
}

namespace {

std::string key_of_range(int64_t stride) { return "range by " + std::to_string(stride); }

}  // namespace

std::string Range::staging_key() const { return key_of_range(stride); }
std::vector<Value> Range::parts() const { return {Value(start), Value(stop)}; }
Value Range::with_parts(std::vector<Value> parts) const {
  return range_between(std::move(parts.at(0)), std::move(parts.at(1)), stride);
}

int64_t SymbolicRange::length() const { fail_not_staged("the length of a range"); }
Value SymbolicRange::at(ops::Builder&, int64_t) const { fail_not_staged("an element of a range"); }
std::string SymbolicRange::text() const { fail_not_staged("the text of a range"); }
std::string SymbolicRange::staging_key() const { return key_of_range(stride); }
std::vector<Value> SymbolicRange::parts() const { return {start, stop}; }
Value SymbolicRange::with_parts(std::vector<Value> parts) const {
  return range_between(std::move(parts.at(0)), std::move(parts.at(1)), stride);
}

bool is_list_of_trees(const Value& value) { return dynamic_cast<const ListOfTrees*>(&value.sequence()) != nullptr; }

int64_t ListOfTrees::length() const { fail_not_staged("the length of a list"); }
Value ListOfTrees::at(ops::Builder&, int64_t) const { fail_not_staged("an item of a list"); }
std::string ListOfTrees::text() const { fail_not_staged("the text of a list"); }
std::string ListOfTrees::staging_key() const { return "list of trees"; }

Value ListOfTrees::list_of_trees(const Value& item, std::vector<Value> columns) {
  const auto known = [](const Value& column) { return column.is(ObjectKind::list); };
  if (!std::all_of(columns.begin(), columns.end(), known)) {
    return Value::adopt(new ListOfTrees(item, std::move(columns)));
  }
  std::vector<Value> items, leaves(columns.size());
  const size_t length = columns[0].list().size();
  items.reserve(length);
  for (size_t i = 0; i < length; ++i) {
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf) leaves[leaf] = columns[leaf].list().items().at(i);
    items.push_back(with_leaves(item, leaves));
  }
  return make_list(std::move(items));
}

Value with_leaves(const Value& tree, std::span<const Value> leaves) {
  return map_leaves(tree, [&, next = size_t{0}](const Value&) mutable { return leaves[next++]; });
}

std::vector<Value> leaves_of(const Value& tree) {
  std::vector<Value> leaves;
  each_leaf(tree, [&](const Value& leaf) { leaves.push_back(leaf); });
  return leaves;
}

Value range_between(Value start, Value stop, int64_t step) {
  if (start.is_symbol() || stop.is_symbol()) {
    return Value::adopt(new SymbolicRange(std::move(start), std::move(stop), step));
  }
  return make_range(start.integer(), stop.integer(), step);
}

Value make_tuple(std::vector<Value> items) { return Value::adopt(new Tuple(std::move(items))); }
Value make_list(std::vector<Value> items) { return Value::adopt(new List(std::move(items))); }
Value make_record(std::shared_ptr<const RecordLayout> layout, std::vector<Value> items) {
  return Value::adopt(new Record(std::move(layout), std::move(items)));
}
Value make_complex(Value re, Value im) { return Value::adopt(new Complex(std::move(re), std::move(im))); }
Value make_range(int64_t start, int64_t stop, int64_t step) { return Value::adopt(new Range(start, stop, step)); }

namespace {

const std::vector<Value>* items_of(const Value& value) {
  if (value.is(ObjectKind::tuple)) return &value.tuple().items;
  if (value.is(ObjectKind::list)) return &value.list().items();
  if (value.is(ObjectKind::map)) return &map_of(value).values();
  if (is_complex(value)) return &complex_of(value).parts;
  return value.is(ObjectKind::record) ? &value.record().items : nullptr;
}

}  // namespace

const std::vector<Value>* children(const Value& value) {
  const std::vector<Value>* const items = items_of(value);
  if (items != nullptr) Visits::count();
  return items;
}

std::string child_label(const Value& tree, size_t child) {
  if (tree.is(ObjectKind::record)) return tree.record().layout->names[child] + ": ";
  return tree.is(ObjectKind::map) ? key_text(map_of(tree).keys()[child]) + ": " : std::string();
}

const Value* matching_child(const Value& like, const Value& tree, size_t child) {
  if (like.is(ObjectKind::map)) return map_of(tree).find(map_of(like).keys()[child]);
  if (!like.is(ObjectKind::record) || like.record().layout == tree.record().layout) return &(*children(tree))[child];
  return tree.record().find(like.record().layout->names[child]);
}

bool same_names(const Value& a, const Value& b) {
  if (a.is(ObjectKind::record)) return a.record().layout->names == b.record().layout->names;
  if (!a.is(ObjectKind::map)) return true;
  const std::vector<Value>&left = map_of(a).keys(), &right = map_of(b).keys();
  return std::equal(left.begin(), left.end(), right.begin(), right.end(), same_key);
}

Value rebuild(const Value& like, std::vector<Value> items) {
  if (like.is(ObjectKind::tuple)) return make_tuple(std::move(items));
  if (like.is(ObjectKind::list)) return make_list(std::move(items));
  if (is_complex(like)) return make_complex(std::move(items[0]), std::move(items[1]));
  if (like.is(ObjectKind::map)) return make_map(map_of(like).keys(), std::move(items));
  return make_record(like.record().layout, std::move(items));
}

std::vector<Value> parts_of(const Value& value) {
  if (const std::vector<Value>* items = children(value)) return *items;
  if (value.is(ObjectKind::function)) return value.function().captures();
  if (value.is(ObjectKind::sequence)) return value.sequence().parts();
  return {};
}

Value with_parts(const Value& value, std::vector<Value> parts) {
  if (is_tree(value)) return rebuild(value, std::move(parts));
  if (parts.empty()) return value;
  if (value.is(ObjectKind::sequence)) return value.sequence().with_parts(std::move(parts));
  Value copy = value.function().with_captures(std::move(parts));
  return copy.is_none() ? value : copy;
}

namespace {

Value map_leaves_at(const Value& tree, FunctionRef<Value(const Value&)> f, unsigned depth) {
  const std::vector<Value>* items = children(tree);
  if (items == nullptr) return f(tree);
  check_depth(depth);
  std::vector<Value> results;
  results.reserve(items->size());
  for (const Value& item : *items) results.push_back(map_leaves_at(item, f, depth + 1));
  return rebuild(tree, std::move(results));
}

void each_leaf_at(const Value& tree, FunctionRef<void(const Value&)> f, unsigned depth) {
  const std::vector<Value>* items = children(tree);
  if (items == nullptr) return f(tree);
  check_depth(depth);
  for (const Value& item : *items) each_leaf_at(item, f, depth + 1);
}

std::string kind_text(const Value& v) {
  if (v.is(ObjectKind::tuple)) return "a tuple of " + std::to_string(v.tuple().items.size());
  if (v.is(ObjectKind::list)) return "a list of " + std::to_string(v.list().size());
  if (v.is(ObjectKind::map)) return "a map of " + std::to_string(map_of(v).size());
  return v.is(ObjectKind::record) ? "a record of " + std::to_string(v.record().items.size()) : describe(v);
}

[[noreturn]] void mismatch(const std::string& path, const std::string& what) {
  fail(message("tree_mismatch"), {path.empty() ? what : "at " + path + " " + what});
}

// Where in the trees a walk is, for the message of a mismatch: built only then.
struct Path {
  const Path* parent;
  const Value* tree;
  size_t child;
  std::string text() const {
    if (parent == nullptr) return "";
    const Value& above = *parent->tree;
    if (is_complex(above)) return parent->text() + (child == 0 ? ".re" : ".im");
    const std::string step = above.is(ObjectKind::record) ? "." + above.record().layout->names[child]
                             : above.is(ObjectKind::map)  ? "[" + key_text(map_of(above).keys()[child]) + "]"
                                                          : "[" + std::to_string(child) + "]";
    return parent->text() + step;
  }
};

std::string missing_child(const Value& first, size_t i) {
  if (first.is(ObjectKind::map)) return "the second map has no key " + key_text(map_of(first).keys()[i]);
  return "the second record has no field " + first.record().layout->names[i];
}

// The child of `tree` that stands where child `i` of `first` does.
const Value& expect_child(const Value& first, const Value& tree, size_t i, const Path& path) {
  const std::vector<Value>* items = children(tree);
  const bool same_kind = items != nullptr && tree.object()->kind == first.object()->kind;
  if (!same_kind || items->size() != children(first)->size()) {
    mismatch(path.text(), kind_text(first) + " meets " + kind_text(tree));
  }
  const Value* found = matching_child(first, tree, i);
  if (found == nullptr) mismatch(path.text(), missing_child(first, i));
  return *found;
}

Value map_trees_at(std::span<const Value> trees, FunctionRef<Value(std::span<const Value>)> f, const Path& path,
                   bool whole_numbers, unsigned depth) {
  const Value& first = trees[0];
  const std::vector<Value>* items = whole_numbers && is_complex(first) ? nullptr : children(first);
  if (items == nullptr) return f(trees);
  check_depth(depth);
  if (items->empty()) {
    for (const Value& tree : trees.subspan(1)) {
      const std::vector<Value>* others = children(tree);
      if (others == nullptr || !others->empty() || tree.object()->kind != first.object()->kind) {
        mismatch(path.text(), kind_text(first) + " meets " + kind_text(tree));
      }
    }
  }
  std::vector<Value> results;
  results.reserve(items->size());
  std::vector<Value> parallel(trees.size());
  for (size_t i = 0; i < items->size(); ++i) {
    parallel[0] = (*items)[i];
    for (size_t t = 1; t < trees.size(); ++t) parallel[t] = expect_child(first, trees[t], i, path);
    results.push_back(map_trees_at(parallel, f, Path{&path, &parallel[0], i}, whole_numbers, depth + 1));
  }
  return rebuild(first, std::move(results));
}

bool same_structure_at(const Value& a, const Value& b, unsigned depth) {
  const std::vector<Value>* left = children(a);
  const std::vector<Value>* right = children(b);
  if (left == nullptr || right == nullptr) return left == right;
  check_depth(depth);
  if (a.object()->kind != b.object()->kind || left->size() != right->size()) return false;
  for (size_t i = 0; i < left->size(); ++i) {
    const Value* other = matching_child(a, b, i);
    if (other == nullptr || !same_structure_at((*left)[i], *other, depth + 1)) return false;
  }
  return true;
}

}  // namespace

Value map_leaves(const Value& tree, FunctionRef<Value(const Value&)> f) { return map_leaves_at(tree, f, 1); }

namespace {

bool holds_complex_at(const Value& tree, unsigned depth) {
  if (is_complex(tree)) return true;
  if (tree.is(ObjectKind::list) && tree.list().of_one_kind()) return false;
  const std::vector<Value>* items = children(tree);
  if (items == nullptr) return false;
  check_depth(depth);
  return std::ranges::any_of(*items, [&](const Value& item) { return holds_complex_at(item, depth + 1); });
}

}  // namespace

bool holds_complex(const Value& tree) { return holds_complex_at(tree, 1); }

void each_leaf(const Value& tree, FunctionRef<void(const Value&)> f) { each_leaf_at(tree, f, 1); }

Value map_trees(std::span<const Value> trees, FunctionRef<Value(std::span<const Value>)> f) {
  return map_trees_at(trees, f, Path{nullptr, &trees[0], 0}, false, 1);
}

Value map_containers(std::span<const Value> trees, FunctionRef<Value(std::span<const Value>)> f) {
  return map_trees_at(trees, f, Path{nullptr, &trees[0], 0}, true, 1);
}

bool same_structure(const Value& a, const Value& b) { return same_structure_at(a, b, 1); }

}  // namespace covec
