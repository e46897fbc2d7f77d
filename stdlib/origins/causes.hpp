// What an element that is not finite may come from: elements of the operands, by their kind and origin.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "stdlib/origins/origins.hpp"

namespace covec::origins {

struct Cause {
  Kind kind;
  int64_t origin;
  bool operator==(const Cause&) const = default;
};

// The first cause of each kind that some operands have.
class FirstCauses {
 public:
  void add(const Cause& cause) {
    std::optional<Cause>& first = of_[static_cast<size_t>(cause.kind)];
    if (!first) first = cause;
    if (is_infinite(cause.kind) && cause.origin != 0 && !followed_infinity_) followed_infinity_ = cause;
  }
  bool none() const { return !of(Kind::nan) && !of(Kind::infinity) && !of(Kind::minus_infinity); }
  const std::optional<Cause>& of(Kind kind) const { return of_[static_cast<size_t>(kind)]; }
  // What an element of that kind comes from. A NaN of infinities that were given has been made here.
  std::optional<Cause> leading(Kind kind) const {
    if (of(kind)) return of(kind);
    if (kind == Kind::nan) return followed_infinity_;
    const Kind opposite = kind == Kind::infinity ? Kind::minus_infinity : Kind::infinity;
    return of(opposite) ? of(opposite) : of(Kind::nan);
  }

 private:
  std::array<std::optional<Cause>, 4> of_;  // by Kind
  std::optional<Cause> followed_infinity_;
};

}  // namespace covec::origins
