#include "stdlib/autodiff/conditional_tangents.hpp"

namespace covec::autodiff {

namespace {

class EagerTangents final : public ConditionalTangents {
 public:
  void where_present(Value&, std::span<Value* const>, FunctionRef<void()> pass) const override { pass(); }
  void where_holds(const Value& condition, std::span<Value* const>, FunctionRef<void()> pass) const override {
    if (condition.boolean()) pass();
  }
  Value conditional(Value value, Value is_defined, bool) const override {
    return is_defined.boolean() ? std::move(value) : Value();
  }
  const Value* or_zeros(const Value&) const override { return nullptr; }
  const Value* or_anything(const Value&) const override { return nullptr; }
  Value absent_zeros(ops::RuleContext& rules, const Value&, const Type& type) const override {
    return rules.zeros(type);
  }
  Value completed(const Value& tangent, FunctionRef<Value(Value)> with) const override {
    return with(tangent.is_unbound() ? Value() : tangent);
  }
  Value renewed(const Value& cotangent) const override { return cotangent; }
  Value is_present(const Value& tangent) const override { return !tangent.is_none() && !tangent.is_unbound(); }
  Value with_extents(Value tangent, const Shape&) const override { return tangent; }
};

constexpr EagerTangents eager_tangents;

}  // namespace

const ConditionalTangents& conditional_tangents(const ops::Builder& builder) {
  const ConditionalTangents* const staged = builder.conditional_tangents();
  return staged != nullptr ? *staged : eager_tangents;
}

Value zeros_where_absent(ops::RuleContext& rules, Value tangent, const Type& type) {
  if (tangent.is_none()) return rules.zeros(type);
  if (!tangent.is_unbound()) return tangent;
  const ConditionalTangents& paths = conditional_tangents(rules.builder());
  if (const Value* const zeros = paths.or_zeros(tangent)) return *zeros;
  return paths.completed(tangent, [&](Value given) { return given.is_none() ? rules.zeros(type) : given; });
}

}  // namespace covec::autodiff
