#include "jit/specialize/compilations.hpp"

#include "interpreter/compiler.hpp"

namespace covec::jit {

namespace {

constexpr unsigned max_varying = 16;  // where the next call will most likely bring what is new again
constexpr unsigned max_made = 64;     // specializations of one function

}  // namespace

// By the address of the program's function; what is made of one by all that its code would be keyed on.
std::optional<Compilations::Known> Compilations::known(const Value& function) {
  ClosureParts parts;
  if (closure_parts(function.function(), parts))
    return Known{reinterpret_cast<uint64_t>(parts.function), parts.source_unit};
  Value at = function;
  while (at.is(ObjectKind::function) && !closure_parts(at.function(), parts)) {
    const std::vector<Value> captures = at.function().captures();
    at = captures.empty() ? Value() : captures[0];
  }
  Signature signature;
  if (!at.is(ObjectKind::function) || !signature.add(function)) return std::nullopt;
  return Known{signature.hash(), parts.source_unit};
}

const Compilations::OfFunction* Compilations::find(const Value& function) const {
  const std::optional<Known> known = Compilations::known(function);
  const auto found = known ? functions_.find(known->key) : functions_.end();
  return found == functions_.end() ? nullptr : &found->second;
}

Compilations::OfFunction* Compilations::make(const Value& function) {
  const std::optional<Known> known = Compilations::known(function);
  if (!known) return nullptr;
  OfFunction& made = functions_[known->key];
  made.source_unit = known->source_unit;
  return &made;
}

unsigned Compilations::count(const Value& function) {
  OfFunction* const so_far = make(function);
  return so_far == nullptr ? 0 : ++so_far->count;
}

bool Compilations::has_many(const Value& function, bool varies) const {
  const OfFunction* const so_far = find(function);
  return so_far != nullptr && so_far->count >= (varies ? max_varying : max_made);
}

void Compilations::give_up(const Value& function) {
  if (OfFunction* const so_far = make(function)) so_far->gave_up = true;
}

bool Compilations::gave_up_on(const Value& function) const {
  const OfFunction* const so_far = find(function);
  return so_far != nullptr && so_far->gave_up;
}

Compilations::PerLength* Compilations::per_length(const Value& function, const Signature& generic) {
  OfFunction* const so_far = make(function);
  if (so_far == nullptr) return nullptr;
  const uint64_t key = generic.hash();
  const auto known = so_far->per_length.find(key);
  if (known != so_far->per_length.end()) return &known->second;
  return so_far->per_length.size() < max_made ? &so_far->per_length[key] : nullptr;
}

void Compilations::forget(FunctionRef<bool(const void* source_unit)> gone) {
  std::erase_if(functions_, [&](const auto& each) { return gone(each.second.source_unit); });
}

}  // namespace covec::jit
