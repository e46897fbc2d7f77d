// Calls with names and with several results, functions made of functions, and errors as data.
#include <cstring>

#include "program.hpp"

namespace {

using Values = std::vector<covec_value*>;

TEST(Functions, TakeArgumentsByName) {
  Program program("fn g(x, y=2, z=3) = x * 100 + y * 10 + z");
  covec_session* const session = program.session;
  covec_value* const g = program.get("g");
  const Values args{program.number(1), program.number(7), program.number(5)};
  const char* const names[] = {"z", "y"};
  const auto text = [&](size_t count, size_t named) {
    return text_of(
        program.made([&](auto** v) { return covec_call_named(session, g, args.data(), count, names, named, v); }));
  };
  EXPECT_EQ(text(2, 1), "127.0");
  EXPECT_EQ(text(3, 2), "157.0");
  EXPECT_EQ(text(3, 0), "175.0");
  covec_value* value = nullptr;
  const char* const wrong[] = {"w"};
  EXPECT_EQ(covec_call_named(session, g, args.data(), 2, wrong, 1, &value), COVEC_ERROR);
  EXPECT_EQ(program.kind(), "type");
  for (const char* const name : {"fn", "", "1"}) {
    EXPECT_EQ(covec_call_named(session, g, args.data(), 2, &name, 1, &value), COVEC_MISUSE) << name;
  }
  const char* const null = nullptr;
  EXPECT_EQ(covec_call_named(session, g, args.data(), 2, &null, 1, &value), COVEC_MISUSE);
  EXPECT_EQ(covec_call_named(session, g, args.data(), 2, nullptr, 1, &value), COVEC_MISUSE);
  EXPECT_EQ(covec_call_named(session, g, args.data(), 1, names, 2, &value), COVEC_MISUSE);
  EXPECT_EQ(text_of(program.made([&](auto** v) { return covec_parameters(session, g, v); })),
            "list(\"x\", \"y\", \"z\")");
  EXPECT_EQ(covec_parameters(session, args[0], &value), COVEC_ERROR);
}

TEST(Functions, TakeOptions) {
  Program program("fn g(x, **others) = (x, others)\n@compile fn h(x, **others) = x * others.by");
  covec_session* const session = program.session;
  const Values args{program.number(1), program.number(7), program.number(5)};
  const char* const names[] = {"by", "x"};
  const auto text = [&](const char* function, size_t first, size_t count, size_t named) {
    return text_of(program.made([&](auto** v) {
      return covec_call_named(session, program.get(function), args.data() + first, count, names, named, v);
    }));
  };
  EXPECT_EQ(text("g", 0, 1, 0), "(1.0, {})");
  EXPECT_EQ(text("g", 0, 2, 1), "(1.0, {by: 7.0})");
  EXPECT_EQ(text("g", 1, 2, 2), "(5.0, {by: 7.0})");
  EXPECT_EQ(text("h", 1, 2, 1), "35.0");
  EXPECT_EQ(text("h", 1, 2, 2), "35.0");
  covec_value* value = nullptr;
  const char* const twice[] = {"a", "a"};
  EXPECT_EQ(covec_call_named(session, program.get("g"), args.data(), 3, twice, 2, &value), COVEC_ERROR);
  EXPECT_EQ(program.kind(), "type");
}

TEST(Functions, GiveSeveralResults) {
  Program program("fn two(x) = (x + 1, \"text\")\nfn one(x) = x\nfn nothing() = ()");
  covec_session* const session = program.session;
  const Values args{program.number(1)};
  Values results(2, args[0]);
  ASSERT_EQ(covec_call_many(session, program.get("two"), args.data(), 1, results.data(), 2), COVEC_OK);
  EXPECT_EQ(text_of(program.hold(results[0])), "2.0");
  EXPECT_EQ(text_of(program.hold(results[1])), "text");
  results = {args[0], args[0], args[0]};
  EXPECT_EQ(covec_call_many(session, program.get("two"), args.data(), 1, results.data(), 3), COVEC_ERROR);
  EXPECT_EQ(results, Values(3, nullptr));
  EXPECT_EQ(program.message(), "expected a tuple of 3 results, got tuple");
  EXPECT_EQ(covec_call_many(session, program.get("one"), args.data(), 1, results.data(), 1), COVEC_ERROR);
  EXPECT_EQ(covec_call_many(session, program.get("nothing"), nullptr, 0, nullptr, 0), COVEC_OK);
  EXPECT_EQ(covec_call_many(session, program.get("one"), args.data(), 1, nullptr, 1), COVEC_MISUSE);
  EXPECT_EQ(covec_call_many(session, nullptr, args.data(), 1, results.data(), 1), COVEC_MISUSE);
}

TEST(Functions, AreMadeOfFunctions) {
  Program program("fn f(x, w) = x * w * w\nfn v(x) = [x[0]^2, x[0] * x[1]]");
  covec_session* const session = program.session;
  covec_value* const f = program.get("f");
  const Values args{program.number(3), program.number(2)};
  const auto applied = [&](covec_value* made, size_t count = 2) {
    return text_of(program.made([&](auto** v) { return covec_call(session, made, args.data(), count, v); }));
  };
  covec_value* const w = program.string("w");
  EXPECT_EQ(applied(program.made([&](auto** v) { return covec_compile(session, f, v); })), "12.0");
  EXPECT_EQ(applied(program.made([&](auto** v) { return covec_grad(session, f, nullptr, v); })), "4.0");
  EXPECT_EQ(applied(program.made([&](auto** v) { return covec_grad(session, f, w, v); })), "12.0");
  covec_value* const both =
      program.made([&](auto** v) { return covec_value_and_grad(session, f, program.value_of("(0, \"w\")"), v); });
  EXPECT_EQ(applied(both), "(12.0, (4.0, 12.0))");
  double numbers[3] = {};
  const double in[] = {3, 2};
  EXPECT_EQ(covec_call_numbers(session, both, in, 2, numbers, 3), COVEC_OK);
  EXPECT_EQ(numbers[2], 12.0);
  covec_value* const jacobian =
      program.made([&](auto** v) { return covec_jacobian(session, program.get("v"), nullptr, v); });
  covec_value* const x = program.value_of("[3.0, 5.0]");
  EXPECT_EQ(text_of(program.made([&](auto** v) { return covec_call(session, jacobian, &x, 1, v); })),
            "[[6.0, 0.0],\n [5.0, 3.0]]");
  covec_value* const mapped =
      program.made([&](auto** v) { return covec_vmap(session, f, program.value_of("(0, none)"), v); });
  const Values rows{x, args[1]};
  EXPECT_EQ(text_of(program.made([&](auto** v) { return covec_call(session, mapped, rows.data(), 2, v); })),
            "[12.0, 20.0]");
  covec_value* value = f;
  EXPECT_EQ(covec_grad(session, args[0], nullptr, &value), COVEC_ERROR);
  EXPECT_EQ(value, nullptr);
  EXPECT_EQ(covec_grad(session, f, program.string("q"), &value), COVEC_ERROR);
  EXPECT_EQ(covec_vmap(session, nullptr, nullptr, &value), COVEC_MISUSE);
  EXPECT_EQ(covec_compile(session, f, nullptr), COVEC_MISUSE);
  Program other("fn f(x) = x");
  EXPECT_EQ(covec_jacobian(session, other.get("f"), nullptr, &value), COVEC_MISUSE);
  EXPECT_EQ(covec_grad(session, f, other.string("w"), &value), COVEC_MISUSE);
}

TEST(Functions, OfTheLanguageAndNamesOfTheModule) {
  Program program("b = 1\na = 2");
  covec_session* const session = program.session;
  covec_value* const stack = program.made([&](auto** v) { return covec_builtin(session, "maximum", v); });
  const Values args{program.number(1), program.number(2)};
  EXPECT_EQ(text_of(program.made([&](auto** v) { return covec_call(session, stack, args.data(), 2, v); })), "2.0");
  EXPECT_EQ(text_of(program.made([&](auto** v) { return covec_builtin(session, "pi", v); })), "3.141592653589793");
  covec_value* value = stack;
  for (const char* const name : {"no_such", "", "a"}) EXPECT_EQ(covec_builtin(session, name, &value), COVEC_ERROR);
  EXPECT_EQ(program.message(), "there is no builtin `a`");
  EXPECT_EQ(value, nullptr);
  EXPECT_EQ(covec_builtin(session, nullptr, &value), COVEC_MISUSE);
  EXPECT_EQ(text_of(program.made([&](auto** v) { return covec_names(session, v); })), "list(\"b\", \"a\")");
}

// --- errors ---

TEST(Errors, AreData) {
  Program program("fn inner(x) =\n    x + \"a\"\nfn outer(x) {\n    return inner(x) * 2\n}");
  covec_session* const session = program.session;
  EXPECT_EQ(covec_run(session, "caller", "y = 1\nz = outer(y)", nullptr), COVEC_ERROR);
  EXPECT_EQ(program.kind(), "type");
  EXPECT_NE(program.message().find("add needs"), std::string::npos) << program.message();
  EXPECT_STREQ(covec_error_file(session), "program");
  EXPECT_EQ(covec_error_line(session), 2u);
  EXPECT_EQ(covec_error_column(session), 9u);
  ASSERT_EQ(covec_error_calls(session), 2u);
  EXPECT_STREQ(covec_error_call_function(session, 0), "inner(x)");
  EXPECT_STREQ(covec_error_call_file(session, 0), "program");
  EXPECT_EQ(covec_error_call_line(session, 0), 4u);
  EXPECT_EQ(covec_error_call_column(session, 0), 12u);
  EXPECT_STREQ(covec_error_call_function(session, 1), "outer(x)");
  EXPECT_STREQ(covec_error_call_file(session, 1), "caller");
  EXPECT_EQ(covec_error_call_line(session, 1), 2u);
  EXPECT_STREQ(covec_error_call_function(session, 2), "");
  EXPECT_EQ(covec_error_call_line(session, 2), 0u);
  EXPECT_EQ(covec_run(session, "fine", "1", nullptr), COVEC_OK);
  EXPECT_EQ(program.kind() + program.message() + covec_error_text(session) + covec_error_file(session), "");
  EXPECT_EQ(covec_error_calls(session), 0u);
  EXPECT_EQ(covec_error_column(session), 0u);
}

TEST(Texts, DefineFunctionsInScopesOfTheirOwn) {
  Program program;
  covec_session* const session = program.session;
  ASSERT_EQ(covec_run(session, "names", "k = 3", nullptr), COVEC_OK);
  covec_value *one = nullptr, *two = nullptr;
  ASSERT_EQ(covec_define(session, "one", "fn g(x) = k * x\nfn f(x) = g(x)", &one), COVEC_OK);
  ASSERT_EQ(covec_define(session, nullptr, "fn g(x) = 7 * x\nfn f(x) = g(x)", &two), COVEC_OK);
  double in = 2, out = 0;
  EXPECT_EQ(covec_call_numbers(session, one, &in, 1, &out, 1), COVEC_OK);
  EXPECT_EQ(out, 6);
  EXPECT_EQ(covec_call_numbers(session, two, &in, 1, &out, 1), COVEC_OK);
  EXPECT_EQ(out, 14);
  covec_release(one);
  covec_release(two);
  EXPECT_EQ(covec_get(session, "f", &one), COVEC_ERROR);
  EXPECT_EQ(covec_define(session, "text", "x = 1", &one), COVEC_ERROR);
  EXPECT_EQ(program.kind(), "syntax");
  EXPECT_EQ(one, nullptr);
  EXPECT_EQ(covec_define(session, "text", "fn h(x) = x.y\nh(1)\nfn f(x) = x", &one), COVEC_ERROR);
  ASSERT_EQ(covec_error_calls(session), 1u);
  EXPECT_STREQ(covec_error_call_function(session, 0), "h(x)");
  EXPECT_EQ(covec_define(session, "text", "fn f(x) = x", nullptr), COVEC_MISUSE);
  EXPECT_EQ(covec_define(session, "text", nullptr, &one), COVEC_MISUSE);
}

TEST(Functions, TellOfThemselves) {
  Program program("# Adds.\nfn f(x, y=2.0, *rest) = x + y");
  covec_session* const session = program.session;
  const auto told = [&](const char* function, const char* what) {
    covec_value* const of = program.value_of(function);
    covec_value* const record = program.made([&](auto** v) { return covec_about(session, of, v); });
    return std::string(text_of(program.made([&](auto** v) { return covec_field(session, record, what, v); })));
  };
  EXPECT_EQ(told("f", "name"), "f");
  EXPECT_EQ(told("f", "signature"), "f(x, y=2.0, *rest)");
  EXPECT_EQ(told("f", "doc"), "Adds.");
  EXPECT_EQ(told("grad(f)", "name"), "grad(f)");
  EXPECT_EQ(told("grad(f)", "doc"), "");
  covec_value* record = nullptr;
  EXPECT_EQ(covec_about(session, program.value_of("1"), &record), COVEC_ERROR);
  EXPECT_EQ(program.kind(), "type");
  EXPECT_EQ(covec_about(session, nullptr, &record), COVEC_MISUSE);
  EXPECT_EQ(covec_about(session, program.value_of("f"), nullptr), COVEC_MISUSE);
}

TEST(Errors, HaveKinds) {
  Program program;
  const std::pair<const char*, const char*> kinds[] = {{"1 +", "syntax"},
                                                       {"unknown_thing", "syntax"},
                                                       {"[1, 2] + [1, 2, 3]", "shape"},
                                                       {"[1, 2][5]", "index"},
                                                       {"sqrt()", "syntax"},
                                                       {"{a: 1}.b", "key"},
                                                       {"assert false", "assertion"},
                                                       {"error(\"no\")", "user"},
                                                       {"exit(2)", "exit"},
                                                       {"error(\"no\", kind=\"shape\")", "shape"},
                                                       {"fn f(x) = f(x) + 1\nf(1)", "limit"},
                                                       {"read_text(\"/no/file\")", "file"}};
  for (const auto& [text, kind] : kinds) {
    EXPECT_EQ(covec_run(program.session, "text", text, nullptr), COVEC_ERROR) << text;
    EXPECT_EQ(program.kind(), kind) << covec_error_text(program.session);
  }
  covec_interrupt_next(program.session);
  EXPECT_EQ(covec_run(program.session, "text", "while true { }", nullptr), COVEC_INTERRUPTED);
  EXPECT_EQ(program.kind(), "interrupted");
  EXPECT_EQ(covec_run(program.session, "text", nullptr, nullptr), COVEC_MISUSE);
  EXPECT_EQ(program.kind(), "misuse");
  EXPECT_EQ(covec_run(program.session, "text", "x = 1\nprint(y)", nullptr), COVEC_ERROR);
  EXPECT_STREQ(covec_error_hint(nullptr), "");
  EXPECT_STREQ(covec_error_kind(nullptr), "");
}

// --- options ---

TEST(Options, AreThoseThatTheHeaderKnows) {
  struct Newer {
    covec_options known;
    uint64_t later;
  } newer{};
  newer.known.threads = 1;
  covec_session* session = covec_open_sized(&newer.known, sizeof newer);
  ASSERT_NE(session, nullptr);
  covec_close(session);
  newer.later = 1;
  EXPECT_EQ(covec_open_sized(&newer.known, sizeof newer), nullptr);  // what this library does not know
  covec_options older{};
  older.memory_limit = 1 << 20;
  older.threads = 1u << 31;  // beyond what it has
  session = covec_open_sized(&older, sizeof(uint64_t));
  ASSERT_NE(session, nullptr);
  covec_account account;
  ASSERT_EQ(covec_memory(session, &account), COVEC_OK);
  EXPECT_EQ(account.limit, 1u << 20);
  covec_close(session);
  session = (covec_open)(nullptr);  // the function of version 0.4
  ASSERT_NE(session, nullptr);
  covec_close(session);
}

}  // namespace
