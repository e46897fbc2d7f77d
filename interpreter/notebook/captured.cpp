#include "interpreter/notebook/captured.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <system_error>
#include <utility>

#include "stdlib/files/file.hpp"

namespace covec::notebook {

using Clock = std::chrono::steady_clock;

namespace {

constexpr size_t longest = size_t{1} << 20;            // bytes of one reading
constexpr int pipe_size = 1 << 20;                     // bytes
constexpr auto pause = std::chrono::milliseconds(20);  // between two readings

}  // namespace

Captured::Captured(Wire& wire) : wire_(wire), output_{"out", STDOUT_FILENO}, error_{"err", STDERR_FILENO} {
  capture(output_);
  capture(error_);
  std::cout << std::unitbuf;  // a text that waits here would be seen late
  if (pipe2(stop_, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  watcher_ = std::thread([this] { watch(); });
}

Captured::~Captured() {
  send();
  close(stop_[1]);
  watcher_.join();
  for (const Stream& stream : {output_, error_}) {
    dup2(stream.original, stream.descriptor);
    close(stream.original);
    close(stream.read_end);
  }
  close(stop_[0]);
}

void Captured::capture(Stream& stream) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  fcntl(ends[1], F_SETPIPE_SZ, pipe_size);  // where it is refused, the usual size does
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  stream.original = fcntl(stream.descriptor, F_DUPFD_CLOEXEC, 0);
  dup2(ends[1], stream.descriptor);
  close(ends[1]);
  stream.read_end = ends[0];
}

void Captured::watch() {
  for (;;) {
    pollfd ready[] = {{output_.read_end, POLLIN, 0}, {error_.read_end, POLLIN, 0}, {stop_[0], POLLIN, 0}};
    const bool waits = !output_.bytes.empty() || !error_.bytes.empty();
    if (poll(ready, std::size(ready), waits ? 0 : -1) < 0) continue;  // a signal
    if (ready[2].revents != 0) return;
    {
      const std::lock_guard lock(mutex_);
      for (Stream* stream : {&output_, &error_}) {
        read_some(*stream, longest);
        send_ripe(*stream);
      }
    }
    std::this_thread::sleep_for(pause);
  }
}

void Captured::send() {
  std::cout.flush();
  std::fflush(stdout);
  const std::lock_guard lock(mutex_);
  for (Stream* stream : {&output_, &error_}) {
    read_some(*stream, waiting(*stream));
    send(*stream, stream->bytes.size());
  }
}

std::string Captured::take_question() {
  std::cout.flush();
  const std::lock_guard lock(mutex_);
  read_some(error_, waiting(error_));
  read_some(output_, waiting(output_));
  send(error_, error_.bytes.size());
  send(output_, output_.bytes.rfind('\n') + 1);
  return std::exchange(output_.bytes, {});
}

// It does not wait for what a command in the background goes on writing.
size_t Captured::waiting(const Stream& stream) {
  int count = 0;
  ioctl(stream.read_end, FIONREAD, &count);
  return static_cast<size_t>(count);
}

void Captured::read_some(Stream& stream, size_t most) {
  constexpr size_t piece = size_t{64} << 10;  // bytes read at a time
  if (stream.bytes.empty()) stream.since = Clock::now();
  while (most > 0) {
    const size_t known = stream.bytes.size();
    stream.bytes.resize(known + std::min(piece, most));
    const ssize_t count = read(stream.read_end, stream.bytes.data() + known, std::min(piece, most));
    stream.bytes.resize(known + (count > 0 ? static_cast<size_t>(count) : 0));
    if (count > 0) most -= static_cast<size_t>(count);
    if (count <= 0 && errno != EINTR) return;
  }
}

void Captured::send(Stream& stream, size_t end) {
  if (end == 0) return;
  wire_.say("text", {{"stream", stream.name}, {"text", stream.bytes.substr(0, end)}});
  stream.bytes.erase(0, end);
  stream.since = Clock::now();
}

// Lines, and after a while what has no end yet, up to the last whole character.
void Captured::send_ripe(Stream& stream) {
  send(stream, stream.bytes.rfind('\n') + 1);
  if (stream.bytes.empty() || Clock::now() - stream.since < pause) return;
  constexpr size_t most = 3;  // bytes of a character of UTF-8 that is not whole
  const size_t end = files::utf8_prefix(stream.bytes);
  send(stream, stream.bytes.size() - end > most ? stream.bytes.size() : end);
}

}  // namespace covec::notebook
