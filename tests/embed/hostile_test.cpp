// Hostile programs under limits: each ends soon, the process stays small, and the session answers afterwards.
//
// COVEC_HOSTILE_REPORT=1 prints what each script took.
#include <covec/covec.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "hostile_scripts.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COVEC_SANITIZED 1
#else
#define COVEC_SANITIZED 0
#endif

namespace {

using Clock = std::chrono::steady_clock;

void drop(void*, covec_stream, const char*, size_t) {}

// The most memory that the process has had since it was last asked, in bytes.
size_t peak_memory() {
  std::FILE* file = std::fopen("/proc/self/status", "r");
  char line[256];
  unsigned long kilobytes = 0;
  while (file != nullptr && std::fgets(line, sizeof line, file) != nullptr) {
    if (std::sscanf(line, "VmHWM: %lu", &kilobytes) == 1) break;
  }
  if (file != nullptr) std::fclose(file);
  if (std::FILE* clear = std::fopen("/proc/self/clear_refs", "w")) {
    std::fputs("5", clear);
    std::fclose(clear);
  }
  return size_t{kilobytes} << 10;
}

class Hostile : public testing::Test {
 protected:
  ~Hostile() override { covec_close(session); }

  // A session that holds nothing of the scripts before.
  void open() {
    covec_close(session);
    covec_options options{};
    options.memory_limit = 64 << 20;
    options.threads = 1;
    options.output = drop;
    options.text_bytes = 1 << 20;
    options.text_nesting = 100;
    options.run_microseconds = 100'000;
    options.run_printed_bytes = 1 << 20;
    options.run_calls = 2000;
    session = covec_open_untrusted(&options);
    run("1 + 1");
  }

  covec_status run(const std::string& text) {
    covec_value* value = nullptr;
    const covec_status status = covec_run(session, "hostile", text.c_str(), &value);
    answer = status != COVEC_OK ? covec_error_message(session) : value == nullptr ? "" : covec_text(value);
    covec_release(value);
    return status;
  }

  void all_of(const std::string& kind);

  covec_session* session = nullptr;
  std::string answer;
};

// The bar is 200 ms and 128 MB on a machine that does nothing else; tests run beside others.
void Hostile::all_of(const std::string& kind) {
  constexpr double longest = COVEC_SANITIZED ? 20 : 3;
  constexpr size_t max_memory = size_t{COVEC_SANITIZED ? 1024 : 128} << 20;
  const bool report = std::getenv("COVEC_HOSTILE_REPORT") != nullptr;
  for (const hostile::Script& script : hostile::scripts()) {
    if (script.kind != kind) continue;
    const std::string shown = script.text.substr(0, 200);
    open();
    peak_memory();
    const size_t before = peak_memory();
    const Clock::time_point start = Clock::now();
    const covec_status status = run(script.text);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    const size_t peak = peak_memory();
    const size_t growth = peak > before ? peak - before : 0;
    if (report) {
      std::string line = shown.substr(0, 90);
      for (char& c : line) c = c == '\n' ? '|' : c;
      std::printf("%7.1f ms %7.1f MB  %d %-60.60s  %s\n", seconds * 1e3, static_cast<double>(growth) / 1e6, status,
                  answer.c_str(), line.c_str());
    }
    EXPECT_NE(status, COVEC_MISUSE) << shown;
    EXPECT_EQ(answer.find("bug in covec"), std::string::npos) << shown << "\n" << answer;
    EXPECT_LT(seconds, longest) << shown;
    EXPECT_LT(growth, max_memory) << shown;
    ASSERT_EQ(run("1 + 1"), COVEC_OK) << shown << "\n" << answer;
    ASSERT_EQ(answer, "2") << shown;
  }
}

TEST_F(Hostile, EndlessLoops) { all_of("endless loop"); }
TEST_F(Hostile, Recursions) { all_of("recursion"); }
TEST_F(Hostile, HugeTensors) { all_of("huge tensor"); }
TEST_F(Hostile, HugeTexts) { all_of("huge text"); }
TEST_F(Hostile, GrowingTrees) { all_of("growing tree"); }
TEST_F(Hostile, SlowOperators) { all_of("slow operator"); }
TEST_F(Hostile, SlowCompiles) { all_of("slow compile"); }
TEST_F(Hostile, LongPrograms) { all_of("long program"); }
TEST_F(Hostile, Prints) { all_of("printing"); }
TEST_F(Hostile, WaysOut) { all_of("way out"); }

TEST_F(Hostile, AreMany) { EXPECT_GE(hostile::scripts().size(), 200u); }

}  // namespace
