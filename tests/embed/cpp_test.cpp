// covec.hpp: conversions, functions of C++ and prepared functions.
#include <gtest/gtest.h>
#include <covec/covec.hpp>

#include <cmath>
#include <thread>

namespace {

namespace host = covec::host;

struct Point {
  double x = 0, y = 0;
};
struct Body {
  double mass = 0;
  std::array<double, 3> at = {};
  Point shift = {};
};

}  // namespace

template <>
struct covec::host::Members<Point> {
  static constexpr auto list = std::tuple(member("x", &Point::x), member("y", &Point::y));
};
template <>
struct covec::host::Members<Body> {
  static constexpr auto list =
      std::tuple(member("mass", &Body::mass), member("at", &Body::at), member("shift", &Body::shift));
};

namespace {

class Cpp : public testing::Test {
 protected:
  host::Handle name(const std::string& text) { return *session.get(text); }
  // The value and what comes back when it is taken as the same type.
  template <class T>
  T there_and_back(const T& value, const std::string& text) {
    const host::Handle made = *session.make(value);
    EXPECT_EQ(made.text(), text);
    return *session.to<T>(made);
  }
  host::Session session{{.threads = 1}};
};

TEST_F(Cpp, ConvertsEachType) {
  EXPECT_EQ(there_and_back(true, "true"), true);
  EXPECT_EQ(there_and_back(-3, "-3"), -3);
  const std::complex<float> narrow(1, -2);
  EXPECT_EQ(there_and_back(narrow, "1.0-2.0im"), narrow);
  const std::vector<std::complex<double>> wide = {{1, 2}, {3, -0.5}};
  EXPECT_EQ(there_and_back(wide, "[1.0+2.0im, 3.0-0.5im]"), wide);
  EXPECT_EQ(session.to<std::complex<double>>(*session.make(2.0)).error().message, "expected a c128, got f64");
  EXPECT_EQ(session.to<std::vector<std::complex<double>>>(*session.make(std::complex<double>(0, 2))).error().message,
            "the value has rank 0, not 1");
  EXPECT_EQ(there_and_back(uint8_t{7}, "7"), 7);
  EXPECT_EQ(there_and_back(0.25f, "0.25"), 0.25f);
  EXPECT_EQ(there_and_back(0.1, "0.1"), 0.1);
  EXPECT_EQ(there_and_back(std::string("a\0b", 3), std::string("a\0b", 3)), std::string("a\0b", 3));
  EXPECT_EQ(there_and_back(std::vector<int64_t>{1, 2}, "[1, 2]"), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(there_and_back(std::vector<double>{}, "[] (f64[0])"), std::vector<double>{});
  EXPECT_EQ(there_and_back(std::vector<std::string>{"a", "b"}, "list(\"a\", \"b\")").size(), 2u);
  EXPECT_EQ(there_and_back(std::array<float, 2>{1, 2}, "[1.0, 2.0]")[1], 2.0f);
  EXPECT_EQ(there_and_back(std::tuple(1, 2.5, std::string("c")), "(1, 2.5, \"c\")"),
            std::tuple(1, 2.5, std::string("c")));
  EXPECT_EQ(there_and_back(std::optional<double>(), "none"), std::nullopt);
  EXPECT_EQ(there_and_back(std::optional<double>(2), "2.0"), 2.0);
  EXPECT_EQ(there_and_back(std::map<std::string, int>{{"a", 1}}, "{\"a\": 1}").at("a"), 1);
  const Body body =
      there_and_back(Body{2, {1, 2, 3}, {4, 5}}, "{mass: 2.0, at: [1.0, 2.0, 3.0], shift: {x: 4.0, y: 5.0}}");
  EXPECT_EQ(body.at[2] + body.shift.y, 8);
}

TEST_F(Cpp, RefusesWhatDoesNotFit) {
  const auto says = [&](const char* text, auto like) {
    const auto taken = session.to<decltype(like)>(*session.run(text));
    return taken ? std::string("nothing") : taken.error().message;
  };
  EXPECT_EQ(says("300", uint8_t{}), "300 does not fit the host's type");
  EXPECT_NE(says("1.5", 1), "nothing");
  EXPECT_NE(says("\"a\"", 1.0), "nothing");
  EXPECT_NE(says("[1.0]", std::vector<int64_t>{}), "nothing");
  EXPECT_EQ(says("[[1.0]]", std::vector<double>{}), "the value has rank 2, not 1");
  EXPECT_EQ(says("[1.0]", std::array<double, 2>{}), "the value is no tensor of 2 elements");
  EXPECT_EQ(says("(1, 2, 3)", std::tuple<int, int>{}), "the value has 3 parts, not 2");
  EXPECT_EQ(says("{x: 1.0}", Point{}), "there is no field `y`");
  EXPECT_NE(says("(1, \"a\")", std::tuple<int, int>{}), "nothing");
  EXPECT_NE(says("list(1, \"a\")", std::vector<std::string>{}), "nothing");
  EXPECT_THROW((void)*session.run("1 +"), host::Exception);
  EXPECT_FALSE(session.set("fn", 1.0));
}

TEST_F(Cpp, CallsWithValues) {
  session.run("fn f(p, k) = p.x * k + p.y\nfn g(x) = (x, 2 * x)").value();
  EXPECT_EQ(*session.call<double>(name("f"), Point{2, 1}, 3.0), 7);
  EXPECT_EQ((*session.call<std::tuple<double, double>>(name("g"), 1.5)), std::tuple(1.5, 3.0));
  session.set("rate", 0.5).value();
  EXPECT_EQ(*session.get<double>("rate"), 0.5);
  const auto wrong = session.call<double>(name("f"), 1.0, 2.0);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().status, COVEC_ERROR);
  EXPECT_EQ(wrong.error().line, 1u);
  EXPECT_EQ(wrong.error().calls.size(), 1u);
  double out[2];
  session.call_numbers(name("g"), std::array{4.0}, out).value();
  EXPECT_EQ(out[1], 8);
  EXPECT_EQ(*session.call<double>(*session.grad(*session.compile(*session.run("x -> x^3"))), 2.0), 12);
}

TEST_F(Cpp, DefinesFunctions) {
  int calls = 0;
  session.define("half", [&](double x) { return ++calls, x / 2; }).value();
  session.define("norm3", [](std::array<double, 3> a) { return std::hypot(a[0], a[1], a[2]); }, {.parameters = {"a"}})
      .value();
  session.define("moved", [](Body b, Point by) { return b.shift.x += by.x, b; }).value();
  session.define("nothing", [](const std::string&) {}).value();
  session
      .define("checked",
              [](double x) -> host::Result<double> {
                if (x < 0) return host::Error{COVEC_ERROR, "x is negative", "", 0, 0, "value"};
                return std::sqrt(x);
              })
      .value();
  EXPECT_EQ(*session.to<double>(*session.run("half(3) + norm3(a=[2.0, 3.0, 6.0])")), 8.5);
  EXPECT_EQ(calls, 1);
  session.set("b", Body{1, {}, {2, 3}}).value();
  EXPECT_EQ(session.run("moved(b, {x: 1.0, y: 0.0}).shift")->text(), "{x: 3.0, y: 3.0}");
  EXPECT_EQ(session.run("nothing(\"a\")")->kind(), COVEC_NONE);
  const auto says = [&](const char* text) {
    return session.run(text).error().kind + ": " + session.run(text).error().message;
  };
  EXPECT_EQ(says("checked(-1.0)"), "value: x is negative");
  EXPECT_EQ(says("half(1, 2)"), "type: half takes 1 argument, got 2");
  EXPECT_EQ(says("half(\"a\")").substr(0, 5), "type:");
  session.define("throws", [](int64_t) -> double { throw host::Failure("no such thing", "key"); }).value();
  EXPECT_EQ(says("throws(1)"), "key: no such thing");
  session.define("odd", [](int64_t) -> double { throw host::Failure("odd", "no kind"); }).value();
  EXPECT_EQ(says("odd(1)"), "user: odd");
  session.define("runtime", [](int64_t) -> double { throw std::runtime_error("broken"); }).value();
  EXPECT_FALSE(session.run("runtime(1)"));
  EXPECT_FALSE(session.define("fn", [](double x) { return x; }));
  // In compiled code, with a rule of the language.
  session.run("fn rule(x, y, dy) = dy * 0.5").value();
  session.define("soft", [](double x) { return x / 2; }, {.reverse = name("rule")}).value();
  EXPECT_EQ(session
                .run("@compile\nfn h(x) {\n  s = 0.0\n  for i in range(3) { s = s + soft(x) }\n  return s\n}\n(h(2.0), "
                     "grad(h)(2.0))")
                ->text(),
            "(3.0, 1.5)");
}

TEST_F(Cpp, PreparesFunctions) {
  session
      .run(
          "fn f(x, y) = sin(x) * y\nfn move(b, by) = {mass: b.mass, at: b.at + by, shift: b.shift}\n"
          "fn pair(a) = (sum(a), a * 2.0)\nfn at(x, i) = x[i]")
      .value();
  auto f = *session.prepare<double(double, double)>(name("f"));
  EXPECT_EQ(*f(1.0, 2.0), *session.call<double>(name("f"), 1.0, 2.0));
  auto move = *session.prepare<Body(Body, double)>(name("move"));
  EXPECT_EQ((*move(Body{1, {1, 2, 3}, {7, 8}}, 0.5)).at[2], 3.5);
  EXPECT_EQ((*move(Body{1, {1, 2, 3}, {7, 8}}, 0.5)).shift.y, 8);
  using Matrix = std::array<std::array<double, 2>, 2>;
  auto pair = *session.prepare<std::tuple<double, Matrix>(Matrix)>(name("pair"));
  EXPECT_EQ(std::get<1>(*pair(Matrix{{{1, 2}, {3, 4}}}))[1][0], 6);
  auto other = *f.another();
  double there = 0;
  std::thread([&] { there = *other(1.0, 2.0); }).join();
  EXPECT_EQ(there, *f(1.0, 2.0));

  auto at = *session.prepare<double(std::array<double, 2>, int64_t)>(name("at"));
  const auto beyond = at({1, 2}, 5);
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().kind, "index");
  EXPECT_EQ(beyond.error().line, 4u);
  EXPECT_EQ(*at({1, 2}, 1), 2);

