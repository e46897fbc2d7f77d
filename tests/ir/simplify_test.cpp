// Each rule of simplify (and what fold does to operations), with a case where it must not apply.
#include "tests/ir/ir_support.hpp"

namespace covec::test {

namespace {

const std::vector<Pass> simplify = {passes::simplify};

TEST(Simplify, SumsAndDifferences) {
  expect_cases(
      simplify,
      {
          {"x + -0", "%10: f64[v0.0] = add(%0, f64(-0))\nreturn %10", "return %0"},
          {"x + 0 changes -0", "%10: f64[v0.0] = add(%0, f64(0))\nreturn %10", nullptr},
          {"exp(x) + 0", "%10: f64[v0.0] = exp(%0)\n%11: f64[v0.0] = add(%10, f64(0))\nreturn %11",
           "%10: f64[v0.0] = exp(%0)\nreturn %10"},
          {"x - 0", "%10: f64[v0.0] = subtract(%0, f64(0))\nreturn %10", "return %0"},
          {"x - -0 is x + 0", "%10: f64[v0.0] = subtract(%0, f64(-0))\nreturn %10", nullptr},
          {"-0 - x", "%10: f64[v0.0] = subtract(f64(-0), %0)\nreturn %10", "%10: f64[v0.0] = negative(%0)\nreturn %10"},
          {"0 - x of +0 is +0", "%10: f64[v0.0] = subtract(f64(0), %0)\nreturn %10", nullptr},
          {"n + 0", "%10: i64 = add(%3, i64(0)')\nreturn %10", "return %3"},
          {"0 + n", "%10: i64 = add(i64(0), %3)\nreturn %10", "return %3"},
          {"0 - n", "%10: i64 = subtract(i64(0), %3)\nreturn %10", "%10: i64 = negative(%3)\nreturn %10"},
          {"m + 0 of another dtype", "%10: f64 = add(%3, f64(-0))\nreturn %10", nullptr},
          {"a bool counts as i64", "%10: i64 = add(%4, i64(0))\nreturn %10", nullptr},
      });
}

TEST(Simplify, Products) {
  expect_cases(
      simplify,
      {
          {"x * 1", "%10: f64[v0.0] = multiply(%0, i64(1)')\nreturn %10", "return %0"},
          {"1 * x", "%10: f64[v0.0] = multiply(f64(1), %0)\nreturn %10", "return %0"},
          {"x * 1 of another shape",
           "%10: f64[v0.0] = multiply(%2, %0)\n%11: f64[v0.0] = multiply(f64(1), %10)\nreturn %11",
           "%10: f64[v0.0] = multiply(%2, %0)\nreturn %10"},
          {"n * 1 as a float", "%10: f64 = multiply(%3, f64(1))\nreturn %10", nullptr},
          {"x * 2 stays", "%10: f64[v0.0] = multiply(%0, i64(2)')\nreturn %10", nullptr},
          {"x * -1", "%10: f64 = multiply(%2, f64(-1))\nreturn %10", "%10: f64 = negative(%2)\nreturn %10"},
          {"x * 0 of floats", "%10: f64 = multiply(%2, f64(0))\nreturn %10", nullptr},
          {"n * 0", "%10: i64 = multiply(%3, i64(0)')\nreturn %10", "return i64(0)"},
          {"k * 0 is a tensor", "%10: i64[v5.0] = multiply(%5, i64(0)')\nreturn %10", nullptr},
          {"-x * -s",
           "%10: f64[v0.0] = negative(%0)\n%11: f64 = negative(%2)\n%12: f64[v0.0] = multiply(%10, %11)\nreturn %12",
           "%12: f64[v0.0] = multiply(%0, %2)\nreturn %12"},
          {"-s * -n of no -0",
           "%10: f64 = negative(%2)\n%11: i64 = negative(%3)\n%12: f64 = multiply(%10, %11)\nreturn %12", nullptr},
      });
}

TEST(Simplify, Quotients) {
  expect_cases(
      simplify,
      {
          {"x / 1", "%10: f64[v0.0] = divide(%0, i64(1)')\nreturn %10", "return %0"},
          {"n / 1 is a float", "%10: f64 = divide(%3, i64(1)')\nreturn %10", nullptr},
          {"x / 4", "%10: f64[v0.0] = divide(%0, i64(4)')\nreturn %10",
           "%10: f64[v0.0] = multiply(%0, f64(0.25))\nreturn %10"},
          {"x / 3", "%10: f64[v0.0] = divide(%0, i64(3)')\nreturn %10", nullptr},
          {"x / 2^-1074", "%10: f64[v0.0] = divide(%0, f64(4.9406564584124654e-324))\nreturn %10", nullptr},
          {"h / 2", "%10: f32 = divide(%6, i64(2)')\nreturn %10", "%10: f32 = multiply(%6, f32(0.5))\nreturn %10"},
          {"x / 0", "%10: f64[v0.0] = divide(%0, f64(0))\nreturn %10", nullptr},
          {"n // 1", "%10: i64 = floor_divide(%3, i64(1)')\nreturn %10", "return %3"},
          {"s // 1", "%10: f64 = floor_divide(%2, i64(1)')\nreturn %10", nullptr},
          {"n % 1", "%10: i64 = mod(%3, i64(1)')\nreturn %10", "return i64(0)"},
          {"n // 0 fails", "%10: i64 = floor_divide(%3, i64(0)')\nreturn %10", nullptr},
          {"1 // 0 fails later", "%10: i64 = floor_divide(i64(1), i64(0))\nreturn %10", nullptr},
      });
}

TEST(Simplify, Signs) {
  expect_cases(simplify,
               {
                   {"--x", "%10: f64[v0.0] = negative(%0)\n%11: f64[v0.0] = negative(%10)\nreturn %11", "return %0"},
                   {"--c counts", "%10: i64 = negative(%4)\n%11: i64 = negative(%10)\nreturn %11", nullptr},
                   {"+x", "%10: f64[v0.0] = positive(%0)\nreturn %10", "return %0"},
                   {"+c", "%10: i64 = positive(%4)\nreturn %10", nullptr},
                   {"|-x|", "%10: f64[v0.0] = negative(%0)\n%11: f64[v0.0] = abs(%10)\nreturn %11",
                    "%11: f64[v0.0] = abs(%0)\nreturn %11"},
                   {"floor(n)", "%10: i64 = floor(%3)\nreturn %10", "return %3"},
                   {"floor(s)", "%10: f64 = floor(%2)\nreturn %10", nullptr},
                   {"max(x, x)", "%10: f64[v0.0] = maximum(%0, %0)\nreturn %10", "return %0"},
                   {"max(x, y)", "%10: f64[v0.0] = maximum(%0, %2)\nreturn %10", nullptr},
               });
}

TEST(Simplify, ZeroCotangents) {
  expect_cases(
      simplify,
      {
          {"a known cotangent", "%10: f64[v0.0] = scale(f64(3), %0)\nreturn %10",
           "%10: f64[v0.0] = multiply(f64(3), %0)\nreturn %10"},
          {"NaN is not 0", "%10: f64[v0.0] = scale(f64(nan), %0)\nreturn %10",
           "%10: f64[v0.0] = multiply(f64(nan), %0)\nreturn %10"},
          {"1", "%10: f64[v0.0] = scale(f64(1), %0)\nreturn %10", "return %0"},
          {"which is 0 as f32", "%10: f32 = scale(f64(4.9406564584124654e-324)', %6)\nreturn %10", nullptr},
          {"an unknown one", "%10: f64[v0.0] = scale(%2, %0)\nreturn %10", nullptr},
          {"by 1, which takes -0 to +0", "%10: f64 = scale(%2, f64(1))\nreturn %10",
           "%10: f64 = add(%2, f64(0))\nreturn %10"},
          {"a repeated 1",
           "%10: i64 = dimension.0(%0)\n%11: f64[v0.0] = broadcast_to(f64(1), none; %10)\n"
           "%12: f64[v0.0] = scale(%11, %0)\nreturn %12",
           "return %0"},
          {"both", "%10: f64 = scale_both(f64(2), %2)\nreturn %10", "%10: f64 = scale(%2, f64(2))\nreturn %10"},
      });
}

TEST(Simplify, Casts) {
  expect_cases(
      simplify,
      {
          {"there and back", "%10: f64 = f64(%6)\n%11: f32 = f32(%10)\nreturn %11", "return %6"},
          {"there and back through a smaller one", "%10: f32 = f32(%2)\n%11: f64 = f64(%10)\nreturn %11", nullptr},
          {"two that widen", "%10: i64 = i64(%7)\n%11: f64 = f64(%10)\nreturn %11", "%11: f64 = f64(%7)\nreturn %11"},
          {"an i64 is no f64", "%10: f64 = f64(%3)\n%11: i64 = i64(%10)\nreturn %11", nullptr},
          {"its own", "%10: f64[v0.0] = f64(%0)\nreturn %10", "return %0"},
          {"bool and back", "%10: i64 = i64(%4)\n%11: bool = bool(%10)\nreturn %11", "return %4"},
      });
}

TEST(Simplify, Bools) {
  expect_cases(
      simplify,
      {
          {"not not c", "%10: bool = logical_not(%4)\n%11: bool = logical_not(%10)\nreturn %11", "return %4"},
          {"c & true", "%10: bool = bit_and(%4, bool(true))\nreturn %10", "return %4"},
          {"c & false", "%10: bool = bit_and(%4, bool(false))\nreturn %10", "return bool(false)"},
          {"n & -1", "%10: i64 = bit_and(%3, i64(-1))\nreturn %10", "return %3"},
          {"n & 1", "%10: i64 = bit_and(%3, i64(1))\nreturn %10", nullptr},
          {"c | false", "%10: bool = bit_or(bool(false), %4)\nreturn %10", "return %4"},
          {"n | 0", "%10: i64 = bit_or(%3, i64(0))\nreturn %10", "return %3"},
          {"n ^ -1", "%10: i64 = xor(%3, i64(-1))\nreturn %10", "%10: i64 = bit_not(%3)\nreturn %10"},
          {"not n < 3", "%10: bool = less(%3, i64(3)')\n%11: bool = logical_not(%10)\nreturn %11",
           "%11: bool = greater_equal(%3, i64(3)')\nreturn %11"},
          {"not s < 3 of NaN", "%10: bool = less(%2, i64(3)')\n%11: bool = logical_not(%10)\nreturn %11", nullptr},
          {"not s == 3", "%10: bool = equal(%2, i64(3)')\n%11: bool = logical_not(%10)\nreturn %11",
           "%11: bool = not_equal(%2, i64(3)')\nreturn %11"},
          {"n == n", "%10: bool = equal(%3, %3)\nreturn %10", "return bool(true)"},
          {"s == s of NaN", "%10: bool = equal(%2, %2)\nreturn %10", nullptr},
          {"s < s", "%10: bool = less(%2, %2)\nreturn %10", "return bool(false)"},
      });
}

TEST(Simplify, Choices) {
  expect_cases(
      simplify,
      {
          {"where(c, s, s)", "%10: f64 = where(%4, %2, %2)\nreturn %10", "return %2"},
          {"where(true, s, 1)", "%10: f64 = where(bool(true), %2, f64(1))\nreturn %10", "return %2"},
          {"where(true, n, 1.0) converts", "%10: f64 = where(bool(true), %3, f64(1))\nreturn %10",
           "%10: f64 = f64(%3)\nreturn %10"},
          {"where(true, x, y) may fail", "%10: f64[(v0.0 | v1.0)] = where(bool(true), %0, %1)\nreturn %10", nullptr},
          {"where(true, s, x) repeats", "%10: f64[v0.0] = where(bool(true), %2, %0)\nreturn %10", nullptr},
          {"where(c, c, d)", "%10: bool = less(%3, i64(2))\n%11: bool = where(%4, %4, %10)\nreturn %11",
           "%10: bool = less(%3, i64(2))\n%11: bool = bit_or(%4, %10)\nreturn %11"},
          {"where(c, c, true)", "%10: bool = where(%4, %4, bool(true))\nreturn %10", "return bool(true)"},
          {"where(c, d, c)", "%10: bool = less(%3, i64(2))\n%11: bool = where(%4, %10, %4)\nreturn %11",
           "%10: bool = less(%3, i64(2))\n%11: bool = bit_and(%4, %10)\nreturn %11"},
          {"how it ended", "%10: i64 = where(%4, i64(3), i64(0))\n%11: bool = equal(%10, i64(3))\nreturn %11",
           "return %4"},
          {"how it did not", "%10: i64 = where(%4, i64(3), i64(0))\n%11: bool = equal(%10, i64(0))\nreturn %11",
           "%11: bool = logical_not(%4)\nreturn %11"},
          {"neither", "%10: i64 = where(%4, i64(3), i64(0))\n%11: bool = equal(%10, i64(2))\nreturn %11",
           "return bool(false)"},
          {"not of a number", "%10: i64 = where(%4, i64(3), %3)\n%11: bool = equal(%10, i64(2))\nreturn %11", nullptr},
          {"of two",
           "%10: i64 = where(%4, i64(1), i64(0))\n%11: i64 = where(%9, i64(3), %10)\n"
           "%12: bool = equal(%11, i64(3))\nreturn %12",
           "return %9"},
          {"where(c, true, d)", "%10: bool = where(%4, bool(true), %9)\nreturn %10",
           "%10: bool = bit_or(%4, %9)\nreturn %10"},
          {"where(not c, s, 1)", "%10: bool = logical_not(%4)\n%11: f64 = where(%10, %2, f64(1))\nreturn %11",
           "%11: f64 = where(%4, f64(1), %2)\nreturn %11"},
          {"decided before", "%10: f64 = where(%4, %2, f64(1))\n%11: f64 = where(%4, %10, f64(2))\nreturn %11",
           "%11: f64 = where(%4, %2, f64(2))\nreturn %11"},
      });
}

TEST(Simplify, Shapes) {
  expect_cases(
      simplify,
      {
          {"transpose of transpose",
           "%10: f64[v8.1, v8.0] = transpose(%8, none)\n"
           "%11: f64[v8.0, v8.1] = transpose(%10, none)\nreturn %11",
           "return %8"},
          {"one transpose", "%10: f64[v8.1, v8.0] = transpose(%8, none)\nreturn %10", nullptr},
          {"to its own shape", "%10: i64 = dimension.0(%0)\n%11: f64[v0.0] = broadcast_to(%0, none; %10)\nreturn %11",
           "return %0"},
          {"to another's shape", "%10: i64 = dimension.0(%1)\n%11: f64[v1.0] = broadcast_to(%0, none; %10)\nreturn %11",
           nullptr},
          {"sum_to its own", "%10: i64 = dimension.0(%0)\n%11: f64[v0.0] = sum_to(%0, none; %10)\nreturn %11",
           "return %0"},
          {"reshape back",
           "%10: i64 = dimension.0(%8)\n%11: i64 = dimension.1(%8)\n"
           "%12: f64[_, v8.1, 1] = reshape(%8, none; i64(-1), %11, i64(1))\n"
           "%13: f64[v8.0, v8.1] = reshape(%12, none; %10, %11)\nreturn %13",
           "%11: i64 = dimension.1(%8)\n%12: f64[v8.0, v8.1, 1] = reshape(%8, none; i64(-1), %11, i64(1))\nreturn %8"},
          {"what a product demands",
           "%10: f64[v8.0] = matmul(%8, %0)\n%11: i64 = dimension.1(%8)\n"
           "%12: f64[v8.1] = sum_to(%0, none; %11)\n%13: f64[v8.1] = add(%12, %0)\n"
           "return (%10, %13)",
           "%10: f64[v8.0] = matmul(%8, %0)\n%13: f64[v0.0] = add(%0, %0)\nreturn (%10, %13)"},
          {"before the product",
           "%11: i64 = dimension.1(%8)\n%12: f64[v8.1] = sum_to(%0, none; %11)\n"
           "%10: f64[v8.0] = matmul(%8, %0)\nreturn (%10, %12)",
           nullptr},
          {"zeros repeated",
           "%10: i64 = dimension.0(%0)\n%11: f64[v0.0] = zeros(none, none; %10)\n"
           "%12: f64[v0.0] = maximum(%0, %11)\nreturn %12",
           "%12: f64[v0.0] = maximum(%0, f64(0))\nreturn %12"},
          {"which give the shape",
           "%10: i64 = dimension.0(%0)\n%11: f64[v0.0] = broadcast_to(%2, none; %10)\n"
           "%12: f64[v0.0] = maximum(%2, %11)\nreturn %12",
           nullptr},
          {"which decide the dtype",
           "%10: i64 = dimension.0(%5)\n%11: f64[v5.0] = zeros(none, none; %10)\n"
           "%12: f64[v5.0] = maximum(%5, %11)\nreturn %12",
           "%12: f64[v5.0] = maximum(%5, f64(0))\nreturn %12"},
      });
}

TEST(Fold, Constants) {
  expect_cases({passes::fold},
               {
                   {"numbers", "%10: i64 = add(i64(2), i64(3))\n%11: i64 = multiply(%10, %3)\nreturn %11",
                    "%11: i64 = multiply(i64(5), %3)\nreturn %11"},
                   {"small tensors", "%10: f64[2] = add(constant f64[2] {1, 2}, f64(1))\nreturn %10",
                    "return constant f64[2] {2, 3}"},
                   {"not into tensors", "%10: f64[3] = zeros(none, none; i64(3))\nreturn %10", nullptr},
                   {"failing", "%10: i64 = floor_divide(i64(1), i64(0))\nreturn %10", nullptr},
                   {"draws", "%10: f64[3] = rand(none, none; i64(3))\nreturn %10", nullptr},
                   {"extents", "%10: i64 = dimension.0(constant f64[2] {1, 2})\nreturn %10", "return i64(2)"},
                   {"another's extent", "%10: f64[v0.0] = exp(%0)\n%11: i64 = dimension.0(%10)\nreturn (%10, %11)",
                    "%10: f64[v0.0] = exp(%0)\n%11: i64 = dimension.0(%0)\nreturn (%10, %11)"},
               });
}

}  // namespace

}  // namespace covec::test
