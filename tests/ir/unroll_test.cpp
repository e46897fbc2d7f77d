// Which loops become their passes, and what becomes of what they gave.
#include "tests/ir/ir_support.hpp"

namespace covec::test {

namespace {

const std::vector<Pass> unroll = {passes::unroll};

TEST(Unroll, ShortLoops) {
  expect_cases(unroll,
               {
                   {"passes one behind the other; the index is a number",
                    "%10: f64 = for(i64(2), %2) (%11: i64, %12: f64) {\n"
                    "  %13: i64 = add(%11, i64(5))\n"
                    "  %14: f64 = multiply(%12, %13)\n"
                    "  give %14\n"
                    "}\n"
                    "return %10",
                    "%15: f64 = multiply(%2, i64(5))\n%16: f64 = multiply(%15, i64(6))\nreturn %16"},
                   {"values change places",
                    "%10: f64, %11: f64 = for(i64(3), %2, f64(1)) (%12: i64, %13: f64, %14: f64) {\n"
                    "  give %14, %13\n"
                    "}\n"
                    "%15: f64 = subtract(%10, %11)\n"
                    "return %15",
                    "%15: f64 = subtract(f64(1), %2)\nreturn %15"},
                   {"loops inside",
                    "%10: f64 = for(i64(2), %2) (%11: i64, %12: f64) {\n"
                    "  %13: f64 = for(i64(2), %12) (%14: i64, %15: f64) {\n"
                    "    %16: f64 = multiply(%15, %15)\n"
                    "    give %16\n"
                    "  }\n"
                    "  give %13\n"
                    "}\n"
                    "return %10",
                    "%19: f64 = multiply(%2, %2)\n%20: f64 = multiply(%19, %19)\n%21: f64 = multiply(%20, %20)\n"
                    "%22: f64 = multiply(%21, %21)\nreturn %22"},
                   {"what is popped is known by name",
                    "%10: f64 = for(i64(2), %2) (%11: i64, %12: f64) {\n"
                    "  %13: f64 = exp(%12)\n"
                    "  push.0(%13)\n"
                    "  give %13\n"
                    "}\n"
                    "%14: f64 = for(i64(2), f64(1)) (%15: i64, %16: f64) {\n"
                    "  %17: f64 = pop.0()\n"
                    "  %18: f64 = subtract(%16, %17)\n"
                    "  give %18\n"
                    "}\n"
                    "return %14",
                    "%19: f64 = exp(%2)\n%20: f64 = exp(%19)\n%22: f64 = subtract(f64(1), %20)\n"
                    "%24: f64 = subtract(%22, %19)\nreturn %24"},
                   {"as many passes as an unrolled loop counted",
                    "%10: f64, %11: i64 = for(i64(2), %2, i64(0)) (%12: i64, %13: f64, %14: i64) {\n"
                    "  push.0(%13)\n"
                    "  %15: f64 = exp(%13)\n"
                    "  %16: i64 = add(%14, i64(1))\n"
                    "  give %15, %16\n"
                    "}\n"
                    "%17: f64 = for(%11, %10) (%18: i64, %19: f64) {\n"
                    "  %20: f64 = pop.0()\n"
                    "  %21: f64 = subtract(%19, %20)\n"
                    "  give %21\n"
                    "}\n"
                    "return %17",
                    "%22: f64 = exp(%2)\n%23: f64 = exp(%22)\n%25: f64 = subtract(%23, %22)\n"
                    "%27: f64 = subtract(%25, %2)\nreturn %27"},
                   {"too many passes",
                    "%10: f64 = for(i64(9), %2) (%11: i64, %12: f64) {\n"
                    "  %13: f64 = multiply(%12, %11)\n"
                    "  give %13\n"
                    "}\n"
                    "return %10",
                    nullptr},
                   {"passes that only the run knows",
                    "%10: f64 = for(%3, %2) (%11: i64, %12: f64) {\n"
                    "  %13: f64 = multiply(%12, %11)\n"
                    "  give %13\n"
                    "}\n"
                    "return %10",
                    nullptr},
                   {"one that may end early",
                    "%10: f64 = for.exits(i64(3), %2) (%11: i64, %12: f64) {\n"
                    "  %13: f64 = multiply(%12, %12)\n"
                    "  %14: bool = less(%13, f64(9))\n"
                    "  give %13, %14\n"
                    "}\n"
                    "return %10",
                    nullptr},
               });
}

}  // namespace

}  // namespace covec::test
