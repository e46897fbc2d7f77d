// Graphs as text, there and back.
#include <stdexcept>

#include "tests/ir/ir_support.hpp"

namespace covec::test {

namespace {

void expect_round_trip(const std::string& body) {
  const std::string text = ir::print(graph_of(body));
  EXPECT_EQ(ir::print(ir::parse(text)), text);
}

TEST(Text, RoundTrips) {
  expect_round_trip("return none");
  expect_round_trip("return (%0, list(i64(1), bool(true)), {a: f32(0.5), b: \"x\\\"y\"}, ())");
  expect_round_trip(
      "%10: f64[(%0.0 | %1.0)] = add(%0, %1)\n%11: f64[(%0.0 + 2), (3 * %3)] = zeros(none, none; %3)\nreturn %11");
  expect_round_trip(
      "%10: f64[%0.0] = multiply(i64(2)', %0)\n%11: any = box((%10, none))\n%12: f64[_] = unbox(%11)\nreturn %12");
  expect_round_trip(
      "%10: f64 = index_read(%0, i64(1152921504606846976); %3)\n%11: f32[2] = zeros(none, fn f32; i64(2))\nreturn %10");
  expect_round_trip("%10: f64[2, 2] = add(constant f64[2, 2] {1, -0, inf, nan}, f64(0.10000000000000001))\nreturn %10");
  expect_round_trip("%10: i64 = add(i64(-9223372036854775808), i64(9223372036854775807))\nreturn %10");
  expect_round_trip(
      "%10: f64 = if(%4) () {\n%11: f64 = exp(%2)\npush.1(%11)\ngive %11\n} () {\ngive %2\n}\n%12: f64 = "
      "pop.1()\nreturn %12");
  expect_round_trip(
      "%10: f64 = for.exits(%3, %2) (%11: i64, %12: f64) {\ngive %12, %4\n}\n"
      "%20: f64 = while(%10) (%21: f64) {\ngive %4\n} (%22: f64) {\n%23: f64 = undefined()\ngive %22\n}\nreturn %20");
  expect_round_trip("%10: bool, %11: f64[%0.0] = pause((%0, %2))\nreturn (%10, %11)");
  expect_round_trip(
      "%10: list f64 = list_of(none; %2, f64(1))\n%11: list f64 = list_push(%10, %2)\n%12: f64 = list_item(%11, %3)\n"
      "%13: list f64[_, _] = list_of(none; %8)\n%14: i64 = list_length(%13)\nreturn (%11, %13)");
}

TEST(Text, Names) {
  const std::string text = "function loss(%0: f64[_] w, %1: any) {\n  return %0\n}\n";
  EXPECT_EQ(ir::print(ir::parse(text)), text);
}

void expect_refused(const std::string& body, const std::string& message) {
  try {
    graph_of(body);
    FAIL() << body;
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()), message);
  }
}

TEST(Text, Refusals) {
  expect_refused("%10: f64 = expp(%2)\nreturn %10", "line 2: no operator is called expp");
  expect_refused("%10: f64 = exp(constant f64[100])\nreturn %10",
                 "line 2: a constant of f64[100] is too large for the text");
  expect_refused("%10: any = interpret(%2)\nreturn %10", "line 2: statements for the interpreter are not in the text");
  expect_refused("%10: any = call(fn loss<%2>)\nreturn %10", "line 2: the function loss is not in the text");
  expect_refused("%10: f65 = exp(%2)\nreturn %10", "line 2: no dtype is called f65");
}

}  // namespace

}  // namespace covec::test
