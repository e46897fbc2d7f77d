// Session as a host sees it: inputs of a REPL, globals that survive errors, calls, interrupts, limits, small stacks.
#include "interpreter/session/session.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <chrono>
#include <functional>
#include <stdexcept>
#include <thread>

#include "interpreter/session/stack.hpp"
#include "stdlib/tensor/pool.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {
namespace {

struct Recorder : ops::Output {
  void write(std::string_view text) override { written += text; }
  void warn(std::string_view text) override { warned += text; }
  std::string written, warned;
};

std::string code_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const CovecError& error) {
    return std::string(error.diagnostics.at(0).code);
  }
  return "no error";
}

TEST(Session, ValueOfTheLastExpression) {
  Session session;
  EXPECT_EQ(session.run_text("t", "x = 2\nx + 1")->i64(), 3);
  EXPECT_FALSE(session.run_text("t", "x = 5").has_value());
  EXPECT_TRUE(session.run_text("t", "print")->is(ObjectKind::function));
  EXPECT_EQ(session.find_global("x")->i64(), 5);
  EXPECT_EQ(session.find_global("y"), nullptr);
}

TEST(Session, InputThatIsNotComplete) {
  Session session;
  EXPECT_FALSE(session.run_input("fn f(x) {").complete);
  EXPECT_FALSE(session.run_input("fn f(x) {\n  return x").complete);
  EXPECT_TRUE(session.run_input("fn f(x) {\n  return x\n}").complete);
  EXPECT_EQ(session.run_input("f(4)").value->i64(), 4);
  EXPECT_NE(code_of([&] { session.run_input("f(4))"); }), "no error");
  EXPECT_EQ(session.run_input("f(5)").value->i64(), 5);
}

TEST(Session, GlobalsSurviveErrors) {
  Session session;
  session.run_text("t", "x = zeros(3)\nxs = list(1)\nr = {a: [1, 2]}\nfn bad(v) { v[0] = 1.0\nerror(\"no\") }\n");
  for (const char* text : {"x = x + zeros(4)", "x += zeros(4)", "x = bad(x)", "x[7] = 1.0", "x[0] = \"s\"",
                           "x = x @ zeros(2, 2)", "x[[0, 9]] = 2.0", "r.a[5] = 1", "r.a += [1, 2, 3]", "xs[3] = 1",
                           "xs = push(xs, y)", "x = reshape(x, 7)", "x, r.b = 1, 2"}) {
    EXPECT_NE(code_of([&] { session.run_text("t", text); }), "no error") << text;
    if (std::string_view(text).starts_with("x, "))
      continue;  // the first target of a list is bound before the second fails
    EXPECT_EQ(session.text_of(*session.find_global("x")), "[0.0, 0.0, 0.0]") << text;
    EXPECT_EQ(session.text_of(*session.find_global("r")), "{a: [1, 2]}") << text;
    EXPECT_EQ(session.text_of(*session.find_global("xs")), "list(1)") << text;
  }
}

// A defect of Covec, as its own checks and the standard library report one.
struct Broken final : Callable {
  explicit Broken(std::function<void()> r) : Callable(CallableKind::host), report(std::move(r)) {}
  Value call(ops::Builder&, std::span<Value>, std::span<const std::string_view>) override {
    report();
    return Value();
  }
  std::string name() const override { return "broken"; }
  std::vector<std::string_view> parameter_names() const override { return {"x"}; }
  std::function<void()> report;
};

TEST(Session, AProgramCatchesDefects) {
  const std::function<void()> reports[] = {
      [] { fail(message("internal"), {"what must not be"}); },
      [] { throw std::logic_error("what must not be"); },
      [] { throw std::out_of_range("what must not be"); },
  };
  const char* const uses[] = {"broken(1.0)",
                              "[broken(x) for x in [1.0, 2.0]]",
                              "vmap(broken)([1.0, 2.0])",
                              "grad(x -> broken(x))(1.0)",
                              "compiled(1.0)",
                              "grad(compiled)(1.0)"};
  for (const auto& report : reports) {
    Recorder output;
    SessionOptions options;
    options.output = &output;
    Session session(std::move(options));
    session.set_global("broken", Value::adopt(new Broken(report)));
    session.run_text("t", "@compile\nfn compiled(x) = 2.0 * broken(x)\nx = list(1)");
    for (const char* use : uses) {
      const std::string text = std::string("try {\n  x.push(2)\n  ") + use + "\n} catch err { said = err }";
      session.run_text("t", text);
      EXPECT_EQ(session.text_of(*session.run_text("t", "(said.kind, said.message)")),
                "(\"internal\", \"this is a bug in covec: what must not be\")")
          << use;
      EXPECT_EQ(code_of([&] { session.run_text("t", use); }), "internal") << use;
    }
    EXPECT_EQ(session.text_of(*session.run_text("t", "(len(x), 1 + 1)")), "(7, 2)");
  }
}

