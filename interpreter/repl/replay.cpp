#include "interpreter/repl/replay.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace covec {

namespace {

std::string name_of_reading(const std::string& path) { return "the file " + path; }
std::string name_of_writing(const std::string& path) { return "what is written to " + path; }

int copy_of(int descriptor) { return fcntl(descriptor, F_DUPFD_CLOEXEC, 0); }

bool same_bytes(int a, int b) {
  char left[1 << 16], right[sizeof left];
  for (off_t at = 0;; at += static_cast<off_t>(sizeof left)) {
    const ssize_t x = pread(a, left, sizeof left, at), y = pread(b, right, sizeof right, at);
    if (x != y || x < 0 || !std::equal(left, left + x, right)) return false;
    if (x < static_cast<ssize_t>(sizeof left)) return true;
  }
}

}  // namespace

void Sights::clear() {
  for (const Sight& sight : all_) {
    if (sight.descriptor >= 0) close(sight.descriptor);
  }
  all_.clear();
}

std::string Witness::seen(const std::string& what, FunctionRef<std::string()> look) {
  std::string bytes = look();
  sights_.add({what, bytes});
  return bytes;
}

int Witness::opened(const std::string& path, FunctionRef<int()> open) {
  const int descriptor = open();
  const int error = errno;
  sights_.add({name_of_reading(path), "", descriptor < 0 ? -1 : copy_of(descriptor), descriptor < 0 ? error : 0});
  errno = error;
  return descriptor;
}

bool Witness::replaced(const std::string& path, const std::string& written) {
  sights_.add({name_of_writing(path), "", ::open(written.c_str(), O_RDONLY | O_CLOEXEC)});
  return true;
}

void Replay::note(const std::string& difference) {
  if (difference_.empty()) difference_ = difference;
}

// The next sight, where it is of the same; else what is there now has to do.
const Sights::Sight* Replay::next(const std::string& of) {
  const size_t at = next_++;
  if (at < sights_.all().size() && sights_.all()[at].of == of) return &sights_.all()[at];
  const std::string theirs = at < sights_.all().size() ? sights_.all()[at].of : "nothing more";
  note("what they look at\n  eager: " + theirs + "\n  other: " + of);
  return nullptr;
}

std::string Replay::end() {
  if (next_ < sights_.all().size()) next("nothing more");
  return difference_;
}

std::string Replay::seen(const std::string& what, FunctionRef<std::string()> look) {
  const Sights::Sight* sight = next(what);
  return sight != nullptr ? sight->bytes : look();
}

int Replay::opened(const std::string& path, FunctionRef<int()> open) {
  const Sights::Sight* sight = next(name_of_reading(path));
  if (sight == nullptr) return open();
  if (sight->error == 0) return sight->descriptor < 0 ? open() : copy_of(sight->descriptor);
  errno = sight->error;
  return -1;
}

// The end of input is seen as no bytes, a line as a mark and its text.
bool InputSeen::read_line(std::string& line, const std::atomic<bool>* interrupt) {
  const std::string seen = world_.seen("input", [&] {
    std::string read;
    return lines_.read_line(read, interrupt) ? ">" + read : "";
  });
  if (!seen.empty()) line = seen.substr(1);
  return !seen.empty();
}

bool Replay::replaced(const std::string& path, const std::string& written) {
  const Sights::Sight* sight = next(name_of_writing(path));
  if (sight == nullptr || sight->descriptor < 0) return false;
  const int file = ::open(written.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 || !same_bytes(file, sight->descriptor)) note(sight->of);
  if (file >= 0) close(file);
  return false;
}

}  // namespace covec
