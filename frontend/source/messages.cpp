// Fills a message's placeholders.
#include "frontend/source/messages.hpp"

namespace covec::messages {

namespace {

// Appends `text` filled from `next` on; gives the first value not used.
const std::string_view* fill_into(std::string& out, std::string_view text, const std::string_view* next,
                                  const std::string_view* end) {
  for (size_t i = 0; i < text.size(); ++i) {
    bool twice = i + 1 < text.size() && text[i + 1] == text[i];
    if ((text[i] == '{' || text[i] == '}') && twice) {
      out += text[i++];
    } else if (text[i] == '{' && i + 1 < text.size() && text[i + 1] == '}') {
      if (next != end) out += *next++;
      ++i;
    } else {
      out += text[i];
    }
  }
  return next;
}

}  // namespace

std::string fill(std::string_view text, std::initializer_list<std::string_view> values) {
  std::string out;
  fill_into(out, text, values.begin(), values.end());
  return out;
}

Diagnostic make(const Message& message, Span span, std::initializer_list<std::string_view> values, std::string label) {
  Diagnostic d;
  d.code = message.key;
  const std::string_view* rest = fill_into(d.message, message.text, values.begin(), values.end());
  fill_into(d.hint, message.hint, rest, values.end());
  d.labels.push_back({span, std::move(label)});
  return d;
}

}  // namespace covec::messages
