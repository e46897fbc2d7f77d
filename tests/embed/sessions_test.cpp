// The embedding interface from C++: sessions apart, tensors without copies, errors as values, interrupts from outside.
#include <gtest/gtest.h>
#include <covec/covec.hpp>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace {

using covec::host::Handle;
using covec::host::Session;

double number(Session& session, const Handle& value) {
  const covec_view view = *session.look(value);
  EXPECT_EQ(view.rank, 0u);
  return *static_cast<const double*>(view.data);
}

TEST(Embedding, RunsTextAndGivesTheLastValue) {
  Session session;
  auto value = session.run("x = 20.0\nx * 2 + 2");
  ASSERT_TRUE(value) << value.error().text;
  EXPECT_EQ(number(session, *value), 42.0);
  auto nothing = session.run("y = 1");
  ASSERT_TRUE(nothing);
  EXPECT_FALSE(*nothing);
}

// The process is the host's, and so is its standard input.
TEST(Embedding, AProgramNeitherEndsTheProcessNorAsks) {
  Session session;
  const auto ended = session.run("x = 1.5\nexit(3)\nx = 2.5");
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().message, "the program has ended itself: exit(3)");
  EXPECT_EQ(number(session, *session.run("x")), 1.5);  // the session goes on
  const auto asked = session.run("input(\"name? \")");
  ASSERT_FALSE(asked);
  EXPECT_EQ(asked.error().message, "input: the host provides no input to this program");
}

TEST(Embedding, SharesMemoryWithoutACopy) {
  Session session;
  std::vector<double> data(1000000, 1.5);
  auto shared = session.lend<double>(data, {1000, 1000});
  ASSERT_TRUE(shared) << shared.error().text;
  ASSERT_TRUE(session.set("x", *shared));
  auto back = session.get("x");
  ASSERT_TRUE(back);
  EXPECT_EQ(session.look(*back)->data, data.data());
  data[0] = 7.0;  // the host's memory is what the program reads
  EXPECT_EQ(number(session, *session.run("x[0, 0]")), 7.0);
}

TEST(Embedding, AProgramNeverWritesToSharedMemory) {
  Session session;
  const std::vector<double> data{1, 2, 3};
  session.set("x", *session.lend<double>(data, {3})).value();
  auto updated = session.run("x[1] = 20.0\nx");
  ASSERT_TRUE(updated) << updated.error().text;
  EXPECT_EQ(static_cast<const double*>(session.look(*updated)->data)[1], 20.0);
  EXPECT_EQ(data[1], 2.0);
}

TEST(Embedding, SharesHalf) {
  Session session;
  const std::vector<covec::host::F16> halves{{0x3c00}, {0x4100}, {0x7bff}};   // 1, 2.5, 65504
  const std::vector<covec::host::Bf16> uppers{{0x3f80}, {0x4020}, {0x0001}};  // 1, 2.5, 2^-133
  session.set("x", *session.lend<covec::host::F16>(halves, {3})).value();
  session.set("y", *session.lend<covec::host::Bf16>(uppers, {3})).value();
  EXPECT_EQ(session.run("f\"{x} {y} {x.dtype} {y.dtype} {sum(f64(x[0:2]) * y[0:2])}\"")->text(),
            "[1.0, 2.5, 65500.0] [1.0e+00, 2.5e+00, 9.0e-41] f16 bf16 7.25");
  auto doubled = session.run("x * 2");
  auto view = session.look(*doubled);
  EXPECT_EQ(view->dtype, COVEC_F16);
  EXPECT_EQ(static_cast<const uint16_t*>(view->data)[1], 0x4500);
  EXPECT_EQ(static_cast<const uint16_t*>(view->data)[2], 0x7c00);
}

