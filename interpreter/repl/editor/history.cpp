#include "interpreter/repl/editor/history.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace covec::editor {

namespace {

constexpr std::string_view first_line = "_HiStOrY_V2_";
constexpr size_t max_entries = 10000;  // lines of input that the file keeps

bool is_octal(char c) { return c >= '0' && c <= '7'; }

char control(char c) { return c == '?' ? '\177' : static_cast<char>(c & 0x1f); }
char with_high_bit(char c) { return static_cast<char>(c | '\200'); }

char named(char letter) {
  constexpr std::string_view letters = "nrbavtfsE", are = "\n\r\b\a\v\t\f \033";
  const size_t at = letters.find(letter);
  return at == std::string_view::npos ? letter : are[at];
}

// What stands after a backslash, one of vis(3)'s forms: \012 \M-a \M^a \^a \n. Takes it off `rest`.
char take_escaped(std::string_view& rest) {
  const auto take = [&] {
    const char c = rest.empty() ? '\\' : rest.front();
    if (!rest.empty()) rest.remove_prefix(1);
    return c;
  };
  if (!rest.empty() && is_octal(rest.front())) {
    unsigned number = 0;
    for (int digits = 0; digits < 3 && !rest.empty() && is_octal(rest.front()); ++digits) {
      number = number * 8 + static_cast<unsigned>(take() - '0');
    }
    return static_cast<char>(number);
  }
  const char kind = take();
  if (kind == '^') return control(take());
  if (kind != 'M') return named(kind);
  return take() == '^' ? with_high_bit(control(take())) : with_high_bit(take());
}

}  // namespace

std::string encoded(std::string_view entry) {
  std::string line;
  for (const char c : entry) {
    char octal[8];
    std::snprintf(octal, sizeof octal, "\\%03o", static_cast<unsigned char>(c));
    const bool plain = static_cast<unsigned char>(c) > ' ' && c != '\177';
    line += c == '\\' ? "\\\\" : plain ? std::string(1, c) : octal;
  }
  return line;
}

std::string decoded(std::string_view line) {
  std::string entry;
  while (!line.empty()) {
    const char c = line.front();
    line.remove_prefix(1);
    entry += c == '\\' ? take_escaped(line) : c;
  }
  return entry;
}

History::History(std::string path) : path_(std::move(path)) {
  if (!path_.empty()) load();
}

void History::load() {
  std::ifstream file(path_, std::ios::binary);
  std::string line;
  if (!std::getline(file, line)) return;
  do {
    if (line != first_line) entries_.push_back(decoded(line));  // two sessions may both have begun the file
  } while (std::getline(file, line));
  if (entries_.size() <= 2 * max_entries) return;
  entries_.erase(entries_.begin(), entries_.end() - static_cast<long>(max_entries));
  rewrite();
}

// Only where it has grown far beyond its limit.
void History::rewrite() {
  const std::string temporary = path_ + ".part";
  std::ofstream file(temporary, std::ios::binary);
  file << first_line << '\n';
  for (const std::string& entry : entries_) file << encoded(entry) << '\n';
  file.close();
  if (!file || std::rename(temporary.c_str(), path_.c_str()) != 0) std::remove(temporary.c_str());
}

void History::add(const std::string& entry) {
  if (entry.empty() || (!entries_.empty() && entries_.back() == entry)) return;
  entries_.push_back(entry);
  if (path_.empty()) return;
  const std::string line = encoded(entry) + "\n";
  append(line);
}

void History::append(const std::string& line) {
  const int file = open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  struct stat facts = {};
  const bool begins = file >= 0 && fstat(file, &facts) == 0 && facts.st_size == 0;
  const std::string text = begins ? std::string(first_line) + "\n" + line : line;
  const bool written = file >= 0 && write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (!written) problem_ = path_ + ": " + std::strerror(errno);
  if (file >= 0) close(file);
}

std::optional<size_t> History::find(std::string_view text, size_t from, bool older) const {
  for (size_t i = from; i < entries_.size(); older ? --i : ++i) {  // below 0 lies beyond the end
    if (entries_[i].find(text) != std::string::npos) return i;
  }
  return std::nullopt;
}

}  // namespace covec::editor
