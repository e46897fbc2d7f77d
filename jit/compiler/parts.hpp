// The parts of a session's compiler. A part names the parts that it needs in its constructor; calls need most of them.
// Start at CallRunner, then Specializer and FunctionCompiler.
#pragma once

#include "interpreter/compiler.hpp"
#include "jit/compiler/call_runner.hpp"
#include "jit/compiler/run_host.hpp"
#include "jit/compiler/specializer.hpp"
#include "jit/compiler/tiering.hpp"

namespace covec::jit {

struct CompilerParts {
  explicit CompilerParts(Session& session) : context(context_of(session)), walker(walker_of(session)) {}
  CompilerParts(const CompilerParts&) = delete;
  CompilerParts& operator=(const CompilerParts&) = delete;

  ops::Context& context;
  Walker& walker;
  const Policy policy{context};
  RunHost host{context, walker};
  CodeTable table;
  FunctionCompiler compiler{context, walker, policy, table};
  Specializer specializer{context, policy, table, compiler};
  Tiering tiering{context, policy, compiler};
  CallRunner calls{*this};
};

}  // namespace covec::jit
