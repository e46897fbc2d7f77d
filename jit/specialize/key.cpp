#include "jit/specialize/key.hpp"

#include <algorithm>
#include <iterator>

namespace covec::jit {

bool Key::globals_match(Signature& signature) const {
  if (globals.empty()) return true;
  const bool same = std::ranges::all_of(globals, [&](const Value* global) { return globals_now.add(*global); }) &&
                    globals_now.words == global_words;
  if (same) std::ranges::move(globals_now.leaves, std::back_inserter(signature.leaves));
  globals_now.clear();
  return same;
}

}  // namespace covec::jit
