// Writes JSON by hand: it is one form, and never read here. Start reading at json_of, at the end.
#include "interpreter/command/json_text.hpp"

#include "frontend/source/unicode.hpp"

namespace covec {

namespace {

void append_escaped(std::string& out, unsigned char c) {
  constexpr char digits[] = "0123456789abcdef";
  if (c == '"' || c == '\\') {
    out += {'\\', static_cast<char>(c)};
  } else if (c == '\n') {
    out += "\\n";
  } else {
    out += "\\u00";
    out += {digits[c >> 4], digits[c & 15]};
  }
}

// Names of files may be no UTF-8, which JSON must be.
std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const size_t length = unicode::decode(text, i).length;
    if (length == 0) {
      out += "\uFFFD";
    } else if (c < 0x20 || c == '"' || c == '\\' || c == 0x7f) {
      append_escaped(out, c);
    } else {
      out += text.substr(i, length);
    }
    i += length == 0 ? 1 : length;
  }
  return out + "\"";
}

// The fields of a place, without braces.
std::string json_place(Span span, const SourceMap& sources) {
  const SourceFile& file = sources.file(span.file);
  const Position at = file.position(span.begin);
  return "\"file\":" + json_string(file.name()) + ",\"bytes\":[" + std::to_string(span.begin) + "," +
         std::to_string(span.end) + "],\"line\":" + std::to_string(at.line) +
         ",\"column\":" + std::to_string(at.column);
}

// "[{…},{…}]" of those for which `write` gives something.
template <class Items, class Write>
std::string json_list(const Items& items, Write write) {
  std::string out;
  for (const auto& item : items) {
    const std::string text = write(item);
    if (!text.empty()) out += (out.empty() ? "" : ",") + text;
  }
  return "[" + out + "]";
}

std::string json_fix(const Fix& fix, const SourceMap& sources) {
  return "{" + json_place(fix.span, sources) + ",\"text\":" + json_string(fix.text) + "}";
}

std::string json_call(const CallFrame& call, const SourceMap& sources) {
  const std::string place =
      call.site.known() ? json_place(call.site, sources) : "\"file\":null,\"bytes\":null,\"line\":null,\"column\":null";
  return "{\"function\":" + json_string(call.function) + "," + place + "}";
}

}  // namespace

std::string json_of(const Diagnostic& diagnostic, const SourceMap& sources) {
  const auto label = [&](const Label& each) {
    return each.span.known() ? "{" + json_place(each.span, sources) + ",\"text\":" + json_string(each.text) + "}" : "";
  };
  std::string out = "{\"code\":" + json_string(diagnostic.code);
  out += diagnostic.severity == Severity::error ? ",\"severity\":\"error\"" : ",\"severity\":\"warning\"";
  out += ",\"message\":" + json_string(diagnostic.message);
  out += ",\"labels\":" + json_list(diagnostic.labels, label);
  out += ",\"notes\":" + json_list(diagnostic.notes, [](const std::string& note) { return json_string(note); });
  out += ",\"hint\":" + (diagnostic.hint.empty() ? "null" : json_string(diagnostic.hint));
  out += ",\"fix\":" + (diagnostic.fix ? json_fix(*diagnostic.fix, sources) : "null");
  out += ",\"also\":" + json_list(diagnostic.also, [&](Span span) { return "{" + json_place(span, sources) + "}"; });
  out += ",\"calls\":" + json_list(diagnostic.stack, [&](const CallFrame& call) { return json_call(call, sources); });
  return out + "}\n";
}

}  // namespace covec
