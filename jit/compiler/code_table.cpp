#include "jit/compiler/code_table.hpp"

namespace covec::jit {

const Specialization* CodeTable::find(Signature& signature) const {
  const auto candidates = by_hash_.find(signature.hash());
  if (candidates == by_hash_.end()) return nullptr;
  for (const Specialization& made : candidates->second) {
    if (made.words == signature.words && made.globals_match(signature)) return &made;
  }
  return nullptr;
}

Specialization& CodeTable::add(const Signature& signature) {
  Specialization& made = by_hash_[signature.hash()].emplace_back();
  made.words = signature.words;
  made.fixed = signature.fixed;
  made.number = ++made_;
  return made;
}

void CodeTable::remove(const Specialization& made, const Signature& signature) {
  by_hash_[signature.hash()].remove_if([&](const Specialization& each) { return &each == &made; });
}

void CodeTable::each(const std::function<void(const Specialization&)>& f) const {
  for (const auto& [hash, all] : by_hash_) {
    for (const Specialization& made : all) f(made);
  }
}

}  // namespace covec::jit
