// Computes the extents of a launch, and its numbers as words.
#pragma once

#include <cstring>
#include <optional>

#include "jit/loops/plan.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::runtime {

struct Extents {
  Shape shape;           // that all results have and all inputs fit
  bool repeats = false;  // the processor's operators, one by one, take less time
};
// What the inputs give where the results are few elements, found by plain numbers: for so few, shapes would take longer
// than the launch. Nothing: they are not, or it is not so simple.
std::optional<Shape> shape_of_small(const loops::Launch& launch, std::span<const Tensor* const> inputs);
// Nothing where the operators' results have not one shape, or where one has none.
std::optional<Extents> find_extents(const loops::Launch& launch, std::span<const Tensor* const> inputs);

// A loop of its own: few dimensions, for which a call would cost more.
[[gnu::always_inline]] inline bool same_dims(const Tensor& a, const Tensor& b) {
  if (a.rank() != b.rank()) return false;
  for (unsigned i = 0; i < a.rank(); ++i) {
    if (a.dim(i) != b.dim(i)) return false;
  }
  return true;
}

inline uint64_t word_of(const Value& number, Dtype dtype) {
  uint64_t word = 0;
  if (number.scalar_dtype() == dtype) {
    std::memcpy(&word, number.scalar_data(), sizeof word);
  } else {
    const Value converted = ops::converted_number(number, dtype);
    std::memcpy(&word, converted.scalar_data(), sizeof word);
  }
  return word;
}

inline void put_words(const loops::Launch& launch, std::span<const Value> slots, std::span<uint64_t> words) {
  for (size_t i = 0; i < words.size(); ++i) words[i] = word_of(slots[launch.numbers[i]], launch.number_dtypes[i]);
}

}  // namespace covec::runtime
