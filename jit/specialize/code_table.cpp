#include "jit/specialize/code_table.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <vector>

namespace covec::jit {

const CodeTable::Bucket* CodeTable::bucket(const Signature& signature) const {
  const auto found = by_hash_.find(signature.hash());
  return found == by_hash_.end() ? nullptr : &found->second;
}

Specialization* CodeTable::find(Signature& signature) const {
  const Bucket* const candidates = bucket(signature);
  if (candidates == nullptr) return nullptr;
  for (const bool same_extents : {true, false}) {
    for (const auto& made : *candidates) {
      if (made->key.fits(signature, same_extents)) return made.get();
    }
  }
  return nullptr;
}

Specialization* CodeTable::find_family(Signature& signature) const {
  const Bucket* const candidates = bucket(signature);
  if (candidates == nullptr) return nullptr;
  const auto found =
      std::ranges::find_if(*candidates, [&](const auto& made) { return made->key.is_of_family(signature); });
  return found == candidates->end() ? nullptr : found->get();
}

namespace {

// The bits of the axes that have had enough extents, or, in a family of many members, more than one.
SmallExtents axes_to_take(std::span<const SmallExtents> before, SmallExtents now) {
  SmallExtents axes = 0;
  for (unsigned axis = 0; axis < small_extent_axes; ++axis) {
    unsigned seen = 0;  // bits: extents
    for (const SmallExtents each : before) seen |= 1U << extent_in(each, axis);
    const bool is_new = (seen >> extent_in(now, axis) & 1) == 0;
    const auto extents = static_cast<unsigned>(std::popcount(seen));
    if (before.size() >= Family::max_members ? extents + is_new > 1 : is_new && extents >= Family::max_extents)
      axes |= bits_of_axis(axis);
  }
  return axes;
}

}  // namespace

bool CodeTable::widen(Signature& signature) {
  const Specialization* const like = find_family(signature);
  if (like == nullptr || like->family->takes_all) return false;
  Family& family = *like->family;
  std::vector<const Specialization*> members;
  const Bucket& candidates = *bucket(signature);
  for (const auto& made : candidates) {
    if (made->family == like->family && made->key.extents.size() == signature.extents.size())
      members.push_back(made.get());
  }
  family.taken.resize(signature.extents.size());
  bool any = false;
  std::vector<SmallExtents> before(members.size());
  for (size_t leaf = 0; leaf < signature.extents.size(); ++leaf) {
    std::ranges::transform(members, before.begin(), [&](const auto* made) { return made->key.extents[leaf]; });
    const SmallExtents axes =
        axes_to_take(before, up_to(family.max_extent, signature.extents[leaf])) & ~family.taken[leaf];
    family.taken[leaf] |= axes;
    any |= axes != 0;
  }
  if (any) compare(candidates, family);
  return any;
}

void CodeTable::compare(const Bucket& bucket, const Family& family) {
  for (const auto& made : bucket) {
    if (made->family.get() != &family) continue;
    made->key.compare(family);
    made->guard.compare(made->key);
  }
}

void CodeTable::join_family(Specialization& made, Signature& signature) {
  const Bucket& candidates = *bucket(signature);
  const auto alike = std::ranges::find_if(
      candidates, [&](const auto& other) { return other.get() != &made && other->key.is_alike(made.key); });
  made.key.is_of_family(signature);
  made.key.extents = made.family->known_of(signature.extents);
  made.joins = alike != candidates.end();
  if (made.joins) {
    const std::shared_ptr<Family>& family = (*alike)->family;
    family->take(*made.family);
    made.family = family;
  }
  compare(candidates, *made.family);
}

Specialization& CodeTable::add(const Signature& signature, const Family* family) {
  Specialization& made = *by_hash_[signature.hash()].emplace_back(std::make_shared<Specialization>());
  made.key.words = signature.words;
  made.key.generic = signature.generic;
  made.key.fixed = signature.fixed;
  made.key.source_units = signature.source_units;
  made.family = family != nullptr ? Family::like(*family) : std::make_shared<Family>();
  made.number = ++made_;
  ++size_;
  return made;
}

void CodeTable::remove(const Specialization& made, const Signature& signature) {
  size_ -= by_hash_[signature.hash()].remove_if([&](const auto& each) { return each.get() == &made; });
}

void CodeTable::invalidate(const char* why) {
  for (auto& [hash, all] : by_hash_) invalid_.splice(invalid_.end(), all);
  by_hash_.clear();
  for (const auto& made : invalid_) {
    if (made->why_invalid == nullptr) made->why_invalid = why;
  }
  size_ = 0;
  ++generation_;
}

void CodeTable::invalidate(Specialization& made, const char* why) {
  for (auto& [hash, all] : by_hash_) {
    const auto found = std::ranges::find_if(all, [&](const auto& each) { return each.get() == &made; });
    if (found == all.end()) continue;
    invalid_.splice(invalid_.end(), all, found);
    made.why_invalid = why;
    --size_;
    ++generation_;
    return;
  }
}

const Specialization* CodeTable::last_invalid(const Signature& signature) const {
  const auto is_of = [&](const auto& made) { return made->key.words == signature.words; };
  const auto last = std::find_if(invalid_.rbegin(), invalid_.rend(), is_of);
  return last != invalid_.rend() ? last->get() : nullptr;
}

void CodeTable::each(FunctionRef<void(const Specialization&)> f) const {
  for (const auto& [hash, all] : by_hash_) {
    for (const auto& made : all) f(*made);
  }
}

void CodeTable::each(FunctionRef<void(Specialization&)> f) {
  for (const auto& [hash, all] : by_hash_) {
    for (const auto& made : all) f(*made);
  }
}

template <class Condition>
void CodeTable::erase_if(const Condition& condition) {
  size_t erased = 0;
  for (auto at = by_hash_.begin(); at != by_hash_.end();) {
    erased += std::erase_if(at->second, [&](const auto& made) { return condition(*made); });
    at = at->second.empty() ? by_hash_.erase(at) : std::next(at);
  }
  size_ -= erased;
  if (erased > 0) ++generation_;
}

void CodeTable::forget(FunctionRef<bool(const void* source_unit)> gone) {
  const auto is_gone = [&](const Specialization& made) { return std::ranges::any_of(made.key.source_units, gone); };
  // Those that may not be made again say so of the code that takes their place.
  std::erase_if(invalid_, [&](const auto& made) { return made->may_replay || is_gone(*made); });
  erase_if(is_gone);
  if (!is_full()) return;
  std::vector<unsigned> numbers;
  each([&](const Specialization& made) { numbers.push_back(made.number); });
  const auto middle = numbers.begin() + static_cast<ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  erase_if([&, oldest_kept = *middle](const Specialization& made) { return made.number < oldest_kept; });
}

}  // namespace covec::jit
