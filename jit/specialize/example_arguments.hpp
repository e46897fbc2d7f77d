// Makes example arguments from types as text: "f64, f32[100, 4], {w: f64[_], b: f64}". `covec dump` also takes unknown
// extents: `_` or a name. `covec emit` takes names. A prepared call needs all extents as numbers. Start at
// example_arguments().
#pragma once

#include <map>
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

// any: an extent is a number, a name or `_`, and each tensor has extents of 2; types are the command's --types. fixed:
// each is a number, and tensors have these extents. named: each is a number or a name, and those have the given sizes.
// annotated: as any, but numbers and names of annotations are written.
enum class Extents : uint8_t { any, fixed, named, annotated };
using ExtentSizes = std::map<std::string, int64_t>;
constexpr int64_t any_extent = 2;  // of one that is not known

// An extent as it is written: a number, or −1 and a name, or −1 and no name where any will do.
struct WrittenExtent {
  int64_t number = -1;
  std::string name;
};
// By leaf of the arguments, in order: one for each axis.
using WrittenExtents = std::vector<std::vector<WrittenExtent>>;

// One for each type. Without types those of the annotations. Elements are not set. `written`: gets what is written; of
// annotations only names and numbers. A name without a size has `any_extent`. Throws CovecError.
std::vector<Value> example_arguments(Pool& pool, const Value& function, const std::string& types,
                                     Extents extents = Extents::any, WrittenExtents* written = nullptr,
                                     const ExtentSizes& sizes = {});

[[noreturn]] void fail_at(Span span, std::string_view code, std::string message, std::string hint = {});

}  // namespace covec::jit
