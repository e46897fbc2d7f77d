// Reads and checks options of windows, and computes their number with arithmetic that saturates and so never overflows.
#include "stdlib/ops/signal/window.hpp"

#include <algorithm>
#include <limits>

#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

constexpr int64_t most = std::numeric_limits<int32_t>::max();  // of an option: so that sums of two never overflow
constexpr int64_t endless = std::numeric_limits<int64_t>::max();

// Elements from the first to the last of a window.
int64_t reach(int64_t window, int64_t dilation) {
  int64_t steps;
  if (window == 0) return 0;
  if (__builtin_mul_overflow(window - 1, dilation, &steps) || steps == endless) return endless;
  return steps + 1;
}

int64_t padded(int64_t in, int64_t padding) { return in > endless - 2 * padding ? endless : in + 2 * padding; }

}  // namespace

bool is_whole_number(const Value& value) { return is_integer(value) || is_symbolic_integer(value); }

PairOption pair_option(const Call& call, unsigned operand, unsigned axes, int64_t of_rows) {
  const Value& value = call.operand(operand);
  if (is_whole_number(value)) return {axes == 1 ? Value(of_rows) : value, value};
  const std::string_view must_be = axes == 1 ? "an integer" : "an integer or a pair of integers";
  if (axes == 1) fail_attribute(call, operand, must_be);
  if (value.is(ObjectKind::tuple) || value.is(ObjectKind::list)) {
    std::vector<Value> numbers;
    for (const Value& item : *children(value)) numbers.push_back(concrete(item));
    if (numbers.size() != 2 || !is_whole_number(numbers[0]) || !is_whole_number(numbers[1]))
      fail_attribute(call, operand, must_be);
    return {numbers[0], numbers[1]};
  }
  if (!value.is_tensor()) fail_attribute(call, operand, must_be);
  const Integers numbers = integers_argument(call, operand);
  if (numbers.size() != 2) fail_attribute(call, operand, must_be);
  return {Value(numbers[0]), Value(numbers[1])};
}

int64_t OptionReader::number(std::string_view name, int64_t least) {
  const int64_t number = integer_argument(call_, next_++);
  const auto out_of_range = [&](const Message& row, int64_t bound) {
    fail(row, {std::string(who_), std::string(name), std::to_string(bound), std::to_string(number)});
  };
  if (number < least) out_of_range(message("window_least"), least);
  if (number > most) out_of_range(message("window_most"), most);
  return number;
}

bool options_known(const Call& call, unsigned first, unsigned count) {
  for (unsigned i = first; i < first + count; ++i) {
    if (call.operand(i).is_symbol()) return false;
  }
  return true;
}

kernels::WindowAxis Sliding::axis(int64_t in, int64_t window) const {
  const int64_t wide = reach(window, dilation), room = same ? endless : padded(in, padding);
  if (window == 0 || wide > room || (needs_elements && in == 0)) {
    const std::string around = same ? "\"same\"" : std::to_string(padding);
    fail(message("window_fit"), {std::string(who), std::to_string(wide), std::to_string(in), around});
  }
  if (same) return {in, in, window, stride, (wide - 1) / 2, dilation};
  return {in, (room - wide) / stride + 1, window, stride, padding, dilation};
}

Dim Sliding::windows(ShapeBuilder& shapes, Dim in, Dim window) const {
  if (in.known() && window.known()) return Dim(axis(in.number(), window.number()).out);
  const bool keeps = same || (stride == 1 && window.known() && window.number() > 0 &&
                              reach(window.number(), dilation) == 2 * padding + 1);
  return keeps ? in : shapes.unknown_dim();
}

void require_rank(const Call& call, unsigned operand, unsigned least, bool exact, std::string_view axes) {
  const Type type = logical_type(call.operand(operand));
  const unsigned rank = type.shape.rank();
  if (rank == least || (rank > least && !exact)) return;
  fail(message("signal_rank"),
       {std::string(call.entry.name), std::string(operand_name(call, operand)),
        std::to_string(least) + (exact ? "" : " or more"), std::string(axes), type.text()},
       {label_of(call, operand)});
}

int64_t elements(const Shape& shape, unsigned begin, unsigned end) {
  int64_t count = 1;
  for (unsigned i = begin; i < end; ++i) count *= shape[i].number();
  return count;
}

}  // namespace covec::ops
