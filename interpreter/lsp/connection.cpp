#include "interpreter/lsp/connection.hpp"

#include <strings.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace covec::lsp {

namespace {

constexpr size_t longest_message = size_t{256} << 20;  // bytes
constexpr size_t longest_line = 4096;                  // bytes of a header's line

}  // namespace

bool Connection::fill() {
  if (at_ == buffer_.size()) buffer_.clear(), at_ = 0;
  constexpr size_t piece = 65536;  // bytes
  const size_t known = buffer_.size();
  buffer_.resize(known + piece);
  ssize_t count = 0;
  do count = ::read(input_, buffer_.data() + known, piece);
  while (count < 0 && errno == EINTR);
  buffer_.resize(known + static_cast<size_t>(std::max<ssize_t>(count, 0)));
  return count > 0;
}

std::optional<std::string> Connection::read_line() {
  for (;;) {
    const size_t end = buffer_.find('\n', at_);
    if (end != std::string::npos) {
      std::string line = buffer_.substr(at_, end - at_);
      at_ = end + 1;
      if (line.ends_with('\r')) line.pop_back();
      return line;
    }
    if (buffer_.size() - at_ > longest_line || !fill()) return std::nullopt;
  }
}

// Lines of a header that are not known are skipped, and so is all that comes before a header.
std::optional<std::string> Connection::read() {
  constexpr std::string_view key = "Content-Length:";
  std::optional<size_t> length;
  for (;;) {
    const std::optional<std::string> line = read_line();
    if (!line) return std::nullopt;
    if (line->empty() && length) break;
    if (strncasecmp(line->c_str(), key.data(), key.size()) == 0)
      length = std::strtoul(line->c_str() + key.size(), nullptr, 10);
  }
  if (*length > longest_message) return std::nullopt;
  while (buffer_.size() - at_ < *length) {
    if (!fill()) return std::nullopt;
  }
  std::string text = buffer_.substr(at_, *length);
  at_ += *length;
  if (at_ == buffer_.size()) buffer_ = {}, at_ = 0;
  return text;
}

bool Connection::write(const Json& message) const {
  const std::string body = message.dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::string text = "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  for (size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(output_, text.data() + done, text.size() - done);
    if (count < 0 && errno != EINTR) return false;
    done += static_cast<size_t>(std::max<ssize_t>(count, 0));
  }
  return true;
}

}  // namespace covec::lsp
