// Diagnostic: one message to the user with its places, notes, a hint and the call stack. A Diagnostic is data; only
// render() knows how it is printed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/source/source.hpp"

namespace covec {

enum class Severity : uint8_t { error, warning };
enum class ErrorKind : uint8_t;  // what the engines tell apart (stdlib/value/messages.hpp), opaque here

// A caret span with what is to be said about it. The first label of a diagnostic is the primary one and gives
// the `-->` line; a second points at the place that disagrees.
struct Label {
  Span span;
  std::string text;
};

// "in `function`, called from `site`"; frames come innermost first.
struct CallFrame {
  std::string function;  // as written in the definition: "model(x, w, b)"
  Span site;             // where it was called
};

// An edit that is the cure: `text` takes the place of what is at `span`, which may be empty.
struct Fix {
  Span span;
  std::string text;
};

struct Diagnostic {
  Severity severity = Severity::error;
  std::string_view code;  // the message's key in its table ("unknown_name"): tests check that each is provoked
  std::string message;    // one line, no final stop, no "error: "
  std::vector<Label> labels;
  std::vector<std::string> notes;  // what else is to be known, a line each: "tol is 0.1"
  std::string hint;
  std::vector<Span> also;  // where the same is wrong again, for tools: not shown
  std::vector<CallFrame> stack;
  ErrorKind kind{};               // the ordinary one
  std::string program_kind = {};  // what a program that raised it says that it is
  std::optional<Fix> fix = {};    // only where one edit is exact; for tools: not shown
};

// The text a terminal shows, ending in a newline: message, place, source line with carets, hint, calls.
std::string render(const Diagnostic& diagnostic, const SourceMap& sources);

// Thrown by the parser, the resolver and the interpreter; carries one or (syntax errors) several diagnostics.
class CovecError {
 public:
  explicit CovecError(Diagnostic diagnostic) { diagnostics.push_back(std::move(diagnostic)); }
  explicit CovecError(std::vector<Diagnostic> all) : diagnostics(std::move(all)) {}
  std::vector<Diagnostic> diagnostics;
};

}  // namespace covec
