// Reports each unknown name once, with the name that was probably meant. Tools are told it again where another one is
// near: a name of one function is none of the others'.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/scopes/lookup.hpp"
#include "frontend/scopes/problems.hpp"

namespace covec::resolve {

class UnknownNames {
 public:
  UnknownNames(Problems& problems, const Lookup& lookup) : problems_(problems), lookup_(lookup) {}

  void report(const FunctionScope& scope, std::string_view name, Span span);

 private:
  std::string hint(const FunctionScope& scope, std::string_view name, Span span) const;
  std::vector<std::string_view> unbound_targets(const FunctionScope& scope, std::string_view name) const;
  std::vector<std::string_view> candidates(const FunctionScope& scope, std::string_view name,
                                           std::vector<std::string_view> names) const;
  std::string_view near_fix(const FunctionScope& scope, std::string_view name, Span span, std::string_view hint) const;
  std::optional<Fix> fix(std::string_view name, Span span, std::string_view hint, std::string_view near) const;
  Fix import_at_top(std::string_view module, Span span) const;
  std::string hint_for_module(std::string_view name, Span span) const;
  std::string hint_for_other_module(std::string_view name, Span span) const;
  std::string hint_for_part_of_module(std::string_view name, Span span) const;
  std::string hint_for_place(Span span) const;
  std::string_view own_module_in(std::string_view path) const;
  bool is_called(Span span, std::string_view path) const;

  Problems& problems_;
  const Lookup& lookup_;
  std::map<std::pair<std::string_view, std::string_view>, size_t> told_;      // by name and near one: which problem
  std::map<std::pair<const FunctionScope*, std::string_view>, size_t> seen_;  // by scope and name, likewise
};

}  // namespace covec::resolve
