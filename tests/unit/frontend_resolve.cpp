// Names, captures, siblings, binding of arguments, comprehensions and desugaring, as the text form of the core.
#include <gtest/gtest.h>

#include "tests/unit/frontend_support.hpp"

namespace covec::testing {
namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

struct Case {
  const char* text;
  const char* core;
};

void check(const std::vector<Case>& cases) {
  for (const Case& c : cases) EXPECT_EQ(core_of(c.text), c.core) << c.text;
}

TEST(Resolve, NamesBecomeSlots) {
  check({
      {"a = 1\nb = a", "(= a@0 1)\n(= b@1 @0)"},
      {"fn f(x) = x + g\ng = 2", "(= f@0 (closure (fn f (x) (+ x$0! @1))))\n(= g@1 2)"},
      {"fn f(x, *r, **o) = f(*r, a=x, **o)",
       "(= f@0 (closure (fn f (x *r **o) (call @0 (* r$1!) (= a x$0!) (** o$2!)))))"},
      {"x = relu", "(= x@0 'relu)"},
      {"x = pi * 2", "(= x@0 (* 'pi 2))"},
  });
}

TEST(Resolve, ModuleNamesShadowBuiltins) {
  EXPECT_EQ(core_of("relu = 1\nx = relu"), "(= relu@0 1)\n(= x@1 @0)");
  EXPECT_EQ(core_of("x = relu(1)\nrelu = x -> x"), "(= x@0 (call @1 1))\n(= relu@1 (closure (fn _ (x) x$0!)))");
  Session session;
  core::Unit* first = session.compile("fn f(x) = sum(x)");
  session.compile("sum = x -> x");
  EXPECT_EQ(dump_core(*session.compile("y = sum(1)")), "(= y@2 (call @1 1))\n");
  EXPECT_TRUE(contains(dump_core(*first), "(sum x$0! _ _)"));
}

TEST(Resolve, LaterUnitsSeeEarlierNames) {
  Session session;
  session.compile("a = 1");
  session.compile("fn f() = a");
  EXPECT_TRUE(session.module.read_by_functions[0]);
  EXPECT_FALSE(session.module.read_by_functions[1]);
  EXPECT_TRUE(session.compile("a")->ends_in_value);
  EXPECT_FALSE(session.compile("b = a")->ends_in_value);
}

TEST(Resolve, AnAssignedNameIsLocalThroughout) {
  EXPECT_TRUE(contains(core_of("x = 1\nfn f() {\n print(x)\n x = 2\n}"), "(print x$0!?)"));
  EXPECT_TRUE(contains(core_of("fn f() {\n for x in range(3) { }\n print(x)\n}"), "x$0!?"));
}

TEST(Resolve, ClosuresCaptureByValue) {
  EXPECT_TRUE(
      contains(core_of("fn f(a, b) {\n return x -> y -> x + b + y\n}"),
               "(closure b$1 (fn _ (x) captures b (closure x$0 ^0 (fn _ (y) captures x b (+ (+ x^0 b^1) y$0!)))))"));
  EXPECT_TRUE(
      contains(core_of("x = [(y -> y + i)(1) for i in range(3)]"), "(closure i$0 (fn _ (y) captures i (+ y$0! i^0)))"));
}

TEST(Resolve, RecursionOfANestedFunctionIsItself) {
  EXPECT_TRUE(contains(core_of("fn f() {\n fn g(n) = g(n - 1)\n}"), "(call (self g) (- n$0! 1))"));
  // From a lambda inside, it is made anew from what the lambda holds.
  EXPECT_TRUE(contains(core_of("fn f(k) {\n fn g(n) = k + (() -> g(n))()\n}"),
                       "(closure n$0 ^0 (fn _ () captures n k (call (sibling g ^1) n^0)))"));
}

TEST(Resolve, SiblingsHoldWhatTheOthersNeed) {
  std::string dump = core_of(
      "fn f(a, b, c) {\n fn one(n) = two(n) + a\n fn two(n) = three(n) + b\n fn three(n) = one(n) + c\n return one\n}");
  EXPECT_TRUE(contains(
      dump, "(= one$3 (closure a$0 b$1 c$2 (fn one (n) captures a b c (+ (call (sibling two ^1 ^2 ^0) n$0!) a^0))))"))
      << dump;
  EXPECT_TRUE(contains(dump, "(fn two (n) captures b c a ")) << dump;
  EXPECT_TRUE(contains(dump, "(fn three (n) captures c a b ")) << dump;
}

TEST(Resolve, SiblingsOfAnInnerBlockGrowWithTheOuter) {
  std::string dump = core_of(
      "fn f(a, b) {\n fn outer1() {\n  fn p() = q()\n  fn q() = outer2()\n  return p\n }\n fn outer2() = a + b\n}");
  EXPECT_TRUE(contains(dump, "(fn p () captures a b (call (sibling q ^0 ^1)))")) << dump;
  EXPECT_TRUE(contains(dump, "(fn outer1 () captures a b")) << dump;
}

TEST(Resolve, ANameBoundTwiceIsCapturedNotASibling) {
  std::string dump = core_of("fn f() {\n fn g() = h\n h = 1\n fn h() = 2\n}");
  EXPECT_TRUE(contains(dump, "(closure h$1 (fn g () captures h h^0))")) << dump;
}

TEST(Resolve, ModuleFunctionsAreLookedUpAtEachCall) {
  EXPECT_EQ(core_of("fn f(n) = g(n)\nfn g(n) = f(n)"),
            "(= f@0 (closure (fn f (n) (call @1 n$0!))))\n(= g@1 (closure (fn g (n) (call @0 n$0!))))");
}

// --- functions ---

TEST(Resolve, DefaultsSeeEarlierParametersAndTheDefinitionsScope) {
  EXPECT_TRUE(contains(core_of("n = 1\nfn f(a, b=a, c=n) {\n n = 2\n}"), "(fn f (a b=a$0? c=@0) "))
      << core_of("n = 1\nfn f(a, b=a, c=n) {\n n = 2\n}");
  EXPECT_EQ(keys_of("fn f(a=b, b=1) = a"), "unknown_name");
}

TEST(Resolve, Dimensions) {
  std::string dump = core_of("fn f(n, x: f64[n, m, 3, _, ..., m + 1], y: f64[m]) -> f64[m] = m");
  EXPECT_TRUE(contains(dump, "x:f64[n$0=parameter m$3 3 _ ... (+ m$3? 1)] y:f64[m$3]) -> f64[m$3] m$3")) << dump;
}

TEST(Resolve, DecoratorsAndDocumentation) {
  Session session;
  core::Unit* unit = session.compile(
      "fn f(x) = x\n# Adds.\n@compile(strict=true) @derivative(of=f)\nfn g(x, y=1) = x\n@test fn t() { }");
  auto function = [&](size_t i) {
    return static_cast<core::MakeClosure*>(static_cast<core::Assign*>(unit->body[i])->value)->function;
  };
  EXPECT_TRUE(function(0)->simple);
  EXPECT_EQ(function(1)->doc, "Adds.");
  EXPECT_TRUE(function(1)->compile);
  EXPECT_FALSE(function(1)->simple);
  ASSERT_EQ(function(1)->compile_options.size(), 1u);
  EXPECT_EQ(function(1)->compile_options[0].name, "strict");
  EXPECT_EQ(function(1)->derivative_of->kind, core::ExprKind::global);
  EXPECT_TRUE(function(2)->test);
}

// --- calls ---

TEST(Resolve, BuiltinArgumentsAreBound) {
  check({
      {"sum(1)", "(sum 1 _ _)"},
      {"sum(1, keepdims=true)", "(sum 1 _ true)"},
      {"sum(axis=0, x=1)", "(sum 1 0 _)"},
      {"print(1, 2, digits=3)", "(print 1 2 (= digits 3))"},
      {"print()", "(print)"},
      {"zeros(3, 4, dtype=f32)", "(zeros 3 4 (= dtype 'f32))"},
      {"where(1, 2, 3)", "(where 1 2 3)"},
  });
  EXPECT_EQ(keys_of("zeros()"), "missing_argument");
  EXPECT_EQ(problems_of("relu(1, 2)")[0].message, "`relu` takes 1 argument, got 2");
}

TEST(Resolve, Methods) {
  Session session;
  auto call = [&](const char* text) {
    return static_cast<core::MethodCall*>(static_cast<core::Evaluate*>(session.compile(text)->body.back())->value);
  };
  core::MethodCall* good = call("x = 1\nx.sum(axis=0)");
  ASSERT_NE(good->as_builtin, nullptr);
  EXPECT_EQ(good->as_builtin->args[0], nullptr);
  EXPECT_EQ(good->as_builtin->args[1], good->args[0].value);
  EXPECT_TRUE(good->as_builtin->method);
  core::MethodCall* bad = call("x.sum(axes=0)");
  EXPECT_EQ(bad->as_builtin, nullptr);
  EXPECT_EQ(bad->bind_error, "`sum` has no parameter `axes`");
  EXPECT_EQ(bad->bind_hint, "did you mean `axis`?");
  EXPECT_EQ(call("x.reshape(1, 2)")->bind_error, "`reshape` takes 2 arguments, got 3");
  EXPECT_EQ(call("x.anything(1)")->builtin, nullptr);
  EXPECT_EQ(call("x.where(1)")->builtin, nullptr);  // not a method
}

TEST(Resolve, Fields) {
  check({
      {"x = 1\nx.shape", "(= x@0 1)\n(field @0 shape (attribute))"},
      {"x = 1\nx.w.T", "(= x@0 1)\n(field (field @0 w) T (attribute))"},
  });
}

// --- expressions ---

TEST(Resolve, Literals) {
  Session session;
  auto literal = [&](const char* text) {
    return static_cast<core::Evaluate*>(session.compile(text)->body.back())->value->literal;
  };
  for (const char* yes : {"1", "2.5", "-1", "+1", "1 + 2 * 3", "-(1.5 ^ 2)", "(1)"}) EXPECT_TRUE(literal(yes)) << yes;
  for (const char* no : {"true", "none", "\"s\"", "pi", "[1]", "abs_ = 1\nabs_", "relu(1)", "1 if true else 2"}) {
    EXPECT_FALSE(literal(no)) << no;
  }
}

TEST(Resolve, AMinusBelongsToItsNumber) {
  check({
      {"-9223372036854775808", "-9223372036854775808"},
      {"-1.5", "-1.5"},
      {"-x_ -1\nx_ = 1", "(- (neg @0) 1)\n(= x_@0 1)"},
      {"2^-2", "(^ 2 -2)"},
      {"-2^2", "(neg (^ 2 2))"},
      {"-0.0", "-0.0"},
  });
  EXPECT_EQ(keys_of("- 9223372036854775809"), "number_too_large");
}

TEST(Resolve, NumbersOfSeveralPartsFit) {
  for (const char* good :
       {"2^62", "-2^63", "2^63 - 1", "-(2^62) * 2", "10^18", "0 * 5", "(-1)^1000000001", "1^1000000000000", "2.0^64",
        "10.0 * 10^18", "2^62 * 1.0", "x = 2\nx^64", "2^x^3\nx = 1", "2^-70", "3 // 2^62"}) {
    EXPECT_EQ(keys_of(good), "") << good;
  }
  for (const char* bad : {"2^63",
                          "10^19",
                          "x = 10^19",
                          "-(2^63) - 1",
                          "-2^64",
                          "2^62 * 2",
                          "9223372036854775807 + 1",
                          "2^63 * 1.0",
                          "1.5 + 10^19",
                          "[1, 2^63]",
                          "f(2^63)\nfn f(x) = x",
                          "x = 1\nx + 10^19",
                          "x = [1]\nx[2^63]",
                          "2^64 // 2",
                          "2^63 < 1",
                          "if 2^64 > 0 {}",
                          "10^1000 - 10^1000",
                          "10^40 * 0",
                          "(-2)^65",
                          "+2^63",
                          "2^63 if true else 1",
                          "x -> x * 2^63",
                          "fn f(x=2^63) = x",
                          "2^4^9",
                          "(2^63).shape",
                          "f\"{2^63}\"",
                          "x = 1\nx += 2^63"}) {
    EXPECT_EQ(keys_of(bad), "number_too_large") << bad;
  }
}

TEST(Resolve, ComparisonsEvaluateTheMiddleOnce) {
  check({
      {"a = 1\n0 < a < 2", "(= a@0 1)\n(& (< 0 @0) (< @0 2))"},
      {"0 < rand(1) < 2", "(& (< 0 (bind tmp$0 (rand 1))) (< tmp$0 2))"},
      {"1 < 2 < 3 < 4", "(& (& (< 1 2) (< 2 3)) (< 3 4))"},
  });
}

TEST(Resolve, ShortCircuit) {
  check({
      {"true and false or true", "(or (and true false) true)"},
      {"1 if true else 2", "(if true 1 2)"},
      {"not true", "(not true)"},
  });
}

TEST(Resolve, Indices) {
  check({
      {"x = 1\nx[newaxis, none, ..., 1:, -1]", "(= x@0 1)\n(index @0 newaxis newaxis ... (: 1 _) -1)"},
      {"newaxis = 2; x = 1\nx[newaxis]", "(= newaxis@0 2)\n(= x@1 1)\n(index @1 @0)"},
  });
}

TEST(Resolve, FormatStrings) { check({{"f\"a {1:.2f}\"", "(format \"a \" {1:.2f})"}}); }

// --- comprehensions ---

TEST(Comprehension, Ranges) {
  check({
      {"[i + j for i in range(2), j in range(3)]", "(each (i$0 in (range 2 _ _)) (j$1 in (range 3 _ _)) (+ i$0 j$1))"},
      {"xs = 1\n[x for (i, x) in enumerate(xs)]", "(= xs@0 1)\n(each ((tuple i$0 x$1) in (enumerate @0)) x$1)"},
      {"sum(k for k in range(3))", "(reduce_each sum (k$0 in (range 3 _ _)) k$0)"},
      {"list(k for k in range(3))", "(list_each (k$0 in (range 3 _ _)) k$0)"},
  });
}

TEST(Comprehension, TargetsArePrivate) {
  check({{"i = 7\nx = [i for i in range(2)]\ni", "(= i@0 7)\n(= x@1 (each (i$0 in (range 2 _ _)) i$0))\n@0"}});
  EXPECT_EQ(keys_of("x = [i for i in range(2)]\ni"), "unknown_name");
  EXPECT_EQ(keys_of("x = [1 for i in range(i)]"), "unknown_name");
}

TEST(Comprehension, LaterRangesMaySeeEarlierTargets) {
  check({{"list(y for x in range(3), y in range(x))",
          "(list_each (x$0 in (range 3 _ _)) (y$1 in (range x$0? _ _)) y$1)"}});
}

TEST(Comprehension, InferredExtents) {
  check({
      {"x = 1\n[x[i] for i]", "(= x@0 1)\n(each (i$0 of @0 axis 0) (index @0 i$0))"},
      {"x = 1; y = 2\n[x[i] + y[0, i] + x[i] for i]",
       "(= x@0 1)\n(= y@1 2)\n(each (i$0 of @0 axis 0 of @1 axis 1) (+ (+ (index @0 i$0) (index @1 0 i$0)) (index @0 "
       "i$0)))"},
      {"x = 1\n[x[:, newaxis, i] for i]", "(= x@0 1)\n(each (i$0 of @0 axis 1) (index @0 (: _ _) newaxis i$0))"},
      {"p = 1\n[p.w[i] for i]", "(= p@0 1)\n(each (i$0 of (field @0 w) axis 0) (index (field @0 w) i$0))"},
      {"x = 1\n[[x[i, j] for j] for i]",
       "(= x@0 1)\n(each (i$0 of @0 axis 0) (each (j$1 of @0 axis 1) (index @0 i$0 j$1)))"},
      {"x = 1\n[sum(x[i][k] for k) for i]",
       "(= x@0 1)\n(each (i$0 of @0 axis 0) (reduce_each sum (k$1 of (bind tmp$2 (index @0 i$0)) axis 0) (index tmp$2 "
       "k$1)))"},
  });
  EXPECT_EQ(keys_of("x = 1\n[x[..., i] for i]"), "indexes_nothing");
  EXPECT_EQ(keys_of("x = 1\n[x[i + 1] for i]"), "indexes_nothing");
  EXPECT_EQ(keys_of("x = 1\n[x[i][i] for i]"), "");
  EXPECT_EQ(keys_of("[range(i)[i] for i]"), "indexes_nothing");
  EXPECT_EQ(keys_of("x = 1\n[(y -> y[i])(x) for i]"), "indexes_nothing");
}

TEST(Comprehension, AComputedTensorIsEvaluatedOnceBeforeTheBody) {
  check({
      {"[zeros(3)[i] for i]", "(each (i$0 of (bind tmp$1 (zeros 3)) axis 0) (index tmp$1 i$0))"},
      {"[zeros(3)[i, j] for i, j]",
       "(each (i$0 of (bind tmp$2 (zeros 3)) axis 0) (j$1 of tmp$2 axis 1) (index tmp$2 i$0 j$1))"},
      // Found by the inner comprehension first, then needed by the outer one: it moves out.
      {"[[zeros(3)[i, j] for j] for i]",
       "(each (i$0 of (bind tmp$2 (zeros 3)) axis 0) (each (j$1 of tmp$2 axis 1) (index tmp$2 i$0 j$1)))"},
  });
}

TEST(Contraction, MatrixProduct) {
  check({
      {"A = 1; B = 2\n[sum(A[i, k] * B[k, j] for k) for i, j]",
       "(= A@0 1)\n(= B@1 2)\n(each (i$0 of @0 axis 0) (j$1 of @1 axis 1) (contract (k) (@0 i$0 k) (@1 k j$1)))"},
      {"x = 1; y = 2\nsum(x[k] * y[k] for k in range(3))",
       "(= x@0 1)\n(= y@1 2)\n(contract (k in (range 3 _ _)) (@0 k) (@1 k))"},
      {"x = 1\nsum(x[i, k] * x[k, l] * x[l, i] for i, k, l)",
       "(= x@0 1)\n(contract (i) (k) (l) (@0 i k) (@0 k l) (@0 l i))"},
      {"[sum(zeros(3)[i, k] * zeros(4)[k] for k) for i]",
       "(each (i$0 of (bind tmp$2 (zeros 3)) axis 0) (contract (k) (tmp$2 i$0 k) ((zeros 4) k)))"},
  });
}

TEST(Contraction, WhatIsNotOne) {
  for (const char* text : {
           "sum(x[k] for k)",                         // one factor
           "sum(x[k] * y[k] + 1 for k)",              // not a product
           "sum(2 * x[k] * y[k] for k)",              // a factor that is not indexed
           "sum(x[k] * (y[k] * x[k]) for k)",         // not a plain chain
           "sum(x[k + 0] * y[k] for k in range(3))",  // an index that is not a name
           "sum(x[k] * y[n] for k)",                  // k in one factor only
           "sum(x[k, n] * y[k, n] for k)",            // n is a variable, not an index name
           "sum(x[k][k] * y[k] for k)",               // a tensor that depends on k
           "sum(x[k] * y[k] for k in n)",             // over values, not a range
           "prod(x[k] * y[k] for k)",                 // not a sum
           "sum(x[k, l] * y[k] for k, l)",            // l in one factor only
           "sum(x[k] / y[k] for k)",
           "[sum(x[k] * y[v, k] for k) for v in n]",  // v may be any value
       }) {
    std::string dump = core_of("x = 1; y = 2; n = 3\n" + std::string(text));
    EXPECT_FALSE(contains(dump, "contract")) << dump;
    EXPECT_TRUE(contains(dump, "reduce_each")) << dump;
  }
}

// --- statements ---

TEST(Resolve, Updates) {
  check({
      {"x = 1\nx += 2", "(= x@0 1)\n(update + x@0 2)"},
      {"x = 1\nx[0].w[1:] = 2", "(= x@0 1)\n(update (path x@0 [ 0 ] .w [ (: 1 _) ]) 2)"},
      {"x = 1\nx.a.push(2)", "(= x@0 1)\n(push (path x@0 .a) 2)"},
      {"x = 1\nx.push(2, 3)",
       "(= x@0 1)\n(method push @0 2 3 (unbound \"`push` takes 2 arguments, got 3; the value before the dot is "
       "the "
       "first argument\"))"},
      {"x = 1\ny = x.push(2)", "(= x@0 1)\n(= y@1 (method push @0 2 (builtin)))"},
      {"list().push(2)", "(method push (list) 2 (builtin))"},
  });
}

TEST(Resolve, ElseIfIsAnIfInTheElse) {
  check(
      {{"if true { 1 } else if false { 2 } else { 3 }", "(if true {\n  1\n} else if false {\n  2\n} else {\n  3\n})"}});
}

TEST(Resolve, Imports) {
  check({
      {"import nn", "(import nn @0)"},
      {"import \"a/b.covec\" as b\nb", "(import \"a/b.covec\" @0)\n@0"},
  });
}

TEST(Resolve, UpdatesOfNamesThatAreNotThere) {
  EXPECT_EQ(keys_of("x += 1"), "unknown_name");
  EXPECT_EQ(keys_of("sum += 1"), "unknown_name");
  EXPECT_EQ(keys_of("fn f() { y[0] = 1 }"), "unknown_name");
  EXPECT_EQ(keys_of("fn f(x) { g = () -> 1\n h = fn() { x[0] = 1 } }"), "update_of_outer");
  EXPECT_EQ(keys_of("x.push(1)"), "unknown_name");
}

}  // namespace
}  // namespace covec::testing
