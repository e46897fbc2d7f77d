// Logic: & | xor ~ on two bools or two integers, shifts and common divisors of integers (not of bools), and the choice
// between two tensors.
#pragma once

#include "stdlib/ops/elementwise/bodies/info.hpp"

namespace covec::ops {

struct BitAnd {
  static constexpr PointwiseInfo info{.name = "bit_and",
                                      .doc = "`a & b`: of two bools, or bit by bit of two integers.",
                                      .parameters = {"a", "b"},
                                      .arity = 2,
                                      .types = TypeClass::bits,
                                      .gradient = Gradient::piecewise_constant,
                                      .action = "take {} & {}"};
  template <class T>
  static T body(T a, T b) {
    return a & b;
  }
  static constexpr PointwiseSample samples[] = {{"[true, true, false], [true, false, true]", "[true, false, false]"},
                                                {"[12, -1], 10", "[8, 10]"}};
};

struct BitOr {
  static constexpr PointwiseInfo info{.name = "bit_or",
                                      .doc = "`a | b`: of two bools, or bit by bit of two integers.",
                                      .parameters = {"a", "b"},
                                      .arity = 2,
                                      .types = TypeClass::bits,
                                      .gradient = Gradient::piecewise_constant,
                                      .action = "take {} | {}"};
  template <class T>
  static T body(T a, T b) {
    return a | b;
  }
  static constexpr PointwiseSample samples[] = {{"[true, false, false], [true, false, true]", "[true, false, true]"},
                                                {"[12, -1], 10", "[14, -1]"}};
};

struct Xor {
  static constexpr PointwiseInfo info{.name = "xor",
                                      .doc = "Exclusive or: of two bools, or bit by bit of two integers.",
                                      .parameters = {"a", "b"},
                                      .arity = 2,
                                      .types = TypeClass::bits,
                                      .gradient = Gradient::piecewise_constant,
                                      .action = "take the xor of {} and {}"};
  template <class T>
  static T body(T a, T b) {
    return a ^ b;
  }
  static constexpr PointwiseSample samples[] = {{"[true, true, false], [true, false, true]", "[false, true, true]"},
                                                {"[12, -1], 10", "[6, -11]"}};
};

struct BitNot {
  static constexpr PointwiseInfo info{.name = "bit_not",
                                      .doc = "`~x`: of a bool, or bit by bit of an integer.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::bits,
                                      .gradient = Gradient::piecewise_constant,
                                      .action = "take ~ of {}"};
  template <class T>
  static T body(T x) {
    return ~x;
  }
  static constexpr PointwiseSample samples[] = {{"[true, false]", "[false, true]"}, {"[12, -1]", "[-13, 0]"}};
};

struct ShiftLeft {
  static constexpr PointwiseInfo info{
      .name = "shift_left",
      .doc =
          "The bits of x moved up by n places, elementwise: x·2ⁿ, wrapping; 0 from the dtype's width on.\n"
          "A negative n is an error.",
      .parameters = {"x", "n"},
      .arity = 2,
      .types = TypeClass::integers,
      .gradient = Gradient::piecewise_constant,
      .action = "shift {} left by {}",
      .failure = Failure::negative_shift};
  template <class T>
  static T body(T x, T n) {
    constexpr typename T::Element width = 8 * sizeof(typename T::Element);
    return select(n < T(width), shift_left(x, n & T(width - 1)), T(0));
  }
  template <class T>
  static auto fails(T, T n) {
    return n < T(0);
  }
  static constexpr PointwiseSample samples[] = {
      {"[1, -3, 5, 7], [4, 1, 63, 64]", "[16, -6, -9223372036854775807 - 1, 0]"}, {"[1, 1, 1], 3", "[8, 8, 8]"}};
};

struct ShiftRight {
  static constexpr PointwiseInfo info{
      .name = "shift_right",
      .doc =
          "The bits of x moved down by n places, elementwise, the sign kept: ⌊x/2ⁿ⌋; 0 or −1 from the dtype's width "
          "on.\nA negative n is an error.",
      .parameters = {"x", "n"},
      .arity = 2,
      .types = TypeClass::integers,
      .gradient = Gradient::piecewise_constant,
      .action = "shift {} right by {}",
      .failure = Failure::negative_shift};
  template <class T>
  static T body(T x, T n) {
    constexpr typename T::Element last = 8 * sizeof(typename T::Element) - 1;
    return shift_right(x, select(n < T(last), n & T(last), T(last)));
  }
  template <class T>
  static auto fails(T, T n) {
    return n < T(0);
  }
  static constexpr PointwiseSample samples[] = {{"[16, -7, -1, 5, -5], [3, 1, 63, 64, 1000]", "[2, -4, -1, 0, -1]"},
                                                {"[8, 9, -8], 3", "[1, 1, -1]"}};
};

struct Gcd {
  static constexpr PointwiseInfo info{
      .name = "gcd",
      .doc =
          "The greatest common divisor of two whole numbers, elementwise; it is not negative, and 0 of 0 and 0.\n"
          "Where it is the magnitude of the dtype's least integer, it wraps to that, as `abs` does.",
      .parameters = {"a", "b"},
      .arity = 2,
      .types = TypeClass::integers,
      .gradient = Gradient::piecewise_constant,
      .action = "take gcd of {} and {}"};
  template <class T>
  static T body(T a, T b) {
    return common_divisor(a, b);
  }
  static constexpr PointwiseSample samples[] = {
      {"[12, -18, 0, 7, 0], [18, 12, 5, -13, 0]", "[6, 6, 5, 1, 0]"},
      {"[-9223372036854775807 - 1, -9223372036854775807 - 1, 9223372036854775807], [0, 6, 7]",
       "[-9223372036854775807 - 1, 2, 7]"},
      {"[[6], [10]], [4, 15]", "[[2, 3], [2, 5]]"}};
};

struct Lcm {
  static constexpr PointwiseInfo info{
      .name = "lcm",
      .doc =
          "The least common multiple of two whole numbers, elementwise, which is not negative; 0 where one is 0.\n"
          "One that does not fit the dtype wraps, as a product does.",
      .parameters = {"a", "b"},
      .arity = 2,
      .types = TypeClass::integers,
      .gradient = Gradient::piecewise_constant,
      .action = "take lcm of {} and {}"};
  // The quotient by a divisor of 0 is 0.
  template <class T>
  static T body(T a, T b) {
    const T size = select(a < T(0), -a, a), other = select(b < T(0), -b, b);
    return floor_divide(size, common_divisor(a, b)) * other;
  }
  static constexpr PointwiseSample samples[] = {
      {"[4, -6, 0, 7, 0], [6, 4, 5, -13, 0]", "[12, 12, 0, 91, 0]"},
      {"[9223372036854775807, -9223372036854775807 - 1], [2, 6]", "[-2, -9223372036854775807 - 1]"},
      {"[[6], [10]], [4, 15]", "[[12, 30], [20, 30]]"}};
};

struct LogicalNot {
  static constexpr PointwiseInfo info{.name = "logical_not",
                                      .doc = "`not x` of a bool, elementwise.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::truth,
                                      .gradient = Gradient::piecewise_constant,
                                      .action = "negate {}"};
  template <class T>
  static T body(T x) {
    return ~x;
  }
  static constexpr PointwiseSample samples[] = {{"[true, false]", "[false, true]"}};
};

struct Where {
  static constexpr PointwiseInfo info{.name = "where",
                                      .doc =
                                          "`a` where the condition is true, `b` elsewhere, elementwise.\nBoth are "
                                          "computed; a gradient reaches only what was chosen.",
                                      .parameters = {"condition", "a", "b"},
                                      .arity = 3,
                                      .types = TypeClass::choice,
                                      .gradient = Gradient::linear,
                                      .keeps = keep(0),
                                      .linear_in = keep(1) | keep(2),
                                      .action = "choose by {} between {} and {}"};
  template <class C, class T>
  static T body(C condition, T a, T b) {
    return select(condition, a, b);
  }
  template <class E>
  static E transpose(unsigned i, const E* x, const E& cotangent) {
    return i == 1 ? E::where(x[0], cotangent, 0.0) : E::where(x[0], 0.0, cotangent);
  }
  static constexpr PointwiseSample samples[] = {
      {"[true, false, true], [1.0, 2.0, 3.0], [10.0, 20.0, 30.0]", "[1.0, 20.0, 3.0]"},
      {"[true, false], 1, 2.5", "[1.0, 2.5]"},
      {"[[true], [false]], [1, 2], 0", "[[1, 2], [0, 0]]"}};
};

using Logic = List<BitAnd, BitOr, Xor, BitNot, ShiftLeft, ShiftRight, Gcd, Lcm, LogicalNot, Where>;

}  // namespace covec::ops
