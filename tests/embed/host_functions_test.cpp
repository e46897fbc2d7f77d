// Functions of a host's that programs call: the same values, errors and calls on each engine.
#include "host_functions.hpp"

#include <cfenv>
#include <stdexcept>
#include <thread>

namespace {

using Args = covec_value* const*;

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

TEST(HostFunctions, OfADeclaredTypeLeaveCodeCompiled) {
  const Engine engine("compiled", false);
  Host host;
  add_functions(host);
  const char* const texts[] = {"fn f(x) = square(square(x)) + 1", "fn f(x) = sum(scaled([x, x]) * 2)",
                               "fn f(x) { s = 0.0\n for i in range(100) { s += next(x * i) }\n return s }",
                               "fn f(x) = sum([next(x * i) for i in range(100)])", "fn f(x) = grad(square)(x)"};
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
  gives("fn f(x) = square(x) * x\ngrad(checkpoint(f))(3.0)", "27.0", "square(3.0) square(3.0)");
  const Outcome wrong = outcome_of("@derivative(of=both)\nfn rule(a, b, y, ct) = 1.0\ngrad(x -> both(x, 1.0)[0])(3.0)");
  EXPECT_NE(wrong.error.find("rule"), std::string::npos) << wrong.error;
}

TEST(HostFunctions, WithoutARuleHaveNoDerivative) {
  const Outcome outcome = outcome_of("fn f(x) =\n    x * next(x)\ngrad(f)(3.0)");
  EXPECT_EQ(outcome.calls, "next(3.0)");
  EXPECT_NE(outcome.error.find("next cannot be differentiated: it is a function of the host's without a rule for "
                               "reverse mode"),
            std::string::npos)
      << outcome.error;
  EXPECT_NE(outcome.error.find("program:2"), std::string::npos) << outcome.error;
  EXPECT_NE(outcome.error.find("@derivative(of=next)"), std::string::npos) << outcome.error;
  const Outcome boxed = outcome_of("fn f(x) = with(x, 1).r\ngrad(f)(3.0)");
  EXPECT_NE(boxed.error.find("with cannot be differentiated"), std::string::npos) << boxed.error;
  const Outcome forward = outcome_of("fn f(x) = square(x)\njacobian(f, mode=\"forward\")(3.0)");
  EXPECT_NE(forward.error.find("without a rule for forward mode"), std::string::npos) << forward.error;
  const Outcome second = outcome_of("fn f(x) = cube(x)\ngrad(grad(f))(3.0)");
  EXPECT_NE(second.error.find("cube_rule cannot be differentiated"), std::string::npos) << second.error;
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
      {"scaled(1.0)", "must give f64[n], as the host has declared it, and gave f64"},
  };
  for (const auto& [text, message] : cases) {
    for (const std::string& program : {std::string(text), "fn f() = " + std::string(text) + "\nf()"}) {
      const Outcome wrong = outcome_of(program);
      EXPECT_NE(wrong.error.find(message), std::string::npos) << program << "\n" << wrong.error;
      EXPECT_NE(wrong.error.find("program:1"), std::string::npos) << program << "\n" << wrong.error;
    }
  }
}

covec_value* fail_oddly(covec_session* session, covec_value* argument) {
  static covec_session* const other = covec_open(nullptr);
  const std::string how(covec_text(argument));
  covec_value* value = nullptr;
  if (how == "throw") throw std::runtime_error("no luck");
  if (how == "throw 1") throw 1;
  if (how == "other") covec_number(other, 1, &value);
  if (how == "type") {
    double number = 0;
    EXPECT_EQ(covec_get_number(session, argument, &number), COVEC_ERROR);
  }
  if (how == "run") covec_run(session, "again", "1", nullptr);
  if (how == "memory") {
    const int64_t dims[] = {int64_t{1} << 50}, strides[] = {0};
    EXPECT_EQ(covec_tensor(session, COVEC_F64, 1, dims, strides, how.data(), &value), COVEC_ERROR);
  }
  if (how == "both ways") {
    covec_fail(session, nullptr, "said");
    covec_none(session, &value);
  }
  return value;
}

