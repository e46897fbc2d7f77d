// What verify() says of graphs that are wrong, each wrong in one way.
#include "tests/ir/ir_support.hpp"

namespace covec::test {

namespace {

void expect_fault(const std::string& body, const std::string& fault) {
  EXPECT_EQ(ir::verify(graph_of(body)), fault) << body;
}

TEST(Verify, Definitions) {
  expect_fault("%10: f64 = exp(%2)\nreturn %10", "");
  expect_fault("%10: f64 = exp(%11)\n%11: f64 = exp(%2)\nreturn %10",
               "%10 = exp uses %11, which is not defined before it");
  expect_fault("%10: f64 = exp(%2)\n%10: f64 = exp(%2)\nreturn %10", "%10 = exp defines %10 a second time");
  expect_fault("%10: f64 = if(%4) () {\n%11: f64 = exp(%2)\ngive %11\n} () {\ngive %11\n}\nreturn %10",
               "%10 = if uses %11, which is not visible there");
  expect_fault("return %77", "the function uses %77, which is not defined before it");
}

TEST(Verify, Types) {
  expect_fault("%10: f32 = exp(%2)\nreturn %10", "%10 = exp gives f64 of rank 0, but is f32 of rank 0");
  expect_fault("%10: f64 = exp(%0)\nreturn %10", "%10 = exp gives f64 of rank 1, but is f64 of rank 0");
  expect_fault("%10: f64 = sum(%8, i64(0), bool(false))\nreturn %10",
               "%10 = sum gives f64 of rank 1, but is f64 of rank 0");
  expect_fault("%10: i64 = dimension.1(%0)\nreturn %10", "%10 = dimension is along axis 1 of rank 1");
  expect_fault("%10: f64 = box(%2)\nreturn %10", "%10 = box gives a value that is typed");
}

TEST(Verify, Lists) {
  const std::string list = "%10: list f64 = list_of(none; %2)\n";
  expect_fault(list + "%11: list f64 = list_push(%10, %2)\n%12: f64 = list_item(%11, %3)\nreturn %12", "");
  expect_fault(list + "%11: list f64 = list_push(%10, %3)\nreturn %11",
               "%11 = list_push is of items of f64 of rank 0, %3 is none");
  expect_fault(list + "%11: i64 = list_item(%10, %3)\nreturn %11",
               "%11 = list_item is of items of f64 of rank 0, %11 is none");
  expect_fault(list + "%11: f64 = list_length(%10)\nreturn %11",
               "%11 = list_length is of items of i64 of rank 0, %11 is none");
  expect_fault("%10: list f64[_] = list_of(none; %0, %8)\nreturn %10",
               "%10 = list_of is of items of f64 of rank 1, %8 is none");
  expect_fault("%10: any = list_of(none; %2)\nreturn %10", "%10 = list_of gives a value that is no list");
  expect_fault("%10: f64 = list_item(%0, %3)\nreturn %10", "%10 = list_item is of no list");
  expect_fault(list + "%11: any = if(%4) () {\ngive %10\n} () {\ngive none\n}\nreturn %11",
               "%11 = if gives %11 a value that is a list");
}

TEST(Verify, Regions) {
  expect_fault("%10: f64 = if(%3) () {\ngive %2\n} () {\ngive %2\n}\nreturn %10",
               "%10 = if has a condition that is no bool");
  expect_fault("%10: f64 = if(%4) () {\ngive %2\n} () {\ngive %3\n}\nreturn %10",
               "%10 = if gives %10, f64 of rank 0, a value that is i64 of rank 0");
  expect_fault("%10: f64 = if(%4) () {\ngive %2\n} () {\ngive %2, %2\n}\nreturn %10",
               "%10 = if has 1 results, a path gives 2");
  expect_fault("%10: f64 = if(%4) () {\ngive %2\n}\nreturn %10", "%10 = if has 1 paths, not two");
  expect_fault("%10: f64 = for(%3, %2) (%11: i64, %12: i64) {\ngive %2\n}\nreturn %10",
               "%10 = for gives %10, f64 of rank 0, a parameter that is i64 of rank 0");
  expect_fault("%10: f64 = for.exits(%3, %2) (%11: i64, %12: f64) {\ngive %12, %2\n}\nreturn %10",
               "%10 = for has a way on that is no bool");
  expect_fault("%10: f64 = for.exits(%3, %2) (%11: i64, %12: f64) {\ngive %12\n}\nreturn %10",
               "%10 = for has 1 results, a pass gives 1 (the last: go on)");
}

TEST(Verify, Pauses) {
  expect_fault("%10: f64 = pause(%2)\nreturn %10", "");
  expect_fault("%10: f64 = pause(%2, %2)\nreturn %10", "%10 = pause gives 2 values, not one");
  expect_fault("%10: any = pause(%2)\nreturn %10", "%10 = pause is given a boxed value");
  expect_fault("%10: f64 = pause(%2)\n%11: f64 = pause(%2)\nreturn %10", "%11 = pause is a second one");
  expect_fault("%10: f64 = if(%4) () {\n%11: f64 = pause(%2)\ngive %11\n} () {\ngive %2\n}\nreturn %10",
               "%11 = pause stands inside a region");
}

TEST(Verify, CachedTypesAndDimensions) {
  ir::Graph graph = graph_of("%10: f64 = exp(%2)\nreturn %10");
  graph.values[2].type.dtype = Dtype::f32;
  EXPECT_EQ(ir::verify(graph), "%10 = exp takes %2 for f64 of rank 0, it is f32 of rank 0");
  graph = graph_of("return %2");
  graph.dims.push_back({ir::DimExpression::Kind::axis_of, 99, 0, 0, 0});
  EXPECT_EQ(ir::verify(graph),
            "dimension " + std::to_string(graph.dims.size() - 1) + " is of a value that does not exist");
}

}  // namespace

}  // namespace covec::test
