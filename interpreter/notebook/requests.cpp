#include "interpreter/notebook/requests.hpp"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <utility>

#include "frontend/common/trimmed.hpp"
#include "interpreter/assist/syntax.hpp"

namespace covec::notebook {

namespace {

constexpr size_t longest_line = size_t{256} << 20;  // bytes

}  // namespace

Requests::~Requests() {
  if (reader_.joinable()) reader_.join();
}

void Requests::begin(Session& session) {
  session_ = &session;
  reader_ = std::thread([this] { read(); });
}

// A line that is too long is skipped up to its end.
void Requests::read() {
  constexpr size_t piece = size_t{64} << 10;  // bytes read at a time
  std::string bytes(piece, '\0'), line;
  for (bool is_long = false;;) {
    const ssize_t count = ::read(descriptor_, bytes.data(), piece);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    for (std::string_view rest(bytes.data(), static_cast<size_t>(count)); !rest.empty();) {
      const size_t end = rest.find('\n');
      if (!is_long) line += rest.substr(0, end);
      if (line.size() > longest_line) line = {}, is_long = true;
      if (end == rest.npos) break;
      is_long ? wire_.refuse(nullptr, "a line is too long") : receive(line);
      line.clear();
      is_long = false;
      rest.remove_prefix(end + 1);
    }
  }
  close();
}

void Requests::receive(const std::string& line) {
  if (trimmed(line).empty()) return;
  Json message = Json::parse(line, nullptr, false);
  if (!message.is_object()) return wire_.refuse(nullptr, "a line is no JSON object");
  const Json& what = field_of(message, "do");
  if (what == "interrupt") return interrupt();
  if (what == "answer") return answered(message);
  const std::lock_guard lock(mutex_);
  queue_.push_back({std::move(message)});
  changed_.notify_all();
}

// Where nothing is to be done, it comes too late.
void Requests::interrupt() {
  const std::lock_guard lock(mutex_);
  if (running_)
    session_->interrupt();
  else if (!queue_.empty())
    queue_.front().interrupted = true;
}

void Requests::answered(const Json& message) {
  const std::lock_guard lock(mutex_);
  if (!asking_) return wire_.refuse(id_of(message), "nothing was asked");
  const Json& text = field_of(message, "text");
  answer_ = text.is_string() ? text : Json();
  changed_.notify_all();
}

// A program that runs has nobody left to tell what it finds, and nobody waits for the others.
void Requests::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  if (running_) session_->interrupt();
  queue_.clear();
  changed_.notify_all();
}

std::optional<Json> Requests::take() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return closed_ || !queue_.empty(); });
  if (queue_.empty()) return std::nullopt;
  Queued next = std::move(queue_.front());
  queue_.pop_front();
  running_ = true;
  session_->clear_interrupt();  // by a signal that came while nothing ran
  if (next.interrupted) session_->interrupt();
  return std::move(next.message);
}

void Requests::finish() {
  const std::lock_guard lock(mutex_);
  running_ = false;
}

bool Requests::have_ended() {
  const std::lock_guard lock(mutex_);
  return closed_;
}

Requests::Reply Requests::ask(std::string_view prompt, std::string& text) {
  constexpr auto pause = std::chrono::milliseconds(20);  // until a signal is noticed
  std::unique_lock lock(mutex_);
  asking_ = true;
  wire_.say("question", {{"prompt", prompt}});
  while (!answer_ && !closed_ && !session_->interrupted()) changed_.wait_for(lock, pause);
  asking_ = false;
  const std::optional<Json> given = std::exchange(answer_, std::nullopt);
  if (!given) return closed_ ? Reply::end : Reply::interrupted;
  if (given->is_null()) return Reply::end;
  text = *given;
  return Reply::text;
}

}  // namespace covec::notebook
