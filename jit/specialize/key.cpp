#include "jit/specialize/key.hpp"

#include <algorithm>
#include <iterator>

namespace covec::jit {

bool Key::globals_match(Signature& signature) const {
  signature.leaves.resize(signature.own);
  signature.extents.resize(signature.own);
  if (globals.empty()) return true;
  const bool same = std::ranges::all_of(globals, [&](const Value* global) { return globals_now_.add(*global); }) &&
                    globals_now_.words == global_words;
  if (same) {
    std::ranges::move(globals_now_.leaves, std::back_inserter(signature.leaves));
    std::ranges::copy(globals_now_.extents, std::back_inserter(signature.extents));
  }
  globals_now_.clear();
  return same;
}

bool Key::fits(Signature& signature, bool same_extents) const {
  if (!is_of_family(signature)) return false;
  for (size_t leaf = 0; leaf < extents.size(); ++leaf) {
    const SmallExtents now = up_to(max_extent, signature.extents[leaf]);
    if (extents[leaf] != (same_extents ? now : now & compared[leaf])) return false;
  }
  return true;
}

void Key::compare(const Family& family) {
  compared.resize(extents.size());
  max_extent = family.max_extent;
  takes_more = false;
  for (size_t leaf = 0; leaf < extents.size(); ++leaf) {
    compared[leaf] = ~family.taken_of(leaf) | bits_of_small(extents[leaf]);
    takes_more |= !family.takes_all && ~compared[leaf] != 0;
  }
}

}  // namespace covec::jit
