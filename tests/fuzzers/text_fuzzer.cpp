// Bytes as a program: it runs in a session with little memory, and ends with a value or an error of the program's.
// Loops that do not end, and sleeps, are interrupted, which must work too. Programs that write files are passed over.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "interpreter/compiler.hpp"
#include "interpreter/session/session.hpp"

namespace {

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

class Silent : public covec::ops::Output {
 public:
  void write(std::string_view) override {}
  void warn(std::string_view) override {}
};

// Interrupts a session that runs for longer than a while.
class Watch {
 public:
  Watch() : thread_([this](std::stop_token stop) { look(stop); }) {}
  void begin(covec::Session& session) {
    const std::lock_guard lock(mutex_);
    session_ = &session;
    since_ = std::chrono::steady_clock::now();
  }
  void end() {
    const std::lock_guard lock(mutex_);
    session_ = nullptr;
  }

 private:
  void look(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      const std::lock_guard lock(mutex_);
      const auto longest = std::chrono::milliseconds(300);
      if (session_ != nullptr && std::chrono::steady_clock::now() - since_ > longest) session_->interrupt();
    }
  }

  std::mutex mutex_;
  covec::Session* session_ = nullptr;
  std::chrono::steady_clock::time_point since_;
  std::jthread thread_;  // last: it looks at the others
};

void run(covec::Session& session, std::string_view text) {
  try {
    const std::optional<covec::Value> value = session.run_text("program", text);
    if (value) session.display_of(*value, {.screen = {80, 24}, .html = true});
  } catch (const covec::CovecError& error) {
    const std::string said = session.render(error);
    if (said.empty() || said.find("bug in covec") != std::string::npos) fail(said);
  }
}

std::unique_ptr<covec::Session> fresh_session(Silent& silent) {
  covec::SessionOptions options;
  options.output = &silent;
  options.memory_limit = uint64_t{64} << 20;
  options.threads = 1;
  options.make_compiler = covec::make_compiler;
  return std::make_unique<covec::Session>(std::move(options));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Silent silent;
  static Watch watch;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const std::string_view word : {"save", "write_csv", "bug in covec"}) {  // the last would be shown by every error
    if (text.find(word) != std::string_view::npos) return -1;
  }
  static std::unique_ptr<covec::Session> kept;  // a new one costs more than most programs
  static int used = 0;
  if (used++ % 256 == 0) kept = fresh_session(silent);
  covec::Session& session = *kept;
  session.reset();
  watch.begin(session);
  run(session, text);
  run(session, text);  // once more over what it left: names, compiled code
  watch.end();
  session.clear_interrupt();  // one that came at the very end
  return 0;
}
