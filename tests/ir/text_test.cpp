// Graphs as text, there and back.
#include <stdexcept>

#include "stdlib/ops/contract/index_spec.hpp"
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
      "%10: f64[(v0.0 | v1.0)] = add(%0, %1)\n%11: f64[(v0.0 + 2), (3 * v3)] = zeros(none, none; %3)\nreturn %11");
  expect_round_trip(
      "%10: f64[v0.0] = multiply(i64(2)', %0)\n%11: any = box((%10, none))\n%12: f64[_] = unbox(%11)\nreturn %12");
  expect_round_trip("%10: f64 = index_read(%0[%3])\n%11: f32[2] = zeros(none, fn f32; i64(2))\nreturn %10");
  expect_round_trip("%10: f64[2, 2] = add(constant f64[2, 2] {1, -0, inf, nan}, f64(0.10000000000000001))\nreturn %10");
  expect_round_trip("%10: i64 = add(i64(-9223372036854775808), i64(9223372036854775807))\nreturn %10");
  expect_round_trip(
      "%10: f64 = if(%4) () {\n%11: f64 = exp(%2)\npush.1(%11)\ngive %11\n} () {\ngive %2\n}\n%12: f64 = "
      "pop.1()\nreturn %12");
  expect_round_trip(
      "%10: f64 = for.exits(%3, %2) (%11: i64, %12: f64) {\ngive %12, %4\n}\n"
      "%20: f64 = while(%10) (%21: f64) {\ngive %4\n} (%22: f64) {\n%23: f64 = undefined()\ngive %22\n}\nreturn %20");
  expect_round_trip("%10: bool, %11: f64[v0.0] = pause((%0, %2))\nreturn (%10, %11)");
  expect_round_trip(
      "%10: list f64 = list_of(none; %2, f64(1))\n%11: list f64 = list_push(%10, %2)\n%12: f64 = list_item(%11, %3)\n"
      "%13: list f64[_, _] = list_of(none; %8)\n%14: i64 = list_length(%13)\nreturn (%11, %13)");
}

// What an index is in the language, and what a slice leaves out.
TEST(Text, Indices) {
  for (const char* index : {"0",
                            "-1",
                            "%3",
                            "%3, %3",
                            "%3, -2",
                            ":",
                            "1:",
                            ":%3",
                            "1:-1",
                            "%3:%3",
                            "::2",
                            "::-1",
                            "1::%3",
                            ":1:2",
                            "%3:5:-1",
                            "...",
                            "..., 0",
                            "0, ...",
                            "newaxis",
                            "newaxis, :, newaxis",
                            "%5",
                            "%5, %5",
                            "%9",
                            "i32(2)",
                            "bool(true)",
                            "%7",
                            "constant i64[2] {0, 1}",
                            "constant bool[2] {true, false}",
                            "0, :, ..., newaxis, 1:%3, %5",
                            "(%3, i64(1)):",
                            "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11"}) {
    const std::string at = "[" + std::string(index) + "]";
    expect_round_trip("%10: f64[_] = index_read(%8" + at + ")\nreturn %10");
    expect_round_trip("%10: f64[v8.0, v8.1] = index_update(%8" + at + ", %0)\nreturn %10");
    expect_round_trip("%10: f64[v8.0, v8.1] = index_add(%8" + at + ", f64(1)')\nreturn %10");
    expect_round_trip("%10: bool[_] = index_last(%8" + at + ")\n%11: bool = index_distinct(%8" + at + ")\nreturn %10");
    EXPECT_NE(ir::print(graph_of("%10: f64 = index_read(%8" + at + ")\nreturn %10")).find("index_read(%8" + at + ")"),
              std::string::npos)
        << at;
  }
  expect_round_trip("%10: list f64 = list_of(none; %2)\n%11: list f64 = list_slice(%10[%3:])\nreturn %11");
  expect_round_trip(
      "%10: f64 = index_read(constant f64[2] {1, 2}[%3])\n%11: f64 = index_read(f64(1)[...]')\nreturn %10");
  // A format's spec is no index.
  expect_round_trip("%10: any = format(%2, \".3f\")\nreturn %10");
}

// The text says what the entry is given.
TEST(Text, IndicesAreSpecs) {
  ir::Graph graph = graph_of("%10: f64[_, _] = index_update(%8[%3, 1:], f64(2)')\nreturn %10");
  ir::Operation& update = graph.body.operations[0];
  ops::IndexSpec spec;
  spec.push(ops::IndexSpec::Item::at);
  spec.push(ops::IndexSpec::Item::slice, true);
  ASSERT_EQ(update.args.size(), 3u);
  EXPECT_EQ(update.args[2].i64(), spec.packed());
  EXPECT_EQ(update.literals, 2u);
  ASSERT_EQ(update.rest.size(), 2u);
  EXPECT_TRUE(ir::is_symbol(update.rest[0]));
  EXPECT_EQ(update.rest[1].i64(), 1);
  // One that does not fit its values is shown packed, and comes back so.
  update.rest.pop_back();
  const std::string text = ir::print(graph);
  EXPECT_NE(text.find("index_update(%8, f64(2)', i64("), std::string::npos) << text;
  EXPECT_EQ(ir::print(ir::parse(text)), text);
}

