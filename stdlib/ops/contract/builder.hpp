// Builder: the engine as operators see it. The eager builder computes; the compiler's appends to its IR. The
// interpreter, derivative rules and the lowering all apply operators through ops::call(), and in no other way.
#pragma once

#include <initializer_list>
#include <span>

#include "stdlib/ops/contract/shapes.hpp"
#include "stdlib/value/context.hpp"
#include "stdlib/value/function_ref.hpp"
#include "stdlib/value/value.hpp"

namespace covec::autodiff {
class ConditionalTangents;
}

namespace covec::ops {

struct Entry;

// An operator about to be applied: one value per parameter (defaults filled in), then the operands of a variadic or
// tree-valued parameter. Values may be moved from: one that nobody else holds may be overwritten with the result.
// Operand i is args[i], or rest[i - args.size()].
struct Call {
  const Entry& entry;
  std::span<Value> args;
  std::span<Value> rest;
  uint32_t literals = 0;  // bit i: args[i] was written as a number (promotion: it adapts)
  unsigned operands() const { return static_cast<unsigned>(args.size() + rest.size()); }
  Value& operand(unsigned i) const { return i < args.size() ? args[i] : rest[i - args.size()]; }
};

// What an engine does about NaN and infinities that operators make of numbers.
enum class Watch : uint8_t {
  nothing,
  first,    // ends at the first operator that makes one (origins::WatchingBuilder)
  origins,  // follows each from where it was made (origins::OriginBuilder)
};

class Builder : public ShapeBuilder {
 public:
  explicit Builder(Context& context) : context_(context) {}
  Context& context() const { return context_; }
  Pool& pool() const { return *context_.pool; }
  // Computes at once. Any other engine stages: what it is given may be Symbols, and what depends on their values cannot
  // be asked.
  virtual bool is_eager() const { return false; }
  virtual Watch watch() const { return Watch::nothing; }
  // What the engine knows of tangents that only some paths have, for derivatives alone
  // (stdlib/autodiff/conditional_tangents.hpp). Eager code has none of these: nullptr.
  virtual const autodiff::ConditionalTangents* conditional_tangents() const { return nullptr; }
  // Runs `body`. If it throws, what it has staged is taken back, unless that has an effect or a tape is open outside.
  virtual void attempt(FunctionRef<void()> body) { body(); }
  // Examples one by one, as many as only the run knows: body(number) for each, the results stacked leaf by leaf. `what`
  // names it: "vmap(f)". `any`: there is at least one. Eager code calls the body itself.
  virtual Value each_example(Dim size, bool any, std::string_view what, FunctionRef<Value(const Value& number)> body);
  // then() where the condition holds, otherwise() where it does not: a bool, or while a function is staged a Symbol.
  // Then both are walked, and what they give is of one structure.
  virtual Value choose(const Value& condition, FunctionRef<Value()> then, FunctionRef<Value()> otherwise);
  // Examples of a function that `walk` calls once, for what it meets. Where these are loops that hold numbers alone,
  // few examples run one by one, by apart(); else all at once, by all(). Both give the same. If apart() throws, it is
  // out of question.
  virtual Value few_or_all(Dim size, FunctionRef<void()> walk, FunctionRef<Value()> apart, FunctionRef<Value()> all);
  // A dimension as an i64: a number or a Symbol.
  virtual Value extent(Dim dim) = 0;
  // Applies an operator whose operands are not traced.
  virtual Value apply(Call& call) = 0;
  // Applies one that has traced operands (or draws or prints under an open vmap): the highest level acts.
  virtual Value apply_traced(Call& call) = 0;

 private:
  Context& context_;
};

// Applies `entry`: flattens tree operands, fills defaults, finds traces, then apply or apply_traced. `args` has at most
// one value per parameter (Value::unbound() or missing: the default); they are moved from.
Value call(Builder& builder, const Entry& entry, std::span<Value> args, std::span<Value> rest = {},
           uint32_t literals = 0);
Value call(Builder& builder, const Entry& entry, std::initializer_list<Value> args, uint32_t literals = 0);

// Makes operand i, which is no number, tensor or traced value, a tensor, or says why it cannot be one.
void make_numeric(Builder& builder, Call& call, unsigned i);
// Makes ranges among the tensor operands tensors, and turns away what is no tensor: what an engine does first.
void check_operands(Builder& builder, Call& call);

// Computes at once (eager.cpp). The eager engine is autodiff::EagerBuilder, which adds what traced operands
// ask for: operators do not know their transformations.
class ComputingBuilder : public Builder {
 public:
  using Builder::Builder;
  Value apply(Call& call) override;
  bool is_eager() const override { return true; }
  Value extent(Dim dim) override;
  [[noreturn]] Dim unknown_dim() override;
  Dim dim_of(const Value& number) override;

 protected:
  [[noreturn]] void guard_equal(Dim, Dim, const Mismatch&) override;
  [[noreturn]] Dim symbolic_add(Dim, Dim) override;
  [[noreturn]] Dim symbolic_multiply(Dim, Dim) override;
  [[noreturn]] Dim symbolic_broadcast(Dim, Dim, const Mismatch&) override;
};

}  // namespace covec::ops
