// Makes Builtins from entries. C++ types name the operators of the grammar, never strings.
#include "interpreter/session/builtins.hpp"

#include "interpreter/session/engine_entries.hpp"
#include "interpreter/session/modules.hpp"
#include "stdlib/ops/contract/ordering.hpp"
#include "stdlib/ops/elementwise/bodies/arithmetic.hpp"
#include "stdlib/ops/elementwise/bodies/compare.hpp"
#include "stdlib/ops/elementwise/bodies/logic.hpp"
#include "stdlib/ops/elementwise/bodies/power.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/ops/files/files.hpp"
#include "stdlib/ops/general/general.hpp"
#include "stdlib/ops/linalg/linalg.hpp"
#include "stdlib/ops/reduce/reduce.hpp"

namespace covec {

namespace {

bool is_method(const ops::Entry& entry) {
  using Kind = ops::ParameterKind;
  if (entry.parameters.empty() || entry.dtype || (entry.variadic && entry.variadic_at == 0)) return false;
  return entry.parameters[0].kind != Kind::attribute;
}

Builtin description(const ops::Entry& entry) {
  Builtin builtin;
  builtin.entry = &entry;
  builtin.name = entry.name;
  for (const ops::Parameter& parameter : entry.parameters)
    builtin.parameters.push_back({parameter.name, parameter.required, parameter.kind == ops::ParameterKind::tensors,
                                  ops::other_name(parameter)});
  builtin.variadic = entry.variadic;
  builtin.variadic_at = entry.variadic_at;
  const ops::Effects& effects = entry.effects;
  builtin.acts = effects.random || effects.prints || effects.outside || effects.calls || effects.shared ||
                 &entry == &ops::error_entry() || &entry == &ops::check_names_entry() ||
                 &entry == &ops::progress_part_entry();
  builtin.stops = &entry == &ops::breakpoint_entry();
  builtin.method = is_method(entry);
  return builtin;
}

}  // namespace

// It stays until the process ends: a session on another thread may outlive static objects.
const EngineBuiltins& EngineBuiltins::all() {
  static const EngineBuiltins& builtins = *new EngineBuiltins;
  return builtins;
}

EngineBuiltins::EngineBuiltins() {
  for (const ops::Entry* entry : ops::all_entries()) add(*entry);
  for (const ops::Entry* entry : engine_entries()) add(*entry);
  for (EngineBuiltin& builtin : all_) {
    if (builtin.entry->squared != nullptr) builtin.squared = by_entry_.at(&builtin.entry->squared());
  }
  set_operator(Operator::add, ops::entry_of<ops::Add>(), Quick::add);
  set_operator(Operator::sub, ops::entry_of<ops::Subtract>(), Quick::sub);
  set_operator(Operator::mul, ops::entry_of<ops::Multiply>(), Quick::mul);
  set_operator(Operator::div, ops::entry_of<ops::Divide>(), Quick::div);
  set_operator(Operator::floor_div, ops::entry_of<ops::FloorDivide>(), Quick::floor_div);
  set_operator(Operator::mod, ops::entry_of<ops::Modulo>(), Quick::mod);
  set_operator(Operator::pow, ops::entry_of<ops::Power>(), Quick::pow);
  set_operator(Operator::matmul, ops::matmul_entry(), Quick::none);
  set_operator(Operator::less, ops::entry_of<ops::Less>(), Quick::less);
  set_operator(Operator::less_equal, ops::entry_of<ops::LessEqual>(), Quick::less_equal);
  set_operator(Operator::greater, ops::entry_of<ops::Greater>(), Quick::greater);
  set_operator(Operator::greater_equal, ops::entry_of<ops::GreaterEqual>(), Quick::greater_equal);
  set_operator(Operator::equal, ops::entry_of<ops::Equal>(), Quick::equal);
  set_operator(Operator::not_equal, ops::entry_of<ops::NotEqual>(), Quick::not_equal);
  set_operator(Operator::bit_and, ops::entry_of<ops::BitAnd>(), Quick::bit_and);
  set_operator(Operator::bit_or, ops::entry_of<ops::BitOr>(), Quick::bit_or);
  set_operator(Operator::shift_left, ops::entry_of<ops::ShiftLeft>(), Quick::none);
  set_operator(Operator::shift_right, ops::entry_of<ops::ShiftRight>(), Quick::none);
  set_operator(Operator::negate, ops::entry_of<ops::Negate>(), Quick::negate);
  set_operator(Operator::plus, ops::entry_of<ops::Positive>(), Quick::none);
  set_operator(Operator::bit_not, ops::entry_of<ops::BitNot>(), Quick::none);
  set_operator(Operator::in, ops::in_entry(), Quick::none);
  set_operator(Operator::make_map, ops::make_map_entry(), Quick::none);
  set_operator(Operator::spread_fields, ops::spread_fields_entry(), Quick::none);
  set_operator(Operator::spread_tuple, ops::spread_tuple_entry(), Quick::none);
  set_operator(Operator::spread_brackets, spread_brackets_entry(), Quick::none);
  set_operator(Operator::reduced_not_bounded, ops::reduced_not_bounded_entry(), Quick::none);
  set_operator(Operator::logical_not, ops::entry_of<ops::LogicalNot>(), Quick::logical_not);
}

EngineBuiltin& EngineBuiltins::add(const ops::Entry& entry) {
  EngineBuiltin& builtin = all_.emplace_back();
  static_cast<Builtin&>(builtin) = description(entry);
  builtin.number = static_cast<uint32_t>(all_.size() - 1);
  if (entry.dtype) dtypes_[static_cast<size_t>(*entry.dtype)] = &builtin;
  by_entry_.emplace(&entry, &builtin);
  // Internal ones are found by name where the modules written in Covec need them.
  if (!entry.internal || entry.name.starts_with('_')) by_name_.emplace(entry.name, &builtin);
  return builtin;
}

// An operator whose entry has no name in the language (a family leaves it out) is added here.
void EngineBuiltins::set_operator(Operator op, const ops::Entry& entry, Quick quick) {
  const auto found = by_entry_.find(&entry);
  EngineBuiltin& builtin = found == by_entry_.end() ? add(entry) : *found->second;
  builtin.quick = quick;
  operators_[static_cast<size_t>(op)] = &builtin;
}

const Value& BuiltinValues::of(const Builtin& builtin) {
  const uint32_t number = engine_builtin(builtin).number;
  if (number >= values_.size()) values_.resize(number + 1);
  Value& value = values_[number];
  if (value.is_none())
    value = builtin.entry->constant ? Value(*builtin.entry->constant) : ops::function_of(*builtin.entry);
  return value;
}

const Builtin* EngineBuiltins::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

std::vector<std::string_view> EngineBuiltins::names() const {
  std::vector<std::string_view> names;
  for (const EngineBuiltin& builtin : all_) {
    if (!builtin.entry->internal) names.push_back(builtin.name);
  }
  return names;
}

std::vector<std::string_view> EngineBuiltins::modules() const {
  std::vector<std::string_view> names;
  for (unsigned i = 0; i < builtin_module_count; ++i) {
    if (!builtin_modules[i].name.starts_with('_')) names.push_back(builtin_modules[i].name);
  }
  return names;
}

bool EngineBuiltins::module_has(std::string_view module, std::string_view name) const {
  const auto source = find_builtin_module(module);
  return source && defines(source->builtin_text, name);
}

}  // namespace covec
