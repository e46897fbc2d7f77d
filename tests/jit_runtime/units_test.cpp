// The text of units (`covec dump --kernels`) that is wrong, and what is wrong with units.
#include <gtest/gtest.h>

#include <stdexcept>

#include "jit/loops/fuse/units_text.hpp"

namespace covec::test {

namespace {

constexpr const char* text_of_graph = R"(function f(%0: f64[_, _], %1: f64[_], %2: bool, %3: f64[_, _]) {
  %10: f64[v0.0, 1] = max(%0, i64(1), bool(true))
  %11: f64[v0.0, v0.1] = subtract(%0, %10)
  %12: f64[v1.0] = sort(%1, i64(0), bool(false), none)
  %13: f64[v0.0] = sum(%11, i64(1), bool(false))
  %14: f64[v0.0, v3.1] = matmul(%11, %3)
  %15: f64[v0.0, v3.1] = negative(%14)
  %16: f64 = if(%2) () {
    %17: f64 = sum(%1, none, bool(false))
    give %17
  } () {
    give f64(0)
  }
  return (%12, %13, %15, %16)
}
)";

constexpr const char* text_of_units = R"(%10 max; row tile 0
kernel %11 subtract; row tile 0
%12 sort
%13 sum
kernel %15 negative; epilogue of %14 matmul
%16 if
  region:
    %17 sum
  region:
)";

class Units : public ::testing::Test {
 protected:
  Units() : graph_(ir::parse(text_of_graph)) {}
  loops::Block parse(const std::string& text) { return loops::parse_units(graph_, graph_.body, text); }
  // Of the units above, one line of which is another one.
  std::string with(const std::string& line, const std::string& other) {
    std::string text = text_of_units;
    return text.replace(text.find(line), line.size(), other);
  }
  std::string fault_with(const std::string& line, const std::string& other) {
    return loops::verify(parse(with(line, other)));
  }
  std::string error_with(const std::string& line, const std::string& other) {
    try {
      parse(with(line, other));
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }
  const ir::Graph graph_;
};

TEST_F(Units, AsTheyAreNothingIsWrong) { EXPECT_EQ(loops::verify(parse(text_of_units)), ""); }

TEST_F(Units, EachOperationIsThereOnceBehindWhatItNeeds) {
  EXPECT_EQ(fault_with("%12 sort\n", "%12 sort\n%12 sort\n"), "%12 is there twice");
  EXPECT_EQ(fault_with("%12 sort\n", ""), "an operation is in no unit");
  EXPECT_EQ(fault_with("    %17 sum\n", ""), "an operation is in no unit");
  EXPECT_EQ(fault_with("%10 max; row tile 0\nkernel %11 subtract; row tile 0", "kernel %11 subtract\n%10 max"),
            "%11 comes before %10");
  EXPECT_EQ(fault_with("kernel %15 negative; epilogue of %14 matmul", "kernel %15 negative\n%14 matmul"),
            "%15 comes before %14");
}

TEST_F(Units, AKernelIsJoinedWithOneOperation) {
  EXPECT_EQ(fault_with("%13 sum\nkernel %15 negative; epilogue of %14 matmul",
                       "kernel %15 negative, %13 sum (reduces); epilogue of %14 matmul"),
            "%15 is joined with several operations");
}

TEST_F(Units, TheUnitsOfARowTileFollowEachOther) {
  EXPECT_EQ(fault_with("%13 sum\n", "%13 sum; row tile 0\n"), "a row tile has a gap");
  EXPECT_EQ(error_with("%12 sort", "%12 sort; row tile 0"), "a unit of a row tile has no rows");
  loops::Block block = parse(text_of_units);
  block.row_tiles.clear();
  EXPECT_EQ(loops::verify(block), "a row tile is not described");
}

TEST_F(Units, LinesThatAreNone) {
  EXPECT_EQ(error_with("%12 sort", "sort"), "not a unit: sort");
  EXPECT_EQ(error_with("%12 sort", "%99 sort"), "not a unit: %99 sort");
  EXPECT_EQ(error_with("%12 sort", "#77 sort"), "not a unit: #77 sort");
  EXPECT_EQ(error_with("%12 sort", "%12 sort; sorted"), "not a unit: %12 sort; sorted");
  EXPECT_EQ(error_with("%12 sort", "%12 sort; %12 apart: mood"), "not a unit: %12 sort; %12 apart: mood");
  EXPECT_EQ(error_with("%12 sort", "%12 sort; row tile one"), "not a unit: %12 sort; row tile one");
  EXPECT_EQ(error_with("  region:\n    %17 sum\n", "    %17 sum\n"), "not a unit:     %17 sum");
}

}  // namespace

}  // namespace covec::test
