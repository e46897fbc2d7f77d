// Values that stand for more than a tensor while a transformation is open. A Traced value wraps the value of the level
// below (which may be traced too). It is a primal with its tangent (jvp), a primal with its node on a tape (vjp), or a
// batch of examples (vmap). Levels keep nested transformations apart, so no perturbation is ever confused with
// another's. A Symbol stands for a value of the compiler's IR.
#pragma once

#include <memory>

#include "stdlib/value/dtype.hpp"
#include "stdlib/value/value.hpp"

namespace covec {

enum class TraceKind : uint8_t { jvp, tape, batch };

// The level of values that no transformation has wrapped: debug(f) follows them from where a NaN or infinity was made
// (stdlib/origins/origins.hpp). They lie below all transformations, and are constants to them.
inline constexpr uint64_t origin_level = 0;

struct Traced : Object {
  Traced(TraceKind k, uint64_t l, Value p) : Object(ObjectKind::traced), trace(k), level(l), primal(std::move(p)) {}
  const TraceKind trace;
  const uint64_t level;  // of the transformation that made it; the highest level acts first
  Value primal;          // jvp, tape: the value below; batch: the examples, along axis 0
  Value tangent;         // jvp: of the primal's type; none stands for zero
  uint32_t node = 0;     // tape: its number there
  // A pattern's jvp, whose tangent is a tensor of sets (autodiff/sets.hpp): `node` has a bit for each argument that the
  // value depends on. `concrete` adds them here, to those that conditions, indices and sizes have depended on.
  std::shared_ptr<uint32_t> deciding = nullptr;
};

struct Symbol : Object {
  Symbol(Type t, uint32_t i, bool b = false, bool l = false)
      : Object(ObjectKind::symbol), type(std::move(t)), id(i), boxed(b), list(l) {}
  Type type;
  uint32_t id;
  bool boxed;  // stands for any value: its type is not known
  bool list;   // boxed, and known to be a list of one type: `type` has the items' dtype and rank, its sizes say nothing
};

// Whether an open derivative of that level follows the value: a pattern also wraps what is a constant to it, and
// origins are no derivative.
inline bool is_active(const Traced& traced) {
  return traced.trace != TraceKind::batch && traced.level != origin_level &&
         (traced.deciding == nullptr || !traced.tangent.is_none());
}

inline Traced& Value::traced() const noexcept { return *static_cast<Traced*>(object()); }

inline bool is_boxed_symbol(const Value& value) {
  return value.is_symbol() && static_cast<const Symbol*>(value.object())->boxed;
}
// A Symbol for a list whose length only the run knows.
inline bool is_list_symbol(const Value& value) {
  return value.is_symbol() && static_cast<const Symbol*>(value.object())->list;
}

bool is_list_of_trees(const Value& value);  // a ListOfTrees (tree.hpp)
// A list whose length only the run knows, whatever transformations have wrapped around it.
inline bool is_run_list(const Value& value) {
  const Value* at = &value;
  while (at->is_traced()) at = &at->traced().primal;
  return is_list_symbol(*at) || (at->is(ObjectKind::sequence) && is_list_of_trees(*at));
}

const Type& symbol_type(const Value& symbol);  // not_staged where it is not known
// Whether a Symbol lies at the bottom of a value's wrapping.
bool is_symbolic(const Value& value);
// Whether it is active in a reverse derivative, at any level.
bool is_on_tape(const Value& value);
// Whether it is active in a derivative of either mode.
bool is_differentiated(const Value& value);

// The type that a user sees: of a batch, one example's.
Type logical_type(const Value& value);
bool has_type(const Value& value, const Type& type);  // logical_type(value) == type, without building one
// The plain number or tensor that control flow, printing and attributes see: unwraps what derivatives have wrapped.
// Where it differs between the examples of an open vmap, throws BatchedControl.
Value concrete(const Value& value);
struct BatchedControl {
  uint64_t level;            // of the vmap, which catches this and runs its function example by example
  bool conditional = false;  // a function is staged, and the run may not come to where it was met
};

// What derivatives have wrapped around a number or tensor taken off, batches kept: a constant to all derivatives.
Value constant_of(const Value& value);

// True of numbers, tensors, traced values and symbols: what a tensor operand may be.
inline bool is_operand(const Value& v) {
  return v.is_scalar() || v.is(ObjectKind::tensor) || v.is(ObjectKind::traced) || v.is(ObjectKind::symbol);
}

}  // namespace covec
