#include "jit/specialize/specialization.hpp"

#include <algorithm>
#include <iterator>

namespace covec::jit {

namespace {

bool captures_nothing(const Value& function) {
  ClosureParts parts;
  return closure_parts(function.function(), parts) && function.function().captures().empty();
}

}  // namespace

bool Specialization::globals_match(Signature& signature) const {
  if (globals.empty()) return true;
  const bool same = std::ranges::all_of(globals, [&](const Value* global) { return globals_now.add(*global); }) &&
                    globals_now.words == global_words;
  if (same) std::ranges::move(globals_now.leaves, std::back_inserter(signature.leaves));
  globals_now.clear();
  return same;
}

void Specialization::prepare_comparison(const Value& function, std::span<const Value> args) {
  arguments = args.size();
  comparable = std::ranges::all_of(args, [&](const Value& arg) { return pattern.add(arg, open); }) &&
               std::ranges::all_of(globals, [&](const Value* global) { return pattern.add(*global); });
  plain = globals.empty() && captures_nothing(function) &&
          std::ranges::all_of(args, [](const Value& arg) { return arg.is_numeric(); });
}

}  // namespace covec::jit
