// Turns AST into core: names become slots, operators and builtins become entries with bound arguments, and sugar is
// expanded. One object reads one unit. It only joins the parts, which refer to each other: start at statements.hpp and
// expressions.hpp. lookup.hpp defines the meaning of names, in the functions of scopes.hpp. Analyses of a whole
// function (last uses, definite assignment) run afterwards over the core: liveness.hpp, definite.hpp.
#pragma once

#include <string_view>
#include <vector>

#include "frontend/ast/ast.hpp"
#include "frontend/core/nodes.hpp"
#include "frontend/resolve/calls.hpp"
#include "frontend/resolve/comprehensions.hpp"
#include "frontend/resolve/decorators.hpp"
#include "frontend/resolve/expressions.hpp"
#include "frontend/resolve/functions.hpp"
#include "frontend/resolve/indices.hpp"
#include "frontend/resolve/literals.hpp"
#include "frontend/resolve/pops.hpp"
#include "frontend/resolve/references.hpp"
#include "frontend/resolve/resolve.hpp"
#include "frontend/resolve/signatures.hpp"
#include "frontend/resolve/statements.hpp"
#include "frontend/resolve/targets.hpp"
#include "frontend/scopes/captures.hpp"
#include "frontend/scopes/lookup.hpp"
#include "frontend/scopes/problems.hpp"
#include "frontend/scopes/scopes.hpp"
#include "frontend/scopes/unknown_names.hpp"

namespace covec::resolve {

class Resolver {
 public:
  Resolver(std::string_view text, core::Unit& unit, ModuleScope& module, Names& names, const Builtins& builtins,
           const TextLimits& limits, Meter& meter, bool for_tools);

  // Fills the unit; gives what is wrong.
  std::vector<Diagnostic> resolve(const ast::Unit& tree, bool interactive);

 private:
  void declare(const ast::Unit& tree);
  void analyse();

  core::Unit& unit_;
  ModuleScope& module_;
  Names& names_;
  Problems problems_;
  Nodes nodes_;
  Scopes scopes_;
  Captures captures_;
  Lookup lookup_;
  UnknownNames unknown_;
  References references_;
  Literals literals_;
  Indices indices_;
  Calls calls_;
  Comprehensions comprehensions_;
  Signatures signatures_;
  Decorators decorators_;
  Functions functions_;
  Expressions expressions_;
  Targets targets_;
  Pops pops_;
  Statements statements_;
};

}  // namespace covec::resolve
