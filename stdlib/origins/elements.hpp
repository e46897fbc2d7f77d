// Elements of numbers and tensors, one by one, as what looks for NaN and infinity walks them.
#pragma once

#include <cstdint>
#include <string>

#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/small_vector.hpp"
#include "stdlib/value/value.hpp"

namespace covec::origins {

// An element as a number; `offset` counts elements from the first.
Value element(const Value& of, int64_t offset);
// A number as a double; integers are 0, since they are finite.
double float_of(const Value& number);

// Where an element of a result lies, and those of the operands that lead to it.
class ElementPlace {
 public:
  // Of the row-major elements the one of that number.
  ElementPlace(const Value& result, int64_t number);
  std::string text() const;  // "[2, 0]"; empty: the result is one number
  // Whether the operand has such an element: its shape fits below the result's.
  bool leads_to(const Value& operand) const { return operand.is_numeric() && rank_of(operand) <= index_.size(); }
  Value element_of(const Value& operand) const;

 private:
  SmallVector<int64_t, 8> index_;
};

}  // namespace covec::origins
