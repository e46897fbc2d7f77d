#include "stdlib/ops/derivatives/transformed.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/value/compiler.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::autodiff {

namespace {

int index_of(std::span<const std::string_view> names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

std::string joined(std::span<const std::string_view> names) {
  std::string text;
  for (std::string_view name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

size_t parameter_named(std::string_view transform, const Callable& function, const std::string& name) {
  const std::vector<std::string_view> names = function.parameter_names();
  const int index = index_of(names, name), rest = function.rest_parameter();
  if (index >= 0 && index != rest) return number_at(function, index);
  fail(message("no_parameter_named"), {std::string(transform), function.name(), name}, {},
       index >= 0
           ? "*" + name + " takes several arguments: give the number of one, from " + std::to_string(rest) + " on"
           : "its parameters are: " + joined(names));
}

size_t parameter_number(std::string_view transform, std::string_view option, const Callable& function,
                        const Value& which) {
  if (which.is(ObjectKind::string)) return parameter_named(transform, function, which.string().text);
  if (!ops::is_integer(which)) {
    if (is_symbolic(which)) fail_not_staged(std::string(option) + " of " + std::string(transform));
    const bool point = option == "wrt" && is_operand(which);  // grad(f, x)
    fail(message("bad_parameter"), {std::string(transform), std::string(option), describe(which)}, {},
         point ? std::string(transform) + " gives a function: write " + std::string(transform) + "(f)(x)" : "");
  }
  const bool has_rest = function.rest_parameter() >= 0;
  const int64_t number = ops::integer_of(which);
  const int64_t count = static_cast<int64_t>(function.parameter_names().size());
  const int64_t normal = number < 0 && !has_rest ? number + count : number;
  const bool variadic = has_rest || (function.entry() != nullptr && function.entry()->variadic) ||
                        (function.callable_kind == CallableKind::host && count == 0);
  if (normal < 0 || normal >= static_cast<int64_t>(by_name) || (normal >= count && !variadic)) {
    fail(message("no_parameter_number"),
         {std::string(transform), function.name(), std::to_string(count), std::to_string(number)}, {},
         has_rest && number < 0 ? "it takes any number of arguments: use a number from 0" : "");
  }
  return static_cast<size_t>(normal);
}

}  // namespace

namespace {

// The arguments of a call with its options as one, a record that is the last of them.
class Gathered {
 public:
  Gathered(const Callable& function, std::span<Value> args, std::span<const std::string_view> keywords) {
    const std::vector<std::string_view> names = function.parameter_names();
    const size_t positional = args.size() - keywords.size();
    for (size_t i = 0; i < positional; ++i) args_.push_back(std::move(args[i]));
    for (size_t k = 0; k < keywords.size(); ++k) {
      Value& value = args[positional + k];
      const int place = index_of(std::span(names).first(names.size() - 1), keywords[k]);
      if (keywords[k] == all_options) {
        add_all(value.record());
      } else if (place >= 0 && place != function.rest_parameter()) {
        args_.push_back(std::move(value));
        keywords_.push_back(keywords[k]);
      } else {
        add(keywords[k], std::move(value));
      }
    }
    auto layout = std::make_shared<const RecordLayout>(RecordLayout{std::move(names_)});
    args_.push_back(make_record(std::move(layout), std::move(options_)));
    keywords_.push_back(all_options);
  }
  std::span<Value> args() { return args_; }
  std::span<const std::string_view> keywords() const { return keywords_; }
  // A name stands twice among the options.
  bool repeats() const { return repeats_; }

 private:
  void add(std::string_view name, Value value) {
    repeats_ |= std::ranges::find(names_, name) != names_.end();
    names_.emplace_back(name);
    options_.push_back(std::move(value));
  }
  void add_all(const Record& record) {
    for (size_t i = 0; i < record.items.size(); ++i) add(record.layout->names[i], record.items[i]);
  }

  std::vector<Value> args_, options_;
  std::vector<std::string_view> keywords_;
  std::vector<std::string> names_;
  bool repeats_ = false;
};

}  // namespace

Value Transformed::call(ops::Builder& builder, std::span<Value> args, std::span<const std::string_view> keywords) {
  if (!takes_options()) return apply(builder, args, keywords);
  std::vector<Value> given(args.begin(), args.end());
  Gathered gathered(function(), given, keywords);
  // The function says which name is given twice.
  return gathered.repeats() ? function().call(builder, args, keywords)
                            : apply(builder, gathered.args(), gathered.keywords());
}

Value Transformed::call_bound(ops::Builder& builder, std::span<Value> args) {
  return apply(builder, args, std::span(&all_options, takes_options() ? 1 : 0));
}

Value Transformed::call_code(Callable& code, ops::Builder& builder, std::span<Value> args,
                             std::span<const std::string_view> keywords) {
  if (!takes_options()) return Callable::call_code(code, builder, args, keywords);
  std::vector<Value> given(args.begin(), args.end());
  Gathered gathered(function(), given, keywords);
  const Arguments arguments(function(), gathered.args(), gathered.keywords());
  return arguments.by_position() && !gathered.repeats() ? code.call_bound(builder, gathered.args())
                                                        : call(builder, args, keywords);
}

size_t number_at(const Callable& function, int place) {
  const int rest = function.rest_parameter();
  return static_cast<size_t>(place) + (rest >= 0 && place > rest ? by_name : 0);
}

int Arguments::find(size_t parameter) const {
  const size_t positional = args_.size() - keywords_.size();
  if (parameter < positional) return static_cast<int>(parameter);
  if (keywords_.empty()) return -1;
  const std::optional<std::string_view> name = is_options(parameter) ? all_options : name_at(parameter);
  const int keyword = name ? index_of(keywords_, *name) : -1;
  return keyword < 0 ? -1 : static_cast<int>(positional) + keyword;
}

// Nothing where a number stands for no name of its own.
std::optional<std::string_view> Arguments::name_at(size_t parameter) const {
  const std::vector<std::string_view> names = function_.parameter_names();
  const int rest = function_.rest_parameter();
  if (rest >= 0 && parameter >= static_cast<size_t>(rest) && parameter < by_name) return {};
  const size_t place = parameter < by_name ? parameter : parameter - by_name;
  return place < names.size() ? std::optional(names[place]) : std::nullopt;
}

size_t Arguments::parameter_of(size_t argument) const {
  const size_t positional = args_.size() - keywords_.size();
  return argument < positional ? argument : parameter_of_keyword(keywords_[argument - positional]);
}

bool Arguments::is_options(size_t parameter) const {
  const size_t count = function_.parameter_names().size();
  return function_.takes_options() && parameter == number_at(function_, static_cast<int>(count) - 1);
}

size_t Arguments::parameter_of_keyword(std::string_view keyword) const {
  const std::vector<std::string_view> names = function_.parameter_names();
  if (keyword == all_options) return number_at(function_, static_cast<int>(names.size()) - 1);
  const int index = index_of(names, keyword);
  return index < 0 || index == function_.rest_parameter() ? std::string_view::npos : number_at(function_, index);
}

std::string Arguments::name_of(size_t parameter) const {
  if (const std::optional<std::string_view> name = name_at(parameter)) return std::string(*name);
  const int rest = function_.rest_parameter();
  if (rest < 0) return "argument " + std::to_string(parameter);
  const std::string_view name = function_.parameter_names()[static_cast<size_t>(rest)];
  return std::string(name) + "[" + std::to_string(parameter - static_cast<size_t>(rest)) + "]";
}

Parameters parameters_of(std::string_view transform, std::string_view option, const Callable& function,
                         const Value& wrt) {
  Parameters result;
  if (!wrt.is(ObjectKind::tuple)) {
    result.numbers.push_back(parameter_number(transform, option, function, wrt));
    return result;
  }
  result.tuple = true;
  for (const Value& item : wrt.tuple().items) {
    const size_t number = parameter_number(transform, option, function, item);
    if (std::find(result.numbers.begin(), result.numbers.end(), number) != result.numbers.end()) {
      fail(message("parameter_twice"), {std::string(transform), std::string(option), std::to_string(number)});
    }
    result.numbers.push_back(number);
  }
  if (result.numbers.empty()) fail(message("no_parameters"), {std::string(transform), std::string(option)});
  return result;
}

std::string Parameters::key() const {
  std::string text = tuple ? "tuple" : "";
  for (const size_t number : numbers) text += " " + std::to_string(number);
  return text;
}

Value like_function(ops::Builder& builder, const Value& function, Value transformed) {
  Compiler* compiler = builder.context().compiler;
  if (!builder.is_eager() || compiler == nullptr || !compiler->is_compiled(function)) return transformed;
  CompileRequest request = compiler->request_of(function);
  request.strict = false;
  return compiler->compile(transformed, request);
}

std::string without_floats(const Value& argument) {
  return describe(argument) + (is_tree(argument) ? " without floats" : "");
}

const Value& function_argument(std::string_view transform, const Value& value) {
  if (!value.is(ObjectKind::function)) {
    fail(message("not_a_function"), {std::string(transform), describe(value)}, {{0, "this is " + describe(value)}});
  }
  return value;
}

size_t choice(std::string_view transform, std::string_view option, const Value& value,
              std::initializer_list<std::string_view> choices) {
  if (value.is_none()) return 0;  // not given
  size_t index = 0;
  std::string list;
  for (std::string_view name : choices) {
    if (value.is(ObjectKind::string) && value.string().text == name) return index;
    ++index;
    list += (list.empty() ? "\"" : ", \"") + std::string(name) + "\"";
  }
  const std::string given = value.is(ObjectKind::string) ? "\"" + value.string().text + "\"" : describe(value);
  fail(message("bad_choice"), {std::string(transform), std::string(option), list, given});
}

namespace {

// The unit's bytes; 0: there is no such unit.
double bytes_of_unit(std::string_view unit) {
  if (unit.empty() || unit == "B" || unit == "bytes") return 1;
  constexpr std::string_view prefixes = "kMGT";
  const bool binary = unit.size() == 3 && unit.substr(1) == "iB";
  if (!binary && (unit.size() != 2 || unit[1] != 'B')) return 0;
  const size_t power = prefixes.find(unit[0] == 'K' ? 'k' : unit[0]);
  return power == prefixes.npos ? 0 : std::pow(binary ? 1024.0 : 1000.0, static_cast<double>(power + 1));
}

// 0 where it is none.
double bytes_of_text(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return 0;
  std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  return number * bytes_of_unit(unit);
}

}  // namespace

uint64_t memory_amount(std::string_view transform, const Value& value) {
  if (value.is_none()) return 0;
  constexpr double most = 1e18;  // bytes: an exabyte, which fits into a uint64_t
  const bool is_text = value.is(ObjectKind::string);
  const double bytes = is_text                   ? bytes_of_text(value.string().text)
                       : value.tag() == Tag::i64 ? static_cast<double>(value.i64())
                                                 : 0;
  if (bytes >= 1 && bytes <= most) return static_cast<uint64_t>(bytes);
  fail(message("memory_amount"), {std::string(transform), is_text                   ? "\"" + value.string().text + "\""
                                                          : value.tag() == Tag::i64 ? std::to_string(value.i64())
                                                                                    : describe(value)});
}

}  // namespace covec::autodiff
