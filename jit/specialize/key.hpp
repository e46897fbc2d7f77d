// What a compilation is found by: the words and small extents of its Signature, and the module-level names that the
// function reads, with what they were. Objects whose address is part of the words are kept, so that no other takes it.
// Start at fits().
#pragma once

#include <vector>

#include "jit/specialize/family.hpp"
#include "jit/specialize/signature.hpp"

namespace covec::jit {

struct Key {
  std::vector<uint64_t> words;  // of captures and arguments
  bool generic = false;         // its arguments were walked as generic ones
  std::vector<Value> fixed;
  std::vector<Value*> globals;
  std::vector<uint64_t> global_words;
  std::vector<const void*> source_units;  // the texts of all functions in it
  // Of the leaves of captures, arguments and globals: the extents that it is for, and the bits of the axes that matter.
  std::vector<SmallExtents> extents, compared;
  int64_t max_extent = max_small_extent;  // of those that are small
  bool takes_more = false;                // any extents where others of the family have certain ones

  // It is for these types, but for extents. The globals' leaves are put behind the others.
  bool is_of_family(Signature& signature) const { return words == signature.words && globals_match(signature); }
  // It is for these types. `same_extents`: where an extent may be any, too, it was made for one that is not small.
  bool fits(Signature& signature, bool same_extents = false) const;
  // It is for types that differ in extents alone.
  bool is_alike(const Key& other) const {
    return words == other.words && globals == other.globals && global_words == other.global_words;
  }
  // What is compared, by what the family takes by now.
  void compare(const Family& family);

 private:
  // The globals are of the same types now; their leaves are put behind the others.
  bool globals_match(Signature& signature) const;

  mutable Signature globals_now_;  // room of globals_match, empty between calls
};

}  // namespace covec::jit
