// See unknown_names.hpp. It searches for the intended name among the program's own names, in the table of other
// systems' names, and in the text around. A correct program never pays for this.
#include "frontend/scopes/unknown_names.hpp"

#include <algorithm>

#include "frontend/source/foreign_syntax.hpp"
#include "frontend/source/unicode.hpp"

namespace covec::resolve {

using messages::message;

namespace {

constexpr std::string_view kBlanks = " \t";

bool in_name(char c) { return unicode::continues_name(static_cast<unsigned char>(c)); }

// "np.random.randn" at the start of "np.random.randn(3) + 1".
std::string_view path_at(std::string_view text) {
  size_t end = 0;
  while (end < text.size() &&
         (in_name(text[end]) || (text[end] == '.' && end + 1 < text.size() && in_name(text[end + 1]))))
    ++end;
  return text.substr(0, end);
}

std::string_view last_of(std::string_view path) { return path.substr(path.rfind('.') + 1); }

std::string did_you_mean(std::string_view near) { return "did you mean `" + std::string(near) + "`?"; }

}  // namespace

void UnknownNames::report(const FunctionScope& scope, std::string_view name, Span span) {
  if (!reported_.insert(name).second) return;
  std::string replacement = hint(scope, name, span);
  problems_.report(message("unknown_name"), span, {name}).hint = std::move(replacement);
}

std::string UnknownNames::hint(const FunctionScope& scope, std::string_view name, Span span) const {
  std::string known = hint_for_module(name, span);
  if (known.empty()) known = foreign_syntax::replacement_of_name(name);
  if (known.empty()) known = hint_for_place(span);
  const std::string_view own = nearest_name(name, lookup_.own_names(scope));
  if (!known.empty()) return own.empty() ? known : did_you_mean(own) + " Otherwise " + known;
  const std::string_view near = nearest_name(name, lookup_.visible_names(scope));
  return near.empty() ? "" : did_you_mean(near);
}

// `np.zeros(3)`: the name of another system's module, of which no value is known.
std::string UnknownNames::hint_for_module(std::string_view name, Span span) const {
  const std::string_view module = foreign_syntax::replacement(foreign_syntax::At::module, name);
  const std::string_view path = path_at(problems_.text_from(span));
  if (module.empty() || path.size() <= name.size() || !path.starts_with(name)) return {};  // `(nn)` begins elsewhere
  const std::string_view part = path.substr(name.size() + 1);
  if (!foreign_syntax::is_foreign_module(name) && foreign_syntax::replacement(foreign_syntax::At::path, path).empty())
    return std::string(module);
  const std::string_view known = foreign_syntax::replacement_of_path(path);
  if (!known.empty()) return std::string(known);
  if (!lookup_.is_builtin(last_of(part))) return std::string(module);
  const bool called = problems_.text_from(span).substr(path.size()).starts_with('(');
  return "write " + std::string(last_of(part)) + (called ? "(…)" : "");
}

// `x = 1 // one`, `x <- 3`.
std::string UnknownNames::hint_for_place(Span span) const {
  std::string_view before = problems_.text_before(span);
  before = before.substr(0, before.find_last_not_of(kBlanks) + 1);
  if (before.ends_with("//")) return "a comment starts with #, and // divides";
  std::string_view after = problems_.text_from(span).substr(span.end - span.begin);
  after = after.substr(std::min(after.find_first_not_of(kBlanks), after.size()));
  if (after.starts_with("<-")) return "write " + std::string(problems_.text(span)) + " = e";
  return {};
}

}  // namespace covec::resolve
