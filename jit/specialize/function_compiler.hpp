// Makes the code of a function for one set of types: stages it, lets the policy decide, and runs the pipeline. Start at
// make().
#pragma once

#include <memory>
#include <span>

#include "interpreter/compiler.hpp"
#include "jit/source/engine.hpp"
#include "jit/specialize/code_table.hpp"
#include "jit/specialize/policy.hpp"

namespace covec::jit {

class FunctionCompiler {
 public:
  FunctionCompiler(ops::Context& context, Walker& walker, const Policy& policy, CodeTable& table)
      : context_(context), walker_(walker), policy_(policy), table_(table) {}
  FunctionCompiler(const FunctionCompiler&) = delete;
  FunctionCompiler& operator=(const FunctionCompiler&) = delete;

  // A new entry of the table.
  Specialization& make(const Value& function, std::span<Value> args, Signature& signature);
  // Code that little was expected of is made after all. `why`: it counts as code from now on.
  void finish(Specialization& made, const char* why);

 private:
  void fill(Specialization& made, const Value& function, std::span<Value> args, Signature& signature);
  std::unique_ptr<ir::Graph> staged(Specialization& made, const Value& function, std::span<Value> args,
                                    Signature& signature);
  void generate(Specialization& made, std::unique_ptr<ir::Graph> graph, const Signature* signature);
  bool stays_code(const Specialization& made, const Signature& signature) const;

  ops::Context& context_;
  Walker& walker_;
  const Policy& policy_;
  CodeTable& table_;
  source::Cache libraries_;  // of the C99 engine: equal functions are compiled by cc once
};

}  // namespace covec::jit
