// match() calls one of several lambdas by the alternative that a variant holds. Without a lambda for any alternative
// (`const auto&`), the compiler refuses a call that leaves one out. A lambda for several takes `const OneOf<A, B>
// auto&`.
//
// std::visit does the same. But from 12 alternatives on it calls through a table of functions, and each one's symbol
// name holds the whole variant's type. Here an optimizing compiler makes one switch and inlines the lambdas. Start at
// match().
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

// `variant`: a std::variant, or a struct that derives from one; it holds a value. What the lambda returns is converted
// to Result; with void it is dropped.
template <class Result = void, class Variant, class... Functions>
Result match(Variant& variant, Functions&&... functions) {
  return match_from<Result, 0>(variant, variant, Overloaded{std::forward<Functions>(functions)...});
}

}  // namespace covec
