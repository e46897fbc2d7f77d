#include "interpreter/assist/documentation.hpp"

#include <algorithm>
#include <sstream>

#include "frontend/resolve/resolve.hpp"
#include "interpreter/assist/completion.hpp"
#include "interpreter/session/modules.hpp"
#include "stdlib/value/callable.hpp"

namespace covec {

namespace {

std::string section(const std::string& level, const std::string& signature, const std::string& doc) {
  return level + " `" + signature + "`\n\n" + markdown_of(doc) + "\n";
}

// Its functions in the order of their names' definition.
std::string functions_of(const Session& session, const std::string& module) {
  const Value& value = *session.find_global(module);
  std::string text;
  for (const std::string& name : session.member_names(value)) {
    const Value* member = find_member(value, name);
    if (name.starts_with('_') || member == nullptr || !member->is(ObjectKind::function)) continue;
    text += section("###", module + "." + member->function().signature(), member->function().doc());
  }
  return text;
}

std::string chapter_of(const Session& session, const std::string& module, const char* level) {
  return std::string(level) + " `" + module + "`\n\n" + markdown_of(preface_of_module(module)) + "\n" +
         functions_of(session, module);
}

bool is_of_library(const std::string& module) {
  const std::vector<std::string> names = builtin_module_names();
  return std::ranges::find(names, module) != names.end();
}

}  // namespace

std::string markdown_of(const std::string& doc) {
  std::istringstream lines(doc);
  std::string text, blank;
  bool program = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) {
      blank += '\n';
      continue;
    }
    const bool indented = line.starts_with("    ");
    if (program && !indented) text += "```\n";
    text += blank;
    if (!program && indented) text += "```covec\n";
    text += indented ? line.substr(4) : line;
    text += '\n';
    blank.clear();
    program = indented;
  }
  return text + (program ? "```\n" : "");
}

std::string preface_of_module(std::string_view module) {
  const auto* const end = builtin_modules + builtin_module_count;
  const auto* const found =
      std::find_if(builtin_modules, end, [&](const BuiltinModule& each) { return each.name == module; });
  if (found == end) return "";
  SourceMap sources;
  return documentation_of(sources, sources.add(std::string(module), std::string(found->text))).doc;
}

std::optional<std::string> documentation_of_module(std::string_view name) {
  const std::string module(name.substr(0, name.find('.')));
  if (!is_of_library(module)) return std::nullopt;
  Session session;
  session.run_text("documentation", "import " + module);
  if (module == name) return chapter_of(session, module, "#");
  const Value* value = find_chain(session, name);
  if (value == nullptr || !value->is(ObjectKind::function)) return std::nullopt;
  return section("#", module + "." + value->function().signature(), value->function().doc());
}

std::string documentation_of_library() {
  Session session;
  std::string text;
  for (const std::string& module : builtin_module_names()) {
    session.run_text("documentation", "import " + module);
    text += "\n" + chapter_of(session, module, "##");
  }
  return text;
}

std::string documentation_of_text(Session& session, const std::string& name, std::string text_of_file) {
  const Documentation found = documentation_of(session.sources(), session.sources().add(name, std::move(text_of_file)));
  std::string text = "# `" + name + "`\n\n" + markdown_of(found.doc) + "\n";
  for (const Documented& function : found.functions) text += section("##", function.signature, function.doc);
  return text;
}

}  // namespace covec
