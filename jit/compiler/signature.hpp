// What code is keyed on: the types of the values that go in (dtype and rank of numbers and tensors, the structure of
// trees, the text of strings, which function a function is) but not sizes or values of numbers. One walk over the
// values (walk in stdlib/value/walk.hpp) gives the key and the leaves, so both always match, and everyone else who
// needs the leaves takes the same. Start at Signature::add.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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
    fixed.clear();
    homes.clear();
    level = 0;
    nodes.clear();
    active.clear();
    holds_more = false;
    varies = false;
    device = nullptr;
    automatic = false;
    precision = Precision::full;
    measured = false;
  }
  // Adds a value; false where code cannot be made for it: traced values other than those of one derivative's tape,
  // trees that are too deep or too large.
  bool add(const Value& value);
  uint64_t hash() const;

  // The word of a number or tensor; 0 for anything else.
  static uint64_t word_of(const Value& value) {
    if (value.is_scalar()) return scalar_word | static_cast<uint64_t>(value.scalar_dtype()) << 8;
    if (!value.is_tensor()) return 0;
    const Tensor& t = value.tensor();
    return tensor_word | static_cast<uint64_t>(t.dtype()) << 8 | uint64_t{t.rank()} << 16;
  }
  static constexpr uint64_t scalar_word = 1, tensor_word = 2;

  std::vector<uint64_t> words;
  std::vector<Value> leaves;  // numbers and tensors, in order
  std::vector<Value> fixed;   // objects whose identity is part of the key: kept, so that no other takes their address

  std::vector<const void*> homes;  // the texts of its functions, which are known by their addresses

  // What a derivative follows: its level (0: none does), the nodes in order of meeting them, and for each leaf which of
  // them it is (from 1; 0: a constant). `active` may be shorter than `leaves`: the rest are constants.
  uint64_t level = 0;
  std::vector<uint32_t> nodes;
  std::vector<uint32_t> active;
  bool holds_more = false;                // a function among them may hold more of it (Callable::holds_more)
  device::Accelerator* device = nullptr;  // where the code's kernels run
  bool automatic = false;                 // if that pays
  Precision precision = Precision::full;  // of its products
  bool measured = false;                  // what the code takes is to be measured
  bool varies = false;  // a text or a list of some length is among them: of what there is no end, each has its own
                        // code
};

// What a key says, for people: "x: f64[_, _], p: {w: f64[_], b: f64}".
std::string describe_signature(const Value& value);

}  // namespace covec::jit
