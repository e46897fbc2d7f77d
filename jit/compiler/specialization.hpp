// One compilation: a function for one set of types, with all that running and explaining it needs.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "jit/compiler/pattern.hpp"
#include "jit/loops/plan.hpp"
#include "jit/lower/active.hpp"
#include "jit/runtime/run.hpp"
#include "jit/simd/compile.hpp"
#include "jit/source/engine.hpp"

namespace covec::jit {

enum class BackEnd : uint8_t { simd, c99 };

struct PassTime {
  std::string name;
  double microseconds = 0;
};

struct Specialization {
  // The key: captures and arguments; and the module-level names that the function reads, with what they were.
  std::vector<uint64_t> words;
  std::vector<Value> fixed;
  struct Global {
    Value* slot;
    std::string name;
  };
  std::vector<Global> globals;
  std::vector<uint64_t> global_words;

  // What the arguments and the globals looked like, where a call may compare them in place; and whether nothing else
  // goes in than arguments that are numbers and tensors.
  bool comparable = false, plain = false;
  size_t arguments = 0;
  Pattern pattern;

  // An error is said by the interpreter, which makes the call again; nothing else has happened by then.
  bool says_errors_again = false;
  bool interpreted = false;  // no code: the function is run by the interpreter
  std::string reason;        // why
  bool recursive = false;    // it calls itself
  ir::ActiveNodes active;    // where a derivative follows arguments
  void interpret(std::string why) {
    interpreted = true;
    reason = std::move(why);
  }
  // Nothing of it is left to the interpreter.
  bool whole() const { return !interpreted && graph->unstaged.empty(); }
  const std::string& why_not_whole() const { return interpreted ? reason : graph->unstaged.front().reason; }
  std::shared_ptr<const ir::Graph> graph;
  std::unique_ptr<const loops::Plan> plan;
  std::unique_ptr<simd::Compiled> machine;
  std::unique_ptr<source::CompiledC> c99;
  std::vector<loops::KernelFunction> kernels;
  runtime::Backend backend;

  // For explain.
  std::string name;
  unsigned number = 0;                      // in order of making
  std::vector<std::string> argument_types;  // "x: f64[_]"
  std::string types;                        // all of them
  std::string cause;                        // why it was made
  std::vector<PassTime> times;
  size_t code_bytes = 0;
};

}  // namespace covec::jit
