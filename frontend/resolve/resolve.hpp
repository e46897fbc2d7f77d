// Turns text into core: parses, builds the AST, resolves. The engines and the composition root use nothing else of the
// frontend; syntax trees stay inside it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/core/builtins.hpp"
#include "frontend/core/core.hpp"
#include "frontend/core/dump_core.hpp"
#include "frontend/core/module_scope.hpp"
#include "frontend/source/diagnostic.hpp"
#include "frontend/source/meter.hpp"
#include "frontend/source/text_limits.hpp"

namespace covec {

enum class TextForm : uint8_t {
  program,
  input,     // of a REPL: an unfinished text gives nullptr (incomplete) and no error
  enclosed,  // the body of a function, which is the value of the unit and gives the last function that the text defines
};

// Analysis of a text: its core, and what is wrong. With syntax errors there is no core, with name errors it is
// there to be looked at (its warnings, too), not to be run. Without either: an input that is unfinished.
struct Analysis {
  std::unique_ptr<core::Unit> unit;
  std::vector<Diagnostic> errors;
};

// Parses and resolves one text of `module`, whose names stay as they were if there are errors. `stack`: the bytes that
// are left of it. `meter` is told what it takes; nullptr: nobody counts.
inline constexpr size_t ample_stack = size_t{8} << 20;
Analysis analyse_unit(SourceMap& sources, uint32_t file, ModuleScope& module, Names& names, const Builtins& builtins,
                      TextForm form = TextForm::program, size_t stack = ample_stack, Meter* meter = nullptr,
                      const TextLimits& limits = {});

// The same, for running it. Throws CovecError (all syntax errors of the text, or all name errors).
std::unique_ptr<core::Unit> compile_unit(SourceMap& sources, uint32_t file, ModuleScope& module, Names& names,
                                         const Builtins& builtins, TextForm form = TextForm::program,
                                         size_t stack = ample_stack, Meter* meter = nullptr,
                                         const TextLimits& limits = {});

// A text form for `covec dump`; that of the core is in frontend/core/dump_core.hpp.
std::string dump_ast(SourceMap& sources, uint32_t file);

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

// Whether a statement outside of functions assigns the name, or a part of its value. Targets of loops and parts of
// tuples do not count. False for a text with syntax errors.
bool assigns(SourceMap& sources, uint32_t file, std::string_view name);

// True if `c` may begin / continue an identifier: a letter of any script, `_`, digits after the first.
bool is_identifier(std::string_view text);
// An identifier that is no keyword.
bool is_variable_name(std::string_view text);

}  // namespace covec
