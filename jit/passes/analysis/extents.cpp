#include "jit/passes/analysis/extents.hpp"

#include <algorithm>

#include "jit/passes/analysis/known_values.hpp"
#include "stdlib/ops/elementwise/bodies/compare.hpp"
#include "stdlib/ops/elementwise/bodies/logic.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/broadcast.hpp"
#include "stdlib/value/error.hpp"

namespace covec::passes {

using namespace ir;
using Expression = DimExpression;

namespace {

constexpr unsigned max_depth = 64;  // expressions inside each other

// Of an integer; a negative one is no extent.
std::optional<Dim> extent_of(const Value& integer) {
  const int64_t number = integer.integer();
  return number >= 0 ? std::optional(Dim(number)) : std::nullopt;
}

bool by_age(Dim a, Dim b) {  // numbers first, then the oldest symbols
  if (a.known() != b.known()) return a.known();
  return a.known() ? a.number() < b.number() : a.id() < b.id();
}

}  // namespace

size_t Extents::Hash::operator()(const Expression& e) const {
  uint64_t h = static_cast<uint64_t>(e.kind) << 56 ^ uint64_t { e.value } << 8 ^ e.axis;
  for (const Dim dim : {e.left, e.right}) {
    const uint64_t word = dim.known() ? static_cast<uint64_t>(dim.number()) : ~uint64_t{dim.id()};
    h = (h ^ word) * 0x9e3779b97f4a7c15;
  }
  return h ^ h >> 29;
}

Extents::Extents(Graph& graph, const KnownValues& values) : graph_(graph), values_(values) {
  numbers_.reserve(graph.dims.size() * 2);
  for (uint32_t d = 0; d < graph.dims.size(); ++d) numbers_.emplace(graph.dims[d], d);
}

Dim Extents::intern(const Expression& expression) {
  const auto [found, added] = numbers_.try_emplace(expression, static_cast<uint32_t>(graph_.dims.size()));
  if (added) graph_.dims.push_back(expression);
  return Dim::symbol(found->second);
}

Dim Extents::own(Id id, unsigned axis) { return intern({Expression::Kind::axis_of, id, axis, 0, 0}); }

bool Extents::is_own(Dim dim, Id id, unsigned axis) const {
  if (dim.known()) return false;
  const Expression& e = graph_.dims[dim.id()];
  return e.kind == Expression::Kind::axis_of && e.value == id && e.axis == axis;
}

Dim Extents::representative(Dim dim) const {
  while (!dim.known()) {
    const auto next = equal_.find(dim.id());
    if (next == equal_.end()) break;
    dim = next->second;
  }
  return dim;
}

// --- canonical forms ---

std::optional<Dim> Extents::canonical(Dim dim) {
  if (dim.known()) return dim;
  if (depth_ >= max_depth) return std::nullopt;
  if (depth_ == 0) found_.clear();  // what is known changes from one question to the next
  if (const auto found = found_.find(dim.id()); found != found_.end()) return found->second;
  ++depth_;
  const Expression e = graph_.dims[dim.id()];
  std::optional<Dim> result;
  if (e.kind == Expression::Kind::axis_of) {
    result = of_axis(e.value, e.axis);
  } else if (e.kind == Expression::Kind::number) {
    result = of_number(e.value);
  } else {
    const std::optional<Dim> left = canonical(e.left), right = canonical(e.right);
    if (left && right) result = representative(combined(e.kind, *left, *right));
  }
  --depth_;
  found_.insert_or_assign(dim.id(), result);
  return result;
}

// A value's type has canonical dimensions since it was defined; what was learnt since may say more.
std::optional<Dim> Extents::of_axis(Id id, uint32_t axis) {
  const Value value = values_.now(id);
  if (value.is_tensor())
    return axis < value.tensor().rank() ? std::optional(Dim(value.tensor().dim(axis))) : std::nullopt;
  if (!is_symbol(value) || !values_.visible(id_of(value))) return std::nullopt;
  const Id at = id_of(value);
  const Shape& shape = graph_.values[at].type.shape;
  if (axis >= shape.rank()) return std::nullopt;
  if (is_own(shape[axis], at, axis)) return representative(own(at, axis));
  return canonical(shape[axis]);
}

std::optional<Dim> Extents::of_number(Id id) {
  const Value value = values_.now(id);
  if (value.is_scalar()) {
    return extent_of(value);
  }
  if (!is_symbol(value) || !values_.visible(id_of(value))) return std::nullopt;
  const Operation* maker = values_.maker(value);
  if (maker != nullptr && maker->kind == Kind::dimension && is_symbol(maker->args[0])) {
    return of_axis(id_of(maker->args[0]), static_cast<uint32_t>(maker->number));
  }
  if (maker != nullptr && maker->kind == Kind::apply && maker->entry == &ops::entry_of<ops::Where>()) {
    if (const std::optional<Dim> dim = of_choice(*maker)) return dim;
  }
  return representative(intern({Expression::Kind::number, id_of(value), 0, 0, 0}));
}

// where(a == 1, b, a): how staging says a | b of two extents.
std::optional<Dim> Extents::of_choice(const Operation& choice) {
  const Operation* test = values_.maker(choice.args[0], ops::entry_of<ops::Equal>());
  const Value &b = choice.args[1], &a = choice.args[2];
  if (test == nullptr || !same_operand(test->args[0], a) || test->args[1].tag() != Tag::i64) return std::nullopt;
  if (test->args[1].i64() != 1 || !is_symbol(a) || !is_symbol(b)) return std::nullopt;
  const std::optional<Dim> x = of_number(id_of(a)), y = of_number(id_of(b));
  if (!x || !y || !is_extent(*x) || !is_extent(*y)) return std::nullopt;
  return broadcast(*x, *y);
}

// Of a tensor, and so never negative, and known to fit where it is combined with another.
bool Extents::is_extent(Dim dim) const {
  return dim.known() || graph_.dims[dim.id()].kind == Expression::Kind::axis_of;
}

Dim Extents::combined(Expression::Kind kind, Dim a, Dim b) {
  if (kind == Expression::Kind::broadcast) return broadcast(a, b);
  if (kind == Expression::Kind::saturating_sub) return saturating_sub(a, b.number());
  if (by_age(b, a)) std::swap(a, b);
  const bool adds = kind == Expression::Kind::add;
  if (a == Dim(adds ? 0 : 1)) return b;
  int64_t number = 0;
  if (a.known() && b.known()) {
    const bool overflow = adds ? __builtin_add_overflow(a.number(), b.number(), &number)
                               : __builtin_mul_overflow(a.number(), b.number(), &number);
    if (!overflow) return Dim(number);
  }
  return intern({kind, 0, 0, a, b});
}

Dim Extents::saturating_sub(Dim a, int64_t count) {
  if (a.known()) return Dim(std::max<int64_t>(a.number() - count, 0));
  const Expression inner = graph_.dims[a.id()];
  int64_t both = 0;
  const bool again = inner.kind == Expression::Kind::saturating_sub;
  if (again && !__builtin_add_overflow(inner.right.number(), count, &both)) return saturating_sub(inner.left, both);
  return intern({Expression::Kind::saturating_sub, 0, 0, a, Dim(count)});
}

void Extents::broadcast_parts(Dim dim, std::vector<Dim>& parts) const {
  if (!dim.known() && graph_.dims[dim.id()].kind == Expression::Kind::broadcast) {
    const Expression& e = graph_.dims[dim.id()];
    broadcast_parts(e.left, parts);
    broadcast_parts(e.right, parts);
  } else if (dim != Dim(1) && std::find(parts.begin(), parts.end(), dim) == parts.end()) {
    parts.push_back(dim);
  }
}

// Where a | b is somebody's extent, a and b fit together: a number other than 1 says what it is, and the order and
// repetitions say nothing.
Dim Extents::broadcast(Dim a, Dim b) {
  if (fit(a, b) == Fit::fits) return joined(a, b);
  std::vector<Dim> parts;
  broadcast_parts(a, parts);
  broadcast_parts(b, parts);
  std::sort(parts.begin(), parts.end(), by_age);
  if (parts.empty()) return Dim(1);
  if (parts[0].known()) return parts[0];
  Dim result = parts[0];
  for (size_t i = 1; i < parts.size(); ++i) result = intern({Expression::Kind::broadcast, 0, 0, result, parts[i]});
  return result;
}

// --- type rules ---

// The type rules' view of dimensions: those of the graph, and one that has no canonical form for what is not known.
class Extents::Rules final : public ops::ShapeBuilder {
 public:
  Rules(Extents& extents, Id result) : extents_(extents), result_(result) {}
  Dim unknown_dim() override { return extents_.own(result_, max_rank); }
  Dim dim_of(const Value& number) override {
    if (number.is_scalar()) return extent_of(number).value_or(unknown_dim());
    return is_symbol(number) ? extents_.of_number(id_of(number)).value_or(unknown_dim()) : unknown_dim();
  }
  bool is_extent(const Value& number) const override {
    if (!is_symbol(number)) return false;
    const std::optional<Dim> dim = extents_.of_number(id_of(number));
    return dim && extents_.is_extent(*dim);
  }