void expect_same(const std::string& text) { EXPECT_EQ(ir::print(ir::parse(text)), text); }

TEST(Text, Names) {
  expect_same("function grad(f)(%0: f64[_] x) {\n  return %0\n}\n");
  expect_same("function f() {\n  return none\n}\n");
  expect_same("function loss(%0: f64[_] w, %1: any) {\n  return %0\n}\n");
}

TEST(Text, SizesByNames) {
  expect_same(
      "function f(%0: f64[_] x, %1: f64[x.0, (x.0 + 1)] m, %2: i64 n) {\n  %3: i64 = dimension.0(%0)\n  %4: f64[n, "
      "(m.1 | v3)] = undefined()\n"
      "  return %4\n}\n");
  // A parameter that comes later, and letters past ASCII.
  expect_same("function f(%0: f64[y.0] x, %1: f64[_] y) {\n  return %0\n}\n");
  expect_same("function f(%0: f64[_] größe, %1: f64[größe.0]) {\n  return %1\n}\n");
  // Two parameters of one name, and names that sizes have another meaning for.
  expect_same(
      "function f(%0: f64[_] p, %1: f64[v0.0] p, %2: i64) {\n  %3: f64[v2] = zeros(none, none; %2)\n  return %3\n}\n");
  expect_same(
      "function f(%0: f64[_] v1, %1: f64[v0.0] _, %2: f64[v1.0] v) {\n  %3: f64[v.0] = exp(%2)\n  return %3\n}\n");
  expect_same("function f(%0: i64 less) {\n  %1: f64[(less saturating_sub 1)] = undefined()\n  return %1\n}\n");
}

TEST(Text, SizesForPeople) {
  const ir::Graph graph =
      ir::parse("function f(%0: f64[_] x, %1: i64 v7, %2: f64[_], %3: f64[x.0, v1, v2.0]) {\n  return %3\n}\n");
  const Shape& shape = graph.values[3].type.shape;
  EXPECT_EQ(ir::print(graph, shape[0]), "x.shape[0]");
  EXPECT_EQ(ir::print(graph, shape[1]), "v7");
  EXPECT_EQ(ir::print(graph, shape[2]), "v2.0");
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
  expect_refused("%10: f64[%0.0] = exp(%0)\nreturn %10", "line 2: expected a size, not `%`");
  expect_refused("%10: f64[,] = exp(%0)\nreturn %10", "line 2: expected a size, not `,`");
  expect_refused("%10: f64[(… + 1)] = exp(%0)\nreturn %10", "line 2: a size that is cut short is not in the text");
  expect_refused("%10: f64[x.0] = exp(%0)\nreturn %10", "line 2: no parameter is called x");
  expect_refused("%10: f64[v1000001] = exp(%0)\nreturn %10", "line 2: that is no value");
  expect_refused("%10: f65 = exp(%2)\nreturn %10", "line 2: no dtype is called f65");
  const auto expect_bad_index = [](const std::string& call, const std::string& message) {
    expect_refused("%10: f64 = exp(%2)\n%11: f64 = " + call + "\nreturn %11", "line 3: " + message);
  };
  expect_bad_index("index_read(%0[])", "expected an item of an index, not `]`");
  expect_bad_index("index_read(%0[1,])", "expected an item of an index, not `]`");
  expect_bad_index("index_read(%0[1 2])", "expected , or ] after an item of an index, not `2`");
  expect_bad_index("index_read(%0[1:2:3:4])", "expected , or ] after an item of an index, not `:`");
  expect_bad_index("index_read(%0[1.5])", "expected , or ] after an item of an index, not `.`");
  expect_bad_index("index_read(%0[1)", "expected , or ] after an item of an index, not `)`");
  expect_bad_index("index_read(%0[-])", "expected a whole number");
  expect_bad_index("index_read(%0[x])", "no value is written x");
  expect_bad_index("index_read(%0[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])", "an index has at most 12 items");
  expect_bad_index("index_read(%0[1]; %3)", "expected )");
  expect_bad_index("index_read(%0[1], %2)", "index_read takes an index and 1 operand");
  expect_bad_index("index_update(%0[1])", "index_update takes an index and 2 operands");
  expect_bad_index("index_update(%0, %2[1])", "the index of index_update stands behind its first operand");
  expect_bad_index("index_read(%0[1][2])", "expected ,");
  expect_bad_index("exp(%0[1])", "exp takes no index");
  expect_bad_index("contract(%0[1])", "contract takes no index");
  expect_bad_index("format(%2[1])", "format takes no index");
  expect_bad_index("box(%0[1])", "only entries take an index");
  EXPECT_THROW(ir::parse("function f(%0: f64[_] p, %1: f64[p.0] p) {\n  return %0\n}\n"), std::runtime_error);
}

}  // namespace

}  // namespace covec::test
