// Makes the nodes that read names and temporaries.
#pragma once

#include <string_view>
#include <vector>

#include "frontend/core/nodes.hpp"
#include "frontend/scopes/captures.hpp"
#include "frontend/scopes/lookup.hpp"
#include "frontend/scopes/scopes.hpp"
#include "frontend/scopes/unknown_names.hpp"

namespace covec::resolve {

class References {
 public:
  References(Nodes& nodes, Scopes& scopes, ModuleScope& module, Names& names, const Lookup& lookup, Captures& captures,
             UnknownNames& unknown)
      : nodes_(nodes),
        scopes_(scopes),
        module_(module),
        names_(names),
        lookup_(lookup),
        captures_(captures),
        unknown_(unknown) {}

  core::Expr* to_builtin(const Builtin& builtin, Span span);
  core::Expr* to_name(std::string_view written, Span span);
  // Reads what the (interned) name was found to mean in the current function.
  core::Expr* to(const Found& what, std::string_view name, Span span);
  // Reads a comprehension's target, or a slot that the resolver made.
  core::Local* to_temporary(uint32_t slot, Span span);
  // The names that to_name has read, interned, in order.
  const std::vector<std::string_view>& names_read() const { return names_read_; }
  void forget_names_read() { names_read_.clear(); }
  // The function that this reads is given a rule here.
  void note_rule(const core::Expr& function);

 private:
  core::Expr* to_global(uint32_t slot, Span span);
  core::Expr* to_function(FunctionScope& target, Span span);

  Nodes& nodes_;
  Scopes& scopes_;
  ModuleScope& module_;
  Names& names_;
  const Lookup& lookup_;
  Captures& captures_;
  UnknownNames& unknown_;
  std::vector<std::string_view> names_read_;
};

}  // namespace covec::resolve