 protected:
  void guard_equal(Dim, Dim, const ops::Mismatch&) override {}
  Dim symbolic_add(Dim a, Dim b) override { return joined(Expression::Kind::add, a, b); }
  Dim symbolic_multiply(Dim a, Dim b) override { return joined(Expression::Kind::multiply, a, b); }
  Dim symbolic_saturating_sub(Dim a, int64_t count) override {
    const std::optional<Dim> x = extents_.canonical(a);
    return x ? extents_.saturating_sub(*x, count) : unknown_dim();
  }
  Dim symbolic_broadcast(Dim a, Dim b, const ops::Mismatch&) override {
    return joined(Expression::Kind::broadcast, a, b);
  }

 private:
  Dim joined(Expression::Kind kind, Dim a, Dim b) {
    const std::optional<Dim> x = extents_.canonical(a), y = extents_.canonical(b);
    if (x && y) return extents_.combined(kind, *x, *y);
    // Whatever it is, a number other than 1 decides.
    if (kind == Expression::Kind::broadcast && x && x->known() && *x != Dim(1)) return *x;
    if (kind == Expression::Kind::broadcast && y && y->known() && *y != Dim(1)) return *y;
    return unknown_dim();
  }
  Extents& extents_;
  const Id result_;
};

Shape Extents::shape_of(const Operation& operation) {
  std::vector<Value> args = operation.args, rest = operation.rest;
  Rules rules(*this, operation.results[0]);
  try {
    return operation.entry->type(rules, ops::Call{*operation.entry, args, rest, operation.literals}).shape;
  } catch (const OpError&) {  // it will fail, or only the run can say
    return {};
  }
}

// --- questions ---

bool Extents::same(Dim a, Dim b) {
  if (a.known() && b.known()) return a == b;
  const std::optional<Dim> x = canonical(a);
  return x && x == canonical(b);
}

bool Extents::same(const Shape& a, const Shape& b) {
  if (a.rank() != b.rank()) return false;
  for (unsigned axis = 0; axis < a.rank(); ++axis) {
    if (!same(a[axis], b[axis])) return false;
  }
  return true;
}

void Extents::equate(Dim a, Dim b) {
  std::optional<Dim> x = canonical(a), y = canonical(b);
  if (!x || !y || *x == *y || (x->known() && y->known())) return;
  if (by_age(*x, *y)) std::swap(x, y);  // x stands for y from now on
  equal_.emplace(x->id(), *y);
  changes_.push_back(x->id());
}

void Extents::rollback(size_t mark) {
  while (changes_.size() > mark) {
    equal_.erase(changes_.back());
    changes_.pop_back();
  }
}

}  // namespace covec::passes
