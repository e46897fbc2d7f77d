// See unknown_names.hpp. It searches for the intended name among the program's own names, in the table of other
// systems' names, and in the text around. A correct program never pays for this.
#include "frontend/scopes/unknown_names.hpp"

#include <algorithm>

#include "frontend/common/nearest.hpp"
#include "frontend/source/fixes.hpp"
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

std::string_view first_of(std::string_view path) { return path.substr(0, path.find('.')); }

std::string import_first(std::string_view module) { return "write import " + std::string(module) + " first"; }

std::string write_value(std::string_view name, bool called) {
  return "write " + std::string(name) + (called ? "(…)" : "");
}

std::string in_module(std::string_view module, std::string_view name, bool called) {
  const std::string written(module);
  return "write import " + written + ", then " + written + "." + std::string(name) + (called ? "(…)" : "");
}

// Whether all its names are visible, and no others: no parameter's default or comprehension is read.
bool sees_the_same(const FunctionScope& scope) {
  for (const FunctionScope* s = &scope; s != nullptr; s = s->parent) {
    if (!s->targets.empty() || s->visible_slots != UINT32_MAX) return false;
  }
  return true;
}

void add_names(const ast::Expr& target, std::vector<std::string_view>& names) {
  if (target.kind == ast::ExprKind::name) names.push_back(static_cast<const ast::Name&>(target).name);
  if (target.kind == ast::ExprKind::spread) add_names(*static_cast<const ast::Spread&>(target).value, names);
  if (target.kind != ast::ExprKind::tuple) return;
  for (const ast::Expr* item : static_cast<const ast::Tuple&>(target).items) add_names(*item, names);
}

bool has_word(std::string_view text, std::string_view word) {
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !in_name(text[at - 1])) && (end == text.size() || !in_name(text[end]))) return true;
  }
  return false;
}

std::string did_you_mean(std::string_view near) { return "did you mean `" + std::string(near) + "`?"; }

}  // namespace

void UnknownNames::report(const FunctionScope& scope, std::string_view name, Span span) {
  for (const FunctionScope* s = &scope; s != nullptr; s = s->parent) {
    if (s->binds_any) return;
  }
  const bool for_tools = problems_.for_tools(),
             same = !for_tools || (sees_the_same(scope) && unbound_targets(scope, name).empty());
  const std::pair here(for_tools ? &scope : nullptr, name);
  if (const auto seen = seen_.find(here); same && seen != seen_.end())
    return problems_.at(seen->second).also.push_back(span);
  std::string replacement = hint(scope, name, span);
  const std::string_view near = near_fix(scope, name, span, replacement);
  const auto [told, is_new] = told_.try_emplace({name, for_tools ? near : std::string_view()}, problems_.size());
  if (same) seen_[here] = told->second;
  if (!is_new) return problems_.at(told->second).also.push_back(span);
  std::optional<Fix> exact = fix(name, span, replacement, near);
  Diagnostic& problem = problems_.report(message("unknown_name"), span, {name});
  problem.hint = std::move(replacement);
  problem.fix = std::move(exact);
}

// The near names to which the statement itself gives their first value. An earlier text may have given a module's name
// one, or this text above.
std::vector<std::string_view> UnknownNames::unbound_targets(const FunctionScope& scope, std::string_view name) const {
  std::vector<std::string_view> names;
  if (scope.bound_next != nullptr) add_names(*scope.bound_next, names);
  std::erase_if(names, [&](std::string_view target) {
    if (nearest_name(name, {target}).empty()) return true;
    if (scope.is_module())
      return lookup_.is_of_earlier_text(target) || has_word(problems_.text_before(scope.bound_next->span), target);
    const auto local = std::ranges::find_if(scope.locals, [&](const auto& each) { return target == each.first; });
    return local == scope.locals.end() || local->second.bindings > 1;
  });
  return names;
}

// None, where one that has no value yet is nearest.
std::vector<std::string_view> UnknownNames::candidates(const FunctionScope& scope, std::string_view name,
                                                       std::vector<std::string_view> names) const {
  const std::vector<std::string_view> unbound = unbound_targets(scope, name);
  if (std::ranges::find(unbound, nearest_name(name, names)) != unbound.end()) names.clear();
  return names;
}

// The near name, where the hint is that alone.
std::string_view UnknownNames::near_fix(const FunctionScope& scope, std::string_view name, Span span,
                                        std::string_view hint) const {
  if (problems_.text(span) != name) return {};  // in parentheses
  const std::string_view near = only_nearest_name(name, candidates(scope, name, lookup_.visible_names(scope)));
  return !near.empty() && hint == did_you_mean(near) ? near : std::string_view();
}

