// What may come from other threads, interrupts that come early, and sessions that go on after memory was exhausted.
#include <covec/covec.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

// What the host does on another thread in the middle of a run: at each print.
struct Host {
  covec_session* session = nullptr;
  std::function<void()> at_print;
  static void print(void* user, covec_stream, const char*, size_t) {
    std::thread([&] { static_cast<Host*>(user)->at_print(); }).join();
  }
};

// The process forks while another thread reads a text: the child reads one too.
TEST(Threads, ForksWhileOthersRead) {
  std::atomic<bool> is_over = false;
  std::thread other([&] {
    covec_session* const session = covec_open(nullptr);
    std::string text;
    for (int i = 0; i < 500; ++i) text += "x = (1 + 2) * [3, 4.5]\n";
    while (!is_over) covec_run(session, "a", text.c_str(), nullptr);
    covec_close(session);
  });
  covec_session* const session = covec_open(nullptr);
  int status = 0;
  for (int i = 0; i < 50 && status == 0; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);  // ends a child that waits for ever
      _exit(covec_run(session, "a", "1 + 1", nullptr) == COVEC_OK ? 0 : 1);
    }
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  is_over = true;
  other.join();
  covec_close(session);
}

TEST(Threads, ReleasesComeFromAny) {
  Host host;
  covec_options options{};
  options.threads = 1;
  options.output = Host::print;
  options.user = &host;
  host.session = covec_open(&options);
  std::vector<covec_value*> values(100);
  for (size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(covec_run(host.session, "a", "zeros(1000) + 1", &values[i]), COVEC_OK);
  }
  covec_account full, after;
  ASSERT_EQ(covec_memory(host.session, &full), COVEC_OK);
  size_t next = 0;
  host.at_print = [&] {
    EXPECT_EQ(covec_text(values[next]), nullptr);  // it would have to be made by the session
    EXPECT_EQ(covec_text_bytes(values[next]), 0u);
    for (int i = 0; i < 10; ++i) covec_release(values[next++]);
  };
  ASSERT_EQ(covec_run(host.session, "b", "for i in range(10) { x = sum(zeros(1000))\n print(i) }", nullptr), COVEC_OK);
  EXPECT_EQ(next, 100u);
  ASSERT_EQ(covec_memory(host.session, &after), COVEC_OK);
  EXPECT_LE(after.used + 100 * 8000, full.used + 8000);
  EXPECT_EQ(covec_close(host.session), COVEC_OK);
}

TEST(Threads, ATextStaysWhileItsValueIsThere) {
  covec_session* session = covec_open(nullptr);
  covec_value* value = nullptr;
  ASSERT_EQ(covec_run(session, "a", "\"a\\0b\"", &value), COVEC_OK);
  const char* text = covec_text(value);
  ASSERT_EQ(covec_text_bytes(value), 3u);
  EXPECT_EQ(std::memcmp(text, "a\0b", 4), 0);
  EXPECT_EQ(covec_text(value), text);
  std::thread([&] { covec_release(value); }).join();
  EXPECT_EQ(covec_close(session), COVEC_OK);
}

TEST(Interrupts, OneBeforeARunIsForgottenOrRemembered) {
  covec_session* session = covec_open(nullptr);
  const char* text = "s = 0\nfor i in range(100000) { s += i }";
  covec_interrupt(session);
  EXPECT_EQ(covec_run(session, "a", text, nullptr), COVEC_OK);
  covec_interrupt_next(session);
  EXPECT_EQ(covec_run(session, "b", text, nullptr), COVEC_INTERRUPTED);
  EXPECT_EQ(covec_run(session, "c", text, nullptr), COVEC_OK);
  EXPECT_EQ(covec_close(session), COVEC_OK);
}

