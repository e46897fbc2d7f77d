// The command `covec`: scripts, -e, standard input, test, dump and the REPL. Exit status: 0, 1 a program's error, 2
// wrong usage.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace covec {

class Compiler;
class Session;
class Value;

// What `covec dump --ir|--opt|--nests|--loops|--asm|--c file:f` calls; the composition root fills it in when the compiler is
// built in.
using DumpFunction = std::string (*)(Compiler& compiler, const Value& function, const std::string& stage,
                                     const std::string& types);

// What the composition root brings along.
struct Parts {
  DumpFunction dump = nullptr;
  std::unique_ptr<Compiler> (*make_compiler)(Session&) = nullptr;
};

int run_command(int argc, char** argv, const Parts& parts);

}  // namespace covec