TEST(HostFunctions, ThatMisbehaveAreErrors) {
  for (const char* const name : {"eager", "compiled"}) {
    const Engine engine(name, false);
    Host host;
    host.set("odd", {}, [](covec_session* s, Args a, size_t) { return fail_oddly(s, a[0]); });
    const std::tuple<const char*, const char*, const char*> cases[] = {
        {"nothing", "gave no value, and did not say why", "value"},
        {"throw", "has thrown an exception: no luck", "value"},
        {"throw 1", "has thrown an exception: of unknown type", "value"},
        {"other", "gave a value that is not of this session", "value"},
        {"type", "expected a number, got string", "type"},
        {"run", "the session is running", "value"},
        {"memory", "out of memory", "limit"},
        {"both ways", "said", "user"},
    };
    for (const auto& [how, message, kind] : cases) {
      const Outcome outcome = host.run("fn f(how) =\n  odd(how)\nf(\"" + std::string(how) + "\")");
      EXPECT_NE(outcome.error.find(message), std::string::npos) << how << "\n" << outcome.error;
      EXPECT_NE(outcome.error.find("program:2:3"), std::string::npos) << how << "\n" << outcome.error;
      EXPECT_STREQ(covec_error_kind(host.session), kind) << how;
      EXPECT_EQ(host.run("1 + 1").result, "2");
    }
  }
}

TEST(HostFunctions, MayNotRunAnything) {
  for (const char* const name : {"eager", "compiled"}) {
    const Engine engine(name, false);
    Host host;
    add_functions(host);
    host.set("busy", {}, [](covec_session* s, Args a, size_t) {
      covec_value* value = nullptr;
      covec_account account;
      double number = 0;
      const covec_status refused[] = {
          covec_run(s, "again", "1", nullptr),
          covec_run_file(s, "none.covec"),
          covec_get(s, "twice", &value),
          covec_set(s, "y", a[0]),
          covec_names(s, &value),
          covec_call(s, a[0], a, 1, &value),
          covec_call_many(s, a[0], a, 1, &value, 1),
          covec_call_numbers(s, a[0], &number, 1, &number, 1),
          covec_compile(s, a[0], &value),
          covec_grad(s, a[0], nullptr, &value),
          covec_memory(s, &account),
          covec_reset_peak(s),
          covec_close(s),
          covec_fail(s, "odd", "text"),
          covec_fail(s, "type", nullptr),
      };
      for (const covec_status status : refused) EXPECT_EQ(status, COVEC_MISUSE) << &status - refused;
      EXPECT_STREQ(covec_error_message(s), "the text is null");
      EXPECT_EQ(covec_run(s, "again", "1", nullptr), COVEC_MISUSE);
      EXPECT_STREQ(covec_error_kind(s), "misuse");
      EXPECT_EQ(covec_parameters(s, a[0], &value), COVEC_OK);
      const std::string text = text_of(value);
      covec_release(value);
      covec_release(a[0]);  // does nothing
      EXPECT_EQ(covec_string(s, text.data(), text.size(), &value), COVEC_OK);
      return value;
    });
    const Outcome outcome = host.run("fn f() = busy(twice)\nf()");
    EXPECT_EQ(outcome.error, "");
    EXPECT_EQ(outcome.result, "list(\"x\")");
    EXPECT_EQ(covec_fail(host.session, "type", "no call"), COVEC_MISUSE);
    EXPECT_EQ(covec_run(host.session, "after", "busy(twice)", nullptr), COVEC_OK);
  }
}

TEST(HostFunctions, EndWhereTheyInterrupt) {
  for (const char* const name : {"eager", "compiled"}) {
    const Engine engine(name, false);
    Host host;
    host.set("stop", {.result = "f64"}, [](covec_session* s, Args a, size_t) {
      if (number_of(s, a[0]) >= 3) covec_interrupt(s);
      return a[0];
    });
    covec_value* value = nullptr;
    EXPECT_EQ(covec_run(host.session, "program",
                        "fn f(n) { s = 0.0\n for i in range(n) { s += stop(f64(i)) }\n return s }\nf(10)", &value),
              COVEC_INTERRUPTED);
    EXPECT_EQ(host.log, "stop(0.0) stop(1.0) stop(2.0) stop(3.0)");
    EXPECT_EQ(host.run("f(2)").result, "1.0");
  }
}

// --- how they are made ---

covec_value* give_first(void*, covec_session*, covec_value* const* arguments, size_t) { return arguments[0]; }

