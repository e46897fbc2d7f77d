// Branches, loops and stacks in fold and simplify; cse and licm.
#include "tests/ir/ir_support.hpp"

namespace covec::test {

namespace {

TEST(Control, Branches) {
  expect_cases(
      {passes::fold},
      {
          {"taken",
           "%10: f64[v0.0] = if(bool(true)) () {\n%11: f64[v0.0] = exp(%0)\ngive %11\n} () {\ngive %0\n}\nreturn %10",
           "%11: f64[v0.0] = exp(%0)\nreturn %11"},
          {"not known", "%10: f64[_] = if(%4) () {\n%11: f64[v0.0] = exp(%0)\ngive %11\n} () {\ngive %1\n}\nreturn %10",
           nullptr},
          {"one extent on both paths",
           "%10: f64[_] = if(%4) () {\n%11: f64[v0.0] = exp(%0)\ngive %11\n} () {\ngive %0\n}\nreturn %10",
           "%10: f64[v0.0] = if(%4) () {\n%11: f64[v0.0] = exp(%0)\ngive %11\n} () {\ngive %0\n}\nreturn %10"},
          {"the same on both paths", "%10: f64[_] = if(%4) () {\ngive %0\n} () {\ngive %0\n}\nreturn %10", "return %0"},
          {"undefined on one",
           "%10: f64[_] = if(%4) () {\ngive %0\n} () {\n%11: f64[_] = undefined()\ngive %11\n}\nreturn %10",
           "return %0"},
          {"its condition inside",
           "%10: i64 = if(%4) () {\n%11: i64 = where(%4, %3, i64(7))\n%12: i64 = add(%11, i64(1))\n"
           "give %12\n} () {\ngive %3\n}\nreturn %10",
           "%10: i64 = if(%4) () {\n%12: i64 = add(%3, i64(1))\ngive %12\n} () {\ngive %3\n}\nreturn %10"},
          {"numbers", "%10: i64 = if(%4) () {\ngive %3\n} () {\ngive i64(2)\n}\nreturn %10",
           "%11: i64 = where(%4, %3, i64(2))\nreturn %11"},
      });
}

TEST(Control, Loops) {
  expect_cases(
      {passes::fold},
      {
          {"never", "%10: f64 = for(i64(0), %2) (%11: i64, %12: f64) {\n%13: f64 = exp(%12)\ngive %13\n}\nreturn %10",
           "return %2"},
          {"once",
           "%10: i64 = for(i64(1), %3) (%11: i64, %12: i64) {\n%13: i64 = add(%12, %11)\ngive %13\n}\nreturn %10",
           "%13: i64 = add(%3, i64(0))\nreturn %13"},
          {"twice", "%10: f64 = for(i64(2), %2) (%11: i64, %12: f64) {\n%13: f64 = exp(%12)\ngive %13\n}\nreturn %10",
           nullptr},
          {"unchanged",
           "%10: f64, %14: f64 = for(%3, %2, %2) (%11: i64, %12: f64, %15: f64) {\n%13: f64 = multiply(%12, %15)\n"
           "give %13, %15\n}\n%16: f64 = add(%10, %14)\nreturn %16",
           "%10: f64 = for(%3, %2) (%11: i64, %12: f64) {\n%13: f64 = multiply(%12, %2)\ngive %13\n}\n"
           "%16: f64 = add(%10, %2)\nreturn %16"},
          {"false from the start",
           "%10: f64 = while(%2) (%11: f64) {\ngive bool(false)\n} (%12: f64) {\n"
           "%13: f64 = exp(%12)\ngive %13\n}\nreturn %10",
           "return %2"},
          {"counted",
           "%10: i64, %14: f64 = for(i64(5), i64(2), %2) (%11: i64, %12: i64, %15: f64) {\n"
           "%13: i64 = add(%12, i64(-3))\n%16: f64 = exp(%15)\ngive %13, %16\n}\nreturn (%10, %14)",
           "%14: f64 = for(i64(5), %2) (%11: i64, %15: f64) {\n%16: f64 = exp(%15)\ngive %16\n}\n"
           "return (i64(-13), %14)"},
          {"counted by what changes",
           "%10: i64 = for(i64(5), i64(2)) (%11: i64, %12: i64) {\n%13: i64 = add(%12, %11)\ngive %13\n}\nreturn %10",
           nullptr},
          {"counted so often as the run says",
           "%10: i64 = for(%3, i64(2)) (%11: i64, %12: i64) {\n%13: i64 = add(%12, i64(1))\ngive %13\n}\nreturn %10",
           nullptr},
          {"counted until it ends",
           "%10: i64 = for.exits(i64(5), i64(2)) (%11: i64, %12: i64) {\n%13: i64 = add(%12, i64(1))\n"
           "%14: bool = less(%13, %3)\ngive %13, %14\n}\nreturn %10",
           nullptr},
          {"always goes on",
           "%10: f64 = for.exits(%3, %2) (%11: i64, %12: f64) {\n%13: f64 = exp(%12)\n"
           "give %13, bool(true)\n}\nreturn %10",
           "%10: f64 = for(%3, %2) (%11: i64, %12: f64) {\n%13: f64 = exp(%12)\ngive %13\n}\nreturn %10"},
      });
}

TEST(Control, Stacks) {
  expect_cases(
      {passes::fold},
      {
          {"what was there before",
           "%10: f64 = for(%3, %2) (%11: i64, %12: f64) {\n%13: f64 = exp(%12)\npush.0(%2)\ngive %13\n}\n"
           "%20: f64 = for(%3, %10) (%21: i64, %22: f64) {\n%23: f64 = pop.0()\n"
           "%24: f64 = multiply(%22, %23)\ngive %24\n}\nreturn %20",
           "%10: f64 = for(%3, %2) (%11: i64, %12: f64) {\n%13: f64 = exp(%12)\ngive %13\n}\n"
           "%20: f64 = for(%3, %10) (%21: i64, %22: f64) {\n%24: f64 = multiply(%22, %2)\ngive %24\n}\nreturn %20"},
          {"what each pass has",
           "%10: f64 = for(%3, %2) (%11: i64, %12: f64) {\n%13: f64 = exp(%12)\npush.0(%13)\ngive %13\n}\n"
           "%20: f64 = for(%3, %10) (%21: i64, %22: f64) {\n%23: f64 = pop.0()\n"
           "%24: f64 = multiply(%22, %23)\ngive %24\n}\nreturn %20",
           nullptr},
      });
}

TEST(Control, ExtentsOfOtherPasses) {
  // A loop whose tensor changes its extent, and one that goes back through it: %12.0 means nothing there.
  const std::string forward =
      "%10: f64[_] = for(%3, %0) (%11: i64, %12: f64[_]) {\n%14: any = call(fn exp, %12)\n%13: f64[_] = unbox(%14)\n"
      "push.0(%12)\ngive %13\n}\n";
  const std::string before =
      forward +
      "%20: f64[_] = for(%3, %10) (%21: i64, %22: f64[v12.0]) {\n%23: f64[v12.0] = pop.0()\n"
      "%24: i64 = dimension.0(%23)\n%25: f64[v12.0] = sum_to(%22, none; %24)\ngive %25\n}\nreturn %20";
  const std::string wanted =
      forward +
      "%20: f64[_] = for(%3, %10) (%21: i64, %22: f64[_]) {\n%23: f64[_] = pop.0()\n"
      "%24: i64 = dimension.0(%23)\n%25: f64[v23.0] = sum_to(%22, none; %24)\ngive %25\n}\nreturn %20";
  expect_cases({passes::simplify}, {{"another loop's", before.c_str(), wanted.c_str()}});
}

TEST(Control, ExtentsThatStay) {
  expect_cases(
      {passes::simplify},
      {
          {"one extent",
           "%10: f64[_] = for(%3, %0) (%11: i64, %12: f64[_]) {\n%13: f64[v12.0] = exp(%12)\ngive %13\n}\nreturn %10",
           "%10: f64[v0.0] = for(%3, %0) (%11: i64, %12: f64[v0.0]) {\n%13: f64[v12.0] = exp(%12)\ngive %13\n}\nreturn "
           "%10"},
          {"two",
           "%10: f64[_] = for(%3, %0) (%11: i64, %12: f64[_]) {\n%13: f64[v12.0] = exp(%12)\ngive %1\n}\nreturn %10",
           "%10: f64[_] = for(%3, %0) (%11: i64, %12: f64[_]) {\ngive %1\n}\nreturn %10"},
          {"known from a product on",
           "%10: f64[_] = for(%3, %0) (%11: i64, %12: f64[_]) {\n%13: f64[v8.0] = matmul(%8, %12)\n"
           "push.0(%12)\ngive %13\n}\n%20: f64[_] = pop.0()\nreturn (%10, %20)",
           "%10: f64[_] = for(%3, %0) (%11: i64, %12: f64[_]) {\n%13: f64[v8.0] = matmul(%8, %12)\n"
           "push.0(%12)\ngive %13\n}\n%20: f64[v8.1] = pop.0()\nreturn (%10, %20)"},
      });
}

TEST(Control, ComparisonsOnPaths) {
  expect_cases(
      {passes::simplify},
      {
          {"how it ended",
           "%10: i64, %11: f64 = if(%4) () {\ngive i64(3), %2\n} () {\n%12: f64 = exp(%2)\ngive %3, %12\n}\n"
           "%13: bool = equal(%10, i64(3))\nreturn (%11, %13)",
           "%14: i64 = where(%4, i64(3), %3)\n%11: f64 = if(%4) () {\ngive %2\n} () {\n%12: f64 = exp(%2)\ngive "
           "%12\n}\n"
           "%13: bool = equal(%14, i64(3))\nreturn (%11, %13)"},
          {"said by each path",
           "%10: i64 = if(%4) () {\ngive i64(3)\n} () {\n%12: i64 = add(%3, %3)\ngive %12\n}\n"
           "%13: bool = equal(%10, i64(3))\nreturn %13",
           "%15: bool = if(%4) () {\ngive bool(true)\n} () {\n%12: i64 = add(%3, %3)\n%14: bool = equal(%12, i64(3))\n"
           "give %14\n}\nreturn %15"},
      });
}

TEST(Cse, EqualOperations) {
  expect_cases(
      {passes::cse},
      {
          {"twice", "%10: f64[v0.0] = exp(%0)\n%11: f64[v0.0] = exp(%0)\n%12: f64[v0.0] = add(%10, %11)\nreturn %12",
           "%10: f64[v0.0] = exp(%0)\n%12: f64[v0.0] = add(%10, %10)\nreturn %12"},
          {"draws", "%10: f64[3] = rand(none, none; i64(3))\n%11: f64[3] = rand(none, none; i64(3))\nreturn (%10, %11)",
           nullptr},
          {"other signs of zero", "%10: f64 = add(%2, f64(0))\n%11: f64 = add(%2, f64(-0))\nreturn (%10, %11)",
           nullptr},
          {"a literal is another", "%10: f32 = add(%6, f64(1)')\n%11: f64 = add(%6, f64(1))\nreturn (%10, %11)",
           nullptr},
          {"inside a branch",
           "%10: f64 = exp(%2)\n%11: f64 = if(%4) () {\n%12: f64 = exp(%2)\ngive %12\n} () {\ngive %2\n}\n"
           "return (%10, %11)",
           "%10: f64 = exp(%2)\n%11: f64 = if(%4) () {\ngive %10\n} () {\ngive %2\n}\nreturn (%10, %11)"},
          {"not out of it",
           "%11: f64 = if(%4) () {\n%12: f64 = exp(%2)\ngive %12\n} () {\ngive %2\n}\n%13: f64 = exp(%2)\n"
           "return (%11, %13)",
           nullptr},
          {"that may fail", "%10: i64 = floor_divide(%3, %3)\n%11: i64 = floor_divide(%3, %3)\nreturn (%10, %11)",
           "%10: i64 = floor_divide(%3, %3)\nreturn (%10, %10)"},
      });
}

TEST(Cse, ChangedInPlace) {
  const std::string zeros = "%10: f64[3] = zeros(none, none; i64(3))\n%11: f64[3] = zeros(none, none; i64(3))\n";
  const std::string add = "%12: f64[3] = index_add(%10[0], %2)\n";
  expect_cases(
      {passes::cse},
      {
          {"one of two", (zeros + add + "return (%11, %12)").c_str(), nullptr},
          {"carried by a loop",
           (zeros + "%12: f64[3] = for(%3, %10) (%13: i64, %14: f64[3]) {\n%15: f64[3] = index_add(%14[0], %2)\n"
                    "give %15\n}\nreturn (%11, %12)")
               .c_str(),
           nullptr},
          {"given by a path",
           ("%13: f64[3], %14: f64[3] = if(%4) () {\n" + zeros + "give %10, %11\n} () {\n" +
            "%15: f64[3] = ones(none, none; i64(3))\n%16: f64[3] = exp(%15)\ngive %15, %16\n}\n" + "return (%13, %14)")
               .c_str(),
           nullptr},
          {"neither", (zeros + "%12: f64[3] = add(%10, %11)\nreturn %12").c_str(),
           "%10: f64[3] = zeros(none, none; i64(3))\n%12: f64[3] = add(%10, %10)\nreturn %12"},
      });
}

TEST(Licm, Invariants) {
  expect_cases({passes::licm},
               {
                   {"out of the loop",
                    "%10: f64 = for(%3, %2) (%11: i64, %12: f64) {\n%13: f64 = exp(%2)\n%14: f64 = add(%12, %13)\ngive "
                    "%14\n}\nreturn %10",
                    "%13: f64 = exp(%2)\n%10: f64 = for(%3, %2) (%11: i64, %12: f64) {\n%14: f64 = add(%12, %13)\ngive "
                    "%14\n}\nreturn %10"},
                   {"may fail",
                    "%10: i64 = for(%3, %3) (%11: i64, %12: i64) {\n%13: i64 = floor_divide(i64(1), %3)\n%14: i64 = "
                    "add(%12, %13)\ngive %14\n}\nreturn %10",
                    nullptr},
                   {"in a branch",
                    "%10: f64 = for(%3, %2) (%11: i64, %12: f64) {\n%13: f64 = if(%4) () {\n%15: f64 = exp(%2)\ngive "
                    "%15\n} () {\ngive %12\n}\ngive %13\n}\nreturn %10",
                    nullptr},
                   {"out of two",
                    "%10: f64 = for(%3, %2) (%11: i64, %12: f64) {\n%20: f64 = for(%3, %12) (%21: i64, %22: f64) "
                    "{\n%13: f64 = exp(%2)\n%14: f64 = add(%22, %13)\ngive %14\n}\ngive %20\n}\nreturn %10",
                    "%13: f64 = exp(%2)\n%10: f64 = for(%3, %2) (%11: i64, %12: f64) {\n%20: f64 = for(%3, %12) (%21: "
                    "i64, %22: f64) {\n%14: f64 = add(%22, %13)\ngive %14\n}\ngive %20\n}\nreturn %10"},
               });
}

}  // namespace

}  // namespace covec::test
