// How many examples run one by one.
#include "tests/ir/ir_support.hpp"

namespace covec::test {

namespace {

const std::vector<Pass> choose = {passes::examples_apart, passes::fold, passes::simplify};
const std::vector<Pass> together = {passes::examples_together, passes::fold, passes::simplify};

// If there are few, the loop that has `body`; otherwise the loop over tensors.
std::string both(const std::string& few, const std::string& body) {
  return "%10: i64 = max_apart(i64(64), i64(1))\n%11: bool = less_equal(" + few +
         ", %10)\n"
         "%12: f64[v0.0] = if(%11) () {\n"
         "  %13: f64[v0.0] = for(%3, %0) (%14: i64, %15: f64[v0.0]) {\n"
         "    %16: f64 = index_read(%0[%14])\n" +
         body +
         "    %20: f64[v0.0] = index_update(%15[%14], %17)\n"
         "    give %20\n"
         "  }\n"
         "  give %13\n"
         "} () {\n"
         "  %21: f64[v0.0] = for(i64(100), %0) (%22: i64, %23: f64[v0.0]) {\n"
         "    %24: f64[v0.0] = multiply(%23, %23)\n"
         "    give %24\n"
         "  }\n"
         "  give %21\n"
         "}\n"
         "return %12";
}

const std::string of_numbers =
    "    %17: f64 = for(i64(100), %16) (%18: i64, %19: f64) {\n"
    "      %25: f64 = multiply(%19, %19)\n"
    "      give %25\n"
    "    }\n";
const std::string of_tensors =
    "    %17: f64 = for(i64(100), %16) (%18: i64, %19: f64) {\n"
    "      %25: f64[v0.0] = multiply(%0, %19)\n"
    "      %26: f64 = sum(%25, none, bool(false))\n"
    "      give %26\n"
    "    }\n";

const std::string that_solve =
    "    %17: f64 = for(i64(100), %16) (%18: i64, %19: f64) {\n"
    "      %25: f64 = divide(f64(1), %19)\n"
    "      %26: bool = equal(%19, f64(0))\n"
    "      %27: f64 = if(%26) () {\n"
    "        %28: f64[1, 1] = reshape(%19, none; i64(1), i64(1))\n"
    "        %29: f64[1, 1] = inv(%28)\n"
    "        %30: f64 = index_read(%29[0, 0])\n"
    "        give %30\n"
    "      } () {\n"
    "        give %25\n"
    "      }\n"
    "      give %27\n"
    "    }\n";

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

TEST(ExamplesApart, LoopsOfNumbers) {
  const std::string made = after(choose, both("%3", of_numbers));
  EXPECT_TRUE(has(made, "less_equal(%3, i64(30))")) << made;  // 25 ns of a kernel for 0.9 ns of a product
  EXPECT_TRUE(has(made, "if(")) << made;
  EXPECT_FALSE(has(made, "max_apart")) << made;
}

// Two products that do not wait for each other take the time of one.
TEST(ExamplesApart, ProductsSideBySide) {
  const std::string body =
      "    %17: f64, %27: f64 = for(i64(100), %16, %16) (%18: i64, %19: f64, %29: f64) {\n"
      "      %25: f64 = multiply(%19, %19)\n"
      "      %26: f64 = multiply(%29, %29)\n"
      "      give %25, %26\n"
      "    }\n";
  EXPECT_TRUE(has(after(choose, both("%3", body)), "less_equal(%3, i64(30))"));
}

TEST(ExamplesApart, FewThatAreKnown) {
  const std::string made = after(choose, both("i64(10)", of_numbers));
  EXPECT_FALSE(has(made, "if(")) << made;
  EXPECT_TRUE(has(made, "index_update")) << made;
}

TEST(ExamplesApart, ManyThatAreKnown) {
  const std::string made = after(choose, both("i64(50)", of_numbers));
  EXPECT_FALSE(has(made, "if(")) << made;
  EXPECT_FALSE(has(made, "index_update")) << made;
}

TEST(ExamplesApart, LoopsThatKeepTensors) {
  const std::string made = after(choose, both("i64(2)", of_tensors));
  EXPECT_FALSE(has(made, "index_update")) << made;
}

// How many there are is not known: the form that is not for any number of them goes all the same.
TEST(ExamplesApart, NeverFew) {
  const std::string made = after(choose, both("%3", of_tensors));
  EXPECT_FALSE(has(made, "if(")) << made;
  EXPECT_FALSE(has(made, "index_update")) << made;
}

// The library solves where the numbers of scalarize cannot, which does not count.
TEST(ExamplesApart, LoopsThatSolve) {
  const std::string made = after(choose, both("i64(2)", that_solve));
  EXPECT_TRUE(has(made, "index_update")) << made;
}

TEST(ExamplesApart, AllTogetherOnDevices) {
  const std::string made = after(together, both("i64(2)", of_numbers));
  EXPECT_FALSE(has(made, "index_update")) << made;
}

}  // namespace

}  // namespace covec::test
