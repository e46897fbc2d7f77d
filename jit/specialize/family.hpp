// Code for types that differ in small extents alone. These are part of a key (small_extents.hpp), so that
// loops over small tensors run on numbers. Where an axis has had several of them, code for any extent takes over, and
// where code has no loops, at once. Limits count families, not their members. Start at CodeTable::widen.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "jit/dispatch/tier_timing.hpp"
#include "jit/specialize/small_extents.hpp"

namespace covec::jit {

struct Family {
  static constexpr unsigned max_extents = 3;  // of an axis that have code of their own
  static constexpr unsigned max_members = 8;  // members

  // Statements that code for any extents leaves to the interpreter; nothing: not known yet.
  std::optional<size_t> left_out;
  bool takes_all = false;  // its code has no loops: it takes any extents
  int64_t max_extent = max_small_extent;
  std::vector<SmallExtents> taken;  // by leaf: the bits of axes that take any extent by now; a leaf beyond has none
  TierTimings tier_timings;

  SmallExtents taken_of(size_t leaf) const {
    if (takes_all) return ~SmallExtents{0};
    return leaf < taken.size() ? taken[leaf] : 0;
  }
  // Those that code would be made for.
  SmallExtents known_of(size_t leaf, SmallExtents extents) const {
    return up_to(max_extent, extents) & ~taken_of(leaf);
  }
  std::vector<SmallExtents> known_of(std::span<const SmallExtents> extents) const {
    std::vector<SmallExtents> known(extents.begin(), extents.end());
    for (size_t leaf = 0; leaf < known.size(); ++leaf) known[leaf] = known_of(leaf, known[leaf]);
    return known;
  }
  // Of a member to be, which is staged like those that there are.
  static std::shared_ptr<Family> like(const Family& other) {
    auto made = std::make_shared<Family>(other);
    made->tier_timings = {};
    return made;
  }
  // Axes that take any extent in another family do so here.
  void take(const Family& other) {
    takes_all |= other.takes_all;
    max_extent = std::max(max_extent, other.max_extent);
    if (taken.size() < other.taken.size()) taken.resize(other.taken.size());
    for (size_t leaf = 0; leaf < other.taken.size(); ++leaf) taken[leaf] |= other.taken[leaf];
  }
};

}  // namespace covec::jit
