#include "stdlib/autodiff/in_rule.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::autodiff {

namespace {

// "inv: the matrix is singular" without the name of the operator, which the program has not written.
std::string without_name(const std::string& text) {
  const size_t colon = text.find(": ");
  const size_t space = text.find(' ');
  return colon == std::string::npos || space < colon ? text : text.substr(colon + 2);
}

}  // namespace

void tell_of_rule(OpError& error, const ops::Entry& rule_of, const Span* site) {
  if (error.site != nullptr || error.kind != ErrorKind::ordinary) return;
  if (error.code == message("no_derivative").key) {  // it speaks of the derivative as it is
    error.labels.clear();
    error.site = site;
    return;
  }
  const std::string name(rule_of.part_of.empty() ? rule_of.name : rule_of.part_of);
  const std::string why = without_name(error.message);
  try {
    fail(message("in_derivative"), {name, why}, {}, std::move(error.hint));
  } catch (OpError& told) {
    error = std::move(told);
    error.site = site;
  }
}

void InRule::tell(OpError& error) const {
  if (outer_ == nullptr) tell_of_rule(error, *context_.rule_of, context_.site);
}

}  // namespace covec::autodiff
