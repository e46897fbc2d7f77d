#include "interpreter/lsp/callables.hpp"

#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/ops/contract/sample_text.hpp"
#include "stdlib/value/callable.hpp"

namespace covec::lsp {

namespace {

CallableText callable_of(const IndexedFunction& function) {
  CallableText out{function.signature, function.doc, {}, {}, false, function.option_names};
  for (const IndexedParameter& each : function.parameters) {
    out.names.push_back(each.name);
    out.parameters.push_back(each.text);
  }
  return out;
}

// "x" and "axis=none" of "sum(x, axis=none)".
std::vector<std::string> parameters_of(const std::string& signature) {
  const size_t open = signature.find('('), close = signature.rfind(')');
  if (open == signature.npos || close == signature.npos || close <= open + 1) return {};
  const std::string_view inside = std::string_view(signature).substr(open + 1, close - open - 1);
  std::vector<std::string> parts;
  size_t begin = 0;
  std::vector<size_t> ends = ops::commas_of(inside);
  ends.push_back(inside.size());
  for (const size_t end : ends) {
    std::string_view part = inside.substr(begin, end - begin);
    while (part.starts_with(' ')) part.remove_prefix(1);
    parts.emplace_back(part);
    begin = end + 1;
  }
  return parts;
}

CallableText callable_of(const Builtin& builtin, bool is_method) {
  CallableText out{signature_of(builtin), std::string(builtin.entry->doc), {}, {}, is_method};
  for (const BuiltinParameter& each : builtin.parameters) out.names.emplace_back(each.name);
  out.parameters = parameters_of(out.signature);
  return out;
}

std::optional<CallableText> method(Workspace& workspace, std::string_view name) {
  const Builtin* builtin = workspace.session().builtins().find(name);
  if (builtin == nullptr || !builtin->method) return std::nullopt;
  return callable_of(*builtin, true);
}

}  // namespace

std::string signature_of(const Builtin& builtin) {
  return builtin.entry->constant ? std::string(builtin.name) : ops::function_of(*builtin.entry).function().signature();
}

std::optional<CallableText> callable_of(Workspace& workspace, const Cursor& place, std::string_view chain) {
  const NameIndex& names = place.analysis.names;
  const size_t dot = chain.rfind('.');
  const uint32_t first = names.find(names.scope_at(place.offset), chain.substr(0, chain.find('.')));
  if (dot == chain.npos) {
    const IndexedFunction* function = first == no_index ? nullptr : names.function_of(first);
    if (function != nullptr) return callable_of(*function);
    const Builtin* builtin = first == no_index ? workspace.session().builtins().find(chain) : nullptr;
    return builtin == nullptr ? std::nullopt : std::optional(callable_of(*builtin, false));
  }
  const std::string_view name = chain.substr(dot + 1);
  if (first == no_index || names.import_of(first) == nullptr || chain.find('.') != dot) return method(workspace, name);
  const std::optional<Meaning> member = member_of(workspace, place, first, name);
  const IndexedFunction* function = member ? member->names->function_of(member->symbol) : nullptr;
  return function == nullptr ? std::nullopt : std::optional(callable_of(*function));
}

}  // namespace covec::lsp
