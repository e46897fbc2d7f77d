#include "interpreter/verify/replay.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace covec {

namespace {

std::string name_of_reading(const std::string& path) { return "the file " + path; }
std::string name_of_writing(const std::string& path) { return "the output to " + path; }

gate::Descriptor copy_of(const gate::Descriptor& file) {
  return gate::Descriptor(file.is_open() ? fcntl(file.number(), F_DUPFD_CLOEXEC, 0) : -1);
}

bool same_bytes(int a, int b) {
  char left[1 << 16], right[sizeof left];
  for (off_t at = 0;; at += static_cast<off_t>(sizeof left)) {
    const ssize_t x = pread(a, left, sizeof left, at), y = pread(b, right, sizeof right, at);
    if (x != y || x < 0 || !std::equal(left, left + x, right)) return false;
    if (x < static_cast<ssize_t>(sizeof left)) return true;
  }
}

}  // namespace

double WatchedGate::now(ops::Clock clock) {
  const std::string bytes = seen("the clock", [&] {
    const double seconds = inner_.now(clock);
    return std::string(reinterpret_cast<const char*>(&seconds), sizeof seconds);
  });
  double seconds = 0;
  std::memcpy(&seconds, bytes.data(), std::min(bytes.size(), sizeof seconds));
  return seconds;
}

std::string GateRecorder::seen(const std::string& what, FunctionRef<std::string()> look) {
  std::string bytes = look();
  recording_.add({what, bytes, {}});
  return bytes;
}

gate::Descriptor GateRecorder::open_to_read(const std::string& path) {
  gate::Descriptor file = inner().open_to_read(path);
  const int error = errno;
  recording_.add({name_of_reading(path), "", copy_of(file), file.is_open() ? 0 : error});
  errno = error;
  return file;
}

bool GateRecorder::may_replace(const std::string& path, const gate::Folder& folder, const std::string& written) {
  recording_.add({name_of_writing(path), "", folder.open(written)});
  return true;
}

void Replay::note(const std::string& difference) {
  if (difference_.empty()) difference_ = difference;
}

// The next recorded answer. nullptr if it belongs to another question: the caller then asks the session itself.
const Recording::Recorded* Replay::next(const std::string& of) {
  const size_t at = next_++;
  if (at < recording_.all().size() && recording_.all()[at].of == of) return &recording_.all()[at];
  const std::string theirs = at < recording_.all().size() ? recording_.all()[at].of : "nothing more";
  note("what they read from the system\n  eager: " + theirs + "\n  other: " + of);
  return nullptr;
}

std::string Replay::end() {
  if (next_ < recording_.all().size()) next("nothing more");
  return difference_;
}

std::string Replay::seen(const std::string& what, FunctionRef<std::string()> look) {
  const Recording::Recorded* recorded = next(what);
  return recorded != nullptr ? recorded->bytes : look();
}

gate::Descriptor Replay::open_to_read(const std::string& path) {
  const Recording::Recorded* recorded = next(name_of_reading(path));
  if (recorded == nullptr || (recorded->error == 0 && !recorded->file.is_open())) return inner().open_to_read(path);
  errno = recorded->error;
  return copy_of(recorded->file);
}

// The end of input is seen as no bytes, a line as a mark and its text.
bool InputSeen::read_line(std::string& line, const std::atomic<bool>* interrupt) {
  const std::string seen = gate_.seen("input", [&] {
    std::string read;
    return lines_.read_line(read, interrupt) ? ">" + read : "";
  });
  if (!seen.empty()) line = seen.substr(1);
  return !seen.empty();
}

bool Replay::may_replace(const std::string& path, const gate::Folder& folder, const std::string& written) {
  const Recording::Recorded* recorded = next(name_of_writing(path));
  if (recorded == nullptr || !recorded->file.is_open()) return false;
  const gate::Descriptor file = folder.open(written);
  if (!file.is_open() || !same_bytes(file.number(), recorded->file.number())) note(recorded->of);
  return false;
}

}  // namespace covec
