// The key of compiled code. Its words hold the types of the input values: dtype and rank of numbers and tensors,
// structure of trees, text of strings, and identity of functions. They do not hold values of numbers, nor extents:
// small ones stand beside the words, as the family of all code with the same words decides which of them count
// (family.hpp). One walk over the values (stdlib/value/walk.hpp) gives both the key and the leaves, so they always
// match. All other code that needs the leaves uses the same walk. In an open (generic) signature, lists of one type and
// texts are leaves of any length. Start at Signature::add.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "jit/specialize/small_extents.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/precision.hpp"
#include "stdlib/value/value.hpp"

namespace covec::device {
class Accelerator;
}

namespace covec::jit {

class Signature {
 public:
  void clear() {
    words.clear();
    leaves.clear();
    extents.clear();
    own = 0;
    fixed.clear();
    source_units.clear();
    level = 0;
    memory = 0;
    nodes.clear();
    active.clear();
    holds_more = false;
    generic = false;
    may_be_generic = false;
    long_text = false;
    varies = false;
    device = nullptr;
    automatic = false;
    precision = Precision::full;
    measured = false;
  }
  // Adds a value; false where code cannot be made for it: traced values other than those of one derivative's tape,
  // trees that are too deep or too large.
  bool add(const Value& value);
  // From here on walks are generic; a key of its own, whatever comes.
  void begin_generic();
  bool is_long() const;  // a long list, tuple or map is among the leaves
  uint64_t hash() const;

  // The word of a leaf; 0 for a traced one, and anything else.
  static uint64_t word_of(const Value& value) {
    const uint64_t kind = kind_word(value);
    return kind != 0 ? kind : word_of_generic(value);
  }
  // Kinds, after those of stdlib/value/tensor_header.hpp.
  static constexpr uint64_t list_word = 3, text_word = 4, long_word = 5;
  static_assert(list_word > std::max(scalar_kind, tensor_kind));

  bool generic = false;         // whether the next leaves are added as generic ones
  bool may_be_generic = false;  // what was added would be another key if it were
  bool long_text = false;       // a text is among them that would take long to look at

  std::vector<uint64_t> words;
  std::vector<Value> leaves;          // in order
  std::vector<SmallExtents> extents;  // of each leaf
  size_t own = 0;                     // how many of them are the call's: those of the globals are behind them
  std::vector<Value> fixed;  // objects whose identity is part of the key: kept, so that no other takes their address

  std::vector<const void*> source_units;  // the texts of its functions, which are known by their addresses

  // Active values: the derivative's level (0: none does), the nodes in order of meeting them, and for each leaf which
  // of them it is (from 1; 0: a constant). `active` may be shorter than `leaves`: the rest are constants.
  uint64_t level = 0;
  uint64_t memory = 0;  // that it may take (autodiff::Tape::memory_bound)
  std::vector<uint32_t> nodes;
  std::vector<uint32_t> active;
  bool holds_more = false;                // a function among them may hold more of it (Callable::holds_more)
  device::Accelerator* device = nullptr;  // where the code's kernels run
  bool automatic = false;                 // if that pays
  Precision precision = Precision::full;  // of its products
  bool measured = false;                  // what the code takes is to be measured
  bool varies = false;  // a text or a list of some length is among them: of what there is no end, each has its own
                        // code

 private:
  static uint64_t word_of_generic(const Value& value);
};

}  // namespace covec::jit
