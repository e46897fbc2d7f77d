#include "jit/compiler/specializer.hpp"

#include <algorithm>
#include <utility>

#include "jit/compiler/explain.hpp"
#include "jit/explain/advice.hpp"

namespace covec::jit {

namespace {

constexpr unsigned warn_after = 16;     // compilations of one function
constexpr unsigned max_per_length = 3;  // lengths of a list, or texts, that have code of their own

// What could be compiled whole, but is better interpreted, leaves nothing.
size_t left_to_interpreter(const Specialization& made) {
  if (made.by_choice) return 0;
  return made.interpreted ? SIZE_MAX : made.share.interpreted();
}

}  // namespace

bool Specializer::describe(const Compiled& compiled, std::span<const Value> args, Signature& signature,
                           bool generic) const {
  signature.clear();
  signature.measured = compiled.is_measured();
  if (!signature.add(compiled.function())) return false;
  signature.varies = signature.may_be_generic = false;  // what is captured stays
  if (generic) signature.begin_generic();
  if (!std::all_of(args.begin(), args.end(), [&](const Value& arg) { return signature.add(arg); })) return false;
  signature.own = signature.leaves.size();
  signature.device = policy_.device_for(compiled.request());
  if (signature.device == nullptr) return true;
  signature.words.push_back(reinterpret_cast<uint64_t>(signature.device));
  signature.automatic = compiled.request().automatic;
  signature.precision = compiled.request().precision;
  signature.words.push_back(2 * static_cast<uint64_t>(signature.precision) + signature.automatic);
  return true;
}

bool Specializer::is_of(const LastCalls& last, Signature& signature) const {
  return last.made != nullptr && last.generation == table_.generation() && last.made->key.fits(signature);
}

// Generic code, where the function has some: what goes in is not looked through for it.
Specialization* Specializer::known_generic(const Compiled& compiled, std::span<Value> args, Signature& signature,
                                           const LastCalls& last) const {
  if (!last.generic || !describe(compiled, args, signature, true) || signature.level != 0) return nullptr;
  if (signature.holds_more && context_.innermost != nullptr) return nullptr;
  Specialization* const found = is_of(last, signature) ? last.made : table_.find(signature);
  return found == nullptr || compiled.suits(*found) ? found : nullptr;
}

Specialization& Specializer::find(const Compiled& compiled, std::span<Value> args, Signature& signature) {
  const Value& function = compiled.function();
  if (Specialization* known = table_.find(signature)) return *known;
  if (Specialization* generic = find_generic(compiled, args, signature)) return *generic;
  if (table_.widen(signature)) {
    if (Specialization* known = table_.find(signature)) return *known;
  }
  if (has_many(function, signature.varies) && table_.find_family(signature) == nullptr) {
    compilations_.give_up(function);
    return table_.many();
  }
  if (table_.is_full()) {
    if (!policy_.compiles_all && context_.output != nullptr && context_.warned.insert("code table").second)
      context_.output->warn(
          "this session has reached its limit of compiled code: more functions and types run in the interpreter");
    return table_.full();
  }
  Specialization& made = compiler_.make(function, args, signature);
  made.key.is_of_family(signature);
  count(function, made);
  if (signature.may_be_generic && signature.level == 0 && !made.joins) count_per_length(compiled, args, made);
  return made;
}

// Code for lists of any length, for any text and for long trees as a whole, where several have had code of their own or
// would be long to look through, and it leaves no more to the interpreter than theirs does: it knows less.
Specialization* Specializer::find_generic(const Compiled& compiled, std::span<Value> args, Signature& signature) {
  if (!signature.may_be_generic || signature.level != 0) return nullptr;
  Signature generic;
  if (!describe(compiled, args, generic, true) || generic.level != 0) return nullptr;
  if (generic.holds_more && context_.innermost != nullptr) return nullptr;
  Compilations::PerLength* const per_length = compilations_.per_length(compiled.function(), generic);
  if (per_length == nullptr || per_length->stays) return nullptr;
  if (per_length->count < max_per_length && !generic.is_long() && !generic.long_text) return nullptr;
  Specialization* found = table_.find(generic);
  if (found == nullptr && table_.widen(generic)) found = table_.find(generic);
  if (found != nullptr && !compiled.suits(*found)) return nullptr;
  if (found == nullptr) {
    if (table_.is_full()) return nullptr;
    if (has_many(compiled.function(), false) && table_.find_family(generic) == nullptr) return nullptr;
    Specialization& made = compiler_.make(compiled.function(), args, generic);
    const bool any =
        generic.long_text && !compiled.request().strict;  // looking at such a text takes longer than it is worth
    const size_t max_left = any ? SIZE_MAX : per_length->count > 0 ? per_length->left_out : 0;
    if (left_to_interpreter(made) > max_left) {
      per_length->stays = true;
      table_.remove(made, generic);
      return nullptr;
    }
    made.key.is_of_family(generic);
    count(compiled.function(), made);
    found = &made;
  }
  signature = std::move(generic);
  return found;
}

void Specializer::count_per_length(const Compiled& compiled, std::span<const Value> args, const Specialization& made) {
  Signature generic;
  if (!describe(compiled, args, generic, true)) return;
  Compilations::PerLength* const per_length = compilations_.per_length(compiled.function(), generic);
  if (per_length == nullptr) return;
  ++per_length->count;
  per_length->left_out = std::min(per_length->left_out, left_to_interpreter(made));
}

bool Specializer::has_many(const Value& function, bool varies) const {
  return !policy_.compiles_all && compilations_.has_many(function, varies);
}

// A function that is compiled again and again is told once, with what changed last.
void Specializer::count(const Value& function, const Specialization& made) {
  if (made.again || made.joins) return;
  ClosureParts parts;
  const bool many = compilations_.count(function) == warn_after && closure_parts(function.function(), parts);
  if (!many || policy_.compiles_all || policy_.tier != Tier::timed || context_.output == nullptr || made.interpreted)
    return;
  context_.output->warn(function.function().name() + " has been compiled " + std::to_string(warn_after) +
                        " times: " + shortened(made.cause.text, longest_line));
}

void Specializer::forget(FunctionRef<bool(const void* source_unit)> gone) {
  const bool was_full = table_.is_full();
  table_.forget(gone);
  if (was_full) compilations_.clear();
  compilations_.forget(gone);
}

}  // namespace covec::jit