TEST(Session, CallsWithKeywords) {
  Session session;
  session.run_text("t", "fn f(a, b=10) = a - b");
  const Value f = *session.find_global("f");
  EXPECT_EQ(session.call(f, {Value(int64_t{1})}).i64(), -9);
  const std::string_view names[] = {"b"};
  EXPECT_EQ(session.call(f, {Value(int64_t{1}), Value(int64_t{4})}, names).i64(), -3);
  EXPECT_EQ(code_of([&] { session.call(f, {}); }), "missing_argument");
  EXPECT_EQ(code_of([&] { session.call(Value(1.0), {}); }), "not_callable");
  EXPECT_EQ(f.function().signature(), "f(a, b=10)");
}

TEST(Session, GlobalsFromOutside) {
  Session session;
  session.set_global("n", Value(int64_t{7}));
  EXPECT_EQ(session.run_text("t", "n * 2")->i64(), 14);
  session.set_global("later", Value(int64_t{1}));
  session.run_text("t", "fn g() = n + later");
  EXPECT_EQ(session.run_text("t", "g()")->i64(), 8);
  EXPECT_EQ(session.global_names().size(), 3u);
  session.reset();
  EXPECT_TRUE(session.global_names().empty());
}

TEST(Session, NamesOfBuiltinsComeBack) {
  Session session;
  session.run_text("t", "sum = 4\nheld = () -> sum");
  const Value held = *session.find_global("held");
  session.reset();
  EXPECT_EQ(session.run_text("t", "sum([1, 2])")->i64(), 3);
  session.run_input("sum = 5");
  EXPECT_EQ(session.run_input("sum").value->i64(), 5);
  EXPECT_EQ(session.global_names().size(), 1u);
  EXPECT_EQ(code_of([&] { session.call(held, {}); }), "no_global_value");
  EXPECT_EQ(code_of([&] { session.run_input("max = [1.0][9]"); }), "index_range");
  EXPECT_EQ(session.run_input("max([1, 2])").value->i64(), 2);
  EXPECT_EQ(code_of([&] { session.run_input("own = [1.0][9]"); }), "index_range");
  EXPECT_EQ(code_of([&] { session.run_input("own"); }), "no_global_value");
}

TEST(Session, TestsAreCollected) {
  Session session;
  session.run_text("t", "@test fn good() { assert true }\n@test\nfn bad() { assert false }\nfn other() { }");
  const auto tests = session.take_tests();
  ASSERT_EQ(tests.size(), 2u);
  EXPECT_EQ(tests[0].name, "good");
  EXPECT_NO_THROW(session.call(tests[0].function, {}));
  EXPECT_EQ(code_of([&] { session.call(tests[1].function, {}); }), "assertion");
  EXPECT_TRUE(session.take_tests().empty());
}

TEST(Session, InterruptStopsLoopsAndCalls) {
  Recorder recorder;
  Session session({.output = &recorder});
  for (const char* text : {"while true { }", "fn f() { while true { x = 1 } }\nf()", "for i in range(10^15) { }",
                           "fn g(n) = 0 if n == 0 else g(n - 1)\nwhile true { g(10) }"}) {
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      session.interrupt();
    });
    EXPECT_EQ(code_of([&] { session.run_text("t", text); }), "interrupted") << text;
    other.join();
    EXPECT_FALSE(session.interrupted());
  }
  EXPECT_EQ(session.run_text("t", "1 + 1")->i64(), 2);
}

TEST(Session, MemoryLimit) {
  Session session({.memory_limit = 1 << 20});
  EXPECT_EQ(code_of([&] { session.run_text("t", "x = zeros(1000, 1000)"); }), "out_of_memory");
  EXPECT_NO_THROW(session.run_text("t", "x = zeros(100, 100)"));
}

