// The quick check before compiled code runs: whether arguments and globals look as those did that the code was made
// for. It compares values in place, without making a Signature. Start at fits().
#pragma once

#include <span>

#include "jit/specialize/key.hpp"
#include "jit/specialize/pattern.hpp"

namespace covec::jit {

struct Guard {
  bool comparable = false;  // a call may compare them in place
  bool plain = false;       // nothing else goes in than arguments that are numbers and tensors
  size_t arguments = 0;
  Pattern pattern;
  void prepare(const Value& function, std::span<const Value> args, const Key& key);
  // The extents that it looks at are those of the key.
  void compare(const Key& key);
  // Whether this is the code for such arguments; false also where that cannot be seen so quickly.
  bool fits(std::span<const Value> args, const Key& key) const {
    if (!comparable || args.size() != arguments) return false;
    Pattern::Walk walk(pattern);
    for (const Value& arg : args) {
      if (!walk.matches(arg, key.generic)) return false;
    }
    for (const Value* global : key.globals) {
      if (!walk.matches(*global)) return false;
    }
    return true;
  }
};

}  // namespace covec::jit
