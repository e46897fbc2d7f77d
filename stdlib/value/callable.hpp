// Functions as values: closures of the language (interpreter), builtins (ops), transformed functions (autodiff), and
// functions of a host. All are called through one method.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

#include "stdlib/value/memory.hpp"
#include "stdlib/value/value.hpp"

namespace covec {

namespace ops {
struct Entry;
class Builder;
}  // namespace ops

// As the name of an argument of call(): the value is a record of named arguments, for a function that takes such as
// options. Transformations give all options so, as one argument. No text of a program is this name: it is not UTF-8.
inline constexpr std::string_view all_options = "\xff**";

enum class CallableKind : uint8_t { closure, builtin, transformed, host, compiled };

struct Callable : Object {
  // `captured`: bytes of what it holds behind itself.
  explicit Callable(CallableKind k, size_t captured = 0)
      : Object(ObjectKind::function), callable_kind(k), charge(typical_bytes + captured) {}
  virtual ~Callable() = default;
  // `args` may be moved from; the last keywords.size() of them are named. Throws OpError or the engine's located error.
  virtual Value call(ops::Builder& builder, std::span<Value> args, std::span<const std::string_view> keywords) = 0;
  // With arguments that have been bound to its parameters, and checked: all of them by position, each of a rest one by
  // one, options as a record.
  virtual Value call_bound(ops::Builder& builder, std::span<Value> args) { return call(builder, args, {}); }
  // While a function is staged: checks arguments that come by position, and gives them what its annotations say of
  // their extents. Derivatives whose size depends on these ask for it.
  virtual void know_arguments(ops::Builder&, std::span<Value>) {}
  // Calls code made of this function with arguments that are still to be bound and checked as this function does; the
  // function itself where it cannot tell which parameters named arguments are for.
  virtual Value call_code(Callable& code, ops::Builder& builder, std::span<Value> args,
                          std::span<const std::string_view> keywords) {
    return keywords.empty() ? code.call_bound(builder, args) : call(builder, args, keywords);
  }
  virtual std::string name() const = 0;                               // "f", "grad(loss)", "a lambda"
  virtual std::vector<std::string_view> parameter_names() const = 0;  // for wrt="w", completion, check of arity
  virtual int rest_parameter() const { return -1; }                   // which takes the positional arguments left
  virtual bool takes_options() const { return false; }                // the last one takes the named arguments left
  virtual std::vector<std::string_view> option_names() const { return {}; }  // their names, where they are known
  virtual std::string signature() const { return name(); }                   // "f(x, y=1.0)", as written
  virtual std::string doc() const { return {}; }                             // the comment above its definition
  virtual std::string text() const {                                         // as it is printed: "<fn f>", "<a lambda>"
    const std::string n = name();
    return n.starts_with("a ") ? "<" + n + ">" : "<fn " + n + ">";
  }
  virtual const ops::Entry* entry() const { return nullptr; }  // of a builtin
  // Values captured when it was made (transformations strip their own traces from a function that is returned); the
  // tree of captures and a copy with others.
  virtual std::vector<Value> captures() const { return {}; }
  virtual Value with_captures(std::vector<Value>) const { return Value(); }
  // Of a compiled function: the function that it was made of.
  virtual const Value* compiled_from() const { return nullptr; }
  // The closure that the interpreter may run for a call, without asking: of a closure itself, of a compiled function
  // what it was made of, where the interpreter's tier runs it.
  const Callable* body = nullptr;
  static constexpr unsigned always = ~0u;
  void set_tier(const Callable& closure, unsigned calls) {
    body = &closure;
    tier_calls_ = calls;
  }
  // One of those calls.
  void clear_tier() { body = nullptr; }
  void count_tier_call() {
    if (tier_calls_ != always && --tier_calls_ == 0) body = nullptr;
  }
  // Says what it does with its captures, options included: functions of one key that have captured the same are the
  // same. Empty: it is like no other.
  virtual std::string staging_key() const { return {}; }
  virtual bool has_staging_key() const { return !staging_key().empty(); }
  // It takes apart the trees that it and its functions have captured, so their structure is known to code.
  virtual bool keeps_trees() const { return false; }
  // Which function it is.
  virtual bool only_the_run_knows() const { return false; }
  // It holds values that captures() does not show.
  virtual bool holds_more() const { return false; }
  // Whether it is its code and its captures, so that a walk goes on with these; otherwise it is one thing by itself.
  bool known_by_parts() const {
    return callable_kind == CallableKind::closure || (entry() == nullptr && has_staging_key());
  }
  // Of two that are known by their parts: whether they differ in their captures at most.
  virtual bool same_but_captures(const Callable& other) const {
    return typeid(*this) == typeid(other) && staging_key() == other.staging_key();
  }
  static constexpr size_t typical_bytes = 144;  // of a function's object, an estimate
  const CallableKind callable_kind;
  MemoryCharge charge;

 private:
  unsigned tier_calls_ = 0;  // calls
};

inline Callable& Value::function() const noexcept { return *static_cast<Callable*>(object()); }

}  // namespace covec
