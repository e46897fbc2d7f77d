// The REPL's own commands: their names and actions, for running, completion and help.
#pragma once

#include <string_view>

namespace covec {

struct ReplCommand {
  std::string_view name, argument, does;
};

inline constexpr ReplCommand repl_commands[] = {
    {"?", "NAME", "what a builtin, function, variable or module is: `?sum`, `?optim.adam`"},
    {"?", "\"TEXT\"", "searches the manual: `?\"singular values\"`"},
    {":help", "", "this page; also `help`"},
    {":time", "EXPRESSION", "how long it takes: `:time sum(x)`"},
    {":vars", "", "the variables of this session, with their shapes"},
    {":load", "FILE", "runs a file here"},
    {":reset", "", "forgets all variables"},
    {":quit", "", "leaves; also `exit`, `quit`, Ctrl-D"},
};

}  // namespace covec
