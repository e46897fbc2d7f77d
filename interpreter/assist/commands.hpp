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
    {":time", "CODE", "measures an expression, or one run of a statement: `:time sum(x)`"},
    {":type", "EXPRESSION", "shows kind, dtype and shape of a value"},
    {":vars", "", "lists the variables of this session with their shapes"},
    {":load", "FILE", "runs a file here"},
    {":save", "FILE", "writes what has run, as a program"},
    {":edit", "FILE or NAME", "opens $EDITOR, at a function's definition, and runs the file again"},
    {":reload", "", "reads modules again whose files have changed"},
    {":auto", "", "does so before each input, or no longer"},
    {":debug", "", "looks at the variables of the calls that the last error was in"},
    {":cd", "FOLDER", "goes to a folder; without one it shows where this is"},
    {":sh", "COMMAND", "runs a command of the shell"},
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
