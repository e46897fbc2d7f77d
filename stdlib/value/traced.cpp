// Looks through traced values: the type that a user sees, and the plain number behind one. A batch hides one leading
// axis of the value below it; jvp and tape levels hide nothing.
#include "stdlib/value/traced.hpp"

#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tensor_header.hpp"

namespace covec {

namespace {

// The value at the bottom; `hidden` counts the batch axes on the way.
const Value& bottom_of(const Value& value, unsigned& hidden) {
  const Value* at = &value;
  hidden = 0;
  while (at->is_traced()) {
    const Traced& traced = at->traced();
    hidden += traced.trace == TraceKind::batch;
    at = &traced.primal;
  }
  return *at;
}

}  // namespace

const Type& symbol_type(const Value& value) {
  const Symbol& symbol = *static_cast<const Symbol*>(value.object());
  if (symbol.boxed) fail_not_staged("the type of a value");
  return symbol.type;
}

bool is_symbolic(const Value& value) {
  unsigned hidden = 0;
  return bottom_of(value, hidden).is_symbol();
}

bool is_on_tape(const Value& value) {
  for (const Value* at = &value; at->is_traced(); at = &at->traced().primal) {
    if (at->traced().trace == TraceKind::tape) return true;
  }
  return false;
}

Type logical_type(const Value& value) {
  unsigned hidden = 0;
  const Value& bottom = bottom_of(value, hidden);
  if (bottom.is_scalar()) return Type{bottom.scalar_dtype(), Shape()};
  if (bottom.is_tensor()) {
    const std::span<const int64_t> dims = tensor_header(bottom).dims();
    return Type{tensor_header(bottom).dtype(), Shape(dims.begin() + hidden, dims.size() - hidden)};
  }
  if (bottom.is(ObjectKind::symbol)) {
    const Type& type = symbol_type(bottom);
    return Type{type.dtype, Shape(type.shape.begin() + hidden, type.shape.rank() - hidden)};
  }
  fail(message("internal"), {"a type was asked of what is no tensor"});
}

bool has_type(const Value& value, const Type& type) {
  unsigned hidden = 0;
  const Value& bottom = bottom_of(value, hidden);
  if (bottom.is_scalar()) return type.shape.empty() && bottom.scalar_dtype() == type.dtype;
  if (!bottom.is_tensor()) return bottom.is(ObjectKind::symbol) && logical_type(value) == type;
  const TensorHeader& tensor = tensor_header(bottom);
  if (tensor.dtype() != type.dtype || tensor.rank() != type.shape.rank() + hidden) return false;
  for (unsigned axis = 0; axis < type.shape.rank(); ++axis) {
    if (!(type.shape[axis] == Dim(tensor.dim(axis + hidden)))) return false;
  }
  return true;
}

Value concrete(const Value& value) {
  const Value* at = &value;
  while (at->is_traced()) {
    const Traced& traced = at->traced();
    if (traced.trace == TraceKind::batch) throw BatchedControl{traced.level};
    if (traced.deciding != nullptr) *traced.deciding |= traced.node;
    at = &traced.primal;
  }
  return *at;
}

bool is_differentiated(const Value& value) {
  for (const Value* at = &value; at->is_traced(); at = &at->traced().primal) {
    if (is_active(at->traced())) return true;
  }
  return false;
}

Value constant_of(const Value& value) {
  if (!value.is_traced()) return value;
  const Traced& traced = value.traced();
  if (traced.level == origin_level) return value;
  Value below = constant_of(traced.primal);
  const bool kept = traced.trace == TraceKind::batch || traced.deciding != nullptr;
  if (!kept) return below;
  if (!traced.primal.is_traced() && traced.tangent.is_none()) return value;
  auto* copy = new Traced(traced.trace, traced.level, std::move(below));
  copy->deciding = traced.deciding;
  if (traced.deciding != nullptr) copy->node = traced.node;
  return Value::adopt(copy);
}

}  // namespace covec