uint64_t address_space() {
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

// In a process of its own, which has little address space left: the number of the program whose run was wrong, or 0.
int run_with_little_space() {
  const uint64_t bytes = address_space() + (400u << 20);
  const rlimit limit{bytes, bytes};
  if (setrlimit(RLIMIT_AS, &limit) != 0) return 1;
  covec_options options{};
  options.memory_limit = uint64_t{1} << 40;
  options.threads = 1;
  covec_session* session = covec_open(&options);
  if (session == nullptr) return 2;
  const char* const exhausting[] = {
      "x = list()\nwhile true { x.push(zeros(1000)) }",
      "x = \"ab\"\nwhile true { x = x + x }",
      "x = map()\ni = 0\nwhile true { x[f\"{i}\"] = f\"value {i}\"; i += 1 }",
      "x = zeros(1000)\nwhile true { x = concat((x, x)) }",
      "fn f() { x = list(0); while true { x.push((x[-1], 1.0)) } }\nf()",
  };
  int number = 2;
  for (const char* text : exhausting) {
    ++number;
    if (covec_run(session, "exhausting", text, nullptr) != COVEC_ERROR) return number;
    if (std::strstr(covec_error_text(session), "out of memory") == nullptr) return 100 + number;
    if (covec_run(session, "freed", "x = none", nullptr) != COVEC_OK) return 200 + number;
    if (covec_run(session, "after", "assert(sum(zeros(100_000) + 1) == 100_000 and len(\"ab\" + \"cd\") == 4)",
                  nullptr) != COVEC_OK)
      return 300 + number;
  }
  if (covec_run(session, "compiled", "@compile\nfn f(x) = sum(sin(x)^2 + cos(x)^2)\nassert(f(ones(64)) > 63.9)",
                nullptr) != COVEC_OK)
    return 99;
  return covec_close(session) == COVEC_OK ? 0 : 98;
}

// The same on a process's first thread, whose stack the kernel maps as it grows: the heap has taken the address space
// when a recursion needs it.
int recurse_with_little_space() {
  const uint64_t bytes = address_space() + (300u << 20);
  const rlimit limit{bytes, bytes};
  if (setrlimit(RLIMIT_AS, &limit) != 0) return 1;
  covec_options options{};
  options.memory_limit = uint64_t{1} << 40;
  options.threads = 1;
  covec_session* session = covec_open(&options);
  if (session == nullptr) return 2;
  const std::pair<const char*, const char*> runs[] = {
      {"x = list()\nwhile true { x.push(zeros(1000)) }", "fn f(n) = 1 + f(n + 1)\nf(0)"},
      {"x = list()\nwhile true { x.push(\"text\") }", "@compile\nfn g(n) = 1 + g(n + 1)\ng(0)"},
  };
  int number = 2;
  for (const auto& [exhausting, recursive] : runs) {
    ++number;
    if (covec_run(session, "exhausting", exhausting, nullptr) != COVEC_ERROR) return number;
    if (std::strstr(covec_error_text(session), "out of memory") == nullptr) return 100 + number;
    // Here memory may be what ends it.
    if (covec_run(session, "recursive", recursive, nullptr) != COVEC_ERROR) return 200 + number;
    if (std::string_view(covec_error_kind(session)) != "limit") return 300 + number;
    if (covec_run(session, "freed", "x = none", nullptr) != COVEC_OK) return 400 + number;
  }
  if (covec_run(session, "after", "assert(1 + 1 == 2)", nullptr) != COVEC_OK) return 99;
  return covec_close(session) == COVEC_OK ? 0 : 98;
}

void run_in_a_child(int (*run)()) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers take the whole address space";
#endif
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const int wrong = run();
        std::fprintf(stderr, "wrong: %d\n", wrong);
        _exit(wrong == 0 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "wrong: 0\n");
}

TEST(Memory, ASessionGoesOnAfterTheSystemHadNone) { run_in_a_child(run_with_little_space); }

TEST(Memory, RecursionEndsWhereTheHeapHasTakenTheSpace) { run_in_a_child(recurse_with_little_space); }

}  // namespace
