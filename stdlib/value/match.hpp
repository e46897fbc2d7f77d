// match() calls one of several lambdas by the alternative that a variant holds. The compiler refuses a call that leaves
// out an alternative. A lambda for several alternatives takes `const OneOf<A, B> auto&`.
//
// std::visit does the same, but from 12 alternatives on it calls through a table of functions, and names each by the
// whole variant. Here the compiler makes one switch and inlines the lambdas. Start at match().
#pragma once

#include <concepts>
#include <cstddef>
#include <utility>
#include <variant>

namespace covec {

template <typename T, typename... Alternatives>
concept OneOf = (std::same_as<T, Alternatives> || ...);

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

template <class Result, size_t first, class... Alternatives, class Variant, class Function>
Result match_from(const std::variant<Alternatives...>& held, Variant& variant, Function&& function) {
  if constexpr (first + 1 < sizeof...(Alternatives)) {
    if (held.index() != first)
      return match_from<Result, first + 1, Alternatives...>(held, variant, std::forward<Function>(function));
  }
  return static_cast<Result>(function(*std::get_if<first>(&variant)));
}

// `variant`: a std::variant, or a struct that derives from one.
template <class Result = void, class Variant, class... Functions>
Result match(Variant& variant, Functions&&... functions) {
  return match_from<Result, 0>(variant, variant, Overloaded{std::forward<Functions>(functions)...});
}

}  // namespace covec
