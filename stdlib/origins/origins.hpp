// Origins: which application of an operator made each NaN and infinity of a value. A value with such elements that the
// program has made is wrapped in a Traced of no transformation (level `origin_level`), whose tangent are the origins:
// one i64 for all of them, or a row-major tensor of the value's shape. Numbers count what operators have made of
// numbers, element by element, so a second run finds the same ones. 0 stands for what was given. Finite elements have
// none, whatever stands there.
#pragma once

#include <cstdint>

#include "stdlib/value/context.hpp"
#include "stdlib/value/function_ref.hpp"
#include "stdlib/value/value.hpp"

namespace covec::origins {

enum class Kind : uint8_t { number, nan, infinity, minus_infinity };
Kind kind_of(const Value& number);
constexpr bool is_infinite(Kind kind) { return kind == Kind::infinity || kind == Kind::minus_infinity; }

// A value taken out of its wrapping. `origins` none: 0 for all.
struct Followed {
  Value plain;
  Value origins;
};
Followed followed(const Value& value);
// `plain` is wrapped, unless all its origins are 0: origin_of(dense, i) is asked for each element that is not finite.
Value follow(ops::Context& context, const Value& plain, FunctionRef<int64_t(const Value& dense, int64_t i)> origin_of);
// Calls f(dense, i, origin) for each element of a number or tensor that is not finite, until f gives false.
void each_not_finite(ops::Context& context, const Followed& value,
                     FunctionRef<bool(const Value& dense, int64_t i, int64_t origin)> f);

// The origin of the first NaN of a tree, or of the first infinity; 0: it has none that was made.
int64_t first_origin(ops::Context& context, const Value& tree, bool nan);

}  // namespace covec::origins
