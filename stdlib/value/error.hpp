// OpError: what an operator throws if it cannot go on. The folder stdlib knows no source places. An OpError names the
// arguments that disagree, and the engine that made the call points at them. The texts are in one table, messages.hpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stdlib/value/message.hpp"

namespace covec {

struct Span;  // opaque here, see Context::site

struct ArgumentLabel {
  int argument = -1;  // operand number (parameter, then the rest); -1: the whole operation
  std::string text;   // "x is f64[200, 3]"
};

struct OpError {
  std::string_view code;  // the message's key
  std::string message;
  std::vector<ArgumentLabel> labels;
  std::string hint;
  const Span* site = nullptr;  // Context::site of the operation at fault when that is not the one being applied
  ErrorKind kind = ErrorKind::ordinary;
  std::string program_kind = {};  // what the program says that it is: error("…", kind="value")
  std::string again = {};         // the text of an error that the program has caught and raises once more
  bool is_at_site = false;        // `site` is told before the operation that is being applied
};

// Fills the pattern's {} with `parts` in order and throws. Use as fail(message("ragged"), {row, …}).
[[noreturn]] void fail(const Message& message, std::vector<std::string> parts = {},
                       std::vector<ArgumentLabel> labels = {}, std::string hint = {});

// In a handler of all exceptions: the one that is handled as an OpError. The system's having no memory is one, too; any
// other std::exception is a bug ("internal"), but a std::runtime_error. That, and what the engines tell each other, is
// thrown on.
OpError current_error();

// `what` depends on values that only the run has: a statement that needs it cannot be compiled.
[[noreturn]] void fail_not_staged(std::string what);

}  // namespace covec
