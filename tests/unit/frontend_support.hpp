// What the frontend's tests share: a table of builtins that stands in for stdlib's, and texts compiled to dumps or to
// the messages they provoke.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/parse/parse.hpp"
#include "frontend/resolve/resolve.hpp"
#include "frontend/source/diagnostic.hpp"

namespace covec::testing {

// A few builtins of each kind; entries are never looked into.
class FakeBuiltins : public Builtins {
 public:
  FakeBuiltins() {
    for (const char* name : {"sum", "prod", "min", "max", "any", "all", "mean"}) {
      add(name, {{"x"}, {"axis", false}, {"keepdims", false}}).method = true;
    }
    for (const char* name : {"relu", "exp", "f32", "sin"}) add(name, {{"x"}}).method = true;
    add("where", {{"condition"}, {"x"}, {"y"}});
    add("push", {{"list"}, {"value"}}).method = true;
    add("reshape", {{"x"}, {"shape"}}).method = true;
    add("zeros", {{"shape"}, {"dtype", false}}).variadic = true;
    Builtin& print = add("print", {{"values", false}, {"digits", false}});
    print.variadic = print.acts = true;
    add("pop", {{"list"}, {"key", false}}).method = true;
    add("remove", {{"map"}, {"key"}}).method = true;
    add("map", {{"pairs", false}});
    add("list", {{"items", false}}).variadic = true;
    add("range", {{"start"}, {"stop", false}, {"step", false}});
    add("update", {{"x"}, {"i"}});
    add("zip", {{"items"}}).variadic = true;
    for (const char* name : {"enumerate", "grad", "len"}) add(name, {{"x"}});
    for (const char* name : {"error", "rand"}) add(name, {{"x"}}).acts = true;
    for (const char* name : {"pi", "inf", "nan", "e"}) add(name, {});
    const char* operators[] = {
        "+",      "-", "*", "/",  "//", "%",   "^",   "@", "<",   "<=",  ">",     ">=",  "==",  "!=", "in",
        "not in", "&", "|", "<<", ">>", "neg", "pos", "~", "not", "map", "{...}", "(*)", "[*]", "0?"};
    for (const char* name : operators) {
      operators_.push_back(std::make_unique<Builtin>());
      operators_.back()->name = name;
      operators_.back()->parameters = {{"a"}, {"b"}};
    }
  }
  const Builtin* find(std::string_view name) const override {
    auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second.get();
  }
  const Builtin& of(Operator op) const override { return *operators_[static_cast<size_t>(op)]; }
  std::vector<std::string_view> names() const override {
    std::vector<std::string_view> out;
    for (const auto& [name, builtin] : by_name_) out.push_back(name);
    return out;
  }

 private:
  Builtin& add(const char* name, std::vector<BuiltinParameter> parameters) {
    auto& slot = by_name_[name];
    slot = std::make_unique<Builtin>();
    slot->name = name;
    slot->parameters = std::move(parameters);
    return *slot;
  }
  std::map<std::string_view, std::unique_ptr<Builtin>> by_name_;
  std::vector<std::unique_ptr<Builtin>> operators_;
};

// One module of one session, to which texts are added.
struct Session {
  SourceMap sources;
  ModuleScope module;
  Names names;
  FakeBuiltins builtins;
  std::vector<std::unique_ptr<core::Unit>> units;

  // nullptr where the text is unfinished.
  core::Unit* compile(std::string text, TextForm form = TextForm::program) {
    uint32_t file = sources.add("test.covec", std::move(text));
    units.push_back(compile_unit(sources, file, module, names, builtins, form));
    return units.back().get();
  }
};

inline std::string without_last_newline(std::string text) {
  if (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

// The AST of a correct text.
inline std::string ast_of(std::string text) {
  SourceMap sources;
  uint32_t file = sources.add("test.covec", std::move(text));
  return without_last_newline(dump_ast(sources, file));
}

inline std::string core_of(std::string text) {
  Session session;
  return without_last_newline(dump_core(*session.compile(std::move(text))));
}

// All diagnostics of a text, none if it is correct.
inline std::vector<Diagnostic> problems_of(std::string text, bool interactive = false) {
  Session session;
  try {
    session.compile(std::move(text), interactive ? TextForm::input : TextForm::program);
  } catch (const CovecError& e) {
    return e.diagnostics;
  }
  return {};
}

// Their keys, joined by spaces.
inline std::string keys_of(std::string text) {
  std::string out;
  for (const Diagnostic& d : problems_of(std::move(text))) out += (out.empty() ? "" : " ") + std::string(d.code);
  return out;
}

// What a terminal shows.
inline std::string shown(std::string text) {
  Session session;
  try {
    session.compile(std::move(text));
  } catch (const CovecError& e) {
    std::string out;
    for (const Diagnostic& d : e.diagnostics) out += render(d, session.sources);
    return out;
  }
  return "";
}

}  // namespace covec::testing
