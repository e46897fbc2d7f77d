// What one thread reads and the other answers, in order. A request that the client cancels before it is answered is
// marked here.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>

#include "interpreter/lsp/json.hpp"

namespace covec::lsp {

struct Received {
  Json message;
  bool readable = true;    // false: it is no JSON
  bool cancelled = false;  // a request that nobody waits for any more
};

class Inbox {
 public:
  void put(Received received);
  void cancel(const Json& id);
  void close();  // nothing comes any more

  // The next message. Nothing: none has come in that time, or none comes any more.
  std::optional<Received> take(std::chrono::milliseconds patience);
  bool is_closed() const;  // and empty

 private:
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Received> waiting_;
  bool closed_ = false;
};

}  // namespace covec::lsp
