// Counts how often each function of the program has been compiled, and for what, to decide whether compiling it again
// is worth it. A function derived from another one (grad(f)) has its own count.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "jit/specialize/signature.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec::jit {

class Compilations {
 public:
  // Code for some of the lengths and texts that one generic key stands for.
  struct PerLength {
    unsigned count = 0;
    size_t left_out = SIZE_MAX;  // statements that the best of it leaves to the interpreter
    bool stays = false;          // generic code would leave more
  };

  // One more; gives how many there are, 0 for what is no function of a program.
  unsigned count(const Value& function);
  // Whether it has been compiled too often for what is new. A function that goes through the lines of a file, or whose
  // list of many things grows from call to call, say.
  bool has_many(const Value& function, bool varies) const;
  // Code has been refused.
  void give_up(const Value& function);
  bool gave_up_on(const Value& function) const;

  // nullptr: it is no function of a program, or has many generic keys.
  PerLength* per_length(const Value& function, const Signature& generic);

  void forget(FunctionRef<bool(const void* source_unit)> gone);
  void clear() { functions_.clear(); }

 private:
  struct OfFunction {
    const void* source_unit = nullptr;
    unsigned count = 0;
    bool gave_up = false;
    std::unordered_map<uint64_t, PerLength> per_length;  // by the hashes of their generic keys
  };
  struct Known {
    uint64_t key;
    const void* source_unit;
  };
  static std::optional<Known> known(const Value& function);
  const OfFunction* find(const Value& function) const;
  OfFunction* make(const Value& function);

  std::unordered_map<uint64_t, OfFunction> functions_;
};

}  // namespace covec::jit
