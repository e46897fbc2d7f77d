// `covec shapes`, which the language server starts: what a variable of a function holds. The text comes on standard
// input; its imports, functions and names of literals are run with the limits of `covec --sandbox`, and nothing else.
#pragma once

#include <string>
#include <vector>

#include "interpreter/command/command.hpp"
#include "interpreter/session/session.hpp"

namespace covec {

// How long an editor waits for all of it.
constexpr double shapes_seconds = 0.2;

// The path of the text (or "-"), the name of the function, the question: name, first and last byte of the use, first
// byte of the function, and `read` or `write`; then folders with modules.
int run_shapes(const std::vector<std::string>& words, SessionOptions options, const Parts& parts);

}  // namespace covec
