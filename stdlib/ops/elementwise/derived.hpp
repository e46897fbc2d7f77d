// Derived: the vocabulary for a pointwise operator's partial() and transpose(). It is a Value in an expression of the
// derivative rules' vocabulary. Plain numbers in such expressions are literals: they take the dtype of the other
// operand. Truth values stand for 1 and 0 of any dtype.
#pragma once

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/elementwise/bodies/arithmetic.hpp"
#include "stdlib/ops/elementwise/bodies/compare.hpp"
#include "stdlib/ops/elementwise/bodies/logic.hpp"
#include "stdlib/ops/elementwise/operator.hpp"

namespace covec::ops {

class Derived {
 public:
  Derived() = default;
  Derived(RuleContext& rules, Value value, bool literal = false)
      : rules_(&rules), value_(std::move(value)), literal_(literal) {}
  Derived(double number) : value_(number), literal_(true) {}        // NOLINT: literals convert
  Derived(int number) : value_(int64_t{number}), literal_(true) {}  // NOLINT
  static Derived literal(int64_t number) {
    Derived d;
    d.value_ = Value(number);
    d.literal_ = true;
    return d;
  }
  // 0 or 1, beside x.
  static Derived number(const Derived& x, double number) { return Derived(*x.rules_, Value(number != 0)); }
  // A number of x's dtype, which does not adapt.
  static Derived constant(const Derived& x, double number) {
    return Derived(*x.rules_, x.rules_->number(number, operand_dtype(x.value_)));
  }
  // A value in the same expression.
  Derived sibling(Value value) const { return Derived(*rules_, std::move(value)); }
  int64_t integer() const { return value_.i64(); }
  Value take() { return std::move(value_); }
  const Value& value() const { return value_; }
  bool is_literal() const { return literal_; }

  template <class Operator, class... D>
  static Derived apply(const D&... operands) {
    return call(entry_of<Operator>(), {&operands...});
  }
  static Derived where(const Derived& c, const Derived& a, const Derived& b) { return apply<Where>(c, a, b); }

  friend Derived operator+(const Derived& a, const Derived& b) { return apply<Add>(a, b); }
  friend Derived operator-(const Derived& a, const Derived& b) { return apply<Subtract>(a, b); }
  friend Derived operator*(const Derived& a, const Derived& b) { return apply<Multiply>(a, b); }
  friend Derived operator/(const Derived& a, const Derived& b) { return apply<Divide>(a, b); }
  friend Derived operator-(const Derived& a) { return apply<Negate>(a); }
  friend Derived operator<(const Derived& a, const Derived& b) { return apply<Less>(a, b); }
  friend Derived operator<=(const Derived& a, const Derived& b) { return apply<LessEqual>(a, b); }
  friend Derived operator>(const Derived& a, const Derived& b) { return apply<Greater>(a, b); }
  friend Derived operator>=(const Derived& a, const Derived& b) { return apply<GreaterEqual>(a, b); }
  friend Derived operator==(const Derived& a, const Derived& b) { return apply<Equal>(a, b); }
  friend Derived operator&(const Derived& a, const Derived& b) { return apply<BitAnd>(a, b); }
  friend Derived operator|(const Derived& a, const Derived& b) { return apply<BitOr>(a, b); }

 private:
  static Derived call(const Entry& entry, std::initializer_list<const Derived*> operands) {
    Value args[4];
    uint32_t literals = 0;
    unsigned count = 0;
    RuleContext* rules = nullptr;
    for (const Derived* d : operands) {
      if (d->rules_ != nullptr) rules = d->rules_;
      if (d->literal_) literals |= 1u << count;
      args[count++] = d->value_;
    }
    return Derived(*rules, ops::call(rules->builder(), entry, std::span<Value>(args, count), {}, literals));
  }

  RuleContext* rules_ = nullptr;
  Value value_;
  bool literal_ = false;
};

}  // namespace covec::ops
