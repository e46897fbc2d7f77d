#include "jit/passes/analysis/known_values.hpp"

#include <cstring>

#include "jit/passes/analysis/evaluate.hpp"
#include "stdlib/ops/create/create.hpp"
#include "stdlib/ops/shape/shape.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::passes {

using namespace ir;

namespace {

bool is_one_of(const ops::Entry* entry, const ops::Entry& a, const ops::Entry& b) { return entry == &a || entry == &b; }

}  // namespace

// --- questions ---

bool same_operand(const Value& a, const Value& b) {
  if (a.tag() != b.tag()) return false;
  if (a.is_scalar()) return std::memcmp(a.scalar_data(), b.scalar_data(), size_of(a.scalar_dtype())) == 0;
  if (!a.is_object()) return true;
  if (is_symbol(a) && is_symbol(b)) return id_of(a) == id_of(b);
  return a.object() == b.object();
}

bool KnownValues::visible(const Value& value) const {
  bool all = true;
  each_symbol(value, [&](Id id) { all &= values_[id].visible; });
  return all;
}

const Operation* KnownValues::maker(const Value& value, const ops::Entry& entry) const {
  const Operation* made_by = maker(value);
  return made_by != nullptr && made_by->kind == Kind::apply && made_by->entry == &entry ? made_by : nullptr;
}

Type KnownValues::type(const Value& value) const {
  return is_symbol(value) ? graph_.values[id_of(value)].type : logical_type(value);
}

bool KnownValues::same_type(const Value& a, const Value& b) {
  if (is_boxed(a) || is_boxed(b)) return false;
  const Type x = type(a), y = type(b);
  return x.dtype == y.dtype && extents_.same(x.shape, y.shape);
}

Value KnownValues::filling(const Value& value) const {
  if (value.is_scalar()) return value;
  if (value.is_tensor()) return Value::unbound();
  if (!is_symbol(value) || is_boxed(value)) return Value::unbound();
  const Type& type = graph_.values[id_of(value)].type;
  if (type.shape.empty()) return value;
  const Operation* made_by = maker(value);
  if (made_by == nullptr || made_by->kind != Kind::apply) return Value::unbound();
  if (is_one_of(made_by->entry, ops::zeros_entry(), ops::zeros_like_entry())) return Evaluator::number(0, type.dtype);
  if (is_one_of(made_by->entry, ops::ones_entry(), ops::ones_like_entry())) return Evaluator::number(1, type.dtype);
  const bool full = made_by->entry == &ops::full_entry();
  if (!full && made_by->entry != &ops::broadcast_to_entry()) return Value::unbound();
  const Value& filler = made_by->args[full ? 1 : 0];
  if (this->type(filler).dtype != type.dtype) return Value::unbound();
  return filling(filler);
}

// --- changes ---

void KnownValues::resolve(Value& value) const {
  if (is_symbol(value)) {
    const Value& now = values_[id_of(value)].now;
    if (!now.is_unbound()) value = now;
    return;
  }
  if (!value.is_object() || value.is_tensor()) return;
  bool stale = false;
  each_symbol(value, [&](Id id) { stale |= !values_[id].now.is_unbound(); });
  if (stale) value = replace_symbols(value, [&](const Value& symbol) { return now(id_of(symbol)); });
}

void KnownValues::replace(Id id, Value by) {
  resolve(by);
  values_[id].now = std::move(by);
}

void KnownValues::define(Id id, const Operation* maker) {
  Known& known = values_[id];
  known.maker = maker;
  known.visible = true;
  defined_.push_back(id);
  if (!graph_.values[id].boxed && !graph_.values[id].type.shape.empty()) retype(id);
}

// Dimensions in canonical form, so that they can be compared later; one that mentions what is not visible here is the
// value's own. Symbols made before have the type that the value had then: a new one stands for it.
void KnownValues::retype(Id id) {
  Shape& shape = graph_.values[id].type.shape;
  for (unsigned axis = 0; axis < shape.rank(); ++axis) {
    const Dim dim = shape[axis];
    if (dim.known() || extents_.is_own(dim, id, axis)) continue;
    const std::optional<Dim> canonical = extents_.canonical(dim);
    graph_.values[id].type.shape[axis] = canonical ? *canonical : extents_.own(id, axis);
  }
  values_[id].now = graph_.symbol(id);
}

void KnownValues::take_extents(Id id, const Shape& from) {
  Shape& shape = graph_.values[id].type.shape;
  for (unsigned axis = 0; axis < shape.rank() && from.rank() == shape.rank(); ++axis) {
    if (const std::optional<Dim> dim = extents_.canonical(from[axis])) shape[axis] = *dim;
  }
}

void KnownValues::close(const Scope& scope) {
  while (defined_.size() > scope.defined) {
    values_[defined_.back()].visible = false;
    defined_.pop_back();
  }
  extents_.rollback(scope.equal);
}

}  // namespace covec::passes
