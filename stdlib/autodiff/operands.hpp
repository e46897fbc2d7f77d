// What rules know about the operands of a call: their types, and the values that the rules keep.
#pragma once

#include <algorithm>

#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/value/small_vector.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::autodiff {

// Whether operand i of a call is a tensor as far as derivatives go (not an attribute, not a function …).
inline bool is_tensor_operand(const ops::Entry& entry, size_t parameters, size_t i) {
  using Kind = ops::ParameterKind;
  if (i >= parameters && !entry.variadic) return true;  // the leaves of a tree of tensors, or an index's items
  const Kind kind = entry.parameters[i < parameters ? i : entry.variadic_at].kind;
  return kind == Kind::tensor || kind == Kind::tensors;
}

// The bit that stands for operand i in Derivative::keeps and Linear::in.
inline uint64_t operand_bit(size_t parameters, size_t i) {
  return i < parameters ? uint64_t{1} << i : ops::Derivative::rest_bit;
}

// Whether the entry's rules look at operand i. Attributes are always kept, and what a linear operator is not linear in.
inline bool keeps_operand(const ops::Entry& entry, size_t parameters, size_t i) {
  if (!is_tensor_operand(entry, parameters, i)) return true;
  const ops::Derivative& derivative = entry.derivative;
  uint64_t kept = derivative.keeps;
  if (derivative.linear() != nullptr) kept |= ~derivative.linear()->in;
  return (kept & operand_bit(parameters, i)) != 0;
}

// Elements of a tensor and what is done with them one by one: the rules cost little, raise nothing and give +0 for +0.
inline bool is_of_elements(const ops::Entry& entry) {
  const ops::Handles& known = ops::handles();
  return &entry == &known.index_read || &entry == &known.index_update || &entry == &known.index_add;
}

inline void keep_operands(const ops::Call& call, std::span<Value> kept) {
  for (size_t i = 0; i < kept.size(); ++i) {
    if (keeps_operand(call.entry, call.args.size(), i)) kept[i] = call.operand(static_cast<unsigned>(i));
  }
}

// A level takes its wrappers off the operands before it applies the operator. Where that fails they go back on, since
// an update has taken its operand out of a variable, which then gets it back with its derivative. What the operator has
// consumed is none.
template <class Wrap>
void restore_operands(ops::Call& call, Wrap&& wrap) {
  for (unsigned i = 0; i < call.operands(); ++i) {
    Value& operand = call.operand(i);
    if (is_operand(operand)) operand = wrap(i, std::move(operand));
  }
}

// The type of a value as a user sees it, without copying its dimensions: they stay where they are.
struct TypeView {
  Dtype dtype = Dtype::f64;
  uint8_t rank = 0;
  bool numeric = false;              // has a type
  const int64_t* numbers = nullptr;  // a tensor's dimensions
  const Dim* dims = nullptr;         // a Symbol's
  Dim* copy_dims(Dim* to) const { return dims ? std::copy_n(dims, rank, to) : std::copy_n(numbers, rank, to); }
};
TypeView type_view(const Value& value);

class OperandTypes {
 public:
  explicit OperandTypes(const ops::Call& call);
  size_t size() const { return types_.size(); }
  const Type& operator[](size_t i) const { return types_[i]; }
  bool numeric(size_t i) const { return numeric_[i]; }
  std::span<const Type> span() const { return span_of(types_); }
  std::span<const bool> numeric_span() const { return span_of(numeric_); }

 private:
  SmallVector<Type, 4> types_;
  SmallVector<bool, 4> numeric_;
};

}  // namespace covec::autodiff