TEST(Session, WarningsHaveAPlace) {
  Recorder recorder;
  Session session({.output = &recorder});
  session.run_text("name", "grad(x -> 1.0)(2.0)");
  EXPECT_NE(recorder.warned.find("warning: "), std::string::npos);
  EXPECT_NE(recorder.warned.find("--> name:1:1"), std::string::npos);
}

void* recurse(void* answer) {
  Session session;
  *static_cast<std::string*>(answer) = code_of([&] { session.run_text("t", "fn f(n) = f(n + 1) + 1\nf(0)"); });
  return nullptr;
}

// Messages about it have been shown by then.
TEST(Session, ARefusedTextGoesAtTheNextRun) {
  Session session;
  for (const char* text : {"x = (", "x = unknown", "x = \"\\q\""}) {
    EXPECT_NE(code_of([&] { session.run_text("refused", text); }), "no error");
    EXPECT_NE(session.sources().find("refused"), 0u) << text;
    session.run_text("t", "1");
    EXPECT_EQ(session.sources().find("refused"), 0u) << text;
  }
  EXPECT_FALSE(session.run_input("fn f(x) {", {}, "begun").complete);
  session.run_input("1");
  EXPECT_EQ(session.sources().find("begun"), 0u);
}

// Where there is no compiler, too.
TEST(Session, TextsGoWithTheirLastFunction) {
  Session session;
  session.run_text("used", "fn f(x) = x + 1");
  for (int i = 0; i < 200; ++i) session.run_text("text " + std::to_string(i), "y = f(" + std::to_string(i) + ")");
  EXPECT_EQ(session.sources().find("text 0"), 0u);
  EXPECT_NE(session.sources().find("text 199"), 0u);
  EXPECT_NE(session.sources().find("used"), 0u);
  EXPECT_EQ(session.run_text("t", "f(1)")->i64(), 2);
}

// Large ones soon.
TEST(Session, LargeTextsDoNotPileUp) {
  Session session;
  const uint64_t before = session.context().pool->account().used;
  for (int i = 0; i < 8; ++i)
    session.run_text("text " + std::to_string(i), "s = \"" + std::string(size_t{4} << 20, 'a') + "\"");
  session.run_text("t", "s = none");
  session.run_text("t", "1");
  EXPECT_LT(session.context().pool->account().used, before + (size_t{1} << 20));
  EXPECT_EQ(session.sources().find("text 0"), 0u);
}

TEST(Session, SmallStackOfAHost) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 1 << 20);
  pthread_t thread;
  std::string answer;
  ASSERT_EQ(pthread_create(&thread, &attributes, recurse, &answer), 0);
  pthread_join(thread, nullptr);
  EXPECT_EQ(answer, "stack");
}

TEST(Session, BigStackReachesTheLimitOfCalls) {
  std::string answer;
  EXPECT_EQ(run_on_big_stack([&] {
              recurse(&answer);
              return 7;
            }),
            7);
  EXPECT_EQ(answer, "recursion");
}

TEST(Session, DeepRecursionThroughOperators) {
  std::string answer;
  const auto recurse = [&] {
    Session session;
    answer = code_of([&] { session.run_text("t", "fn f(n) = tree_map(f, (n,))\nf(0)"); });
    return 0;
  };
#ifdef __SANITIZE_THREAD__
  recurse();  // the sanitizer keeps no stack of more than 2^16 calls
#else
  run_on_big_stack(recurse);
#endif
  EXPECT_TRUE(answer == "recursion" || answer == "stack") << answer;
}

TEST(Session, ModulesAreTriedAgain) {
  Session session;
  EXPECT_EQ(code_of([&] { session.run_text("t", "import no_such_module_here"); }), "module_not_found");
  session.run_text("t", "import nn");
  EXPECT_FALSE(session.member_names(*session.find_global("nn")).empty());
}

TEST(Session, DeeplyNestedValuesGo) {
  Session session;
  session.run_text("t", "xs = list()\nfor i in range(200000) { xs = list(xs) }");
  EXPECT_NO_THROW(session.run_text("t", "xs = 0"));
}

}  // namespace
}  // namespace covec
