// Graphs at random: elementwise operations of all shapes, reductions, elements, branches and loops with carried values,
// and operators with an outside effect, whose order shows in what is printed.
// Shapes are chosen so that some do not fit: errors are part of it.
#pragma once

#include "stdlib/value/tree.hpp"
#include "tests/effects/noted.hpp"
#include "tests/jit_runtime/machine.hpp"

namespace covec::test {

class RandomGraph {
 public:
  explicit RandomGraph(Machine& machine) : machine_(machine) {
    for (int i = 0; i < 3; ++i) dims_.push_back(maker_.dim());
  }

  std::shared_ptr<const ir::Graph> make(std::vector<Value>& inputs) {
    const int64_t sizes[] = {1, 2, 3, 5, 40};
    const int64_t n = sizes[pick(5)], m = sizes[pick(5)];
    for (int i = 0; i < 5; ++i) {
      std::vector<int64_t> extents;
      Shape shape;
      for (unsigned rank = static_cast<unsigned>(pick(3)); rank > 0; --rank) {
        const bool first = pick(2) == 0;
        const size_t kind = pick(8);
        extents.push_back(kind == 0 ? 1 : kind == 1 ? sizes[pick(5)] : first ? n : m);
        shape.push_back(kind == 0 ? Dim(1) : kind == 1 ? maker_.dim() : dims_[first ? 0 : 1]);
      }
      const Dtype dtype = pick(4) == 0 ? Dtype::i64 : Dtype::f64;
      values_.push_back(maker_.parameter({dtype, shape}));
      inputs.push_back(input(dtype, extents));
    }
    statements(static_cast<int>(4 + pick(12)), 0);
    std::vector<Value> results;
    for (int i = 0; i < 3; ++i) results.push_back(any());
    return maker_.finish(make_tuple(std::move(results)));
  }

 private:
  size_t pick(size_t n) { return machine_.next() % n; }
  const Value& any() { return values_[values_.size() - 1 - pick(std::min<size_t>(values_.size(), 8))]; }
  const Type& type(const Value& value) { return maker_.type(value); }
  bool is_number(const Value& value) { return type(value).shape.empty(); }

  Value input(Dtype dtype, const std::vector<int64_t>& extents) {
    if (!extents.empty()) return machine_.random(dtype, extents);
    if (dtype == Dtype::i64) return Value(static_cast<int64_t>(pick(7)) - 2);
    return Value(machine_.unit());
  }

  void statements(int count, int depth) {
    for (int i = 0; i < count; ++i) statement(depth);
  }

  void statement(int depth) {
    switch (pick(depth < 2 ? 13 : 9)) {
      case 0: return reduction();
      case 1: return element();
      case 2: return effect();
      case 9: return branch(depth);
      case 10: return loop(depth);
      case 11: return boxed();
      default: return elementwise();
    }
  }

  void boxed() {
    const Value value = any();
    const Value box = maker_.box(value);
    values_.push_back(maker_.unbox(box, type(value)));
  }

  // Of which nothing need be read.
  void effect() {
    const Value x = any();
    const Value result = maker_.apply_as(type(x), noted_entry(), {x});
    if (pick(3) > 0) values_.push_back(result);
  }

  void elementwise() {
    const char* const two[] = {"add", "subtract", "multiply", "maximum", "less", "floor_divide", "divide", "atan2"};
    const char* const one[] = {"negative", "exp", "sqrt", "abs", "tanh", "i64", "f32", "f64"};
    if (pick(3) == 0) return values_.push_back(maker_.apply(one[pick(8)], {any()}));
    const char* entry = two[pick(8)];
    const Value a = any();
    if (pick(4) == 0) return values_.push_back(maker_.apply(entry, {a, Value(static_cast<int64_t>(pick(4)))}, 2));
    values_.push_back(maker_.apply(entry, {a, any()}));
  }

  void reduction() {
    const char* const entries[] = {"sum", "mean", "max", "any", "argmax"};
    const Value& x = any();
    const unsigned rank = type(x).shape.rank();
    if (rank == 0) return;
    const Value axis = pick(2) == 0 ? Value() : Value(static_cast<int64_t>(pick(rank)));
    values_.push_back(maker_.reduce(entries[pick(5)], x, axis, pick(2) == 0));
  }

  void element() {
    const Value x = any();
    const Type of = type(x);
    if (of.shape.empty()) return;
    std::vector<Value> items;
    for (unsigned i = 0; i < of.shape.rank(); ++i) items.emplace_back(static_cast<int64_t>(pick(5)) - 2);
    if (pick(2) == 0) return values_.push_back(maker_.read({of.dtype, {}}, x, items));
    const Value value = any();
    if (!is_number(value) || (is_float(type(value).dtype) && !is_float(of.dtype))) return;
    values_.push_back(maker_.write(x, value, items, pick(3) == 0));
  }

  Value condition() {
    const Value& a = any();
    const Value number = is_number(a) ? a : maker_.reduce("mean", a);
    return maker_.apply("less", {number, Value(0.3)}, 2);
  }

  // Values made inside are not seen outside.
  std::vector<Value> inside(const std::function<std::vector<Value>()>& body) {
    const std::vector<Value> outside = values_;
    std::vector<Value> results = body();
    values_ = outside;
    return results;
  }

  void branch(int depth) {
    const Value a = any(), b = any();
    const std::vector<Type> types = {type(a), type(b)};
    const auto side = [&] {
      return inside([&] {
        statements(static_cast<int>(1 + pick(4)), depth + 1);
        return std::vector<Value>{same_type(a), same_type(b)};
      });
    };
    const Value c = condition();
    const std::vector<Value> results = maker_.if_(c, types, side, side);
    values_.insert(values_.end(), results.begin(), results.end());
  }

  // A value of `like`'s type that is in reach: itself, something made of it, or another one.
  Value same_type(const Value& like) {
    for (int i = 0; i < 4; ++i) {
      const Value& other = any();
      if (type(other) == type(like)) return other;
    }
    if (pick(3) == 0 || type(like).dtype == Dtype::boolean || type(like).dtype == Dtype::i32) return like;
    return maker_.apply("add", {like, Value(int64_t{1})}, 2);
  }

  void loop(int depth) {
    const std::vector<Value> carried = {any(), any(), any()};
    const bool exits = pick(2) == 0;
    const Value count(static_cast<int64_t>(pick(4)));
    const std::vector<Value> results = maker_.for_(
        count, carried,
        [&](Value index, std::vector<Value> c) {
          return inside([&] {
            values_.insert(values_.end(), c.begin(), c.end());
            values_.push_back(index);
            statements(static_cast<int>(1 + pick(5)), depth + 1);
            std::vector<Value> next = {same_type(c[pick(3)]), same_type(c[1]), same_type(c[2])};
            if (!(type(next[0]) == type(c[0]))) next[0] = same_type(c[0]);
            if (exits) next.push_back(maker_.apply("less", {index, Value(int64_t{1})}, 2));
            return next;
          });
        },
        exits);
    values_.insert(values_.end(), results.begin(), results.end());
  }

  Machine& machine_;
  GraphMaker maker_;
  std::vector<Dim> dims_;
  std::vector<Value> values_;
};

}  // namespace covec::test
