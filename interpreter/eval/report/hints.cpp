// See hints.hpp. Other systems' names are in the frontend's table (frontend/source/foreign_syntax.hpp).
#include "interpreter/eval/report/hints.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "frontend/common/nearest.hpp"
#include "frontend/source/foreign_syntax.hpp"
#include "interpreter/eval/report/hidden_builtins.hpp"
#include "interpreter/eval/report/messages.hpp"
#include "interpreter/eval/report/operand_hints.hpp"
#include "interpreter/eval/values/module.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

namespace {

using foreign_syntax::At;

constexpr std::string_view kAttributes[] = {"T", "H", "shape", "dtype", "rank", "size", "device"};

std::optional<At> receiver_of(const Value& object) {
  if (is_operand(shaped_part(object))) return At::tensor;
  if (object.is(ObjectKind::list)) return At::list;
  if (object.is(ObjectKind::string)) return At::text;
  if (object.is(ObjectKind::record) || object.is(ObjectKind::map)) return At::record;
  if (object.is(ObjectKind::function)) return At::function;
  return {};
}

std::string known_part(const Value& object, std::string_view name) {
  const std::optional<At> receiver = receiver_of(object);
  return receiver ? std::string(foreign_syntax::replacement_of_method(*receiver, name)) : "";
}

// `x.T()`, `x.shape(0)`.
std::string hint_for_called_attribute(const core::MethodCall& node) {
  if (std::ranges::find(kAttributes, node.name) == std::end(kAttributes)) return {};
  const bool one_size = !node.args.empty() && (node.name == "shape" || node.name == "size");
  return one_size ? "write x.shape[i]" : "write x." + std::string(node.name) + ", without parentheses";
}

std::vector<std::string_view> methods_of(const Reporter& reporter, const Value& object) {
  std::vector<std::string_view> names;
  for (const std::string_view name : reporter.builtin_names()) {
    if (reporter.builtin(name)->method) names.push_back(name);
  }
  if (object.is(ObjectKind::list)) names.insert(names.end(), {"push", "remove"});
  if (object.is(ObjectKind::map)) names.push_back("remove");
  return names;
}

bool needs_arguments(const Builtin& builtin) {
  for (size_t i = 1; i < builtin.parameters.size(); ++i) {
    if (builtin.parameters[i].required) return true;
  }
  return builtin.variadic;
}

}  // namespace

namespace {

// A comprehension of records, say, is a list of them.
std::string hint_for_items(const Value& object, const core::Field& node) {
  const bool items = object.is(ObjectKind::list) && !object.list().items().empty();
  if (!items || !object.list().items().front().is(ObjectKind::record)) return {};
  const auto& names = object.list().items().front().record().layout->names;
  if (std::ranges::find(names, node.name) == names.end()) return {};
  const std::string name(node.name);
  return "its items have one: write [r." + name + " for r in rs], or stack(rs)." + name;
}

}  // namespace

namespace {

// A tuple is taken for a record: its items have no names.
std::string hint_for_tuple(const Reporter& reporter, const core::Field& node, const Value& tuple) {
  const size_t count = children(tuple)->size();
  if (count < 2 || count > 4) return {};
  const std::string written = reporter.source_of(node.object->span);
  const std::string names = std::string("a, b, c, d").substr(0, 3 * count - 2);
  return "it has " + std::to_string(count) + " items: write " + names + " = " + (is_quotable(written) ? written : "t");
}

}  // namespace

std::string hint_for_attribute(const Reporter& reporter, const core::Field& node, const Value& object) {
  const Builtin* builtin =
      foreign_syntax::replacement(At::tensor, node.name).empty() ? reporter.builtin(node.name) : nullptr;
  if (builtin != nullptr && builtin->method && is_operand(shaped_part(object))) {
    const std::string written = reporter.source_of(node.span);
    const std::string whole = is_quotable(written) ? written : "x." + std::string(node.name);
    return "write " + whole + (needs_arguments(*builtin) ? "(…)" : "()");
  }
  if (object.is(ObjectKind::map)) {
    const std::string written = reporter.source_of(node.object->span);
    return "write " + (is_quotable(written) ? written : "d") + "[\"" + std::string(node.name) + "\"]";
  }
  if (object.is(ObjectKind::tuple)) return hint_for_tuple(reporter, node, object);
  if (const std::string of_items = hint_for_items(object, node); !of_items.empty()) return of_items;
  const std::string known = known_part(object, node.name);
  if (!known.empty() || !is_operand(shaped_part(object))) return known;
  return did_you_mean(nearest_name(node.name, {std::begin(kAttributes), std::end(kAttributes)}));
}