TEST(HostFunctions, AreMadeOfSoundDefinitions) {
  Program program("fn rule(x, y, ct) = ct\nfn short(x, y) = x");
  covec_session* const session = program.session;
  covec_value* value = nullptr;
  const auto status = [&](const char* name, const covec_function_options& options) {
    const covec_status given = covec_function(session, name, &options, &value);
    EXPECT_EQ(given == COVEC_OK, value != nullptr);
    if (value != nullptr) program.hold(value);
    return given;
  };
  const char* const names[] = {"x", nullptr};
  covec_function_options good{};
  good.callback = give_first;
  good.parameters = names;
  EXPECT_EQ(status("f", good), COVEC_OK);
  EXPECT_EQ(text_of(program.made([&](auto** v) { return covec_parameters(session, value, v); })), "list(\"x\")");
  for (const char* const name : {"", "fn", "1", "a b"}) EXPECT_EQ(status(name, good), COVEC_MISUSE) << name;
  EXPECT_EQ(status(nullptr, good), COVEC_MISUSE);
  for (const char* const type : {"f64", "bool", "f16[3]", "i32[_, n, n]", " f64 [ 2 , 3 ] ", "f64[0]"}) {
    covec_function_options options = good;
    options.result = type;
    EXPECT_EQ(status("f", options), COVEC_OK) << type;
  }
  for (const char* const type :
       {"", "f65", "float", "any", "f64[]", "f64[", "f64[2", "f64[2,]", "f64[-1]", "f64[n+1]", "f64[...]", "f64[2] ]",
        "{a: f64}", "f64[99999999999999999999]", "f64[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]"}) {
    covec_function_options options = good;
    options.result = type;
    EXPECT_EQ(status("f", options), COVEC_MISUSE) << type;
  }
  const char* const twice[] = {"x", "x", nullptr};
  const char* const keyword[] = {"if", nullptr};
  for (const char* const* const parameters : {twice, keyword}) {
    covec_function_options options = good;
    options.parameters = parameters;
    EXPECT_EQ(status("f", options), COVEC_MISUSE);
  }
  Program other("fn rule(x, y, ct) = ct");
  covec_function_options options = good;
  for (covec_value* const rule : {program.get("short"), program.number(1), other.get("rule")}) {
    options.reverse = rule;
    EXPECT_EQ(status("f", options), COVEC_MISUSE);
  }
  options.reverse = program.get("rule");
  EXPECT_EQ(status("f", options), COVEC_OK);
  EXPECT_EQ(status("f", {}), COVEC_MISUSE);
  EXPECT_EQ(covec_function(session, "f", nullptr, &value), COVEC_MISUSE);
  EXPECT_EQ(covec_function(session, "f", &good, nullptr), COVEC_MISUSE);
  EXPECT_EQ(covec_function(nullptr, "f", &good, &value), COVEC_MISUSE);
  struct {
    covec_function_options known;
    int later;
  } newer{good, 0};
  EXPECT_EQ(covec_function_sized(session, "f", &newer.known, sizeof newer, &value), COVEC_OK);
  program.hold(value);
  newer.later = 1;
  EXPECT_EQ(covec_function_sized(session, "f", &newer.known, sizeof newer, &value), COVEC_MISUSE);
}

TEST(HostFunctions, TellTheirHostOfTheirEnd) {
  int ended = 0;
  covec_function_options options{};
  options.callback = give_first;
  options.user = &ended;
  options.destroy = [](void* user) { ++*static_cast<int*>(user); };
  covec_session* const session = covec_open(nullptr);
  covec_value* value = nullptr;
  ASSERT_EQ(covec_function(session, "f", &options, &value), COVEC_OK);
  covec_release(value);
  EXPECT_EQ(ended, 1);
  options.result = "no type";
  EXPECT_EQ(covec_function(session, "f", &options, &value), COVEC_MISUSE);
  options.result = nullptr;
  EXPECT_EQ(ended, 1);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(covec_function(session, "f", &options, &value), COVEC_OK);
    EXPECT_EQ(covec_set(session, "f", value), COVEC_OK);
    covec_release(value);
  }
  EXPECT_EQ(ended, 3);
  EXPECT_EQ(covec_run(session, "text", "@compile\nfn g(x) = f(x) * 2\nassert(g(1.0) == 2.0)\nh = f", nullptr),
            COVEC_OK);
  ASSERT_EQ(covec_get(session, "h", &value), COVEC_OK);
  EXPECT_EQ(covec_run(session, "text", "f = 1\nh = 1", nullptr), COVEC_OK);
  covec_close(session);
  EXPECT_EQ(ended, 3);
  covec_release(value);
  EXPECT_EQ(ended, 4);
}

