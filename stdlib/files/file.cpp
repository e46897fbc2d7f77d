// Opens and reads files, and writes the error messages.
#include "stdlib/files/file.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "stdlib/gate/gate.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::files {

void fail_to_read(const std::string& path, std::string why, std::string hint) {
  covec::fail(message("file_unreadable"), {path, std::move(why)}, {}, std::move(hint));
}

void fail_damaged(const std::string& path, uint64_t at, std::string why) {
  covec::fail(message("file_damaged"), {path, std::to_string(at), std::move(why)});
}

void fail_to_write(const std::string& path, std::string why, std::string hint) {
  covec::fail(message("file_unwritable"), {path, std::move(why)}, {}, std::move(hint));
}

void require_memory(const Pool& pool, uint64_t bytes) {
  const MemoryAccount& account = pool.account();
  if (bytes > account.limit - std::min(account.used, account.limit)) {
    covec::fail(message("out_of_memory"), {std::to_string(bytes) + " bytes", std::to_string(account.limit) + " bytes"});
  }
}

std::string last_error() { return gate::reason_of(errno); }

std::string hint_for(int code, const std::string& path, const ops::Context& context) {
  if (code != ENOENT || path.empty() || path.front() == '/') return {};
  const std::string folder = context.gate->working_folder();
  return folder.empty() ? "" : "the path is relative to the working directory, " + folder;
}

std::string abridged(std::string_view text) {
  constexpr size_t limit = 24;  // bytes of a field that a message quotes
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  while (!text.empty() && out.size() < limit) {
    const auto first = static_cast<unsigned char>(text.front());
    const size_t length = first < ' ' || first == 0x7f ? 0 : sequence_length(text);
    if (length == 0) {
      out += {'\\', 'x', digits[first >> 4], digits[first & 15]};
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return out + (text.empty() ? "" : "…");
}

std::string shown(std::string_view text) { return "'" + abridged(text) + "'"; }

size_t sequence_length(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto follows = [&](size_t count) {
    for (size_t i = 1; i < count; ++i) {
      if ((byte(i) & 0xc0u) != 0x80u) return false;
    }
    return true;
  };
  const unsigned first = byte(0), second = byte(1);
  if (first >= 1 && first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return follows(2) ? 2 : 0;
  if (first >= 0xe0 && first < 0xf0) {
    const bool bad = (first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0);
    return !bad && follows(3) ? 3 : 0;
  }
  if (first >= 0xf0 && first < 0xf5) {
    const bool bad = (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90);
    return !bad && follows(4) ? 4 : 0;
  }
  return 0;
}

size_t utf8_prefix(std::string_view text) {
  // Eight bytes of ASCII at once: none has its highest bit, none is zero.
  constexpr uint64_t ones = 0x0101010101010101, highs = 0x8080808080808080;
  size_t at = 0;
  while (at < text.size()) {
    uint64_t word = highs;
    if (at + sizeof word <= text.size()) std::memcpy(&word, text.data() + at, sizeof word);
    if (((word | (word - ones)) & highs) == 0) {
      at += sizeof word;
      continue;
    }
    const size_t length = sequence_length(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return at;
}

File::File(const std::string& path, ops::Context& context) : path_(path), context_(context) {
  const size_t zero = path.find('\0');
  if (zero != std::string::npos) fail_to_read(path.substr(0, zero), "its name has a zero byte");
  descriptor_ = context.gate->open_to_read(path);
  if (!descriptor_.is_open()) {
    const int code = errno;
    fail_to_read(path, gate::reason_of(code), hint_for(code, path, context));
  }
  struct stat facts {};
  std::string why;
  if (!descriptor_.look_at(facts)) {
    why = last_error();
  } else if (!S_ISREG(facts.st_mode)) {
    why = S_ISDIR(facts.st_mode) ? "it is a directory" : "it is not a regular file";
  }
  if (!why.empty()) fail_to_read(path, why);
  size_ = static_cast<uint64_t>(facts.st_size);
}

void File::read(uint64_t offset, void* to, uint64_t bytes) const {
  // Bytes from one look at the interrupt flag to the next.
  constexpr size_t piece = size_t{1} << 22;
  auto count = static_cast<size_t>(bytes);  // for which there is memory
  auto* at = static_cast<char*>(to);
  while (count > 0) {
    kernels::poll_interrupt(context_);
    const int64_t got = descriptor_.read_at(offset, at, std::min(count, piece));
    if (got < 0) fail_to_read(path_, last_error());
    if (got == 0) fail_damaged(path_, offset, "the file ends here, although more must follow");
    at += got;
    offset += static_cast<uint64_t>(got);
    count -= static_cast<size_t>(got);
  }
}

void Source::read(void* to, uint64_t count) {
  if (count > left()) fail("it ends " + std::to_string(count - left()) + " bytes too early");
  last_ = position_;
  take(to, count);
  position_ += count;
}

void Source::fail(const std::string& why) const {
  const FileOffset here = place();
  fail_damaged(here.path, here.at, here.part + why);
}

}  // namespace covec::files
