// From text to core: parse, build the AST, resolve. This is all that the engines and the composition root use of the
// frontend; syntax trees stay inside it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "frontend/resolve/builtins.hpp"
#include "frontend/resolve/core.hpp"
#include "frontend/source/diagnostic.hpp"
#include "frontend/source/meter.hpp"
#include "frontend/source/text_limits.hpp"

namespace covec {

// Interned names, one table per session; the views live as long as the table.
class Names {
 public:
  std::string_view intern(std::string_view name) { return *names_.emplace(name).first; }

 private:
  std::unordered_set<std::string> names_;
};

// The module-level names of one module: name → slot. It grows as units of the module are resolved (a REPL module gets
// one unit per input); the engine keeps the values beside it.
struct ModuleScope {
  std::vector<std::string_view> names;  // by slot
  std::unordered_map<std::string_view, uint32_t> slots;
  std::vector<bool> read_by_functions;  // by slot: some function's body reads it
  std::vector<uint32_t> given_rules;    // slots that a function gives a rule when it runs: @derivative(of=f) inside
};

enum class TextForm : uint8_t {
  program,
  input,     // of a REPL: an unfinished text gives nullptr (incomplete) and no error
  enclosed,  // the body of a function, which is the value of the unit and gives the last function that the text defines
};

// Parses and resolves one text of `module`. Throws CovecError (all syntax errors of the text, or all name errors).
// `stack`: the bytes that are left of it. `meter` is told what it takes; nullptr: nobody counts.
inline constexpr size_t ample_stack = size_t{8} << 20;
std::unique_ptr<core::Unit> compile_unit(SourceMap& sources, uint32_t file, ModuleScope& module, Names& names,
                                         const Builtins& builtins, TextForm form = TextForm::program,
                                         size_t stack = ample_stack, Meter* meter = nullptr,
                                         const TextLimits& limits = {});

// Text forms for `covec dump`.
std::string dump_ast(SourceMap& sources, uint32_t file);
std::string dump_core(const core::Unit& unit);
std::string dump_core(const core::Function& function);

// What a text says of itself: the comment that it begins with, and its functions whose names do not begin with `_`,
// with the comments above them, in their order. Throws CovecError where it has syntax errors.
struct Documented {
  std::string name, signature, doc;
};
struct Documentation {
  std::string doc;
  std::vector<Documented> functions;
};
Documentation documentation_of(SourceMap& sources, uint32_t file);

// True if `c` may begin / continue an identifier: a letter of any script, `_`, digits after the first.
bool is_identifier(std::string_view text);
// An identifier that is no keyword.
bool is_variable_name(std::string_view text);

}  // namespace covec
