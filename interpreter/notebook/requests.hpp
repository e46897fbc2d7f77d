// Requests: what `covec kernel` is asked to do, one JSON object a line. A thread of its own reads them, so that an
// interrupt, an answer to a question and the end of the input reach a program that runs. Start reading at receive().
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "interpreter/notebook/wire.hpp"
#include "interpreter/session/session.hpp"

namespace covec::notebook {

class Requests {
 public:
  Requests(int descriptor, Wire& wire) : descriptor_(descriptor), wire_(wire) {}
  ~Requests();
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;

  void begin(Session& session);  // which runs the programs

  // Waits for the next one, and begins it: an interrupt from now on is for it. Nothing: there will be none.
  std::optional<Json> take();
  void finish();
  bool have_ended();  // there will be no more

  enum class Reply : uint8_t { text, end, interrupted };
  Reply ask(std::string_view prompt, std::string& text);

 private:
  struct Queued {
    Json message;
    bool interrupted = false;
  };
  void read();
  void receive(const std::string& line);
  void interrupt();
  void answered(const Json& message);
  void close();

  const int descriptor_;
  Wire& wire_;
  Session* session_ = nullptr;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Queued> queue_;
  bool running_ = false, closed_ = false, asking_ = false;
  std::optional<Json> answer_;
  std::thread reader_;
};

}  // namespace covec::notebook
