#include "jit/specialize/guard.hpp"

#include <algorithm>

namespace covec::jit {

namespace {

bool captures_nothing(const Value& function) {
  ClosureParts parts;
  return closure_parts(function.function(), parts) && function.function().captures().empty();
}

}  // namespace

void Guard::prepare(const Value& function, std::span<const Value> args, const Key& key) {
  arguments = args.size();
  comparable = std::ranges::all_of(args, [&](const Value& arg) { return pattern.add(arg, key.generic); }) &&
               std::ranges::all_of(key.globals, [&](const Value* global) { return pattern.add(*global); });
  plain = key.globals.empty() && captures_nothing(function) &&
          std::ranges::all_of(args, [](const Value& arg) { return arg.is_numeric(); });
  compare(key);
}

// The leaves of captures come first, and are no part of the pattern.
void Guard::compare(const Key& key) {
  if (!comparable) return;
  const size_t leaves = pattern.leaves();
  pattern.compare(std::span(key.extents).last(leaves), std::span(key.compared).last(leaves), key.max_extent);
}

}  // namespace covec::jit
