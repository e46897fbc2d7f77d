#include "interpreter/repl/pages.hpp"

#include <algorithm>
#include <sstream>

#include "interpreter/assist/keyword_pages.hpp"
#include "interpreter/assist/shape_text.hpp"
#include "interpreter/repl/editor/clusters.hpp"
#include "interpreter/repl/paint.hpp"
#include "interpreter/session/modules.hpp"
#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/ops/contract/sample_text.hpp"
#include "stdlib/value/callable.hpp"

namespace covec {

namespace {

// "sgd(p, g, …)": what must be given, without annotations.
std::string in_short(const std::string& signature) {
  const size_t open = signature.find('(');
  if (open == signature.npos || !signature.ends_with(')')) return signature;
  std::string text = signature.substr(0, open + 1);
  const char* separator = "";
  bool options = false;
  for (const std::string& parameter : parameters_in(signature)) {
    const bool may_be_left = is_option(parameter) || parameter.starts_with("**");
    options = options || may_be_left;
    if (may_be_left) continue;
    text += separator + parameter.substr(0, parameter.find(':'));
    separator = ", ";
  }
  return text + (options ? std::string(separator) + "…" : "") + ")";
}

// "plot_save": a part of the module `plot`, which people call by that.
bool serves_a_module(std::string_view name) {
  const size_t end = name.find('_');
  const std::vector<std::string> modules = builtin_module_names();
  return end != name.npos && std::ranges::find(modules, name.substr(0, end)) != modules.end();
}

}  // namespace

std::vector<Page> pages_of_builtins() {
  std::vector<Page> pages;
  for (const ops::Entry* entry : ops::all_entries()) {
    if (entry->internal || serves_a_module(entry->name)) continue;
    const std::string name(entry->name);
    const bool constant = entry->constant.has_value();
    pages.push_back({name, constant ? name : ops::function_of(*entry).function().signature(), std::string(entry->doc)});
  }
  return pages;
}

std::vector<Page> pages_of_module(const Session& session, const std::string& name, const Value& module) {
  std::vector<Page> pages;
  for (const std::string& member : session.member_names(module)) {
    const Value* value = find_member(module, member);
    if (member.starts_with('_') || value == nullptr) continue;
    const std::string full = name + "." + member;
    if (!value->is(ObjectKind::function)) {
      pages.push_back({full, full + ": " + shape_text(*value), ""});
    } else {
      const Callable& function = value->function();
      const std::vector<std::string_view> names = function.option_names();
      pages.push_back({full, name + "." + function.signature(), function.doc(), {names.begin(), names.end()}});
    }
  }
  return pages;
}

std::vector<Page> pages_of_keywords() {
  std::vector<Page> pages;
  for (const KeywordPage& page : keyword_pages)
    pages.push_back({std::string(page.word), std::string(page.form), std::string(page.does)});
  return pages;
}

std::string unwrapped(const std::string& doc) {
  std::istringstream lines(doc);
  std::string text;
  bool joins = false;
  for (std::string line; std::getline(lines, line);) {
    const bool own_line = line.empty() || line.starts_with(' ');
    text += text.empty() ? "" : joins && !own_line ? " " : "\n";
    text += line;
    joins = !own_line;
  }
  return text;
}

std::string first_sentence(const std::string& doc) {
  const std::string whole = unwrapped(doc), text = whole.substr(0, whole.find('\n'));
  if (text.starts_with(' ')) return "";  // a program
  const size_t stop = text.find(". ");
  return text.substr(0, stop == text.npos ? stop : stop + 1);
}

std::vector<std::string> parameters_in(const std::string& signature) {
  std::vector<std::string> parameters;
  const size_t open = signature.find('(');
  if (open == signature.npos || !signature.ends_with(')')) return parameters;
  const std::string list = signature.substr(open + 1, signature.size() - open - 2);
  std::vector<size_t> ends = ops::commas_of(list);
  ends.push_back(list.size());
  size_t begin = 0;
  for (const size_t end : ends) {
    const size_t first = std::min(list.find_first_not_of(' ', begin), end);
    if (first < end) parameters.push_back(list.substr(first, end - first));
    begin = end + 1;
  }
  return parameters;
}

bool is_option(std::string_view parameter) { return parameter.find('=') != parameter.npos; }

std::vector<std::string> rows_of_pages(std::span<const Page> pages, unsigned columns) {
  std::vector<std::string> heads, rows;
  unsigned widest = 0;
  for (const Page& page : pages) {
    heads.push_back(shortened(in_short(page.signature), columns));
    const unsigned width = editor::width_of(heads.back());
    if (width <= columns / 2) widest = std::max(widest, width);
  }
  for (size_t i = 0; i < pages.size(); ++i) {
    const unsigned width = editor::width_of(heads[i]), behind = std::max(width, widest) + 2;
    std::string row = painted(heads[i], editor::Style::name, 1);
    const std::string summary = first_sentence(pages[i].doc);
    constexpr unsigned least = 10;  // columns that are worth filling
    if (!summary.empty() && behind + least <= columns)
      row += std::string(behind - width, ' ') + shortened(summary, columns - behind);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace covec
