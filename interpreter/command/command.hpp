// The command `covec`: scripts, -e, standard input, test, check, lsp, dump, emit and the REPL. Exit status: 0, 1 a
// program's error, 2 wrong usage.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frontend/source/source.hpp"
#include "stdlib/value/function_ref.hpp"
#include "stdlib/value/value.hpp"

namespace covec {

class Compiler;
class Session;
struct SessionOptions;

// What `covec dump --ir|--opt|--kernels|--loops|--asm|--c file:f` calls; the composition root fills it in when the
// compiler is built in.
using DumpFunction = std::string (*)(Compiler& compiler, const Value& function, const std::string& stage,
                                     const std::string& types);

// A variable that an editor asks about: where it is named, and the first byte of the function whose it is.
struct ShapeQuestion {
  std::string name;
  Span use;
  uint32_t function = 0;
  bool written = false;
};
using ShapeFunction = std::string (*)(Compiler& compiler, const Value& function, const ShapeQuestion& question);

// What `covec emit` and `covec verify --emit` ask for: a function, or a derivative of it, as C.
struct EmitTask {
  Value function;          // or its derivative, which takes the same arguments
  Value types_of;          // the function itself, whose annotations count
  bool cotangent = false;  // the derivative takes another argument, of the type that the function gives
  std::string types;       // empty: those of the annotations
  std::string name;        // of the C function
  std::string origin;      // what it is made of, for people
};
struct EmittedFiles {
  std::string name;  // of the function and, with .c and .h, of the files
  std::string source, header;
  std::vector<std::string> lines;  // one for each input and output
};
// "file:line:column".
using PlaceText = FunctionRef<std::string(Span)>;
using EmitFunction = EmittedFiles (*)(Compiler& compiler, const EmitTask& task, PlaceText place_text);
// Compares what compilers make of the text with machine code. Gives the report, and whether all agree.
struct CompareTask {
  std::vector<Value> given;  // arguments to begin with, if there are some
  int64_t draws = 1000;
  std::string build;  // a compiler and its flags, this one alone; empty: gcc and clang with several
};
struct EmitComparison {
  std::string report;
  bool same = true;
};
using CompareFunction = EmitComparison (*)(Compiler& compiler, const EmitTask& task, PlaceText place_text,
                                           const CompareTask& how);

// What the composition root brings along.
struct Parts {
  DumpFunction dump = nullptr;
  ShapeFunction shape = nullptr;
  EmitFunction emit = nullptr;
  CompareFunction compare = nullptr;
  std::unique_ptr<Compiler> (*make_compiler)(Session&) = nullptr;
  int (*serve_editor)(const SessionOptions&) = nullptr;  // `covec lsp`
};

int run_command(int argc, char** argv, const Parts& parts);

}  // namespace covec
