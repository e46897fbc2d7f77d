// Reads standard input with short waits. A signal may come just before the wait for the next byte, so the interrupt
// flag is checked again after each wait.
#include "interpreter/command/standard_input.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "stdlib/value/memory.hpp"

namespace covec {

namespace {

constexpr int wait_milliseconds = 50;       // until the interrupt flag is looked at again
constexpr size_t piece = size_t{64} << 10;  // bytes read at a time

bool is_set(const std::atomic<bool>* interrupt) {
  return interrupt != nullptr && interrupt->load(std::memory_order_relaxed);
}

bool has_input() {
  pollfd standard_input{STDIN_FILENO, POLLIN, 0};
  return poll(&standard_input, 1, wait_milliseconds) > 0;
}

}  // namespace

bool StandardInput::read_line(std::string& line, const std::atomic<bool>* interrupt) {
  for (size_t seen = taken_;;) {
    const size_t end = buffer_.find('\n', seen);
    if (end != std::string::npos) return take_line(line, end);
    seen = buffer_.size();
    if (read_more(interrupt)) continue;
    return !is_set(interrupt) && taken_ < buffer_.size() && take_line(line, buffer_.size());
  }
}

// A terminal gives a line at a time, and may go on after its end.
bool StandardInput::read_more(const std::atomic<bool>* interrupt) {
  if (Memory* memory = Memory::current()) memory->need(buffer_.size() + piece);
  char bytes[piece];
  for (;;) {
    if (is_set(interrupt)) return false;
    if (!has_input()) continue;
    const ssize_t count = read(STDIN_FILENO, bytes, piece);
    if (count > 0) buffer_.append(bytes, static_cast<size_t>(count));
    if (count >= 0) return count > 0;
    if (errno != EINTR && errno != EAGAIN) return false;
  }
}

bool StandardInput::take_line(std::string& line, size_t end) {
  line.assign(buffer_, taken_, end - taken_);
  if (end < buffer_.size() && line.ends_with('\r')) line.pop_back();
  taken_ = std::min(end + 1, buffer_.size());
  if (2 * taken_ > buffer_.size()) {  // seldom more is moved than has been taken
    buffer_.erase(0, taken_);
    taken_ = 0;
  }
  return true;
}

}  // namespace covec
