// Marks the operator of the program whose derivative rule is running. An error inside the rule is reported for that
// operator, at its place in the program; users do not see the operators that the rule applies. The context holds the
// mark, so the compiler records it too for the operations that it stages meanwhile.
#pragma once

#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/value/error.hpp"

namespace covec::autodiff {

class InRule {
 public:
  // A rule inside another one is part of that: the first that was entered stays.
  InRule(ops::Context& context, const ops::Entry& applied, const Span* site)
      : context_(context), outer_(context.rule_of), site_(context.site) {
    if (outer_ != nullptr) return;
    context.rule_of = &applied;
    if (site != nullptr) context.site = site;
  }
  InRule(const InRule&) = delete;
  InRule& operator=(const InRule&) = delete;
  ~InRule() {
    context_.rule_of = outer_;
    context_.site = site_;
  }
  // Runs the rule.
  template <class Rule>
  auto run(const Rule& rule) const {
    try {
      return rule();
    } catch (OpError& error) {
      tell(error);
      throw;
    }
  }

 private:
  void tell(OpError& error) const;

  ops::Context& context_;
  const ops::Entry* const outer_;
  const Span* const site_;
};

// Makes the error of an operator inside a rule one of `rule_of`, applied at `site`.
void tell_of_rule(OpError& error, const ops::Entry& rule_of, const Span* site);

}  // namespace covec::autodiff