  const auto says = [&](auto made) { return made ? std::string("nothing") : made.error().message; };
  EXPECT_EQ(says(session.prepare<float(double, double)>(name("f"))), "the function does not give f32");
  EXPECT_EQ(says(session.prepare<double(Matrix)>(name("pair"))), "the function gives more than f64");
  EXPECT_NE(says(session.prepare<double(double, double)>(*session.run("(x, y) -> print(x)"))), "nothing");
  session.define("twice", [](double x) { return 2 * x; }, {.pure = true}).value();
  const std::string refused = says(session.prepare<double(double)>(*session.run("x -> twice(x) + 1")));
  EXPECT_NE(refused.find("`twice` is a host function"), std::string::npos) << refused;
}

TEST_F(Cpp, BindsSpansToWorkers) {
  const host::Prepared prepared = *session.prepare(*session.run("(x, k) -> cumsum(x) * k"), "f64[4], f64");
  EXPECT_EQ(prepared.inputs(), 2u);
  EXPECT_EQ(prepared.input(0).bytes, 32u);
  EXPECT_EQ(prepared.output(0).rank, 1u);
  EXPECT_EQ(prepared.output(9).bytes, 0u);
  host::Worker worker = *prepared.worker();
  const std::vector<double> x = {1, 2, 3, 4};
  const double k = 10;
  std::vector<double> out(4);
  EXPECT_EQ(worker.run().error().status, COVEC_MISUSE);
  worker.bind_input(0, std::span(x)).value();
  worker.bind_input(1, std::span(&k, 1)).value();
  worker.bind_output(0, std::span(out)).value();
  worker.run().value();
  EXPECT_EQ(out[3], 100);
}

TEST_F(Cpp, OpensUntrustedSessions) {
  auto strict = *host::Session::open({.trusted = false});
  EXPECT_FALSE(strict.run("read_text(\"/etc/passwd\")"));
  EXPECT_FALSE(host::Session::open({.trusted = false, .read_folders = {"/no/such/folder"}}));
  int lines = 0;
  host::Session asks({.input = [&]() -> std::optional<std::string> {
                        if (lines++ > 0) return std::nullopt;
                        return "an answer";
                      },
                      .resolve = [](std::string_view name) -> std::optional<std::string> {
                        if (name != "mine") return std::nullopt;
                        return "fn f(x) = x + 1";
                      }});
  EXPECT_EQ(asks.run("import mine\n(mine.f(1), input())")->text(), "(2, \"an answer\")");
  EXPECT_FALSE(asks.run("import other"));
}

}  // namespace