std::string hint_for_method(const Reporter& reporter, const core::MethodCall& node, const Value& object) {
  if (!node.bind_hint.empty()) return node.bind_hint;
  if (object.is(ObjectKind::record)) {
    const auto& names = object.record().layout->names;
    const std::string near = did_you_mean(nearest_name(node.name, {names.begin(), names.end()}));
    if (!near.empty()) return near;
  }
  const std::string attribute = is_operand(shaped_part(object)) ? hint_for_called_attribute(node) : "";
  if (!attribute.empty()) return attribute;
  const std::string known = known_part(object, node.name);
  return known.empty() ? did_you_mean(nearest_name(node.name, methods_of(reporter, object))) : known;
}

std::string hint_for_name_of_module(const Reporter& reporter, const Module& module, std::string_view name) {
  return hint_for_name_of_module(reporter, module.name, module.scope.names, name);
}

std::string hint_for_name_of_module(const Reporter& reporter, const std::string& module,
                                    const std::vector<std::string_view>& names, std::string_view name) {
  const std::string path = module + "." + std::string(name);
  if (const auto known = foreign_syntax::replacement(At::path, path); !known.empty()) return std::string(known);
  if (reporter.builtin(name) != nullptr) return "`" + std::string(name) + "` is a builtin: write it without a module";
  const std::string near = did_you_mean(nearest_name(name, names));
  return near.empty() ? std::string(foreign_syntax::replacement_of_name(name)) : near;
}

std::string hint_for_call(const Reporter& reporter, const Value& callee, const core::Expr* expr, Span span,
                          const Frame& f, std::vector<Label>& labels) {
  const std::string written = reporter.source_of(span);
  if (reporter.builtin(written) != nullptr) {
    const Span place = expr != nullptr ? binding_of(*expr, f).place : Span();
    if (!reporter.source_of(place).empty()) labels.push_back({place, "this hides the builtin `" + written + "`"});
    const bool of_another_text = expr != nullptr && expr->kind == core::ExprKind::global && labels.size() == 1;
    return "give the variable another name: `" + written + "` is a builtin's" +
           (of_another_text ? " (:reset gives it back in the REPL)" : "");
  }
  const bool has_items = is_operand(callee) ? logical_type(callee).shape.rank() > 0
                                            : callee.is(ObjectKind::list) || callee.is(ObjectKind::tuple);
  if (has_items) return "brackets read elements, counted from 0: write x[i]";
  if (is_operand(callee)) return "write a product with *";
  return {};
}

std::string hint_for_condition(const Value& value) {
  const bool has_length = is_container(value) || value.is(ObjectKind::string);
  if (has_length) return "to test for items, write len(x) > 0";
  if (value.is_none()) return "to test for a value, write x != none";
  const bool number = is_complex(value) || (is_operand(value) && logical_type(value).shape.empty());
  return number ? "to test a number, write x != 0" : "";
}

void hint_at_names(const Reporter& reporter, const core::Target& target, Span iterable, const Value& over,
                   CovecError& error) {
  if (!has_named_children(over)) return;
  Diagnostic& told = error.diagnostics.front();
  const bool operand = told.code == message("not_numeric").key;
  const bool part = told.code == eval::row("no_field").key || told.code == eval::row("no_method").key;
  const bool plain = target.kind == core::Target::Kind::path && target.steps.empty();
  if (!plain || (!operand && (!part || !told.hint.empty()))) return;
  const std::string name = reporter.source_of(target.span), written_over = reporter.source_of(iterable);
  const auto is_of_target = [&](const Label& label) {
    const std::string written = reporter.source_of(label.span);
    return written == name || written.starts_with(name + ".") || written.starts_with(name + "[") ||
           (operand && label.span.contains(target.span));  // a reduction of the names
  };
  if (std::ranges::none_of(told.labels, is_of_target)) return;
  const bool map = over.is(ObjectKind::map);
  const std::string object = is_quotable(written_over) ? written_over : map ? "d" : "r";
  told.hint = std::string("a loop over a ") + (map ? "map gives its keys" : "record gives its names") + ": write " +
              object + "[" + name + "], or loop over values(" + object + ")";
}

std::string hint_for_module(std::string_view name) {
  return std::string(foreign_syntax::replacement(At::module, name));
}

std::string hint_for_later(const Reporter& reporter, const core::Global& node, const Frame& f) {
  const auto [later, definition] = binding_of(node, f);
  if (!later.known() || later.file != node.span.file || later.begin <= node.span.begin) return {};
  const std::string line = std::to_string(reporter.line_of(later));
  return definition ? "it is defined on line " + line + ", below: move the call there"
                    : "it gets its value on line " + line + ", which has not run yet";
}

std::string hint_for_unassigned(const Frame* f, std::string_view name) {
  if (f == nullptr || f->closure == nullptr) return {};
  const auto& slots = f->source_unit->module->scope.slots;
  return slots.contains(name) ? "the function assigns it, so it is a local variable, not the module's `" +
                                    std::string(name) + "`: pass that in as an argument"
                              : "";
}

}  // namespace covec
