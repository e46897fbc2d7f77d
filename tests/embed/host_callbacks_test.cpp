// What functions of a host's may do in a call, how they are made, and their lives: in their session, on their thread.
#include <cfenv>
#include <stdexcept>
#include <thread>

#include "host_functions.hpp"

namespace {

using Args = covec_value* const*;

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

TEST(HostCallbacks, ThatMisbehaveAreErrors) {
  for (const char* const name : {"eager", "compiled"}) {
    const Engine engine(name, false);
    Host host;
    host.set("odd", {}, [](covec_session* s, Args a, size_t) { return fail_oddly(s, a[0]); });
    const std::tuple<const char*, const char*, const char*> cases[] = {
        {"nothing", "returned no value and no error", "value"},
        {"throw", "threw an exception: no luck", "value"},
        {"throw 1", "threw an exception: of unknown type", "value"},
        {"other", "returned a value that is not of this session", "value"},
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

TEST(HostCallbacks, MayNotRunAnything) {
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
          covec_profile_begin(s),
          covec_profile_end(s, nullptr, &value),
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

TEST(HostCallbacks, EndWhereTheyInterrupt) {
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

TEST(HostCallbacks, AreMadeOfSoundDefinitions) {
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

TEST(HostCallbacks, TellTheirHostOfTheirEnd) {
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

TEST(HostCallbacks, AreCalledByTheirHost) {
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
TEST(HostCallbacks, KnowTheirThreadAndTheirSession) {
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

TEST(HostCallbacks, LeaveNothingBehind) {
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

TEST(HostCallbacks, KeepWhatTheyCopy) {
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

// Shared memory goes back to the host, whose functions may make no values then.
TEST(HostCallbacks, ShareTheirMemory) {
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
TEST(HostCallbacks, FindTheirEnvironment) {
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

TEST(HostCallbacks, OfSeveralSessionsRunOnSeveralThreads) {
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