// Nothing where the hint leaves a choice, or is no single edit.
std::optional<Fix> UnknownNames::fix(std::string_view name, Span span, std::string_view hint,
                                     std::string_view near) const {
  if (problems_.text(span) != name) return {};  // in parentheses
  if (!near.empty()) return Fix{span, std::string(near)};
  if (hint.ends_with(import_first(name)) && !hint.starts_with("did you mean")) return import_at_top(name, span);
  const std::string_view word = foreign_syntax::single_word(hint);
  if (word.empty()) return {};
  const bool alone = hint == foreign_syntax::replacement_of_name(name);
  const size_t written = alone ? name.size() : path_at(problems_.text_from(span)).size();  // `np.pi`
  return Fix{{span.file, span.begin, span.begin + static_cast<uint32_t>(written)}, std::string(word)};
}

// Before the other imports, or below the comment that the text begins with.
Fix UnknownNames::import_at_top(std::string_view module, Span span) const {
  const std::string_view text = problems_.text_before(span);
  size_t place = text.starts_with("\xEF\xBB\xBF") ? 3 : 0, line = place;
  bool heads = true;  // comments alone came before
  while (line < text.size() && text.substr(line, 7) != "import ") {
    const size_t end = std::min(text.find('\n', line), text.size());
    if (heads && (text.substr(line, 2) == "#!" || text[line] == '\n' || text[line] == '\r'))
      place = std::min(end + 1, text.size());
    heads = heads && text[line] == '#';
    line = end + 1;
  }
  const auto at = static_cast<uint32_t>(line < text.size() ? line : place);
  return {{span.file, at, at}, "import " + std::string(module) + std::string(line_end_of(problems_.text()))};
}

std::string UnknownNames::hint(const FunctionScope& scope, std::string_view name, Span span) const {
  std::string known = hint_for_module(name, span);
  if (known.empty()) known = hint_for_other_module(name, span);
  if (known.empty()) known = foreign_syntax::replacement_of_name(name);
  if (known.empty()) known = hint_for_place(span);
  if (known.empty()) known = hint_for_part_of_module(name, span);
  const std::string_view own = nearest_name(name, candidates(scope, name, lookup_.own_names(scope)));
  if (!known.empty()) return own.empty() ? known : did_you_mean(own) + " Otherwise " + known;
  const std::string_view near = nearest_name(name, candidates(scope, name, lookup_.visible_names(scope)));
  return near.empty() ? "" : did_you_mean(near);
}

// `signal.fir(3)` without its import.
std::string UnknownNames::hint_for_module(std::string_view name, Span span) const {
  const std::string_view path = path_at(problems_.text_from(span));
  if (path.size() <= name.size() || !path.starts_with(name) || !lookup_.is_module(name)) return {};
  const std::string_view part = first_of(path.substr(name.size() + 1));
  const bool other = !foreign_syntax::replacement(foreign_syntax::At::path, path).empty();  // told once it is imported
  const bool builtin = !other && lookup_.is_builtin(part) && !lookup_.module_has(name, part);
  return builtin ? write_value(part, is_called(span, path)) : import_first(name);
}

// `np.zeros(3)`: the name of another system's module, of which no value is known.
std::string UnknownNames::hint_for_other_module(std::string_view name, Span span) const {
  const std::string_view module = foreign_syntax::replacement(foreign_syntax::At::module, name);
  const std::string_view path = path_at(problems_.text_from(span));
  if (module.empty() || path.size() <= name.size() || !path.starts_with(name)) return {};  // `(np)` begins elsewhere
  const std::string_view part = path.substr(name.size() + 1);
  if (!foreign_syntax::is_foreign_module(name) && foreign_syntax::replacement(foreign_syntax::At::path, path).empty())
    return std::string(module);
  const std::string_view known = foreign_syntax::replacement_of_path(path);
  if (!known.empty()) return std::string(known);
  const bool called = is_called(span, path);
  const std::string_view own = own_module_in(part);
  if (!own.empty() && lookup_.module_has(own, last_of(part))) return in_module(own, last_of(part), called);
  if (lookup_.is_builtin(last_of(part))) return write_value(last_of(part), called);
  const std::string_view only = lookup_.module_with(last_of(part));
  if (!only.empty()) return in_module(only, last_of(part), called);
  return own.empty() ? std::string(module) : "such functions are in a module: write import " + std::string(own);
}

// The library's module that a path names on its way: `signal` in `scipy.signal.butter`.
std::string_view UnknownNames::own_module_in(std::string_view path) const {
  while (path.find('.') != std::string_view::npos) {
    if (lookup_.is_module(first_of(path))) return first_of(path);
    path.remove_prefix(path.find('.') + 1);
  }
  return {};
}

// A function that one module has, called by its bare name; and the bare name of a module.
std::string UnknownNames::hint_for_part_of_module(std::string_view name, Span span) const {
  if (lookup_.is_module(name)) return "`" + std::string(name) + "` is a module: " + import_first(name);
  if (!is_called(span, name)) return {};
  const std::string_view module = lookup_.module_with(name);
  return module.empty() ? "" : in_module(module, name, true);
}

bool UnknownNames::is_called(Span span, std::string_view path) const {
  return problems_.text_from(span).substr(path.size()).starts_with('(');
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
