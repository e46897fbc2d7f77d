// Filling a message's pattern and throwing it.
#include "stdlib/value/error.hpp"

#include <utility>

namespace covec {

namespace {

std::string fill(std::string_view pattern, const std::vector<std::string>& parts) {
  std::string out;
  size_t next = 0;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern.substr(i, 2) == "{}") {
      if (next < parts.size()) out += parts[next++];
      ++i;
    } else {
      out += pattern[i];
    }
  }
  return out;
}

}  // namespace

void fail(const Message& message, std::vector<std::string> parts, std::vector<ArgumentLabel> labels, std::string hint) {
  throw OpError{message.key, fill(message.pattern, parts), std::move(labels), std::move(hint), nullptr, message.kind};
}

void fail_not_staged(std::string what) { fail(message("not_staged"), {std::move(what)}); }

}  // namespace covec