TEST(Embedding, ReleasesOwnedMemoryOnceEvenAfterTheSession) {
  static int released = 0;
  released = 0;
  double cells[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  const int64_t dims[1] = {8};
  covec_session* session = covec_open(nullptr);
  covec_value* value = nullptr;
  ASSERT_EQ(covec_lend(
                session, COVEC_F64, 1, dims, cells, [](void*) { ++released; }, nullptr, &value),
            COVEC_OK);
  covec_close(session);
  EXPECT_EQ(released, 0);
  EXPECT_STREQ(covec_text(value), "[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]");
  covec_release(value);
  EXPECT_EQ(released, 1);
}

TEST(Embedding, CallsFunctionsOfTheProgram) {
  Session session;
  ASSERT_TRUE(session.run("fn f(x, y) = x * y + 1\nfn df(x) = grad(x -> x^3)(x)"));
  auto product = session.call(*session.get("f"), {*session.scalar(3.0), *session.scalar(4.0)});
  ASSERT_TRUE(product) << product.error().text;
  EXPECT_EQ(number(session, *product), 13.0);
  EXPECT_EQ(number(session, *session.call(*session.get("df"), {*session.scalar(2.0)})), 12.0);
}

TEST(Embedding, ErrorsAreValuesAndTheSessionGoesOn) {
  Session session;
  auto wrong = session.run("x = 1\ny = zeros(3) + zeros(4)\n", "model");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().status, COVEC_ERROR);
  EXPECT_EQ(wrong.error().line, 2u);
  EXPECT_NE(wrong.error().text.find("model:2:"), std::string::npos) << wrong.error().text;
  EXPECT_FALSE(session.run("fn ("));
  EXPECT_FALSE(session.get("y"));
  EXPECT_FALSE(session.call(*session.get("x"), {}));
  EXPECT_EQ(session.run("x + 1")->text(), "2");
}

TEST(Embedding, MisuseIsAStatus) {
  Session first, second;
  auto foreign = first.run("1.0");
  EXPECT_EQ(second.set("x", *foreign).error().status, COVEC_MISUSE);
  EXPECT_EQ(first.set("not a name", *foreign).error().status, COVEC_MISUSE);
  EXPECT_EQ(covec_run(nullptr, "a", "1", nullptr), COVEC_MISUSE);
  covec_value* value = nullptr;
  const int64_t negative[1] = {-1};
  EXPECT_EQ(covec_lend(first.raw(), COVEC_F64, 1, negative, nullptr, nullptr, nullptr, &value), COVEC_MISUSE);
  EXPECT_EQ(covec_lend(first.raw(), static_cast<covec_dtype>(99), 0, nullptr, negative, nullptr, nullptr, &value),
            COVEC_MISUSE);
  EXPECT_EQ(covec_look(first.raw(), nullptr, nullptr), COVEC_MISUSE);
  covec_release(nullptr);
  covec_close(nullptr);
}

TEST(Embedding, OutputGoesToTheHost) {
  std::string printed;
  Session session({.output = [&](covec_stream, std::string_view text) { printed += text; }});
  ASSERT_TRUE(session.run("print(1, \"two\", [3.0])"));
  EXPECT_EQ(printed, "1 two [3.0]\n");
}

TEST(Embedding, MemoryLimitIsAnError) {
  Session session({.memory_limit = 64u << 20});
  auto wrong = session.run("x = zeros(100000000)");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("memory"), std::string::npos) << wrong.error().message;
  EXPECT_TRUE(session.run("x = zeros(1000)"));
}

TEST(Embedding, TheAccountOfMemory) {
  Session session({.memory_limit = 64u << 20});
  ASSERT_TRUE(session.run("fn twice(x) = (x + 1.0) + (x + 2.0)\nx = zeros(1000000)"));
  const covec_account before = session.memory().value();
  EXPECT_EQ(before.limit, 64u << 20);
  EXPECT_GE(before.used, 8'000'000u);
  session.reset_peak();
  EXPECT_EQ(session.memory()->peak, before.used);
  ASSERT_TRUE(session.run("y = twice(x)\ny = none"));
  const covec_account after = session.memory().value();
  EXPECT_LT(after.used, before.used + 1'000'000);
  EXPECT_GE(after.peak, before.used + 16'000'000);  // both terms at once
  EXPECT_GE(after.allocations, before.allocations + 2);
  EXPECT_EQ(covec_memory(session.raw(), nullptr), COVEC_MISUSE);
  EXPECT_EQ(covec_memory(nullptr, nullptr), COVEC_MISUSE);
}

