// Types as text, "f64, f32[100, 4], {w: f64[_], b: f64}", become arguments of these types. `covec dump` takes any
// extents; a prepared call needs all of them, as numbers. Start at example_arguments().
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/source/source.hpp"
#include "stdlib/value/value.hpp"

namespace covec {
class Pool;
}

namespace covec::jit {

// any: what is written for an extent does not count, each is 2; types are the command's --types. fixed: each is a
// number.
enum class Extents : uint8_t { any, fixed };

// One for each type. Without types those of the annotations. Elements are not set. Throws CovecError.
std::vector<Value> example_arguments(Pool& pool, const Value& function, const std::string& types,
                                     Extents extents = Extents::any);

[[noreturn]] void fail_at(Span span, std::string_view code, std::string message, std::string hint = {});

}  // namespace covec::jit
