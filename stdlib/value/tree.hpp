// Tuples, lists and records (strings: string.hpp), and walks over their leaves. Records share a layout (their field
// names), so an engine can remember the position of a field.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stdlib/value/function_ref.hpp"
#include "stdlib/value/memory.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/tensor_header.hpp"
#include "stdlib/value/value.hpp"

namespace covec {

namespace ops {
class Builder;
}

struct Tuple : Object {
  explicit Tuple(std::vector<Value> v)
      : Object(ObjectKind::tuple), items(std::move(v)), charge(block_bytes(sizeof(Tuple)) + bytes_behind(items)) {}
  std::vector<Value> items;
  MemoryCharge charge;
};

// It remembers how many of its items are known to be of one kind, so that a list that grows is not looked through again
// and again: whoever writes into it does so by the functions that see to that. (Generated code writes into lists whose
// kind it was made for.) Items that go from its front leave a gap there, so that a queue takes constant time a step; it
// closes when the items are asked for as a row, or when half are gaps.
class List : public Object {
 public:
  explicit List(std::vector<Value> v)
      : Object(ObjectKind::list),
        charge(block_bytes(sizeof(List)) + bytes_behind(v)),
        items_(std::move(v)),
        first_(items_.data()) {}
  const std::vector<Value>& items() const {  // closes the gap: item() and size() leave it
    if (gap() != 0) [[unlikely]]
      const_cast<List*>(this)->close_gap();
    return items_;
  }
  size_t size() const { return static_cast<size_t>(items_.data() + items_.size() - first_); }
  const Value& item(size_t place) const { return first_[place]; }
  bool is_full() const { return items_.size() == items_.capacity(); }
  void push(Value item) {
    if (is_full()) [[unlikely]]
      grow();
    items_.push_back(std::move(item));
  }
  void grow();                // room for more
  void reserve(size_t size);  // room for as many
  // f(items) makes any change.
  template <class F>
  void change(F f) {
    close_gap();
    alike_ = 0;
    f(items_);
    first_ = items_.data();
  }
  // f(item) may make another one of it.
  template <class F>
  void change_item(size_t place, F f) {
    const size_t alike = std::exchange(alike_, std::min(alike_, place));
    const uint64_t kind = kind_word(first_[place]);
    f(first_[place]);
    alike_ = kind_word(first_[place]) == kind ? alike : std::min(alike_, place);
  }
  void set(size_t place, Value item) {
    change_item(place, [&](Value& old) { old = std::move(item); });
  }
  Value take(size_t place);       // out of it
  void cut(size_t size);          // to its first items
  void drop_front(size_t count);  // amortized: as long as they take to go
  // Whether all of its items, and there is one, are numbers of one dtype, or tensors of one dtype and rank.
  bool of_one_kind() const;
  MemoryCharge charge;

  struct Layout;  // list_layout.hpp

 private:
  size_t gap() const { return static_cast<size_t>(first_ - items_.data()); }
  void close_gap();
  void move_to(size_t room);

