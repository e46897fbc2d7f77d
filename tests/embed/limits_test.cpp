// Limits of runs and of texts: what each says, that no program can catch them, and that the session goes on.
#include <covec/covec.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "program.hpp"

namespace {

void keep(void* user, covec_stream, const char* text, size_t bytes) {
  static_cast<std::string*>(user)->append(text, bytes);
}

class Limits : public testing::Test {
 protected:
  void open() {
    options.threads = 1;
    options.output = keep;
    options.user = &printed;
    session.reset(covec_open(&options));
  }
  covec_status run(const std::string& text) {
    covec_value* value = nullptr;
    const covec_status status = covec_run(session.get(), "script", text.c_str(), &value);
    answer = status != COVEC_OK ? covec_error_message(session.get()) : value == nullptr ? "" : covec_text(value);
    covec_release(value);
    return status;
  }

  covec_options options = {};
  std::string printed, answer;
  OpenSession session;
};

// Iterations side by side keep what each of them needs for its derivative. Where there is no room for that of all of
// them, there is for one after the other.
TEST_F(Limits, MemoryOfIterationsSideBySide) {
  const std::string text =
      "fn f(x) {\n  s = x\n  for i in range(200000) { s = s + 0.001 * sin(s) }\n  return s\n}\n"
      "@compile\nfn g(xs) = vmap(grad(f))(xs)\nassert same(g([0.5])[0], g(linspace(0.5, 0.5, 9))[8])";
  for (const uint64_t megabytes : {16, 256}) {
    options.memory_limit = megabytes << 20;
    open();
    EXPECT_EQ(run(text), COVEC_OK) << megabytes << ": " << answer;
    covec_account account = {};
    EXPECT_EQ(covec_memory(session.get(), &account), COVEC_OK);
    EXPECT_LT(account.used, uint64_t{4} << 20);
    EXPECT_LE(account.peak, options.memory_limit);
  }
}

// Frames of compiled calls hold tensors, which are freed where a limit of memory or depth ends a recursion in its
// middle.
TEST_F(Limits, RecursionOverTensors) {
  const std::string updated =
      "fn f(x, n) {\nif n == 0 { return sum(x) }\ny = x * 1.0\ny[0] += 1.0\nreturn f(y, n - 1) + y[2]\n}\n";
  const std::string read = "fn g(x, n) {\nif n == 0 { return sum(x) }\nreturn x[n % 3] + g(x, n - 1)\n}\n";
  options.memory_limit = uint64_t{16} << 20;
  for (const std::string mark : {"", "@compile\n"}) {
    open();
    covec_account before = {}, after = {};
    ASSERT_EQ(run(mark + updated + mark + read + "big, small = zeros(1000), zeros(3)\nf(small, 9) + g(small, 9)"),
              COVEC_OK)
        << answer;
    for (int round = 0; round < 3; ++round) {
      EXPECT_EQ(run("f(big, 9000)"), COVEC_ERROR);
      EXPECT_NE(answer.find("out of memory"), std::string::npos) << answer;
      EXPECT_EQ(run("f(small, 10^6)"), COVEC_ERROR);
      EXPECT_NE(answer.find("recursion too deep"), std::string::npos) << answer;
      EXPECT_EQ(run("g(small, 10^6)"), COVEC_ERROR);
      EXPECT_NE(answer.find("recursion too deep"), std::string::npos) << answer;
      EXPECT_EQ(run("(f(small, 9), g(small, 9))"), COVEC_OK) << answer;
      EXPECT_EQ(answer, "(9.0, 0.0)");
      ASSERT_EQ(covec_memory(session.get(), round == 0 ? &before : &after), COVEC_OK);
    }
    EXPECT_LE(after.used, before.used + 65'536);  // the texts of the runs, which are freed later
  }
}

TEST_F(Limits, RecursionOverTensorsInTwoSessions) {
  const auto deep = [](int n, std::string& told) {
    covec_options own = {};
    own.threads = 1;
    const OpenSession other(covec_open(&own));
    const std::string text =
        "@compile\nfn f(x, n) {\nif n == 0 { return sum(x) }\nx[n % 3] += 1.0\nreturn f(x, n - 1)\n}\n"
        "total = 0.0\nfor k in range(50) { total += f(zeros(3), " +
        std::to_string(n) + ") }\ntotal";
    covec_value* value = nullptr;
    if (covec_run(other.get(), "script", text.c_str(), &value) == COVEC_OK) told = covec_text(value);
    covec_release(value);
  };
  std::string first, second;
  std::thread one(deep, 5000, std::ref(first)), two(deep, 3000, std::ref(second));
  one.join();
  two.join();
  EXPECT_EQ(first, "250000.0");
  EXPECT_EQ(second, "150000.0");
}

const std::string late = "the program ran longer than its limit of 50 ms";

TEST_F(Limits, TimeOfARun) {
  options.run_microseconds = 50'000;
  open();
  for (const char* text :
       {"while true { }", "@compile\nfn f() {\nx = 1.0\nwhile x > 0.0 { x = x * 1.5 / 1.5 }\nreturn x\n}\nf()",
        "while true { try { while true { } } catch err { s = err.message } }", "sleep(1000.0)"}) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(run(text), COVEC_INTERRUPTED) << text;
    EXPECT_EQ(answer, late) << text;
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5)) << text;
    EXPECT_EQ(run("1 + 1"), COVEC_OK) << answer;
  }
  EXPECT_EQ(std::string(covec_error_text(session.get())), "");
  // Each run has its time, and the time between runs is nobody's.
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(run("sleep(0.01)"), COVEC_OK) << answer;
    usleep(10'000);
  }
}

