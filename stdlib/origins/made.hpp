// NaN and infinity that an operator makes: a result has one where its operands have none.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/value/context.hpp"
#include "stdlib/value/value.hpp"

namespace covec::origins {

// What an operator has made of numbers.
struct Made {
  std::string text;      // "nan", "inf" or "-inf"
  std::string at;        // "[2, 0]"; empty: the result is one number, or a tree
  std::string operands;  // "a is 1.0, b is 0.0": those of that element, where the operator is elementwise
};
// An element of a row-major result, by its number.
Made made_at(const ops::Entry& entry, std::span<const Value> operands, const Value& dense, int64_t number);
// The first element of the result that is NaN where no operand is, or infinite where no operand is infinite or NaN.
// Elementwise operators are asked element by element, others as a whole. Nothing where no operand has a number.
std::optional<Made> made_of_numbers(ops::Context& context, const ops::Entry& entry, std::span<const Value> operands,
                                    const Value& result);

// Whether a tree has a number or tensor, which transformations may have wrapped.
bool has_number(const Value& value);
// The name that a program knows.
std::string name_of(const ops::Entry& entry);
// Errors that name what has been made here, or that the derivative of the operator has made it.
[[noreturn]] void fail_made(const ops::Context& context, const ops::Entry& entry, const Made& made);
[[noreturn]] void fail_tangent(const ops::Context& context, const ops::Entry& entry);

}  // namespace covec::origins