  std::vector<Value> items_;  // none: gone from the front
  Value* first_;
  mutable size_t alike_ = 0;  // as many from the first on are known to be of its kind
};

struct RecordLayout {
  std::vector<std::string> names;
  int find(std::string_view name) const;  // -1 when absent
};

struct Record : Object {
  Record(std::shared_ptr<const RecordLayout> l, std::vector<Value> v)
      : Object(ObjectKind::record),
        layout(std::move(l)),
        items(std::move(v)),
        charge(block_bytes(sizeof(Record)) + bytes_behind(items)) {}
  std::shared_ptr<const RecordLayout> layout;
  std::vector<Value> items;
  MemoryCharge charge;
  const Value* find(std::string_view name) const;
};

// A complex number or tensor: its real and its imaginary part, numbers or tensors of one float dtype and shape, or what
// stands for them (traced values, Symbols). One value to the user; to walks over trees it is one of two leaves, so that
// kernels, tapes, batches and compiled code meet real values alone.
struct Complex : Object {
  Complex(Value re, Value im) : Object(ObjectKind::complex), parts{std::move(re), std::move(im)} {}
  const Value& re() const { return parts[0]; }
  const Value& im() const { return parts[1]; }
  std::vector<Value> parts;
  MemoryCharge charge{block_bytes(sizeof(Complex)) + bytes_behind(parts)};
};

// Something to iterate over that is no tensor, tuple or list: range, zip, enumerate, progress.
struct Sequence : Object {
  Sequence() : Object(ObjectKind::sequence), charge(block_bytes(sizeof(Sequence) + 3 * sizeof(Value))) {}
  virtual ~Sequence() = default;
  virtual int64_t length() const = 0;
  // 0 ≤ index < length. What is read of a tensor is read now: derivatives see it where the program asks for it.
  virtual Value at(ops::Builder& builder, int64_t index) const = 0;
  virtual void step(int64_t) const {}  // told before each iteration (a progress bar), and length() at the end
  virtual std::string text() const = 0;
  virtual bool only_the_run_knows() const { return false; }  // what it is: it stands for a value of another kind
  // What it is but for the values that it holds: "range by 2", "zip"; and those values, and the same with others.
  virtual std::string staging_key() const = 0;
  virtual std::vector<Value> parts() const = 0;
  virtual Value with_parts(std::vector<Value> parts) const = 0;
  MemoryCharge charge;
};
struct Range : Sequence {
  Range(int64_t b, int64_t e, int64_t s) : start(b), stop(e), stride(s) {}
  int64_t start, stop, stride;
  int64_t length() const override;
  Value at(ops::Builder&, int64_t index) const override { return number(index); }
  int64_t number(int64_t index) const {  // a step past the range of i64 may lie between, never the sum
    return static_cast<int64_t>(static_cast<uint64_t>(start) +
                                static_cast<uint64_t>(index) * static_cast<uint64_t>(stride));
  }
  std::string text() const override;
  std::string staging_key() const override;
  std::vector<Value> parts() const override;
  Value with_parts(std::vector<Value> parts) const override;
};

// A range whose bounds only the run knows: integers, or Symbols that stand for them. Loops of compiled functions know
// how to count through it; it has no length or items of its own.
struct SymbolicRange : Sequence {
  SymbolicRange(Value b, Value e, int64_t s) : start(std::move(b)), stop(std::move(e)), stride(s) {}
  Value start, stop;
  int64_t stride;
  int64_t length() const override;
  Value at(ops::Builder& builder, int64_t index) const override;
  std::string text() const override;
  std::string staging_key() const override;
  std::vector<Value> parts() const override;
  Value with_parts(std::vector<Value> parts) const override;
};
// A Range, or a SymbolicRange where a bound is a Symbol.
Value range_between(Value start, Value stop, int64_t step);

// A list of trees of one structure whose length only the run knows, kept as a list for each leaf. With lists that are
// known it is the list itself.
struct ListOfTrees : Sequence {
  ListOfTrees(Value i, std::vector<Value> c) : item(std::move(i)), columns(std::move(c)) {}
  Value item;                  // a tree with none for each leaf
  std::vector<Value> columns;  // by leaf
  int64_t length() const override;
  Value at(ops::Builder& builder, int64_t index) const override;
  std::string text() const override;
  bool only_the_run_knows() const override { return true; }
  std::string staging_key() const override;
  std::vector<Value> parts() const override { return columns; }
  Value with_parts(std::vector<Value> parts) const override { return list_of_trees(item, std::move(parts)); }
  static Value list_of_trees(const Value& item, std::vector<Value> columns);
};
// The tree with other leaves, and the leaves of a tree, in order.
Value with_leaves(const Value& tree, std::span<const Value> leaves);
std::vector<Value> leaves_of(const Value& tree);

// Whether there is a complex value in a tree.
bool holds_complex(const Value& tree);

Value make_tuple(std::vector<Value> items);
Value make_list(std::vector<Value> items);
Value make_record(std::shared_ptr<const RecordLayout> layout, std::vector<Value> items);
Value make_range(int64_t start, int64_t stop, int64_t step);
// Of parts that are of one float dtype and shape.
Value make_complex(Value re, Value im);
inline bool is_complex(const Value& value) { return value.is(ObjectKind::complex); }
inline Complex& complex_of(const Value& value) { return *static_cast<Complex*>(value.object()); }
// What tells the shape of a value: the real part of a complex one, all else itself.
inline const Value& shaped_part(const Value& value) { return is_complex(value) ? complex_of(value).re() : value; }

inline Tuple& Value::tuple() const noexcept { return *static_cast<Tuple*>(object()); }
inline List& Value::list() const noexcept { return *static_cast<List*>(object()); }
inline Record& Value::record() const noexcept { return *static_cast<Record*>(object()); }
inline Sequence& Value::sequence() const noexcept { return *static_cast<Sequence*>(object()); }

// The children of a tuple, list, record or map, the parts of a complex value; nullptr for a leaf.
const std::vector<Value>* children(const Value& value);
// Children by name or key: of records and maps. Those of tuples and lists are known by their number.
inline bool has_named_children(const Value& tree) { return tree.is(ObjectKind::record) || tree.is(ObjectKind::map); }
// `name: ` or `"key": `, as a literal has it; "" where children have numbers.
std::string child_label(const Value& tree, size_t child);
// The child of `tree` that stands where child number `child` of `like`, a tree of the same kind and size, does; nullptr
// where there is none.
const Value* matching_child(const Value& like, const Value& tree, size_t child);
// Trees of the same kind and size call their children the same, in the same order.
bool same_names(const Value& a, const Value& b);
// The same structure with other children (layout or keys, kind kept). `like` must be a tree.
Value rebuild(const Value& like, std::vector<Value> items);

// What a value holds: the children of a tree, the captures of a function, the parts of a sequence; none for a leaf.
std::vector<Value> parts_of(const Value& value);
// The same value with other parts; the value itself where it has none, or cannot be made with others.
Value with_parts(const Value& value, std::vector<Value> parts);
template <class F>
Value map_parts(const Value& value, F f) {
  std::vector<Value> parts = parts_of(value);
  for (Value& part : parts) part = f(std::as_const(part));
  return with_parts(value, std::move(parts));
}
inline bool is_tree(const Value& v) {
  return v.is(ObjectKind::tuple) || v.is(ObjectKind::list) || has_named_children(v) || is_complex(v);
}
// A tree as programs see it: a complex value is a leaf to them.
inline bool is_container(const Value& v) { return is_tree(v) && !is_complex(v); }

// Calls f on every leaf in order and builds the tree of its results. Nesting past 5000 throws OpError(too_deep).
Value map_leaves(const Value& tree, FunctionRef<Value(const Value&)> f);
// Several trees of one structure (records match by names, maps by keys; throws OpError(tree_mismatch)): f gets the
// leaves in parallel. Where trees[0] has a leaf, the others may have anything.
Value map_trees(std::span<const Value> trees, FunctionRef<Value(std::span<const Value>)> f);
// The same of trees as programs see them: a complex value is a leaf.
Value map_containers(std::span<const Value> trees, FunctionRef<Value(std::span<const Value>)> f);
void each_leaf(const Value& tree, FunctionRef<void(const Value&)> f);
bool same_structure(const Value& a, const Value& b);

}  // namespace covec
