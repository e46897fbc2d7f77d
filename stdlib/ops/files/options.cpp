// Parses options. An option is a field's name after two dashes; a dash in it is an underscore of the name. Its value is
// the next argument, or stands behind `=`.
#include "stdlib/ops/files/options.hpp"

#include <algorithm>

#include "frontend/common/nearest.hpp"
#include "stdlib/files/file.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/tensor/print.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

std::string option_of(std::string_view field) {
  std::string name = "--" + std::string(field);
  std::replace(name.begin() + 2, name.end(), '_', '-');
  return name;
}

bool is_flag(const Value& value) { return value.tag() == Tag::boolean; }

std::string kind_of_value(const Value& value) {
  return value.is_scalar() ? std::string(name_of(value.scalar_dtype())) : "text";
}

}  // namespace

void require_text_arguments(const Context& context, const Call& call) {
  for (size_t i = 0; i < context.arguments.size(); ++i) {
    const std::string& argument = context.arguments[i];
    if (files::utf8_prefix(argument) != argument.size())
      fail(message("argument_not_utf8"), {std::string(call.entry.name), std::to_string(i)});
  }
}

Options::Options(Builder& b, const Call& call)
    : builder_(b),
      call_(call),
      layout_(call.args[0].record().layout),
      defaults_(call.args[0].record().items),
      values_(defaults_) {
  for (size_t field = 0; field < values_.size(); ++field) check_default(field);
  read(b.context().arguments);
}

void Options::check_default(size_t field) {
  const Value& value = values_[field];
  if (value.is_scalar() || value.is(ObjectKind::string)) return;
  if (value.is(ObjectKind::list) && others_ < 0) {
    others_ = static_cast<int>(field);
    return;
  }
  if (is_operand(value) && !value.is_numeric()) fail_attribute(call_, 0, "known");
  fail(message("option_value"),
       {layout_->names[field],
        "has " + describe(value) + " as its default: a default must be a number, a bool, a string or one list"},
       {label_of(call_, 0)});
}

int Options::field_of(std::string_view name) const {
  std::string field(name);
  std::replace(field.begin(), field.end(), '-', '_');
  return layout_->find(field);
}

void Options::fail_unknown(std::string_view name) const {
  const std::string_view near = nearest_name(name, {layout_->names.begin(), layout_->names.end()});
  fail(message("option_unknown"), {"--" + std::string(name)}, {},
       near.empty() ? "--help shows the options" : "did you mean " + option_of(near) + "?");
}

void Options::read(std::span<const std::string> arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--" && others_ >= 0) {
      for (++i; i < arguments.size(); ++i) take_other(arguments[i]);
      return;
    }
    if (!argument.starts_with("--") || argument.size() == 2) {
      take_other(argument);
      continue;
    }
    const size_t equals = argument.find('=');
    const std::string_view name =
        std::string_view(argument).substr(2, equals == std::string::npos ? equals : equals - 2);
    const int field = field_of(name);
    if (field >= 0 && field == others_)
      fail(message("option_unknown"), {"--" + std::string(name)}, {},
           "it takes the arguments that belong to no option: write them without --");
    if (equals != std::string::npos) {
      if (field < 0) fail_unknown(name);
      set(static_cast<size_t>(field), argument.substr(equals + 1));
    } else if (!set_flag(name)) {
      if (field < 0) fail_unknown(name);
      if (++i == arguments.size()) fail(message("option_value"), {std::string(name), "needs a value"});
      set(static_cast<size_t>(field), arguments[i]);
    }
  }
}

void Options::take_other(const std::string& argument) {
  if (others_ < 0) {
    fail(message("option_bare"), {quoted(argument)}, {},
         "a field with a list as its default takes such arguments: options({files: list()})");
  }
  Value& others = values_[static_cast<size_t>(others_)];
  if (!has_others_) others = make_list({});
  has_others_ = true;
  others.list().push(make_string(argument));
}

// What needs no value: --fast and --no-fast of a bool, and --help.
bool Options::set_flag(std::string_view name) {
  const int field = field_of(name);
  if (field >= 0 && is_flag(values_[static_cast<size_t>(field)])) {
    values_[static_cast<size_t>(field)] = Value(true);
    return true;
  }
  const int denied = field < 0 && name.starts_with("no-") ? field_of(name.substr(3)) : -1;
  if (denied >= 0 && is_flag(values_[static_cast<size_t>(denied)])) {
    values_[static_cast<size_t>(denied)] = Value(false);
    return true;
  }
  if (field >= 0 || name != "help") return false;
  return help_ = true;
}

void Options::set(size_t field, const std::string& text) {
  Value& value = values_[field];
  if (!value.is_scalar()) {
    value = make_string(text);
    return;
  }
  try {
    value = call(builder_, cast_entry(value.scalar_dtype()), {make_string(text)});
  } catch (OpError& error) {
    if (ends_all(error.kind)) throw;
    fail(message("option_value"),
         {option_of(layout_->names[field]).substr(2), "takes " + kind_of_value(value) + ": " + error.message});
  }
}

std::string Options::help() const {
  std::string out = others_ < 0 ? "" : "arguments: " + layout_->names[static_cast<size_t>(others_)] + " …\n";
  out += "options:\n";
  for (size_t field = 0; field < values_.size(); ++field) {
    const Value& value = defaults_[field];
    if (static_cast<int>(field) == others_) continue;
    std::string line = "  " + option_of(layout_->names[field]);
    line += is_flag(value) ? ", --no-" + option_of(layout_->names[field]).substr(2) : " " + kind_of_value(value);
    line.resize(std::max<size_t>(line.size() + 2, 28), ' ');
    out += line + "(" + repr_of(value) + ")\n";
  }
  return out + "  --help\n";
}

}  // namespace covec::ops
