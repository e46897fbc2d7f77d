// The REPL's own commands: their names and actions, for running, completion and help.
#pragma once

#include <string_view>

namespace covec {

struct ReplCommand {
  std::string_view name, argument, does;
};

inline constexpr ReplCommand repl_commands[] = {
    {"?", "NAME", "describes a name or keyword: `?sum`, `?optim.adam`, `?while`; also `NAME?`"},
    {"?\?", "NAME", "describes all functions of a module: `??optim`"},
    {"?", "\"TEXT\"", "searches the manual: `?\"singular values\"`"},
    {":help", "", "shows this page; also `help`"},
    {":time", "EXPRESSION", "measures the time of an expression: `:time sum(x)`"},
    {":vars", "", "lists the variables of this session with their shapes"},
    {":load", "FILE", "runs a file here"},
    {":debug", "", "looks at the variables of the calls that the last error was in"},
    {":reset", "", "deletes all variables"},
    {":quit", "", "leaves; also `exit`, `quit`, Ctrl-D"},
};

// At the prompt of `:debug` and of a breakpoint.
inline constexpr ReplCommand debug_commands[] = {
    {":where", "", "lists the calls that are open, the innermost first"},
    {":up", "", "goes to the call around this one"},
    {":down", "", "goes back to the call inside it"},
    {":vars", "", "lists the variables of this call"},
    {":continue", "", "lets the program go on, at a breakpoint; also :c"},
    {":quit", "", "leaves this prompt; at a breakpoint it ends the program; also :q"},
};

}  // namespace covec
