#include "interpreter/profile/profile.hpp"

namespace covec::profile {

std::string place_of(const Entry& entry) {
  constexpr size_t max_lines = 4;  // that are told one by one
  if (entry.lines.empty()) return "";
  std::string text = entry.file + ":";
  if (entry.lines.size() > max_lines)
    return text + std::to_string(entry.lines.front()) + "–" + std::to_string(entry.lines.back());
  for (size_t i = 0; i < entry.lines.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(entry.lines[i]);
  return text;
}

namespace {

std::string name_of(const Entry& entry) {
  const std::string function = entry.function.empty() ? "a function" : entry.function;
  switch (entry.kind) {
    case Step::Kind::code: return function + ", compiled" + (entry.part.empty() ? "" : ": " + entry.part);
    case Step::Kind::compiling: return "compiling " + function;
    case Step::Kind::cut: return "calls outside of it";
    case Step::Kind::call: return entry.function;
  }
  return function;
}

}  // namespace

std::string label_of(const Entry& entry) {
  const std::string name = name_of(entry), place = place_of(entry);
  return name + (name.empty() || place.empty() ? "" : "  ") + place;
}

}  // namespace covec::profile
