#include "jit/specialize/code_table.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace covec::jit {

Specialization* CodeTable::find(Signature& signature) const {
  const auto candidates = by_hash_.find(signature.hash());
  if (candidates == by_hash_.end()) return nullptr;
  for (const auto& made : candidates->second) {
    if (made->key.words == signature.words && made->key.globals_match(signature)) return made.get();
  }
  return nullptr;
}

Specialization& CodeTable::add(const Signature& signature) {
  Specialization& made = *by_hash_[signature.hash()].emplace_back(std::make_shared<Specialization>());
  made.key.words = signature.words;
  made.key.generic = signature.generic;
  made.key.fixed = signature.fixed;
  made.key.source_units = signature.source_units;
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

const char* CodeTable::why_invalid(const Signature& signature) const {
  const auto is_of = [&](const auto& made) { return made->key.words == signature.words; };
  const auto last = std::find_if(invalid_.rbegin(), invalid_.rend(), is_of);
  return last != invalid_.rend() ? (*last)->why_invalid : nullptr;
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
  invalid_.clear();
  erase_if([&](const Specialization& made) { return std::ranges::any_of(made.key.source_units, gone); });
  if (!is_full()) return;
  std::vector<unsigned> numbers;
  each([&](const Specialization& made) { numbers.push_back(made.number); });
  const auto middle = numbers.begin() + static_cast<ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  erase_if([&, oldest_kept = *middle](const Specialization& made) { return made.number < oldest_kept; });
}

}  // namespace covec::jit
