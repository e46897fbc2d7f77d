// The composition root of the command: puts the frontend, the interpreter, the operators and (where built in) the compiler
// together, on a stack that is deep enough for them.
#include "interpreter/main/dump_compiled.hpp"
#include "interpreter/repl/command.hpp"
#include "interpreter/session/stack.hpp"

int main(int argc, char** argv) {
  return covec::run_on_big_stack([&] { return covec::run_command(argc, argv, covec::dump_compiled); });
}