TEST(Embedding, Profiles) {
  Session session;
  ASSERT_TRUE(session.run("fn spend(n) {\n  s = 0.0\n  for i in range(n) { s += i }\n  return s\n}", "spend.covec"));
  EXPECT_EQ(covec_profile_end(session.raw(), nullptr, nullptr), COVEC_MISUSE);
  EXPECT_STREQ(covec_error_message(session.raw()), "no profile is being taken");
  ASSERT_TRUE(session.profile_begin());
  EXPECT_FALSE(session.profile_begin());
  EXPECT_STREQ(covec_error_message(session.raw()), "a profile is being taken already");
  ASSERT_TRUE(session.run("spend(400000)"));
  std::thread([&] {
    EXPECT_EQ(covec_profile_end(session.raw(), nullptr, nullptr), COVEC_MISUSE);
    EXPECT_STREQ(covec_error_message(session.raw()), "a profile ends on the thread that has begun it");
  }).join();
  auto profile = session.profile_end("spent");
  ASSERT_TRUE(profile);
  const auto part = [&](const char* name) { return session.to<std::string>(*session.field(*profile, name)).value(); };
  EXPECT_NE(part("table").find("spend.covec:3  for i in range(n) { s += i }\n"), std::string::npos) << part("table");
  EXPECT_EQ(part("svg").find("<svg"), 0u);
  EXPECT_NE(part("svg").find(">spent, "), std::string::npos);
  EXPECT_NE(part("speedscope").find("\"name\":\"spent\""), std::string::npos);
  EXPECT_TRUE(session.run("spend(10)"));
  // A session that is closed in the middle, also by another thread, takes its timer along.
  for (const bool elsewhere : {false, true}) {
    auto other = std::make_unique<Session>();
    ASSERT_TRUE(other->profile_begin());
    const auto close = [&] { other.reset(); };
    elsewhere ? std::thread(close).join() : close();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

// Arrays of examples that run side by side lie in the session's memory. Where it has no room for those of all lanes,
// the examples run one by one.
TEST(Embedding, ArraysInLanesCount) {
  const std::string program =
      "fn one(a, n) {\n  u = zeros(n)\n"
      "  for s in range(3) { for i in range(1, n) { u[i] = u[i - 1] * a + u[i] + 1.0 } }\n"
      "  return u[n - 1]\n}\n@compile\nfn f(xs, n) = vmap(a -> one(a, n))(xs)\nxs = linspace(0.0, 1.0, 64)\n"
      "assert f(xs, 9)[0] == 3.0";
  const std::string call = "y = f(xs, 30000)\nassert y[0] == 3.0 and y[63] > 1e9";
  for (const unsigned threads : {1u, 4u}) {
    Session session({.memory_limit = 64u << 20, .threads = threads});
    ASSERT_TRUE(session.run(program));
    session.reset_peak();
    const uint64_t used = session.memory()->used;
    ASSERT_TRUE(session.run(call));
    constexpr uint64_t of_lanes = uint64_t{4} * 30000 * sizeof(double);
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
      EXPECT_GE(session.memory()->peak, used + of_lanes);
    }
    EXPECT_LE(session.memory()->used, used + 100'000);
    Session small({.memory_limit = of_lanes, .threads = threads});
    ASSERT_TRUE(small.run(program));
    EXPECT_TRUE(small.run(call));
    EXPECT_LE(small.memory()->peak, of_lanes);
  }
}

// A call that is looked at and then interpreted has its arguments alone, so that what it changes is changed in place.
TEST(Embedding, InterpretedCallsOfCompiledFunctionsCopyNothing) {
  Session session;
  ASSERT_TRUE(session.run(R"(
fn push(xs, v) {
    xs.push(v)
    return xs
}
pushed = compile(push)
fn grown(f) {
    xs = list(0.5 for i in range(300000))
    for i in range(600) { xs = f(xs, 0.25) }
    return len(xs)
}
)"));
  const auto peak_of = [&](const char* text) {
    const uint64_t before = session.memory()->used;
    session.reset_peak();
    EXPECT_TRUE(session.run(text));
    return session.memory()->peak - before;
  };
  const uint64_t eager = peak_of("a = grown(push)");
  EXPECT_GE(eager, 4'800'000u);
  EXPECT_LE(peak_of("b = grown(pushed)"), eager + 1'000'000);
}

// What was compiled before a text came whose functions give a rule to one that it reads sees that rule.
TEST(Embedding, ALaterTextMayGiveRules) {
  Session session;
  ASSERT_TRUE(
      session.run("fn h(x) = x * x\n@compile\nfn f(fs, k, x) { a = grad(h)(x); fs[k](); s = 0.0\n"
                  "for i in range(40) { s += grad(h)(x) * i }; return a + s }\n"
                  "others = list(() -> 0 for i in range(69))"));
  EXPECT_EQ(number(session, *session.run("f(others, 3, 1.0)")), 1562.0);
  ASSERT_TRUE(session.run("fn install() {\n@derivative(of=h)\nfn r(x, result, ct) = ct * 100.0\n}"));
  EXPECT_EQ(number(session, *session.run("f(list(*others, install), 69, 1.0)")), 78002.0);
  EXPECT_EQ(number(session, *session.run("f(others, 3, 1.0)")), 78100.0);
  // Rules for functions that came with them are no reason to compile others again, and nor are rules at all in the end.
  ASSERT_TRUE(session.run("@compile\nfn g(x) { s = 0.0; for i in range(100) { s += x * i }; return s }"));
  std::string rule = "fn give(){\n@derivative(of=F)\nfn rule(x, result, ct) = ct * 7.0\n}\ng(1.0)";
  for (int i = 0; i < 70; ++i) {
    const std::string name = "fresh" + std::to_string(i);
    std::string text = "fn " + name + "(x) = x * x\n" + rule;
    text.replace(text.find("F)"), 1, i % 2 == 0 ? name : "fresh0");
    EXPECT_EQ(number(session, *session.run(text)), 4950.0);
  }
  EXPECT_TRUE(session.run("explain(g)")->text().starts_with("g: compiled, all of it"));
}

TEST(Embedding, InterruptsFromAnotherThread) {
  const char* const lanes =  // examples with arrays, side by side
      "fn one(a, n) {\n  u = ones(9)\n  for s in range(n) { for i in range(1, 9) { u[i] = u[i - 1] * a + 0.5 * u[i] } "
      "}\n"
      "  return u[8]\n}\n@compile\nfn f(xs, n) = vmap(a -> one(a, n))(xs)\nf(linspace(0.0, 0.5, 9), 10^12)";
  for (const char* const text : {"i = 0\nwhile true { i += 1 }", lanes}) {
    Session session;
    std::atomic<bool> done = false;
    std::thread stopper([&] {
      while (!done) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        session.interrupt();
      }
    });
    auto endless = session.run(text);
    done = true;
    stopper.join();
    ASSERT_FALSE(endless);
    EXPECT_EQ(endless.error().status, COVEC_INTERRUPTED);
  }
}

// Compiled code fails behind the interrupt, and the interpreter, which is to say why, is interrupted: what has been
// printed was drawn.
TEST(Embedding, AnInterruptKeepsDrawsThatWereShown) {
  int prints = 0;
  Session* running = nullptr;
  Session session({.output = [&](covec_stream, std::string_view) {
    if (++prints == 3) running->interrupt();
  }});
  running = &session;
  ASSERT_TRUE(session.run(R"(
fn doubled(x) {
    y = abs(x)
    while y < 10 { y = y * 2 + 1 }
    return y
}
@compile
fn f(X, n) {
    s = 0.0
    for i in range(n) {
        print(f"{i} {rand()}")
        s = s + sum(vmap(x -> x[i] + doubled(x[0]))(X))
    }
    return s
}
)"));
  const auto ended = session.run("seed(3)\nf([[1.0, 2.0], [3.0, 4.0]], 3)");
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().status, COVEC_INTERRUPTED);
  const double next = number(session, *session.run("rand()"));
  EXPECT_EQ(next, number(session, *session.run("seed(3)\nlist(rand() for k in range(4))[3]")));
}

TEST(Embedding, SessionsOnThreadsShareNothing) {
  auto work = [](int seed, std::string& printed) {
    Session session({.output = [&](covec_stream, std::string_view text) { printed += text; }});
    auto result = session.run("import optim\nseed(" + std::to_string(seed) + R"()
x = randn(1000)
fn loss(w) = mean((w * x - 2 * x)^2)
w = 0.0
for step in range(50) { w = w - 0.1 * grad(loss)(w) }
A = randn(200, 200)
print(f"{w:.6f} {sum(A @ A):.6f}")
)");
    ASSERT_TRUE(result) << result.error().text;
  };
  std::string first, second, alone;
  std::thread one([&] { work(1, first); });
  std::thread two([&] { work(2, second); });
  one.join();
  two.join();
  work(1, alone);
  EXPECT_EQ(first, alone);
  EXPECT_NE(first, second);
}

// What a value looks like, and what programs show.
std::string form_of(Session& session, const char* program, covec_form form) {
  auto value = session.run(program);
  EXPECT_TRUE(value) << value.error().text;
  auto shown = session.display(*value, form);
  EXPECT_TRUE(shown) << shown.error().text;
  return *shown ? session.to<std::string>(*shown).value() : "none";
}

TEST(Displays, FormsOfValues) {
  Session session;
  const char* const figure = "import plot\nplot.line([1.0, 3.0], title=\"<up>\")";
  EXPECT_EQ(form_of(session, "[1, 2]", COVEC_TEXT), "[1, 2]");
  EXPECT_EQ(form_of(session, "\"a\\nb\"", COVEC_TEXT), "a\nb");
  EXPECT_NE(form_of(session, figure, COVEC_TEXT).find("<up>"), std::string::npos);
  EXPECT_NE(form_of(session, figure, COVEC_SVG).find("&lt;up&gt;"), std::string::npos);
  EXPECT_EQ(form_of(session, figure, COVEC_HTML), "none");
  EXPECT_EQ(form_of(session, "[1, 2]", COVEC_SVG), "none");
  EXPECT_EQ(form_of(session, "3", COVEC_PNG), "none");
  EXPECT_NE(form_of(session, "[1, 2]", COVEC_HTML).find("<table>"), std::string::npos);
  auto png = session.display(*session.run(figure), COVEC_PNG);
  const covec_view view = *session.look(*png);
  ASSERT_EQ(view.dtype, COVEC_U8);
  EXPECT_EQ(std::string_view(static_cast<const char*>(view.data), 4), "\x89PNG");
  Session untrusted({.trusted = false});  // it may not load Cairo
  EXPECT_EQ(form_of(untrusted, figure, COVEC_PNG), "none");
  EXPECT_NE(form_of(untrusted, figure, COVEC_SVG), "none");
  covec_value* shown = nullptr;
  EXPECT_EQ(covec_display(session.raw(), nullptr, COVEC_TEXT, &shown), COVEC_MISUSE);
  EXPECT_EQ(covec_display(session.raw(), session.run("1")->get(), COVEC_TEXT, nullptr), COVEC_MISUSE);
  EXPECT_EQ(covec_display(session.raw(), session.run("1")->get(), static_cast<covec_form>(4), &shown), COVEC_MISUSE);
  EXPECT_STREQ(covec_error_message(session.raw()), "there is no such form");
}

TEST(Displays, ProgramsShowFiguresAndTables) {
  std::string written, shown, forms;
  covec::host::Options options;
  options.output = [&](covec_stream, std::string_view text) { written += text; };
  const char* const program =
      "import plot\nimport table\nf = plot.line([1.0, 3.0])\nprint(1)\nplot.show(f, width=40, height=8)\n"
      "table.show({a: [1, 2]})\ntable.show({a: [1, 2]}, rows=1)";
  Session plain(options);
  ASSERT_TRUE(plain.run(program));
  options.show = [&](covec_session* session, covec_value* value, std::string_view text) {
    shown += text;
    for (const auto& [form, name] : {std::pair(COVEC_HTML, "html "), std::pair(COVEC_SVG, "svg ")}) {
      covec_value* made = nullptr;
      EXPECT_EQ(covec_display(session, value, form, &made), COVEC_OK);
      if (made != nullptr) forms += name;
      covec_release(made);
    }
    EXPECT_EQ(covec_run(session, "again", "1", nullptr), COVEC_MISUSE);
    covec_release(value);  // does nothing
  };
  const std::string before = std::exchange(written, "");
  Session session(options);
  ASSERT_TRUE(session.run(program));
  EXPECT_EQ(forms, "svg html ");
  EXPECT_TRUE(written.starts_with("1\n     a\n   i64\n0    1\n⋮\n")) << written;
  EXPECT_EQ(written.substr(0, 2) + shown + written.substr(2), before);
  const std::pair<covec::host::Show, const char*> failures[] = {
      {[](covec_session*, covec_value*, std::string_view) { throw std::runtime_error("no room"); }, "no room"},
      {[](covec_session* session, covec_value*, std::string_view) { covec_fail(session, "value", "no page"); },
       "no page"}};
  for (const auto& [show, says] : failures) {
    options.show = show;
    Session failing(options);
    auto failed = failing.run(program);
    ASSERT_FALSE(failed);
    EXPECT_NE(failed.error().message.find(says), std::string::npos) << failed.error().message;
    EXPECT_EQ(failed.error().line, 5u);
  }
}

// A call that code leaves to the interpreter has shown what it shows; what parts of a program show is shown at once.
TEST(Displays, CallsThatAreMadeAgainShowOnce) {
  for (const char* const engine : {"eager", "compiled"}) {
    setenv("COVEC_ENGINE", engine, 1);
    covec::host::Options options;
    size_t shown = 0;
    std::string written;
    options.use_environment = true;
    options.output = [&](covec_stream, std::string_view text) { written += text; };
    options.show = [&](covec_session*, covec_value*, std::string_view) {
      written += "shown\n";
      ++shown;
    };
    Session session(options);
    unsetenv("COVEC_ENGINE");
    auto result = session.run(
        "import plot\nimport parallel\nline = plot.line([1.0, 3.0])\n"
        "@compile\nfn f(x, i) {\n    print(\"f\")\n    plot.show(line, width=40, height=8)\n    return x[i] * 2\n}\n"
        "print(f([1.0, 2.0], 1))\ntry { f([1.0, 2.0], 7) } catch err { print(err.kind) }\n"
        "fn g(x) { plot.show(line, width=40, height=8); return x * x }\nprint(grad(g)(3.0), compile(grad(g))(4.0))\n"
        "parts = parallel.map(g, 2)");
    ASSERT_TRUE(result) << result.error().text;
    EXPECT_EQ(written, "f\nshown\n4.0\nf\nshown\nindex\nshown\nshown\n6.0 8.0\nshown\nshown\n") << engine;
    EXPECT_EQ(shown, 6u);
  }
}

}  // namespace
