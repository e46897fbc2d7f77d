// What scalarize makes numbers of, and what it leaves.
#include "tests/ir/ir_support.hpp"

namespace covec::test {

namespace {

const std::vector<Pass> scalarize = {passes::scalarize};

TEST(Scalarize, MadeOfNumbersAndTakenApart) {
  expect_cases(
      scalarize,
      {
          {"elements of a vector",
           "%10: f64[2] = stack(none, i64(0); %2, f64(3))\n"
           "%11: f64[2] = multiply(%10, %10)\n"
           "%12: f64 = index_read(%11[0])\n"
           "return %12",
           "%13: f64 = multiply(%2, %2)\nreturn %13"},
          {"a sum is a tree of lanes",
           "%10: f64[5] = stack(none, i64(0); %2, f64(1), %2, %2, %2)\n"
           "%11: f64 = sum(%10, none, bool(false))\n"
           "return %11",
           "%12: f64 = add(%2, %2)\n%13: f64 = add(%12, %2)\n%14: f64 = add(f64(1), %2)\n%15: f64 = add(%13, %14)\n"
           "return %15"},
          {"a product is a chain",
           "%10: f64[2] = stack(none, i64(0); %2, f64(3))\n"
           "%11: f64[2, 2] = stack(none, i64(0); %10, %10)\n"
           "%12: f64[2] = matmul(%11, %10)\n"
           "%13: f64 = max(%12, none, bool(false))\n"
           "return %13",
           "%14: f64 = fma(%2, %2, f64(0))\n%15: f64 = fma(f64(3), f64(3), %14)\n%16: f64 = fma(%2, %2, f64(0))\n"
           "%17: f64 = fma(f64(3), f64(3), %16)\n%18: f64 = maximum(%15, %17)\nreturn %18"},
          {"what only goes in and out stays", "%10: f64[2] = stack(none, i64(0); %2, f64(3))\nreturn %10", nullptr},
          {"the index is out of range: the run says it",
           "%10: f64[2] = stack(none, i64(0); %2, f64(3))\n"
           "%11: f64 = index_read(%10[2])\n"
           "return %11",
           nullptr},
          {"an index of the run",
           "%10: f64[2] = stack(none, i64(0); %2, f64(3))\n"
           "%11: f64 = index_read(%10[%3])\n"
           "return %11",
           "%12: i64 = index_read(constant i64[2] {0, 1}[%3])\n"
           "%13: bool = greater_equal(%12, i64(1))\n"
           "%14: f64 = where(%13, f64(3), %2)\n"
           "return %14"},
          {"a division that may fail",
           "%10: i64[2] = stack(none, i64(0); %3, i64(3))\n"
           "%11: i64[2] = floor_divide(%10, %10)\n"
           "%12: i64 = sum(%11, none, bool(false))\n"
           "return %12",
           nullptr},
      });
}

TEST(Scalarize, PartsOfLargerTensors) {
  expect_cases(scalarize, {
                              {"a row is read and added to by elements",
                               "%10: f64[40, 2] = zeros(none, none; i64(40), i64(2))\n"
                               "%11: f64[2] = index_read(%10[%3])\n"
                               "%12: f64[2] = multiply(%11, %2)\n"
                               "%13: f64[40, 2] = index_add(%10[%3], %12)\n"
                               "return %13",
                               "%10: f64[40, 2] = zeros(none, none; i64(40), i64(2))\n"
                               "%14: f64 = index_read(%10[%3, 0])\n"
                               "%15: f64 = index_read(%10[%3, 1])\n"
                               "%16: f64 = multiply(%14, %2)\n"
                               "%17: f64 = multiply(%15, %2)\n"
                               "%18: f64[40, 2] = index_add(%10[%3, 0], %16)\n"
                               "%13: f64[40, 2] = index_add(%18[%3, 1], %17)\n"
                               "return %13"},
                              {"a number is stored in a column",
                               "%10: f64[2, 40] = zeros(none, none; i64(2), i64(40))\n"
                               "%11: f64[2, 40] = index_update(%10[:, %3], %2)\n"
                               "return %11",
                               "%10: f64[2, 40] = zeros(none, none; i64(2), i64(40))\n"
                               "%12: f64[2, 40] = index_update(%10[0, %3], %2)\n"
                               "%11: f64[2, 40] = index_update(%12[1, %3], %2)\n"
                               "return %11"},
                              {"a row of unknown length stays",
                               "%10: f64[_] = index_read(%8[%3])\n"
                               "%11: f64[_] = multiply(%10, %2)\n"
                               "return %11",
                               nullptr},
                              {"rows at an index of several numbers stay",
                               "%10: f64[40, 2] = zeros(none, none; i64(40), i64(2))\n"
                               "%11: i64[2] = stack(none, i64(0); %3, %3)\n"
                               "%12: f64[40, 2] = index_add(%10[%11], %2)\n"
                               "return %12",
                               nullptr},
                          });
}

TEST(Scalarize, IndicesOfTheRun) {
  expect_cases(scalarize, {
                              {"each bit of the index halves what is left",
                               "%10: f64[3] = stack(none, i64(0); %2, f64(3), f64(5))\n"
                               "%11: f64[3] = multiply(%10, %10)\n"
                               "%12: f64 = index_read(%11[%3])\n"
                               "return %12",
                               "%13: f64 = multiply(%2, %2)\n"
                               "%14: i64 = index_read(constant i64[3] {0, 1, 2}[%3])\n"
                               "%15: i64 = bit_and(%14, i64(1))\n"
                               "%16: bool = not_equal(%15, i64(0))\n"
                               "%17: f64 = where(%16, f64(9), %13)\n"
                               "%18: bool = greater_equal(%14, i64(2))\n"
                               "%19: f64 = where(%18, f64(25), %17)\n"
                               "return %19"},
                              {"what is added to one is added to each and chosen",
                               "%10: f64[2] = stack(none, i64(0); %2, f64(3))\n"
                               "%11: f64[2] = index_add(%10[%3], %2)\n"
                               "%12: f64 = sum(%11, none, bool(false))\n"
                               "return %12",
                               "%13: i64 = add(%3, i64(2))\n"
                               "%14: bool = less(%3, i64(0))\n"
                               "%15: i64 = where(%14, %13, %3)\n"
                               "%16: bool = less(%15, i64(0))\n"
                               "%17: bool = greater_equal(%15, i64(2))\n"
                               "%18: bool = bit_or(%16, %17)\n"
                               "if(%18) () {\n"
                               "  %19: i64[2] = index_add(constant i64[2] {0, 1}[%3], i64(0))\n"
                               "  give\n"
                               "} () {\n"
                               "  give\n"
                               "}\n"
                               "%20: f64 = add(%2, %2)\n"
                               "%21: bool = equal(%15, i64(0))\n"
                               "%22: f64 = where(%21, %20, %2)\n"
                               "%23: f64 = add(f64(3), %2)\n"
                               "%24: bool = equal(%15, i64(1))\n"
                               "%25: f64 = where(%24, %23, f64(3))\n"
                               "%26: f64 = add(%22, %25)\n"
                               "return %26"},
                              {"a tensor that is only changed stays",
                               "%10: f64[4] = for(%3, constant f64[4] {1, 0, 0, 1}) (%11: i64, %12: f64[4]) {\n"
                               "  %13: f64[4] = index_add(%12[%11], %2)\n"
                               "  give %13\n"
                               "}\n"
                               "return %10",
                               nullptr},
                              {"one that is made before the loop is read from memory",
                               "%10: f64[2] = stack(none, i64(0); %2, f64(3))\n"
                               "%11: f64[2] = multiply(%10, %10)\n"
                               "%12: f64 = for(%3, f64(0)) (%13: i64, %14: f64) {\n"
                               "  %15: f64 = index_read(%11[%13])\n"
                               "  %16: f64 = add(%14, %15)\n"
                               "  give %16\n"
                               "}\n"
                               "return %12",
                               nullptr},
                          });
}

TEST(Scalarize, Adjoints) {
  expect_cases(scalarize, {
                              {"a sum of what was repeated",
                               "%10: f64[3] = stack(none, i64(0); %2, f64(3), %2)\n"
                               "%11: f64[1] = sum_to(%10; i64(1))\n"
                               "%12: f64 = index_read(%11[0])\n"
                               "return %12",
                               "%13: f64 = add(%2, %2)\n"
                               "%14: f64 = add(%13, f64(3))\n"
                               "return %14"},
                              {"a product is looked at for NaN",
                               "%10: f64[2] = stack(none, i64(0); %2, f64(3))\n"
                               "%11: f64[1, 2] = reshape(%10, none; i64(1), i64(2))\n"
                               "%12: f64[1] = scaled_matmul(%11, %10, i64(1))\n"
                               "%13: f64 = index_read(%12[0])\n"
                               "return %13",
                               "%14: f64 = fma(%2, %2, f64(0))\n"
                               "%15: f64 = fma(f64(3), f64(3), %14)\n"
                               "%16: bool = isnan(%15)\n"
                               "%25: f64 = if(%16) () {\n"
                               "  %17: bool = isnan(%15)\n"
                               "  %18: f64 = multiply(%2, %2)\n"
                               "  %19: f64 = add(f64(0), %18)\n"
                               "  %20: bool = equal(%2, f64(0))\n"
                               "  %21: f64 = where(%20, f64(0), %19)\n"
                               "  %22: f64 = add(%21, f64(9))\n"
                               "  %23: f64 = where(bool(false), %21, %22)\n"
                               "  %24: f64 = where(%17, %23, %15)\n"
                               "  give %24\n"
                               "} () {\n"
                               "  give %15\n"
                               "}\n"
                               "return %25"},
                              {"finite factors make no NaN of a term 0",
                               "%10: f64[2] = stack(none, i64(0); %2, f64(3))\n"
                               "%11: f64[1] = scaled_matmul(constant f64[1, 2] {4, 5}, %10, i64(2))\n"
                               "%12: f64 = index_read(%11[0])\n"
                               "return %12",
                               "%13: f64 = fma(f64(4), %2, f64(0))\n"
                               "%14: f64 = fma(f64(5), f64(3), %13)\n"
                               "return %14"},
                          });
}

TEST(Scalarize, Loops) {
  expect_cases(scalarize, {
                              {"carried as numbers",
                               "%10: f64[2] = for(%3, constant f64[2] {1, 0}) (%11: i64, %12: f64[2]) {\n"
                               "  %13: f64 = index_read(%12[1])\n"
                               "  %14: f64[2] = stack(none, i64(0); %13, %2)\n"
                               "  give %14\n"
                               "}\n"
                               "return %10",
                               "%17: f64, %18: f64 = for(%3, f64(1), f64(0)) (%11: i64, %15: f64, %16: f64) {\n"
                               "  give %16, %2\n"
                               "}\n"
                               "%19: f64[2] = stack(none, i64(0); %17, %18)\n"
                               "return %19"},
                              {"one iteration is not worth a tensor built again behind it",
                               "%10: f64[2] = for(i64(1), constant f64[2] {1, 0}) (%11: i64, %12: f64[2]) {\n"
                               "  %13: f64[2] = multiply(%12, %2)\n"
                               "  give %13\n"
                               "}\n"
                               "return %10",
                               nullptr},
                              {"several are",
                               "%10: f64[2] = for(i64(3), constant f64[2] {1, 0}) (%11: i64, %12: f64[2]) {\n"
                               "  %13: f64[2] = multiply(%12, %2)\n"
                               "  give %13\n"
                               "}\n"
                               "return %10",
                               "%18: f64, %19: f64 = for(i64(3), f64(1), f64(0)) (%11: i64, %14: f64, %15: f64) {\n"
                               "  %16: f64 = multiply(%14, %2)\n"
                               "  %17: f64 = multiply(%15, %2)\n"
                               "  give %16, %17\n"
                               "}\n"
                               "%20: f64[2] = stack(none, i64(0); %18, %19)\n"
                               "return %20"},
                              {"a branch gives numbers",
                               "%10: f64[2] = stack(none, i64(0); %2, f64(3))\n"
                               "%11: f64[2] = if(%4) () {\n"
                               "  %12: f64[2] = negative(%10)\n"
                               "  give %12\n"
                               "} () {\n"
                               "  give %10\n"
                               "}\n"
                               "%13: f64 = prod(%11, none, bool(false))\n"
                               "return %13",
                               "%15: f64, %16: f64 = if(%4) () {\n"
                               "  %14: f64 = negative(%2)\n"
                               "  give %14, f64(-3)\n"
                               "} () {\n"
                               "  give %2, f64(3)\n"
                               "}\n"
                               "%17: f64 = multiply(%15, %16)\n"
                               "return %17"},
                          });
}

}  // namespace

}  // namespace covec::test
