// See foreign_syntax.hpp.
#include "frontend/source/foreign_syntax.hpp"

#include <algorithm>
#include <cctype>

namespace covec::foreign_syntax {

std::string_view replacement(At at, std::string_view word) {
  for (const ForeignSyntax& foreign : at == At::name ? names() : words()) {
    if (foreign.at == at && foreign.word == word) return foreign.replacement;
  }
  return {};
}

std::string_view replacement_of_name(std::string_view word) { return replacement(At::name, word); }

std::string_view replacement_of_method(At receiver, std::string_view word) {
  const std::string_view own = replacement(receiver, word);
  return own.empty() && receiver == At::tensor ? replacement(At::name, word) : own;
}

std::string_view replacement_of_path(std::string_view path) {
  for (std::string_view end = path;;) {
    const std::string_view found = replacement(At::path, end);
    if (!found.empty()) return found;
    const size_t dot = end.find('.');
    if (dot == std::string_view::npos) return replacement(At::name, end);
    end.remove_prefix(dot + 1);
  }
}

std::string_view single_word(std::string_view replacement) {
  constexpr std::string_view write = "write ";
  if (!replacement.starts_with(write)) return {};
  const std::string_view word = replacement.substr(write.size());
  const bool is_name =
      std::ranges::all_of(word, [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)); });
  return is_name ? word : std::string_view();
}

bool is_foreign_module(std::string_view word) {
  const std::string_view hint = replacement(At::module, word);
  constexpr std::string_view groups[] = {"numpy", "scipy", "mpi4py"};  // whose functions the table has by their names
  return std::ranges::any_of(groups, [&](std::string_view one) { return hint == replacement(At::module, one); });
}

}  // namespace covec::foreign_syntax
