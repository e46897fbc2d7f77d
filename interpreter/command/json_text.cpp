// Writes JSON by hand: it is one form, and never read here. Start reading at json_of, at the end.
#include "interpreter/command/json_text.hpp"

#include "frontend/source/json_string.hpp"

namespace covec {

namespace {

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
