// Reports each unknown name once, with the name that was probably meant.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "frontend/scopes/lookup.hpp"
#include "frontend/scopes/problems.hpp"

namespace covec::resolve {

class UnknownNames {
 public:
  UnknownNames(Problems& problems, const Lookup& lookup) : problems_(problems), lookup_(lookup) {}

  void report(const FunctionScope& scope, std::string_view name, Span span);

 private:
  std::string hint(const FunctionScope& scope, std::string_view name, Span span) const;
  std::optional<Fix> fix(const FunctionScope& scope, std::string_view name, Span span, std::string_view hint) const;
  Fix import_at_top(std::string_view module, Span span) const;
  std::string hint_for_module(std::string_view name, Span span) const;
  std::string hint_for_other_module(std::string_view name, Span span) const;
  std::string hint_for_part_of_module(std::string_view name, Span span) const;
  std::string hint_for_place(Span span) const;
  std::string_view own_module_in(std::string_view path) const;
  bool is_called(Span span, std::string_view path) const;

  Problems& problems_;
  const Lookup& lookup_;
  std::unordered_map<std::string_view, size_t> reported_;  // by name: which of the problems
};

}  // namespace covec::resolve