TEST(HostFunctions, AreCalledByTheirHost) {
  Host host;
  add_functions(host);
  covec_session* const session = host.session;
  covec_value *square = nullptr, *gradient = nullptr;
  ASSERT_EQ(covec_get(session, "square", &square), COVEC_OK);
  const double in = 3;
  double out = 0;
  EXPECT_EQ(covec_call_numbers(session, square, &in, 1, &out, 1), COVEC_OK);
  EXPECT_EQ(out, 9.0);
  ASSERT_EQ(covec_grad(session, square, nullptr, &gradient), COVEC_OK);
  EXPECT_EQ(covec_call_numbers(session, gradient, &in, 1, &out, 1), COVEC_OK);
  EXPECT_EQ(out, 6.0);
  EXPECT_EQ(covec_call_numbers(session, square, nullptr, 0, &out, 1), COVEC_ERROR);
  EXPECT_STREQ(covec_error_message(session), "square needs the argument x");
  for (covec_value* const value : {square, gradient}) covec_release(value);
}

// A second thread has no part in a call, and a second session all the rights that it has anyway.
TEST(HostFunctions, KnowTheirThreadAndTheirSession) {
  Host host;
  Host other;
  add_functions(other);
  host.set("outer", {}, [&](covec_session* s, Args a, size_t) {
    std::thread([&] {
      covec_value* value = nullptr;
      double number = 0;
      EXPECT_EQ(covec_number(s, 1, &value), COVEC_MISUSE);
      EXPECT_EQ(covec_get_number(s, a[0], &number), COVEC_MISUSE);
      EXPECT_EQ(covec_fail(s, "type", "text"), COVEC_MISUSE);
      covec_release(a[0]);
    }).join();
    const Outcome inner = other.run("fn f(x) = square(x) + inner(1.0)\nf(2.0)");
    EXPECT_EQ(inner.result, "5.0");
    return number_in(s, number_of(s, a[0]) + 1);
  });
  other.set("inner", {}, [&](covec_session* s, Args a, size_t) {
    covec_value* value = nullptr;
    EXPECT_EQ(covec_run(host.session, "text", "1", nullptr), COVEC_MISUSE);
    EXPECT_EQ(covec_number(host.session, 1, &value), COVEC_OK);
    covec_release(value);
    return number_in(s, number_of(s, a[0]));
  });
  const Outcome outcome = host.run("x = outer(1.0)\ny = [1.0, 2.0] * x\ny");
  EXPECT_EQ(outcome.result, "[2.0, 4.0]") << outcome.error;
}

TEST(HostFunctions, LeaveNothingBehind) {
  Host host;
  add_functions(host);
  const auto used = [&] {
    covec_account account;
    EXPECT_EQ(covec_memory(host.session, &account), COVEC_OK);
    return account.used;
  };
  uint64_t before = 0;
  for (int i = 0; i < 400; ++i) {
    if (i == 200) before = used();
    add_functions(host);
    host.run("@compile\nfn f(x) = twice(square(x)) + grad(cube)(x)\n(f(1.0), vmap(f)([1.0, 2.0]))");
    host.run("failing(-1.0)");
  }
  EXPECT_LE(used(), before + 10000);
}

TEST(HostFunctions, KeepWhatTheyCopy) {
  Host host;
  std::vector<covec_value*> kept;
  host.set("keep", {}, [&](covec_session* s, Args a, size_t) {
    covec_value* copy = nullptr;
    EXPECT_EQ(covec_copy(s, a[0], &copy), COVEC_OK);
    kept.push_back(copy);
    return none_in(s);
  });
  EXPECT_EQ(host.run("x = [1.0, 2.0]\nkeep(x)\nx[0] = 5\nx").result, "[5.0, 2.0]");
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(text_of(kept[0]), "[1.0, 2.0]");
  for (covec_value* const value : kept) covec_release(value);
}

