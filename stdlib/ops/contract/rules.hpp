// What derivative and batch rules are written with. They speak of Values and Types only, so one rule serves the eager
// tape and the compiler's IR. Zero cotangents: scale() is 0 where the cotangent is ±0, else a product, so that a branch
// not taken never poisons a gradient.
#pragma once

#include <span>
#include <vector>

#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/value/dtype.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec::ops {

// What a rule may look at: the types of all operands, the operands and result that the entry's `keeps` names (others
// are none), and all attributes (values of non-tensor parameters). Batched types are one example's.
struct Kept {
  std::span<const Value> operands;
  std::span<const Type> types;  // by operand; attributes have a default one
  const Value* result = nullptr;
  const Type* result_type = nullptr;
  size_t parameters = 0;  // operands beyond are the rest
};

class RuleContext {
 public:
  RuleContext(Builder& b, bool ieee) : builder_(b), ieee_(ieee) {}
  Builder& builder() const { return builder_; }
  bool ieee() const { return ieee_; }  // a zero cotangent is nothing special
  Value call(const Entry& entry, std::initializer_list<Value> args) { return ops::call(builder_, entry, args); }
  // The vocabulary that rules share; each is the operator of that name.
  Value add(Value a, Value b);
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  Value div(Value a, Value b);
  Value neg(Value a);
  Value where(Value condition, Value a, Value b);
  Value scale(Value cotangent, Value factor);  // ct ⊗ d, or ct·d under zero="ieee"
  Value scale_both(Value a, Value b);          // where both stand for cotangents: 0 where either is ±0
  Value cast(Value a, Dtype dtype);
  Value sum_to(Value a, const Type& type);  // the transpose of broadcasting; also casts to type.dtype
  Value broadcast_to(Value a, const Shape& shape);
  Value reshape(Value a, const Shape& shape);
  Value transpose(Value a, std::span<const unsigned> permutation);
  Value zeros(const Type& type);
  Value number(double value, Dtype dtype);  // a rank-0 constant

 private:
  Builder& builder_;
  bool ieee_;
};

// Where a reverse rule puts what it has found. Contributions of one operation come in operand order; the sweep runs in
// reverse program order; the first contribution is the sum's left.
class Cotangents {
 public:
  virtual ~Cotangents() = default;
  virtual bool wants(unsigned operand) const = 0;           // false: constant, do not compute it
  virtual void add(unsigned operand, Value cotangent) = 0;  // must have the operand's type
  // Adds into part of the operand's cotangent in place: what `operand[items] += cotangent` does. `spec` and `items` are
  // those of index_read.
  virtual void add_at(unsigned operand, const Value& spec, std::span<const Value> items, Value cotangent) = 0;
  // There is no rule by this operand; `fail` throws what is to be said if a derivative depends on it.
  virtual void refuse(unsigned operand, FunctionRef<void()> fail) = 0;
};

// How an operator is differentiated. There is no default: an entry must say.
struct Derivative {
  enum class Kind : uint8_t { partial, linear, custom, none } kind;
  // Which operands (bit i; the rest as one bit, 62) and the result (bit 63) a rule looks at.
  uint64_t keeps = 0;
  // partial: ∂result/∂operand i, elementwise, of the result's shape or one that broadcasts to it.
  Value (*partial)(RuleContext&, unsigned i, const Kept&) = nullptr;
  // linear in each of the operands `linear_in` taken together (jvp: the operator on the tangents; a zero tangent is
  // zeros). The transpose gives the cotangent of operand i.
  uint64_t linear_in = 0;  // bits as in keeps
  Value (*transpose)(RuleContext&, unsigned i, const Kept&, const Value& cotangent) = nullptr;
  // custom: both directions by hand. A tangent that is none stands for zero; jvp may return none for zero.
  Value (*jvp)(RuleContext&, const Kept&, std::span<const Value> tangents) = nullptr;
  void (*vjp)(RuleContext&, const Kept&, Value cotangent, Cotangents&) = nullptr;
  const char* reason = nullptr;  // none: why ("gives integers", "has no tensor operands")
  bool by_parts = false;         // none of its own: what it is made of or hands on has it
  bool zero = false;             // none, but the result is piecewise constant: derivative zero instead of an error

  static constexpr uint64_t result_bit = 1ull << 63, rest_bit = 1ull << 62;
  // In keeps: the rule, unlike its operator, may raise or make NaN of what lies in a branch that was not taken. Where
  // all of a cotangent is ±0 it is given harmless numbers instead of what it keeps (autodiff/harmless.hpp).
  static constexpr uint64_t guarded_bit = 1ull << 61;
  static Derivative partials(uint64_t keeps, Value (*rule)(RuleContext&, unsigned, const Kept&)) {
    Derivative d(Kind::partial);
    d.keeps = keeps;
    d.partial = rule;
    return d;
  }
  static Derivative linearly(uint64_t in, Value (*transpose)(RuleContext&, unsigned, const Kept&, const Value&),
                             uint64_t keeps = 0) {
    Derivative d(Kind::linear);
    d.linear_in = in;
    d.transpose = transpose;
    d.keeps = keeps;
    return d;
  }
  static Derivative by_hand(uint64_t keeps, Value (*jvp)(RuleContext&, const Kept&, std::span<const Value>),
                            void (*vjp)(RuleContext&, const Kept&, Value, Cotangents&)) {
    Derivative d(Kind::custom);
    d.keeps = keeps;
    d.jvp = jvp;
    d.vjp = vjp;
    return d;
  }
  static Derivative piecewise_constant() {
    Derivative d(Kind::none);
    d.zero = true;
    d.reason = "is piecewise constant";
    return d;
  }
  static Derivative of_parts() {
    Derivative d(Kind::none);
    d.by_parts = true;
    d.reason = "is made of other operators, which have theirs";
    return d;
  }
  static Derivative none(const char* reason) {
    Derivative d(Kind::none);
    d.reason = reason;
    return d;
  }

 private:
  explicit Derivative(Kind k) : kind(k) {}
};

// Which operands carry a batch axis (axis 0) and how many examples there are. The rule gets the call with the physical
// operands and gives the physical result (batch axis 0), or Value::unbound() to decline, its operands untouched: then a
// loop runs.
struct Batching {
  std::span<const bool> batched;  // by operand
  Dim size;
};
using BatchRule = Value (*)(Builder&, Call& call, const Batching&);

}  // namespace covec::ops
