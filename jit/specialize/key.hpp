// What a compilation is found by: the words of its Signature, and the module-level names that the function reads, with
// what they were. Objects whose address is part of the words are kept, so that no other takes it. Start at
// globals_match().
#pragma once

#include <vector>

#include "jit/specialize/signature.hpp"

namespace covec::jit {

struct Key {
  std::vector<uint64_t> words;  // of captures and arguments
  bool generic = false;         // its arguments were walked as generic ones
  std::vector<Value> fixed;
  std::vector<Value*> globals;
  std::vector<uint64_t> global_words;
  std::vector<const void*> source_units;  // the texts of all functions in it
  // The globals are of the same types now; their leaves are put behind the others.
  bool globals_match(Signature& signature) const;

  mutable Signature globals_now;  // room of globals_match, empty between calls
};

}  // namespace covec::jit
