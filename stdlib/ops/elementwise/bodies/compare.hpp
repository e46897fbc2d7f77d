// Comparisons: numbers to bools, false with a NaN (but for !=). Integers of two widths compare in the wider one.
#pragma once

#include "stdlib/ops/elementwise/bodies/info.hpp"

namespace covec::ops {

struct Less {
  static constexpr PointwiseInfo info{.name = "less",
                                      .doc = "`a < b`, elementwise.",
                                      .parameters = {"a", "b"},
                                      .arity = 2,
                                      .types = TypeClass::comparison,
                                      .gradient = Gradient::piecewise_constant,
                                      .action = "compare {} and {}"};
  template <class T>
  static auto body(T a, T b) {
    return a < b;
  }
  static constexpr PointwiseSample samples[] = {{"[1.0, 2.0, nan], [2.0, 2.0, 1.0]", "[true, false, false]"},
                                                {"[1, 5], 3", "[true, false]"}};
};

struct LessEqual {
  static constexpr PointwiseInfo info{.name = "less_equal",
                                      .doc = "`a <= b`, elementwise.",
                                      .parameters = {"a", "b"},
                                      .arity = 2,
                                      .types = TypeClass::comparison,
                                      .gradient = Gradient::piecewise_constant,
                                      .action = "compare {} and {}"};
  template <class T>
  static auto body(T a, T b) {
    return a <= b;
  }
  static constexpr PointwiseSample samples[] = {{"[1.0, 2.0, nan], [2.0, 2.0, 1.0]", "[true, true, false]"}};
};

struct Greater {
  static constexpr PointwiseInfo info{.name = "greater",
                                      .doc = "`a > b`, elementwise.",
                                      .parameters = {"a", "b"},
                                      .arity = 2,
                                      .types = TypeClass::comparison,
                                      .gradient = Gradient::piecewise_constant,
                                      .action = "compare {} and {}"};
  template <class T>
  static auto body(T a, T b) {
    return a > b;
  }
  static constexpr PointwiseSample samples[] = {{"[1.0, 3.0, nan], [2.0, 2.0, 1.0]", "[false, true, false]"}};
};

struct GreaterEqual {
  static constexpr PointwiseInfo info{.name = "greater_equal",
                                      .doc = "`a >= b`, elementwise.",
                                      .parameters = {"a", "b"},
                                      .arity = 2,
                                      .types = TypeClass::comparison,
                                      .gradient = Gradient::piecewise_constant,
                                      .action = "compare {} and {}"};
  template <class T>
  static auto body(T a, T b) {
    return a >= b;
  }
  static constexpr PointwiseSample samples[] = {{"[1.0, 2.0, nan], [2.0, 2.0, 1.0]", "[false, true, false]"}};
};

struct Equal {
  static constexpr PointwiseInfo info{
      .name = "equal",
      .doc = "`a == b`, elementwise.\nOf strings, none and trees: whether they are the same, as one bool.",
      .parameters = {"a", "b"},
      .arity = 2,
      .types = TypeClass::comparison,
      .gradient = Gradient::piecewise_constant,
      .action = "compare {} and {}"};
  template <class T>
  static auto body(T a, T b) {
    return a == b;
  }
  static constexpr PointwiseSample samples[] = {{"[1.0, 0.0, nan], [2.0, -0.0, nan]", "[false, true, false]"},
                                                {"[true, false], 1", "[true, false]"}};
};

struct NotEqual {
  static constexpr PointwiseInfo info{
      .name = "not_equal",
      .doc = "`a != b`, elementwise.\nOf strings, none and trees: whether they differ, as one bool.",
      .parameters = {"a", "b"},
      .arity = 2,
      .types = TypeClass::comparison,
      .gradient = Gradient::piecewise_constant,
      .action = "compare {} and {}"};
  template <class T>
  static auto body(T a, T b) {
    return a != b;
  }
  static constexpr PointwiseSample samples[] = {{"[1.0, 0.0, nan], [2.0, -0.0, nan]", "[true, false, true]"}};
};

using Comparisons = List<Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual>;

}  // namespace covec::ops
