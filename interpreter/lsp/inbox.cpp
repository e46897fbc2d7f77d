#include "interpreter/lsp/inbox.hpp"

namespace covec::lsp {

void Inbox::put(Received received) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(received));
  arrived_.notify_one();
}

void Inbox::cancel(const Json& id) {
  const std::lock_guard lock(mutex_);
  for (Received& each : waiting_) {
    if (each.message.is_object() && each.message.value("id", Json()) == id) each.cancelled = true;
  }
}

void Inbox::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  arrived_.notify_one();
}

std::optional<Received> Inbox::take(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  arrived_.wait_for(lock, patience, [&] { return closed_ || !waiting_.empty(); });
  if (waiting_.empty()) return std::nullopt;
  Received first = std::move(waiting_.front());
  waiting_.pop_front();
  return first;
}

bool Inbox::is_closed() const {
  const std::lock_guard lock(mutex_);
  return closed_ && waiting_.empty();
}

}  // namespace covec::lsp
