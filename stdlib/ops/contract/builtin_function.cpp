// A builtin as a value, as in `f = sin`. A call binds arguments to the entry's parameters and goes through ops::call,
// as a direct call does after the resolver has bound it.
#include "stdlib/ops/contract/ordering.hpp"
#include "stdlib/tensor/print.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::ops {

namespace {

class BuiltinFunction final : public Callable {
 public:
  explicit BuiltinFunction(const Entry& entry) : Callable(CallableKind::builtin), entry_(entry) {}

  Value call(Builder& builder, std::span<Value> args, std::span<const std::string_view> keywords) override {
    if (entry_.constant.has_value() && args.empty()) return *entry_.constant;
    const std::span<Value> positional = args.first(args.size() - keywords.size());
    const std::span<Value> named = args.subspan(positional.size());
    const size_t before_rest =
        entry_.variadic ? std::min<size_t>(entry_.variadic_at, positional.size()) : positional.size();
    if (before_rest > entry_.parameters.size()) fail_count(positional.size());
    std::vector<Value> bound(entry_.parameters.size(), Value::unbound());
    for (size_t i = 0; i < before_rest; ++i) bound[i] = std::move(positional[i]);
    for (size_t i = 0; i < keywords.size(); ++i) bind_named(bound, keywords[i], std::move(named[i]));
    return ops::call(builder, entry_, bound, positional.subspan(before_rest));
  }

  std::string name() const override { return std::string(entry_.name); }
  std::string text() const override {
    return entry_.dtype.has_value() || entry_.part_dtype.has_value() ? name() : Callable::text();
  }
  std::string doc() const override { return std::string(entry_.doc); }
  const Entry* entry() const override { return &entry_; }

  std::vector<std::string_view> parameter_names() const override {
    std::vector<std::string_view> names;
    for (const Parameter& parameter : entry_.parameters) names.push_back(parameter.name);
    return names;
  }

  std::string signature() const override {
    std::string out = name() + "(";
    for (size_t i = 0; i < entry_.parameters.size(); ++i) {
      const Parameter& parameter = entry_.parameters[i];
      const bool variadic = entry_.variadic && entry_.variadic_at == i;
      if (i > 0) out += ", ";
      out += parameter.name;
      if (variadic) out += "…";
      if (!parameter.required && !variadic && !parameter.fallback.is_unbound())
        out += "=" + repr_of(parameter.fallback);
    }
    return out + ")";
  }

 private:
  [[noreturn]] void fail_count(size_t given) const {
    fail(message("argument_count"), {name(), std::to_string(entry_.parameters.size()), std::to_string(given)}, {},
         signature());
  }

  void bind_named(std::vector<Value>& bound, std::string_view keyword, Value value) const {
    for (size_t i = 0; i < entry_.parameters.size(); ++i) {
      const Parameter& parameter = entry_.parameters[i];
      if (parameter.name != keyword && other_name(parameter) != keyword) continue;  // as the resolver binds it
      if (!bound[i].is_unbound()) fail(message("argument_twice"), {name(), std::string(keyword)}, {}, signature());
      bound[i] = std::move(value);
      return;
    }
    fail(message("argument_unknown"), {name(), std::string(keyword)}, {}, signature());
  }

  const Entry& entry_;
};

}  // namespace

Value function_of(const Entry& entry) { return Value::adopt(new BuiltinFunction(entry)); }

}  // namespace covec::ops
