// Functions of a host's that programs call: the same values, errors and calls on each engine.
#include "host_functions.hpp"

namespace {

TEST(HostFunctions, AreCalledAsAnyOther) {
  gives("twice(3.0)", "6.0", "twice(3.0)");
  gives("twice(x=3.0) + twice([1.0, 2.0])", "[8.0, 10.0]", "twice(3.0) twice([1.0, 2.0])");
  gives("both(b=1, a=\"one\")", "(\"one\", 1)", "both(one, 1)");
  gives("both(1, b=2)", "(1, 2)", "both(1, 2)");
  gives("both(*(1, 2))", "(1, 2)", "both(1, 2)");
  gives("both(**{b: 1, a: 2})", "(2, 1)", "both(2, 1)");
  gives("note()\nnote(1, [2.0], \"a\\nb\", {r: (none, true)})", "none",
        "note() note(1, [2.0], a\nb, {r: (none, true)})");
  gives("fn f(x) = twice(twice(x)) + 1\nf(1.5)", "7.0", "twice(1.5) twice(3.0)");
  gives("fn f(x) = square(square(x)) + 1\nf(2.0)", "17.0", "square(2.0) square(4.0)");
  gives("fn f(x) = sum(scaled(x) * scaled(x)) + len(scaled(x))\nf([1.0, 2.0, 3.0])", "59.0",
        "scaled([1.0, 2.0, 3.0]) scaled([1.0, 2.0, 3.0]) scaled([1.0, 2.0, 3.0])");
}

TEST(HostFunctions, AreValues) {
  gives("print(twice)\ntwice", "<fn twice>", "");
  gives("r = {f: twice, g: list(square)}\nr.f(1.0) + r.g[0](3.0)", "11.0", "twice(1.0) square(3.0)");
  gives("fn apply(f, x) = f(x)\n(apply(twice, 1.0), apply(square, 3.0), apply(sin, 0.0))", "(2.0, 9.0, 0.0)",
        "twice(1.0) square(3.0)");
  gives("f = x -> twice(x) + 1\nfn g(h) = h(2.0)\ng(f)", "5.0", "twice(2.0)");
  gives("sort([3.0, 1.0, 2.0], by=next)", "[1.0, 2.0, 3.0]", "next(3.0) next(1.0) next(2.0)");
  gives("fn f(xs) = sort(xs, by=x -> -twice(x))\nf(list(1.0, 3.0))", "list(3.0, 1.0)", "twice(1.0) twice(3.0)");
  gives("tree_map(twice, {a: 1.0, b: (2.0, 3.0)})", "{a: 2.0, b: (4.0, 6.0)}", "twice(1.0) twice(2.0) twice(3.0)");
  gives("fn f(n) = [square(f64(i)) for i in range(n)]\nf(3)", "[0.0, 1.0, 4.0]", "square(0.0) square(1.0) square(2.0)");
  gives("fn f(n) = [twice(f64(i)) for i in range(n)]\nf(3)", "[0.0, 2.0, 4.0]", "twice(0.0) twice(1.0) twice(2.0)");
  gives("fn f(xs) = list(with(x, 1) for x in xs)\nf(list(1, \"a\"))", "list({r: 1, x: 1}, {r: \"a\", x: 1})",
        "with(1, 1) with(a, 1)");
  gives("fn f(x) = with({a: x, s: \"t\"}, (x, none))\nf([1.0])", "{r: {a: [1.0], s: \"t\"}, x: ([1.0], none)}",
        "with({a: [1.0], s: \"t\"}, ([1.0], none))");
  gives("fn f(x) { r = with(x, 2 * x)\n return r.r + r.x }\nf(2.0)", "6.0", "with(2.0, 4.0)");
  gives("fn f(x) { (a, b) = both(x, x + 1)\n return a * b }\nf(2.0)", "6.0", "both(2.0, 3.0)");
}

TEST(HostFunctions, AreCalledAsOftenAsTheProgramSays) {
  gives("fn f(x) { if x > 0 { return next(x) } else { return next(next(x)) } }\n(f(1.0), f(-1.0))", "(2.0, 1.0)",
        "next(1.0) next(-1.0) next(0.0)");
  gives("fn f(n) { s = 0.0\n for i in range(n) { s += next(1.0) }\n return s }\nf(3)", "6.0",
        "next(1.0) next(1.0) next(1.0)");
  gives("fn f(x) { i = 0\n while x < 3 { x = next(x)\n i += 1 }\n return i }\nf(0.5)", "3",
        "next(0.5) next(1.5) next(2.5)");
  gives("fn f(x) { next(x)\n y = next(x + 1)\n note(x)\n return x }\nf(0.5)", "0.5", "next(0.5) next(1.5) note(0.5)");
  gives("fn f(x) { y = next(2.0) * 0.0\n return next(2.0) + next(2.0) }\nf(1.0)", "6.0",
        "next(2.0) next(2.0) next(2.0)");
  gives("fn f() { if false { note(1) }\n return 1\n note(2) }\nf()", "1", "");
  gives("fn f(x) = x > 0 and next(x) > 2 or next(-x) > 2\n(f(1.0), f(-3.0))", "(false, true)",
        "next(1.0) next(-1.0) next(3.0)");
  gives("fn f(n) = 0.0 if n == 0 else next(f(n - 1))\nf(3)", "3.0", "next(0.0) next(1.0) next(2.0)");
  gives("fn f(xs) { ys = list()\n for x in xs { ys.push(twice(x)) }\n return ys }\nf(list(1.0, 2.0))", "list(2.0, 4.0)",
        "twice(1.0) twice(2.0)");
  gives("fn g(x) { note(\"g\", x)\n return x * 2 }\nfn f(x) = g(g(x))\nf(2.0)", "8.0", "note(g, 2.0) note(g, 4.0)");
  // What is called before an error is not called again where the interpreter tells of it.
  const Outcome failed = outcome_of("fn f(x) { note(x)\n y = next(x[0])\n return x[i64(y)] }\nf([5.0, 1.0])");
  EXPECT_EQ(failed.calls, "note([5.0, 1.0]) next(5.0)");
  EXPECT_NE(failed.error.find("index"), std::string::npos) << failed.error;
}

// The interpreter tells of an error among examples, or of too deep a recursion, by a call that gets what the code has
// got.
TEST(HostFunctions, AreNotCalledAgainWhereACallIs) {
  const auto fails = [](const std::string& text, const std::string& error, const std::string& calls) {
    const Outcome outcome = outcome_of(text);
    SCOPED_TRACE(text);
    EXPECT_NE(outcome.error.find(error), std::string::npos) << outcome.error;
    EXPECT_EQ(outcome.calls, calls);
  };
  fails("fn f(x, k) { y = next(2.0)\n return y * sum(vmap(q -> q[k])(x)) }\nf(ones(2, 3), 5)", "index 5", "next(2.0)");
  fails(
      "fn f(x) { s = 0.0\n for k in range(9) { s = next(s)\n s += sum(vmap(q -> q[k])(x)) }\n return s }\nf(ones(2, "
      "3))",
      "index 3", "next(0.0) next(3.0) next(6.0) next(9.0)");
  fails("fn f(x) { s = 0.0\n for k in range(9) { s += sum(vmap(q -> q[k])(x))\n note(k) }\n return s }\nf(ones(2, 2))",
        "index 2", "note(0) note(1)");
  fails("fn f(x) { note(1)\n y = vmap(q -> q * 2)(x)\n return failing(-1.0) }\nf(ones(2))", "x is negative",
        "note(1) failing(-1.0)");
  fails("fn r(n, x) { if n < 0 { return x[7] }\n y = twice(x)\n return r(n - 1, y) }\nr(1, ones(1))", "index 7",
        "twice([1.0]) twice([2.0])");
  fails("fn f(x, g) { y = g(x)\n return vmap(q -> q[2])(y) }\nf(ones(1, 1), twice)", "index 2", "twice([[1.0]])");
  fails(
      "fn g(x) { y = next(1.0)\n return vmap(q -> q[2])(x) }\nfn f(x, g) { y = next(0.0)\n g(x)\n return y }\n"
      "f(ones(1, 1), compile(g))",
      "index 2", "next(0.0) next(1.0)");
  gives(
      "fn g(x, k) { y = next(1.0)\n return sum(vmap(q -> q[k])(x)) * y }\nfn f(x, g, k) { y = next(0.0)\n"
      " try { y += g(x, k) } catch err { note(err.kind) }\n return y + sum(vmap(q -> q[0])(x)) + next(y) }\n"
      "(f(ones(1, 1), compile(g), 0), f(ones(1, 1), compile(g), 1))",
      "(8.0, 4.0)", "next(0.0) next(1.0) next(3.0) next(0.0) next(1.0) note(index) next(1.0)");
}

TEST(HostFunctions, OfADeclaredTypeLeaveCodeCompiled) {
  const Engine engine("compiled", false);
  Host host;
  add_functions(host);
  const char* const texts[] = {"fn f(x) = square(square(x)) + 1",
                               "fn f(x) = sum(scaled([x, x]) * 2)",
                               "fn f(x) { s = 0.0\n for i in range(100) { s += next(x * i) }\n return s }",
                               "fn f(x) = sum([next(x * i) for i in range(100)])",
                               "fn f(x) { y = next(x)\n return vmap(q -> q[0] * y)(ones(3, 2)) }",
                               "fn f(x) = grad(square)(x)"};
  for (const char* const text : texts) {
    const Outcome outcome = host.run(text + std::string("\nf(2.0)\nexplain(f)"));
    EXPECT_NE(outcome.result.find("f: compiled, all of it"), std::string::npos) << text << "\n" << outcome.result;
  }
}

TEST(HostFunctions, ThatArePureMayBeCalledLessOften) {
  const std::string text = "fn f(x) { y = pure_next(x) * 0\n return pure_next(x) + pure_next(x) }\nf(2.0)";
  for (const char* const name : {"eager", "compiled"}) {
    const Engine engine(name, false);
    Host host;
    add_functions(host);
    const Outcome outcome = host.run(text);
    EXPECT_EQ(outcome.result, "6.0") << outcome.error;
    EXPECT_LE(outcome.calls.size(), std::string("pure_next(2.0) pure_next(2.0) pure_next(2.0)").size());
    EXPECT_FALSE(outcome.calls.empty());
    EXPECT_EQ(host.run("fn g() = pure_next(1.0) + 1\ng()").calls, "pure_next(1.0)");  // no constant to the compiler
  }
}

// --- derivatives ---

TEST(HostFunctions, HaveTheDerivativesOfTheirRules) {
  gives("fn f(x) = twice(x) * x\ngrad(f)(3.0)", "12.0", "twice(3.0)");
  gives("fn f(x) = square(x) + x\ngrad(f)(3.0)", "7.0", "square(3.0)");
  gives("fn f(x) = cube(x) + x\ngrad(f)(2.0)", "13.0", "cube(2.0) cube_rule(2.0, 8.0, 1.0)");
  gives("fn f(x) = sum(twice(x) * x)\nvalue_and_grad(f)([1.0, 2.0])", "(10.0, [4.0, 8.0])", "twice([1.0, 2.0])");
  gives("grad(square)(3.0)", "6.0", "square(3.0)");
  gives("fn f(x) = square(x)\ngrad(grad(f))(3.0)", "2.0", "square(3.0)");
  gives("fn f(x) = square(square(x))\ngrad(grad(grad(f)))(1.0)", "24.0", "square(1.0) square(1.0)");
  gives("fn f(x) = [square(x[0]), x[1] * square(x[1])]\njacobian(f, mode=\"reverse\")([1.0, 2.0])",
        "[[ 2.0,  0.0],\n [ 0.0, 12.0]]", "square(1.0) square(2.0)");
  gives("fn f(x) { s = 0.0\n for i in range(3) { s += square(x * f64(i)) }\n return s }\ngrad(f)(2.0)", "20.0",
        "square(0.0) square(2.0) square(4.0)");
  gives("fn f(x) = square(x) if x > 0 else x\n(grad(f)(2.0), grad(f)(-2.0))", "(4.0, 1.0)", "square(2.0)");
  gives("@derivative(of=next)\nfn rule(x, y, ct) = 5 * ct\nfn f(x) = next(x) * 2\ngrad(f)(1.0)", "10.0", "next(1.0)");
  gives(
      "@derivative(of=next, mode=\"forward\")\nfn rule(x, y, dx) = 5 * dx\nfn f(x) = next(x) * 2\n"
      "jacobian(f, mode=\"forward\")(1.0)",
      "10.0", "next(1.0)");
  gives("fn f(x) { note(x)\n return x * x }\ngrad(f)(3.0)", "6.0", "note(3.0)");
  gives("fn f(x) = x * next(stop_gradient(x))\ngrad(f)(3.0)", "4.0", "next(3.0)");
  gives("fn f(x, y) = both(x, y)[1] * x\nf(2.0, 3.0)", "6.0", "both(2.0, 3.0)");
}

TEST(HostFunctions, HaveDerivativesByRecordsAndOfOptions) {
  const std::string one = "line({w: 2.0, b: 1.0}, 3.0)";
  gives("grad(line)({w: 2.0, b: 1.0}, 3.0)", "{w: 3.0, b: 1.0}", one);
  gives("fn f(r, x) = line(r=r, x=x) * x\ngrad(f, wrt=(\"r\", \"x\"))({w: 2.0, b: 1.0}, 3.0)",
        "({w: 9.0, b: 3.0}, 13.0)", one);
  gives("fn f(r) = sum(vmap(x -> line(r, x))([1.0, 2.0]))\ngrad(f)({w: 2.0, b: 1.0})", "{w: 3.0, b: 2.0}",
        "line({w: 2.0, b: 1.0}, 1.0) line({w: 2.0, b: 1.0}, 2.0)");
  gives("grad(square)(x=3.0)", "6.0", "square(3.0)");
  gives("f = compile(square)\n(f(3.0), grad(f)(3.0))", "(9.0, 6.0)", "square(3.0) square(3.0)");
  gives("fn f(x) = x if x > 9 else f(square(x))\n(f(1.5), grad(f)(2.0))", "(25.62890625, 32.0)",
        "square(1.5) square(2.25) square(5.0625) square(2.0) square(4.0)");
  gives("fn f(x) = square(x) * x\ngrad(checkpoint(f))(3.0)", "27.0", "square(3.0)");
  gives("fn f(x, n) { y = x\n for i in range(n) { y = square(y) * 0.5 }\n return y }\ngrad(f, memory=64)(1.0, 2)",
        "0.5", "square(1.0) square(0.5)");
  const Outcome wrong = outcome_of("@derivative(of=both)\nfn rule(a, b, y, ct) = 1.0\ngrad(x -> both(x, 1.0)[0])(3.0)");
  EXPECT_NE(wrong.error.find("rule"), std::string::npos) << wrong.error;
}

TEST(HostFunctions, MayBeRulesWithRulesOfTheirOwn) {
  using Args = covec_value* const*;
  for (const char* const name : {"eager", "compiled"}) {
    const Engine engine(name, false);
    Host host;
    covec_value* const second = host.value_of("(x, y, ct, result, outer) -> (2 * ct * outer, none, 2 * x * outer)");
    covec_value* const first = host.make(
        "slope", {.parameters = {"x", "y", "ct"}, .result = "f64", .reverse = second},
        [](covec_session* s, Args a, size_t) { return number_in(s, 2 * number_of(s, a[0]) * number_of(s, a[2])); });
    host.set("square", {.result = "f64", .reverse = first},
             [](covec_session* s, Args a, size_t) { return mapped(s, a[0], [](double x) { return x * x; }); });
    for (covec_value* const rule : {first, second}) covec_release(rule);
    const Outcome outcome =
        host.run("fn f(x) = square(x) * x\n(grad(f)(3.0), grad(grad(f))(3.0), grad(grad(grad(f)))(3.0))");
    EXPECT_EQ(outcome.result, "(27.0, 18.0, 6.0)") << outcome.error;
    covec_value* const each = host.value_of("(*all) -> (all[-1], all[-1], all[-1])");
    host.set("total", {.reverse = each, .any_number = true}, [](covec_session* s, Args a, size_t count) {
      double sum = 0;
      for (size_t i = 0; i < count; ++i) sum += number_of(s, a[i]);
      return number_in(s, sum);
    });
    covec_release(each);
    const Outcome any =
        host.run("fn f(x) = total(x, 2 * x, 4.0)\n(f(1.0), grad(f)(1.0), grad(total, wrt=1)(1.0, 2.0, 3.0), total())");
    EXPECT_EQ(any.result, "(7.0, 3.0, 1.0, 0.0)") << any.error;
  }
}

TEST(HostFunctions, WithoutARuleHaveNoDerivative) {
  const Outcome outcome = outcome_of("fn f(x) =\n    x * next(x)\ngrad(f)(3.0)");
  EXPECT_EQ(outcome.calls, "next(3.0)");
  EXPECT_NE(outcome.error.find("next has no derivative: it is a host function without a rule for "
                               "reverse mode"),
            std::string::npos)
      << outcome.error;
  EXPECT_NE(outcome.error.find("program:2"), std::string::npos) << outcome.error;
  EXPECT_NE(outcome.error.find("@derivative(of=next)"), std::string::npos) << outcome.error;
  const Outcome boxed = outcome_of("fn f(x) = with(x, 1).r\ngrad(f)(3.0)");
  EXPECT_NE(boxed.error.find("with has no derivative"), std::string::npos) << boxed.error;
  const Outcome forward = outcome_of("fn f(x) = square(x)\njacobian(f, mode=\"forward\")(3.0)");
  EXPECT_NE(forward.error.find("without a rule for forward mode"), std::string::npos) << forward.error;
  const Outcome second = outcome_of("fn f(x) = cube(x)\ngrad(grad(f))(3.0)");
  EXPECT_NE(second.error.find("cube_rule has no derivative"), std::string::npos) << second.error;
}

TEST(HostFunctions, InFunctionsWithRulesThatGiveFunctions) {
  const std::string rule = "@derivative(of=f)\nfn rule(x, result, ct) = ct.y * 5\n";
  const std::string f = "fn f(x) { a = next(x)\n c = 2.0\n return {y: a, g: v -> v * ";
  gives(f + "c} }\n" + rule + "grad(x -> f(x).y)(3.0)", "5.0", "next(3.0)");  // once, though f runs again
  const Outcome held = outcome_of(f + "a} }\n" + rule + "grad(x -> f(x).y)(3.0)");
  EXPECT_NE(held.error.find("a function in its result holds values that depend on its arguments"), std::string::npos)
      << held.error;
}

TEST(HostFunctions, HandOnWhatDebugFollows) {
  const Outcome outside = outcome_of("fn f(x) = twice(log(x)) + 1\ndebug(f)(0.0)");
  EXPECT_EQ(outside.calls, "twice(-inf)");  // once, though debug calls f again
  EXPECT_NE(outside.error.find("`log` makes -inf"), std::string::npos) << outside.error;
  const Outcome pure = outcome_of("fn f(x) = pure_next(log(x)) + 1\ndebug(f)(0.0)");
  EXPECT_NE(pure.error.find("`log` makes -inf"), std::string::npos) << pure.error;
}

TEST(HostFunctions, AreDenseInPatterns) {
  const std::string pattern = "fn f(x) = [pure_next(x[0] * x[2]), x[1]]\n_sparse_pattern(f, ([1.0, 2.0, 3.0],), 0, 9)";
  const Outcome outcome = outcome_of(pattern + ".indices");
  EXPECT_EQ(outcome.result, "[0, 2, 1]") << outcome.error;
  EXPECT_EQ(outcome.calls, "pure_next(3.0)");
  const Outcome outside = outcome_of("_sparse_pattern(x -> next(x), (2.0,), 0, 9)");
  EXPECT_NE(outside.error.find("`next` must not reach outside of the program"), std::string::npos) << outside.error;
  EXPECT_EQ(outside.calls, "");
}

// --- examples ---

TEST(HostFunctions, GoThroughExamplesOneByOne) {
  gives("vmap(next)([1.0, 2.0])", "[2.0, 3.0]", "next(1.0) next(2.0)");
  gives("fn f(x) = sin(x) * 0 + twice(x)\nvmap(f)([1.0, 2.0])", "[2.0, 4.0]", "twice(1.0) twice(2.0)");
  gives("fn f(x) { note(\"a\")\n return next(x) }\nvmap(f)([1.0, 2.0])", "[2.0, 3.0]",
        "note(a) next(1.0) note(a) next(2.0)");
  gives("fn f(x) { note(\"a\")\n return 2 * x }\nvmap(f)([1.0, 2.0])", "[2.0, 4.0]", "note(a) note(a)");
  gives("fn f(x, y) = next(x + y)\nvmap(x -> vmap(y -> f(x, y))([0.0, 1.0]))([10.0, 20.0])",
        "[[11.0, 12.0],\n [21.0, 22.0]]", "next(10.0) next(11.0) next(20.0) next(21.0)");
  gives("fn f(x) = both(x, 1.0)\nvmap(f)([1.0, 2.0])", "([1.0, 2.0], [1.0, 1.0])", "both(1.0, 1.0) both(2.0, 1.0)");
  gives("fn f(x) = with({a: x}, 1.0)\nvmap(f)([1.0, 2.0])", "{r: {a: [1.0, 2.0]}, x: [1.0, 1.0]}",
        "with({a: 1.0}, 1.0) with({a: 2.0}, 1.0)");
  gives("fn f(x) = pure_next(x) * 2\nvmap(f)([1.0, 2.0])", "[4.0, 6.0]", "pure_next(1.0) pure_next(2.0)");
  gives("vmap(grad(square))([1.0, 2.0])", "[2.0, 4.0]", "square(1.0) square(2.0)");
  gives("vmap(grad(cube))([1.0, 2.0])", "[3.0, 12.0]",
        "cube(1.0) cube_rule(1.0, 1.0, 1.0) cube(2.0) cube_rule(2.0, 8.0, 1.0)");
  gives("fn f(x) = sum(vmap(square)(x))\ngrad(f)([1.0, 2.0])", "[2.0, 4.0]", "square(1.0) square(2.0)");
  gives("fn f(x) = [cube(x[0]), cube(x[1])]\njacobian(f, mode=\"reverse\")([1.0, 2.0])",
        "[[ 3.0,  0.0],\n [ 0.0, 12.0]]",
        "cube(1.0) cube(2.0) cube_rule(2.0, 8.0, 0.0) cube_rule(1.0, 1.0, 1.0) cube_rule(2.0, 8.0, 1.0) cube_rule(1.0, "
        "1.0, 0.0)");
  gives("vmap(next)(zeros(0))", "[] (f64[0])", "");
  const Outcome none = outcome_of("vmap(twice)(zeros(0))");
  EXPECT_EQ(none.calls, "");
  EXPECT_NE(none.error.find("no examples"), std::string::npos) << none.error;
  std::string calls;
  for (int i = 0; i < 40; ++i) calls += (i > 0 ? " next(" : "next(") + std::to_string(i) + ".0)";
  gives("fn f(n) = sum([next(f64(i)) for i in range(n)])\nf(40)", "820.0", calls);
  gives("fn f(n) = sum([next(f64(i)) for i in range(n)])\n(f(2), f(1))", "(3.0, 1.0)", "next(0.0) next(1.0) next(0.0)");
  gives("fn f(x) = sum([square(x * i) for i in range(20)])\ngrad(f)(0.0)", "0.0",
        outcome_of("for i in range(20) { square(0.0) }").calls);
}

// --- errors ---

TEST(HostFunctions, FailAtTheirPlace) {
  const Outcome outcome = outcome_of("fn f(x) {\n    y = x - 3\n    return failing(y) + 1\n}\nf(1.0)");
  EXPECT_EQ(outcome.calls, "failing(-2.0)");
  EXPECT_NE(outcome.error.find("x is negative"), std::string::npos) << outcome.error;
  EXPECT_NE(outcome.error.find("program:3:12"), std::string::npos) << outcome.error;
  gives(
      "fn f(x) {\n try { return failing(x) } catch err { return f\"{err.kind} {err.message} {err.line}\" }\n}\n"
      "(f(2.0), f(-2.0))",
      "(2.0, \"index x is negative 2\")", "failing(2.0) failing(-2.0)");
  gives("fn f(x) { s = 0.0\n for i in range(3) { try { s += failing(x - i) } catch { s += 100 } }\n return s }\nf(1.0)",
        "101.0", "failing(1.0) failing(0.0) failing(-1.0)");
  const std::pair<const char*, const char*> cases[] = {
      {"twice()", "twice needs the argument x"},
      {"twice(1.0, 2.0)", "twice takes 1 arguments, got 2"},
      {"twice(y=1.0)", "twice has no parameter y"},
      {"twice(1.0, x=1.0)", "twice got its argument x twice"},
      {"both(1)", "both needs the argument b"},
      {"note(x=1)", "note has no parameter x"},
      {"twise(1.0)", "did you mean"},
      {"next(\"a\")", "expected a tensor, got string"},
      {"scaled(1.0)", "must return f64[n], as the host declared it, but it returned f64"},
  };
  for (const auto& [text, message] : cases) {
    for (const std::string& program : {std::string(text), "fn f() = " + std::string(text) + "\nf()"}) {
      const Outcome wrong = outcome_of(program);
      EXPECT_NE(wrong.error.find(message), std::string::npos) << program << "\n" << wrong.error;
      EXPECT_NE(wrong.error.find("program:1"), std::string::npos) << program << "\n" << wrong.error;
    }
  }
}

}  // namespace
