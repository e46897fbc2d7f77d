// Functions made from functions: grad(f), vmap(f) … Each keeps the function that it transforms and has its parameters.
// It finds parameters by index or name among the arguments of a call.
#pragma once

#include <optional>

#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/value/callable.hpp"

namespace covec::autodiff {

class Transformed : public Callable {
 public:
  Transformed(std::string_view transform, Value function)
      : Callable(CallableKind::transformed), transform_(transform), function_(std::move(function)) {}
  std::string name() const override { return std::string(transform_) + "(" + function_.function().name() + ")"; }
  std::vector<std::string_view> parameter_names() const override { return function_.function().parameter_names(); }
  int rest_parameter() const override { return function_.function().rest_parameter(); }
  bool takes_options() const override { return function_.function().takes_options(); }
  std::vector<std::string_view> option_names() const override { return function_.function().option_names(); }
  std::vector<Value> captures() const override { return {function_}; }
  Value with_captures(std::vector<Value> values) const override { return with_function(std::move(values.at(0))); }
  bool has_staging_key() const override { return true; }
  Value call(ops::Builder& builder, std::span<Value> args, std::span<const std::string_view> keywords) final;
  // Bound arguments of a function that takes options: those that came by position, then the options as a record.
  Value call_bound(ops::Builder& builder, std::span<Value> args) final;
  Value call_code(Callable& code, ops::Builder& builder, std::span<Value> args,
                  std::span<const std::string_view> keywords) final;

 protected:
  // A call. Options come as one argument, with the name all_options.
  virtual Value apply(ops::Builder& builder, std::span<Value> args, std::span<const std::string_view> keywords) = 0;
  virtual Value with_function(Value function) const = 0;
  Callable& function() const { return function_.function(); }
  const std::string_view transform_;
  const Value function_;
};

// Parameters have numbers: those of the positional arguments that they take, of which a rest takes any number; behind a
// rest, what can only be given by name has numbers from here on.
inline constexpr size_t by_name = size_t{1} << (sizeof(size_t) == 8 ? 32 : 31);
// The number of a parameter that stands at a place in the definition.
size_t number_at(const Callable& function, int place);

// The arguments of one call: where parameter p lies among them (−1: not given), and which parameter an argument is.
class Arguments {
 public:
  Arguments(const Callable& function, std::span<Value> args, std::span<const std::string_view> keywords)
      : function_(function), args_(args), keywords_(keywords) {}
  std::span<Value> all() const { return args_; }
  std::span<const std::string_view> keywords() const { return keywords_; }
  // Nothing is given by name: the arguments are those of the first parameters, and the options.
  bool by_position() const { return keywords_.empty() || (keywords_.size() == 1 && keywords_[0] == all_options); }
  int find(size_t parameter) const;
  size_t parameter_of(size_t argument) const;
  size_t parameter_of_keyword(std::string_view keyword) const;  // npos where it is none: the callee will say so
  std::string name_of(size_t parameter) const;                  // "x", "rest[1]", or "argument 2"
  Value call(ops::Builder& builder, const Value& function) const {
    return function.function().call(builder, args_, keywords_);
  }

 private:
  std::optional<std::string_view> name_at(size_t parameter) const;
  bool is_options(size_t parameter) const;
  const Callable& function_;
  std::span<Value> args_;
  std::span<const std::string_view> keywords_;
};

// `wrt`: one parameter, or a tuple of them.
struct Parameters {
  std::vector<size_t> numbers;
  bool tuple = false;
  std::string key() const;  // for Callable::staging_key
};
// What a transformation gives: compiled where the function that it transforms is.
Value like_function(ops::Builder& builder, const Value& function, Value transformed);
Parameters parameters_of(std::string_view transform, std::string_view option, const Callable& function,
                         const Value& wrt);

// What an argument without floats is, in messages: "i64", "record without floats".
std::string without_floats(const Value& argument);
// `value` as a function, or an error that names the transformation.
const Value& function_argument(std::string_view transform, const Value& value);
// The string of an option such as zero="ieee", one of `choices`.
size_t choice(std::string_view transform, std::string_view option, const Value& value,
              std::initializer_list<std::string_view> choices);

template <class T, class... Args>
Value make_function(Args&&... args) {
  return Value::adopt(new T(std::forward<Args>(args)...));
}

// A number of bytes, or a text with a unit ("200 MB", "1.5GiB"); none is 0.
uint64_t memory_amount(std::string_view transform, const Value& value);

}  // namespace covec::autodiff