// Lent memory goes back to the host, whose functions may make no values then.
TEST(HostFunctions, ShareTheirMemory) {
  struct Memory {
    covec_session* session;
    double cells[2] = {1, 2};
    int released = 0;
  } memory{covec_open(nullptr)};
  covec_function_options options{};
  options.user = &memory;
  options.callback = [](void* user, covec_session* session, covec_value* const*, size_t) {
    const int64_t dims[] = {2};
    covec_value *first = nullptr, *second = nullptr;
    const auto release = [](void* owner) {
      auto& mine = *static_cast<Memory*>(owner);
      ++mine.released;
      covec_value* made = nullptr;
      EXPECT_EQ(covec_number(mine.session, 1, &made), COVEC_MISUSE);
    };
    void* const cells = static_cast<Memory*>(user)->cells;
    EXPECT_EQ(covec_lend(session, COVEC_F64, 1, dims, cells, release, user, &first), COVEC_OK);
    EXPECT_EQ(covec_lend(session, COVEC_F64, 1, dims, cells, release, user, &second), COVEC_OK);
    covec_release(second);
    covec_value* made = nullptr;
    EXPECT_EQ(covec_number(session, 1, &made), COVEC_OK);
    covec_release(made);
    return first;
  };
  covec_value *f = nullptr, *result = nullptr;
  ASSERT_EQ(covec_function(memory.session, "cells", &options, &f), COVEC_OK);
  ASSERT_EQ(covec_set(memory.session, "cells", f), COVEC_OK);
  ASSERT_EQ(covec_run(memory.session, "text", "cells() * 2", &result), COVEC_OK) << covec_error_text(memory.session);
  EXPECT_EQ(text_of(result), "[2.0, 4.0]");
  EXPECT_EQ(memory.released, 2);
  covec_release(result);
  covec_release(f);
  covec_close(memory.session);
}

// In a callback the host's environment holds, also after it has asked for what is computed.
TEST(HostFunctions, FindTheirEnvironment) {
  Host host;
  host.set("rounding", {}, [](covec_session* s, Args a, size_t) {
    EXPECT_EQ(std::fegetround(), FE_UPWARD);
    number_of(s, a[0]);
    EXPECT_EQ(std::fegetround(), FE_UPWARD);
    const double cells[] = {1, 2};
    const int64_t dims[] = {2};
    covec_value* value = nullptr;
    const auto release = [](void*) { EXPECT_EQ(std::fegetround(), FE_UPWARD); };
    EXPECT_EQ(covec_lend(s, COVEC_F64, 1, dims, cells, release, nullptr, &value), COVEC_OK);
    EXPECT_EQ(text_of(value), "[1.0, 2.0]");
    covec_release(value);
    EXPECT_EQ(std::fegetround(), FE_UPWARD);
    return number_in(s, 1);
  });
  std::fesetround(FE_UPWARD);
  const Outcome outcome = host.run("x = rounding(2.0)\n(0.1 + 0.2, x)");
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(outcome.result, "(0.30000000000000004, 1.0)");
}

TEST(HostFunctions, OfSeveralSessionsRunOnSeveralThreads) {
  const auto work = [](unsigned number) {
    covec_options options{};
    options.threads = 4;
    covec_session* const session = covec_open(&options);
    struct State {
      std::thread::id thread;
      int calls = 0;
    } state{std::this_thread::get_id()};
    covec_function_options asked{};
    asked.user = &state;
    asked.callback = [](void* user, covec_session* s, covec_value* const* a, size_t) {
      auto& mine = *static_cast<State*>(user);
      ++mine.calls;
      EXPECT_EQ(std::this_thread::get_id(), mine.thread);
      return mapped(s, a[0], [](double x) { return x + 1; });
    };
    covec_value* f = nullptr;
    EXPECT_EQ(covec_function(session, "next", &asked, &f), COVEC_OK);
    EXPECT_EQ(covec_set(session, "next", f), COVEC_OK);
    covec_release(f);
    covec_value* sum = nullptr;
    EXPECT_EQ(covec_run(session, "text",
                        "@compile\nfn f(x, n) { for i in range(n) { x = next(x) * 0.5 }\n return sum(x) }\n"
                        "f(zeros(100000), 20) + f(zeros(100000), 20)",
                        &sum),
              COVEC_OK)
        << covec_error_text(session);
    EXPECT_EQ(state.calls, 40) << number;
    covec_release(sum);
    covec_close(session);
  };
  std::vector<std::thread> threads;
  for (unsigned number = 0; number < 3; ++number) threads.emplace_back(work, number);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