TEST_F(Limits, TimeOfACall) {
  options.run_microseconds = 50'000;
  open();
  ASSERT_EQ(run("fn f() { while true { } }"), COVEC_OK) << answer;
  covec_value* f = nullptr;
  ASSERT_EQ(covec_get(session.get(), "f", &f), COVEC_OK);
  EXPECT_EQ(covec_call(session.get(), f, nullptr, 0, nullptr), COVEC_INTERRUPTED);
  EXPECT_EQ(covec_error_message(session.get()), late);
  EXPECT_EQ(covec_error_line(session.get()), 1u);
  covec_release(f);
}

TEST_F(Limits, TimeOfSeveralSessionsAtOnce) {
  std::vector<std::thread> threads;
  std::vector<int> right(4);
  for (int k = 0; k < 4; ++k) {
    threads.emplace_back([&right, k] {
      covec_options own{};
      own.threads = 1;
      own.run_microseconds = 10'000 + 5'000 * static_cast<uint64_t>(k);
      const OpenSession mine(covec_open(&own));
      for (int i = 0; i < 10; ++i) {
        right[k] += covec_run(mine.get(), "a", "while true { }", nullptr) == COVEC_INTERRUPTED;
        right[k] += covec_run(mine.get(), "a", "1 + 1", nullptr) == COVEC_OK;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, std::vector<int>(4, 20));
}

TEST_F(Limits, TimeAfterAFork) {
  options.run_microseconds = 50'000;
  open();
  ASSERT_EQ(run("while true { }"), COVEC_INTERRUPTED);
  const pid_t child = fork();
  if (child == 0) _exit(run("while true { }") == COVEC_INTERRUPTED && run("1 + 1") == COVEC_OK ? 0 : 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(Limits, TimeOfAText) {
  options.run_microseconds = 50'000;
  open();
  covec_value* value = nullptr;
  ASSERT_EQ(covec_run(session.get(), "a", "t = (1, 2)\nfor i in range(40) { t = (t, t) }\nt", &value), COVEC_OK);
  EXPECT_STREQ(covec_text(value), "?");
  covec_release(value);
  EXPECT_EQ(run("1 + 1"), COVEC_OK);
  EXPECT_EQ(answer, "2");
}

TEST_F(Limits, PrintedBytes) {
  options.run_printed_bytes = 20;
  open();
  EXPECT_EQ(run("while true { try { print(\"1234567\") } catch err { s = 1 } }"), COVEC_ERROR);
  EXPECT_EQ(answer, "the program printed more than its limit of 20 bytes");
  EXPECT_EQ(printed, "1234567\n1234567\n");
  EXPECT_EQ(run("print(\"1234567890\", to=\"stderr\")"), COVEC_OK) << answer;  // a run of its own
  EXPECT_EQ(run("print(\"123456789 123456789\", to=\"stderr\")"), COVEC_OK) << answer;
  EXPECT_EQ(run("print(\"a warning that is long\", to=\"warning\")"), COVEC_ERROR);
}

TEST_F(Limits, OpenCalls) {
  options.run_calls = 50;
  open();
  const std::string f = "fn f(n) {\nif n == 0 { return 0 }\nreturn 1 + f(n - 1)\n}\n";
  EXPECT_EQ(run(f + "f(40)"), COVEC_OK) << answer;
  EXPECT_EQ(run(f + "f(60)"), COVEC_ERROR);
  EXPECT_EQ(answer, "recursion too deep: 50 nested calls");
  EXPECT_EQ(run("@compile\n" + f + "f(60)"), COVEC_ERROR);
  EXPECT_EQ(answer, "recursion too deep: 50 nested calls");
}

TEST_F(Limits, Texts) {
  options.text_bytes = 100;
  options.text_nesting = 5;
  open();
  EXPECT_EQ(run(std::string(100, ' ')), COVEC_OK) << answer;
  EXPECT_EQ(run(std::string(101, ' ')), COVEC_ERROR);
  EXPECT_NE(answer.find("101"), std::string::npos) << answer;
  EXPECT_EQ(run("((((1))))"), COVEC_OK) << answer;
  EXPECT_EQ(run("((((((1))))))"), COVEC_ERROR);
  EXPECT_EQ(answer, "nested too deeply: more than 5 levels");
  EXPECT_EQ(run("import optim\n1"), COVEC_OK) << answer;  // the limits are not for what is built in
}

}  // namespace
