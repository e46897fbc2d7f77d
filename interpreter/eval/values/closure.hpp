// Closure: a function of the language with its captured values. The walker calls it through a fast path (calls.hpp).
// call() here is for all other callers: derivatives, tree_map, hosts.
#pragma once

#include "interpreter/eval/values/module.hpp"
#include "stdlib/value/callable.hpp"

namespace covec {

struct Closure;

// Calls closures for those who know them as callables only, and knows the programs' text.
class ClosureCaller {
 public:
  virtual ~ClosureCaller() = default;
  // The last keywords.size() arguments are named. `bound`: whoever calls has checked them.
  virtual Value call(const Closure& closure, ops::Builder& builder, std::span<Value> args,
                     std::span<const std::string_view> keywords, bool bound) = 0;
  // As Callable::know_arguments says.
  virtual void know_arguments(const Closure& closure, ops::Builder& builder, std::span<Value> args) = 0;
  // Code made of `body`, with arguments that are still to be bound.
  virtual Value call_code(Callable& code, const Closure& body, ops::Builder& builder, std::span<Value> args,
                          std::span<const std::string_view> keywords) = 0;
  virtual std::string source_of(Span span) const = 0;
};

struct Closure : Callable {
  enum class Holder : uint8_t { program, code };  // of code: see LoadedUnit
  Closure(ClosureCaller& by_whom, const core::Function& f, const LoadedUnit& h, std::vector<Value> c,
          Holder by = Holder::program)
      : Callable(CallableKind::closure, bytes_behind(c)),
        caller(by_whom),
        function(f),
        source_unit(h),
        constants(h.constants.data()),
        globals(h.module->globals.data()),
        slots(f.slots),
        plain_arity(f.simple ? static_cast<uint32_t>(f.parameters.size()) : not_plain),
        captured(std::move(c)),
        holder(by) {
    body = this;
    ++count();
  }
  ~Closure() override { --count(); }
  Value call(ops::Builder& builder, std::span<Value> args, std::span<const std::string_view> keywords) override;
  Value call_bound(ops::Builder& builder, std::span<Value> args) override;
  void know_arguments(ops::Builder& builder, std::span<Value> args) override;
  Value call_code(Callable& code, ops::Builder& builder, std::span<Value> args,
                  std::span<const std::string_view> keywords) override;
  std::string name() const override;
  std::vector<std::string_view> parameter_names() const override;
  int rest_parameter() const override { return function.rest; }
  bool takes_options() const override { return function.options; }
  std::vector<std::string_view> option_names() const override { return function.option_names; }
  std::string signature() const override;  // with defaults, as written
  std::string doc() const override { return function.doc; }
  std::vector<Value> captures() const override { return captured; }
  Value with_captures(std::vector<Value> values) const override;
  bool same_but_captures(const Callable& other) const override;

  ClosureCaller& caller;
  const core::Function& function;
  const LoadedUnit& source_unit;
  const Value* const constants;  // of source_unit, at hand for every call
  Value* const globals;
  const uint32_t slots;
  const uint32_t plain_arity;  // how many arguments go straight into slots
  static constexpr uint32_t not_plain = ~0u;
  std::vector<Value> captured;
  const Holder holder;

 private:
  uint32_t& count() const { return holder == Holder::code ? source_unit.in_code : source_unit.closures; }
};

// "f(x, *ys)" as the definition writes it; "a lambda" without a name.
std::string signature_of(const core::Function& function);

}  // namespace covec
