#include "jit/lower/graph/dimensions.hpp"

#include <algorithm>
#include <functional>

namespace covec::ir {

namespace {

constexpr Id pending = UINT32_MAX;  // the result of the operation whose type is being found

// Which of two dimensions stands for both: a symbol for a number, a later symbol for an earlier one.
bool stands_for(Dim a, Dim b) {
  if (a.known() != b.known()) return b.known();
  return a.known() ? a.number() < b.number() : a.id() > b.id();
}

bool contains(const std::vector<Dim>& dims, Dim dim) { return std::find(dims.begin(), dims.end(), dim) != dims.end(); }

bool within(const std::vector<Dim>& few, const std::vector<Dim>& many) {
  return std::all_of(few.begin(), few.end(), [&](Dim dim) { return contains(many, dim); });
}

}  // namespace

size_t Dimensions::Hash::operator()(Dim dim) const {
  return dim.known() ? std::hash<int64_t>{}(dim.number()) : ~std::hash<uint32_t>{}(dim.id());
}

size_t Dimensions::Hash::operator()(const DimExpression& expression) const {
  size_t hash = static_cast<size_t>(expression.kind);
  for (const size_t part :
       {size_t{expression.value}, size_t{expression.axis}, (*this)(expression.left), (*this)(expression.right)}) {
    hash = (hash ^ part) * 0xff51afd7ed558ccd;
  }
  return hash ^ hash >> 32;
}

Dim Dimensions::of(const DimExpression& expression) {
  const auto [known, is_new] = numbers_.try_emplace(expression, static_cast<uint32_t>(graph_.dims.size()));
  if (is_new) graph_.dims.push_back(expression);
  return Dim::symbol(known->second);
}

Dim Dimensions::sum(Dim a, Dim b) {
  if (a == Dim(0)) return b;
  if (b == Dim(0)) return a;
  return of({DimExpression::Kind::add, 0, 0, a, b});
}

Dim Dimensions::product(Dim a, Dim b) {
  if (a == Dim(1)) return b;
  if (b == Dim(1)) return a;
  return of({DimExpression::Kind::multiply, 0, 0, a, b});
}

Dim Dimensions::saturating_sub(Dim a, int64_t count) {
  const DimExpression inner = expression(a);
  int64_t both = 0;
  const bool again = inner.kind == DimExpression::Kind::saturating_sub;
  if (again && !__builtin_add_overflow(inner.right.number(), count, &both)) return saturating_sub(inner.left, both);
  return of({DimExpression::Kind::saturating_sub, 0, 0, a, Dim(count)});
}

Dim Dimensions::broadcast(Dim a, Dim b) {
  if (are_equal(a, b) || b == Dim(1)) return a;
  if (a == Dim(1)) return b;
  if (a.known()) return a;  // a number other than 1: the other is that, or 1, or it is an error
  if (b.known()) return b;
  // a | (a | b) is a | b: chains of operators would grow without end.
  const std::vector<Dim> of_a = parts_of(a), of_b = parts_of(b);
  if (within(of_b, of_a)) return a;
  if (within(of_a, of_b)) return b;
  const Dim result = of({DimExpression::Kind::broadcast, 0, 0, a, b});
  std::vector<Dim> parts = of_a;
  for (const Dim dim : of_b) {
    if (!contains(parts, dim)) parts.push_back(dim);
  }
  if (parts_.emplace(result.id(), std::move(parts)).second) widest_.push_back(result.id());
  return result;
}

std::vector<Dim> Dimensions::parts_of(Dim dim) const {
  const auto parts = parts_.find(dim.id());
  return parts == parts_.end() ? std::vector<Dim>{representative(dim)} : parts->second;
}

Dim Dimensions::of_number(Id number) {
  const auto known = extents_.find(number);
  return known != extents_.end() ? known->second : of({DimExpression::Kind::number, number, 0});
}

Dim Dimensions::unknown() {
  graph_.dims.push_back({DimExpression::Kind::axis_of, pending, 0});
  return Dim::symbol(static_cast<uint32_t>(graph_.dims.size() - 1));
}

void Dimensions::bind(const Type& type, Id result) {
  for (unsigned axis = 0; axis < type.shape.rank(); ++axis) {
    const Dim dim = type.shape[axis];
    if (dim.known() || graph_.dims[dim.id()].value != pending) continue;
    graph_.dims[dim.id()] = {DimExpression::Kind::axis_of, result, axis};
  }
}

void Dimensions::forget_unbound(size_t from) {
  for (size_t d = from; d < graph_.dims.size(); ++d) {
    if (graph_.dims[d].value == pending) graph_.dims[d] = known_dimension(0);
  }
}

void Dimensions::assume_equal(Dim a, Dim b) {
  const Dim x = representative(a), y = representative(b);
  if (x == y) return;
  const bool first = stands_for(x, y);
  equal_.emplace(first ? y : x, first ? x : y);
  assumed_.push_back(first ? y : x);
}

void Dimensions::rollback(const Mark& mark) {
  for (; assumed_.size() > mark.equal; assumed_.pop_back()) equal_.erase(assumed_.back());
  for (; widest_.size() > mark.parts; widest_.pop_back()) parts_.erase(widest_.back());
}

Dim Dimensions::representative(Dim dim) const {
  for (auto next = equal_.find(dim); next != equal_.end(); next = equal_.find(dim)) dim = next->second;
  return dim;
}

}  // namespace covec::ir
