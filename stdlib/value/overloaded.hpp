// What std::visit is called with: Overloaded makes one visitor of several lambdas. The compiler refuses a visitor that
// leaves out an alternative. A lambda for several alternatives takes `const OneOf<A, B> auto&`.
#pragma once

#include <concepts>

namespace covec {

template <typename... Lambdas>
struct Overloaded : Lambdas... {
  using Lambdas::operator()...;
};
template <typename... Lambdas>
Overloaded(Lambdas...) -> Overloaded<Lambdas...>;

template <typename T, typename... Alternatives>
concept OneOf = (std::same_as<T, Alternatives> || ...);

}  // namespace covec
