// Captured: while it lives, what anything in this process or a command of the shell writes to standard output and
// standard error is sent as texts. A thread of its own reads both, a few times a second, so that many short writes
// become one message. A line without an end waits a moment: it may be what a question asks.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <thread>

#include "interpreter/notebook/wire.hpp"

namespace covec::notebook {

class Captured {
 public:
  explicit Captured(Wire& wire);
  ~Captured();
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;
  void send();                  // all that has been written up to now
  std::string take_question();  // sends all but the line that has no end, and gives that, if it was not sent yet

 private:
  struct Stream {
    const char* name;
    int descriptor;     // the one that is captured
    int read_end = -1;  // of the pipe that stands in its place
    int original = -1;
    std::string bytes = {};                            // read, and not sent yet
    std::chrono::steady_clock::time_point since = {};  // they wait
  };
  static void capture(Stream& stream);
  void watch();
  static size_t waiting(const Stream& stream);         // bytes that stand in the pipe
  static void read_some(Stream& stream, size_t most);  // of what stands there
  void send(Stream& stream, size_t end);
  void send_ripe(Stream& stream);

  Wire& wire_;
  std::mutex mutex_;
  Stream output_, error_;
  int stop_[2] = {-1, -1};  // a pipe that ends the thread
  std::thread watcher_;
};

}  // namespace covec::notebook
