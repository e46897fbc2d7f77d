// Windows: options read and checked, and the arithmetic of how many there are, which saturates and so never overflows.
#include "stdlib/ops/signal_window.hpp"

#include <algorithm>
#include <limits>

#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

constexpr int64_t most = std::numeric_limits<int32_t>::max();  // of an option: so that sums of two never overflow
constexpr int64_t endless = std::numeric_limits<int64_t>::max();

int64_t checked(const Call& call, unsigned operand, int64_t number, int64_t least) {
  const std::string who(call.entry.name), name(operand_name(call, operand));
  if (number < least) {
    fail(message("window_least"), {who, name, std::to_string(least), std::to_string(number)},
         {label_of(call, operand)});
  }
  if (number > most) {
    fail(message("window_most"), {who, name, std::to_string(most), std::to_string(number)}, {label_of(call, operand)});
  }
  return number;
}

// Elements from the first to the last of a window.
int64_t reach(int64_t window, int64_t dilation) {
  int64_t steps;
  if (window == 0) return 0;
  if (__builtin_mul_overflow(window - 1, dilation, &steps) || steps == endless) return endless;
  return steps + 1;
}

int64_t padded(int64_t in, int64_t padding) { return in > endless - 2 * padding ? endless : in + 2 * padding; }

}  // namespace

Pair pair_argument(const Call& call, unsigned operand, int64_t least, unsigned axes) {
  const Value& value = call.operand(operand);
  if (is_integer(value)) {
    const int64_t number = checked(call, operand, integer_of(value), least);
    return {axes == 1 ? least : number, number};
  }
  const std::string_view must_be = axes == 1 ? "an integer" : "an integer or a pair of integers";
  if (!value.is(ObjectKind::tuple) && !value.is(ObjectKind::list) && !value.is_tensor())
    fail_attribute(call, operand, must_be);
  const Integers numbers = integers_argument(call, operand);
  if (numbers.size() != axes) fail_attribute(call, operand, must_be);
  const int64_t columns = checked(call, operand, numbers[axes - 1], least);
  return {axes == 1 ? least : checked(call, operand, numbers[0], least), columns};
}

Pair padding_argument(const Call& call, unsigned operand, unsigned axes) {
  const Value& value = call.operand(operand);
  if (value.is(ObjectKind::string)) {
    const std::string_view text = value.string().text;
    if (text == "valid") return {0, 0};
    if (text == "same") return {axes == 1 ? 0 : same_padding, same_padding};
    fail(message("bad_choice"),
         {std::string(call.entry.name), std::string(operand_name(call, operand)),
          "a number, a pair of them, \"same\" and \"valid\"", "\"" + std::string(text) + "\""},
         {label_of(call, operand)});
  }
  return pair_argument(call, operand, 0, axes);
}

int64_t count_argument(const Call& call, unsigned operand) {
  return checked(call, operand, integer_argument(call, operand), 1);
}

kernels::WindowAxis sliding(std::string_view who, int64_t in, int64_t window, int64_t stride, int64_t padding,
                            int64_t dilation) {
  const int64_t wide = reach(window, dilation), room = padding == same_padding ? endless : padded(in, padding);
  if (window == 0 || wide > room) {
    const std::string around = padding == same_padding ? "\"same\"" : std::to_string(padding);
    fail(message("window_fit"), {std::string(who), std::to_string(wide), std::to_string(in), around});
  }
  if (padding == same_padding) return {in, in, window, stride, (wide - 1) / 2, dilation};
  return {in, (room - wide) / stride + 1, window, stride, padding, dilation};
}

Dim windows(ShapeBuilder& shapes, std::string_view who, Dim in, Dim window, int64_t stride, int64_t padding,
            int64_t dilation) {
  if (in.known() && window.known())
    return Dim(sliding(who, in.number(), window.number(), stride, padding, dilation).out);
  const bool keeps = padding == same_padding || (stride == 1 && window.known() && window.number() > 0 &&
                                                 reach(window.number(), dilation) == 2 * padding + 1);
  return keeps ? in : shapes.unknown_dim();
}

void require_rank(std::string_view who, const Call& call, unsigned operand, const Type& type, unsigned least,
                  bool exact, std::string_view axes) {
  const unsigned rank = type.shape.rank();
  if (rank == least || (rank > least && !exact)) return;
  fail(message("signal_rank"),
       {std::string(who), std::string(operand_name(call, operand)), std::to_string(least) + (exact ? "" : " or more"),
        std::string(axes), type.text()},
       {label_of(call, operand)});
}

int64_t elements(const Shape& shape, unsigned begin, unsigned end) {
  int64_t count = 1;
  for (unsigned i = begin; i < end; ++i) count *= shape[i].number();
  return count;
}

}  // namespace covec::ops
