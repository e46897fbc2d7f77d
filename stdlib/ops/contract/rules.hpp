// The vocabulary of derivative and batch rules. It uses only Values and Types, so one rule serves the eager tape and
// the compiler's IR. Zero cotangents: scale() is 0 where the cotangent is ±0, else a product, so a branch not taken
// never poisons a gradient.
#pragma once

#include <span>
#include <variant>
#include <vector>

#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/value/dtype.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec::ops {

// What a rule may look at: the types of all operands, the operands and result that the entry's `keeps` names (others
// are none), and all attributes (values of non-tensor parameters). Batched types are one example's.
struct Residuals {
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
class Derivative {
 public:
  // Elementwise: ∂result/∂operand i, of the result's shape or one that broadcasts to it.
  struct Partial {
    Value (*of)(RuleContext&, unsigned i, const Residuals&);
    bool selects = false;  // nothing is handed on where it is 0, not even an infinite cotangent; so with all bools
    // Told before; null: nobody. A rule whose value is a choice warns here of derivatives that it loses.
    void (*watch)(RuleContext&, const Residuals&, const Value& cotangent) = nullptr;
    // In place of the product with `of`.
    Value (*product)(RuleContext&, unsigned i, const Residuals&, Value cotangent) = nullptr;
    // The cotangent of operand i before it is summed, or what a tangent of operand i adds to the result's.
    Value times(RuleContext&, unsigned i, const Residuals&, Value cotangent) const;
  };
  // Linear in each of the operands `in` (bits as in keeps) taken together: the jvp is the operator applied to the
  // tangents, and a zero tangent is zeros. The transpose gives the cotangent of operand i.
  struct Linear {
    uint64_t in;
    Value (*transpose)(RuleContext&, unsigned i, const Residuals&, const Value& cotangent);
  };
  // Both directions by hand. A tangent that is none stands for zero; jvp may return none for zero.
  struct Custom {
    Value (*jvp)(RuleContext&, const Residuals&, std::span<const Value> tangents);
    void (*vjp)(RuleContext&, const Residuals&, Value cotangent, Cotangents&);
  };
  struct None {
    const char* reason;     // "gives integers", "has no tensor operands"
    bool by_parts = false;  // the operators that it is made of, or the values that it passes on, have derivatives
    bool zero = false;      // the result is piecewise constant: the derivative is zero, not an error
  };

  static Derivative partials(uint64_t keeps, Value (*rule)(RuleContext&, unsigned, const Residuals&),
                             bool selects = false, decltype(Partial::watch) watch = nullptr) {
    return {Partial{rule, selects, watch}, keeps};
  }
  static Derivative products(uint64_t keeps, decltype(Partial::product) product) {
    return {Partial{.of = nullptr, .product = product}, keeps};
  }
  static Derivative linearly(uint64_t in, Value (*transpose)(RuleContext&, unsigned, const Residuals&, const Value&),
                             uint64_t keeps = 0) {
    return {Linear{in, transpose}, keeps};
  }
  static Derivative by_hand(uint64_t keeps, Value (*jvp)(RuleContext&, const Residuals&, std::span<const Value>),
                            void (*vjp)(RuleContext&, const Residuals&, Value, Cotangents&)) {
    return {Custom{jvp, vjp}, keeps};
  }
  static Derivative piecewise_constant() { return {None{.reason = "is piecewise constant", .zero = true}, 0}; }
  static Derivative of_parts() {
    return {None{.reason = "is made of other operators, which have derivatives", .by_parts = true}, 0};
  }
  static Derivative none(const char* reason) { return {None{.reason = reason}, 0}; }

  // The rule; nullptr where it is of another kind.
  const Partial* partial() const { return std::get_if<Partial>(&rule_); }
  const Linear* linear() const { return std::get_if<Linear>(&rule_); }
  const Custom* custom() const { return std::get_if<Custom>(&rule_); }
  const None* none() const { return std::get_if<None>(&rule_); }
  bool by_parts() const { return none() != nullptr && none()->by_parts; }

  // Which operands (bit i; the rest as one bit, 62) and the result (bit 63) a rule looks at.
  uint64_t keeps;
  static constexpr uint64_t result_bit = 1ull << 63, rest_bit = 1ull << 62;  // the highest bits of keeps
  // In keeps: the rule, unlike its operator, may raise or make NaN of what lies in a branch that was not taken. Where
  // all of a cotangent is ±0 it is given safe substitutes instead of what it keeps (autodiff/safe_substitute.hpp).
  static constexpr uint64_t guarded_bit = 1ull << 61;

 private:
  using Rule = std::variant<Partial, Linear, Custom, None>;
  Derivative(Rule rule, uint64_t kept) : keeps(kept), rule_(rule) {}
  Rule rule_;
};

// Which inputs the elements of a result depend on: their sets, or what broadcasts to them, from those of the operands
// (stdlib/ops/patterns/patterns.hpp). Residuals hold all operands but floats.
class Sets;
using PatternRule = Value (*)(Sets&, const Entry&, const Residuals&, std::span<const Value> sets);

// Which operands carry a batch axis (axis 0) and how many examples there are. The rule gets the call with the physical
// operands and gives the physical result (batch axis 0), or Value::unbound() to decline, its operands untouched: then a
// loop runs.
struct Batching {
  std::span<const bool> batched;  // by operand
  Dim size;
};
using BatchRule = Value (*)(Builder&, Call& call, const Batching&);

}  // namespace covec::ops
