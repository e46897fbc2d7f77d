// Which lengths are scaled only where squares are out of range.
#include "tests/ir/ir_support.hpp"

namespace covec::test {

namespace {

const std::vector<Pass> lengths = {passes::lengths, passes::dce};

// The length of two numbers, `second` squared beside %2.
std::string scaled(const std::string& second) {
  return "%10: f64 = multiply(%2, %2)\n"
         "%11: f64 = negative(%2)\n"
         "%12: f64 = multiply(%11, %11)\n"
         "%13: f64 = add(%10, %12)\n"
         "%14: f64 = maximum(%13, f64(1e-100))\n"
         "%15: f64 = minimum(%14, f64(1e+100))\n"
         "%16: f64 = subtract(%15, %13)\n"
         "%17: f64 = sign(%16)\n"
         "%18: f64 = multiply(%17, f64(600))\n"
         "%19: f64 = scale_exponent(f64(1), %18)\n"
         "%20: f64 = multiply(%2, %19)\n"
         "%21: f64 = multiply(%20, %20)\n"
         "%22: f64 = multiply(" +
         second +
         ", %19)\n"
         "%23: f64 = multiply(%22, %22)\n"
         "%24: f64 = add(%21, %23)\n"
         "%25: f64 = sqrt(%24)\n"
         "%26: f64 = divide(%25, %19)\n"
         "return %26";
}

TEST(Lengths, OfNumbers) {
  const std::string of_others = scaled("%2"), usual = scaled("%11");
  expect_cases(lengths, {
                            {"a branch in place of the scale", usual.c_str(),
                             "%10: f64 = multiply(%2, %2)\n"
                             "%11: f64 = negative(%2)\n"
                             "%12: f64 = multiply(%11, %11)\n"
                             "%13: f64 = add(%10, %12)\n"
                             "%27: bool = greater_equal(%13, f64(1e-100))\n"
                             "%28: bool = less_equal(%13, f64(1e+100))\n"
                             "%29: bool = bit_and(%27, %28)\n"
                             "%26: f64 = if(%29) () {\n"
                             "  %30: f64 = sqrt(%13)\n"
                             "  give %30\n"
                             "} () {\n"
                             "  %31: f64 = maximum(%13, f64(1e-100))\n"
                             "  %32: f64 = minimum(%31, f64(1e+100))\n"
                             "  %33: f64 = subtract(%32, %13)\n"
                             "  %34: f64 = sign(%33)\n"
                             "  %35: f64 = multiply(%34, f64(600))\n"
                             "  %36: f64 = scale_exponent(f64(1), %35)\n"
                             "  %37: f64 = multiply(%2, %36)\n"
                             "  %38: f64 = multiply(%37, %37)\n"
                             "  %39: f64 = multiply(%11, %36)\n"
                             "  %40: f64 = multiply(%39, %39)\n"
                             "  %41: f64 = add(%38, %40)\n"
                             "  %42: f64 = sqrt(%41)\n"
                             "  %43: f64 = divide(%42, %36)\n"
                             "  give %43\n"
                             "}\n"
                             "return %26"},
                            {"the scaled squares are others", of_others.c_str(), nullptr},
                        });
}

}  // namespace

}  // namespace covec::test
