// Renders CommonMark with cmark. This file adds the frame, the contents and the colours of programs.
#include "interpreter/assist/html.hpp"

#include <cmark.h>

#include <cstdlib>
#include <memory>
#include <set>
#include <vector>

#include "interpreter/assist/syntax.hpp"
#include "stdlib/canvas/svg.hpp"

namespace covec {

using editor::Style;

namespace {

struct Free {
  void operator()(cmark_node* node) const { cmark_node_free(node); }
  void operator()(char* text) const { std::free(text); }
};
using Tree = std::unique_ptr<cmark_node, Free>;

constexpr const char* class_of(Style style) {
  switch (style) {
    case Style::keyword: return "k";
    case Style::string: return "s";
    case Style::number: return "n";
    case Style::comment: return "c";
    default: return nullptr;
  }
}

// A program; pieces of one style share a span.
std::string coloured(std::string_view text) {
  const std::vector<Style> styles = styles_of(text, text.size() + 1);
  std::string out;
  for (size_t begin = 0, end = 0; begin < text.size(); begin = end) {
    while (end < text.size() && styles[end] == styles[begin]) ++end;
    const std::string piece = plot::xml_escaped(text.substr(begin, end - begin));
    const char* name = class_of(styles[begin]);
    out += name == nullptr ? piece : std::string("<span class=\"") + name + "\">" + piece + "</span>";
  }
  return out;
}

std::string literal_of(cmark_node* node) {
  const char* text = cmark_node_get_literal(node);
  return text == nullptr ? "" : text;
}

// The text of a heading without its signs: "optim.adam(p, g, state)".
std::string text_of(cmark_node* heading) {
  std::string text;
  for (cmark_node* part = cmark_node_first_child(heading); part != nullptr; part = cmark_node_next(part)) {
    text += literal_of(part);
  }
  return text;
}

class HtmlPage {
 public:
  explicit HtmlPage(const std::string& markdown)
      : tree_(cmark_parse_document(markdown.data(), markdown.size(), CMARK_OPT_DEFAULT)) {}

  std::string write(const std::string& title) {
    for (cmark_node* node = cmark_node_first_child(tree_.get()); node != nullptr; node = cmark_node_next(node)) {
      switch (cmark_node_get_type(node)) {
        case CMARK_NODE_HEADING: heading(node); break;
        case CMARK_NODE_CODE_BLOCK: body_ += "<pre>" + coloured(literal_of(node)) + "</pre>\n"; break;
        default: body_ += rendered(node);
      }
    }
    return head(title) + "<nav><input placeholder=\"find\" aria-label=\"find\"><ul>\n" + contents_ +
           "</ul></nav>\n<main>\n" + body_ + "</main>\n" + std::string(script) + "</html>\n";
  }

 private:
  static std::string rendered(cmark_node* node) {
    const std::unique_ptr<char, Free> text(cmark_render_html(node, CMARK_OPT_DEFAULT));
    return text.get();
  }
  // Headings are what links lead to; functions by their names.
  void heading(cmark_node* node) {
    const std::string text = text_of(node), level = std::to_string(cmark_node_get_heading_level(node));
    const std::string name = text.substr(0, text.find('('));
    const std::string id = fresh(name);
    if (level != "1") {
      contents_ += "<li class=\"h" + level + "\"><a href=\"#" + id + "\">" + plot::xml_escaped(name) + "</a></li>\n";
    }
    std::string html = rendered(node);
    body_ += html.insert(3, " id=\"" + id + "\"");
  }
  std::string fresh(const std::string& name) {
    std::string id;
    for (const char c : name) id += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' ? c : '-';
    while (!ids_.insert(id).second) id += "-";
    return id;
  }
  static std::string head(const std::string& title) {
    return "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
           plot::xml_escaped(title) + "</title>\n" + std::string(style) + "</head>\n";
  }

  static constexpr std::string_view style = R"(<style>
:root { color-scheme: light dark; --text: #1f2328; --page: #ffffff; --faint: #667; --line: #d8dee4; --code: #f4f6f8; --link: #0b62b0;
  --k: #8030a0; --s: #116329; --n: #0550ae; }
@media (prefers-color-scheme: dark) { :root { --text: #e2e6ea; --page: #15181c; --faint: #98a2ad; --line: #343b44; --code: #1f242a;
  --link: #6cb2f7; --k: #d2a0ec; --s: #8ccf9a; --n: #8cbcf5; } }
body { margin: 0; display: flex; color: var(--text); background: var(--page); font: 16px/1.55 system-ui, sans-serif; }
nav { width: 17rem; height: 100vh; position: sticky; top: 0; overflow-y: auto; flex: none; box-sizing: border-box; padding: 1rem;
  border-right: 1px solid var(--line); font-size: 0.875rem; }
nav ul { list-style: none; margin: 0.5rem 0; padding: 0; }
nav .h2 { font-weight: 600; margin-top: 0.6rem; }
nav .h3 { padding-left: 0.8rem; font-family: ui-monospace, monospace; font-size: 0.8125rem; }
nav input { width: 100%; box-sizing: border-box; padding: 0.3rem 0.5rem; font: inherit; color: inherit; background: var(--code);
  border: 1px solid var(--line); border-radius: 4px; }
main { max-width: 50rem; padding: 1rem 2.5rem 6rem; min-width: 0; }
a { color: var(--link); text-decoration: none; } a:hover { text-decoration: underline; }
h1, h2, h3 { line-height: 1.3; scroll-margin-top: 1rem; } h2 { border-bottom: 1px solid var(--line); margin-top: 2.5rem; }
h3 { margin-top: 2rem; } h3 code { font-size: 1rem; background: none; padding: 0; overflow-wrap: anywhere; }
code, pre { font-family: ui-monospace, monospace; font-size: 0.875rem; background: var(--code); border-radius: 4px; }
code { padding: 0.1em 0.3em; } pre { padding: 0.7rem 1rem; overflow-x: auto; }
.k { color: var(--k); } .s { color: var(--s); } .n { color: var(--n); } .c { color: var(--faint); }
@media (max-width: 50rem) { body { display: block; } nav { width: auto; height: 12rem; position: static; border: 0; } main { padding: 1rem; } }
</style>
)";
  static constexpr std::string_view script = R"(<script>
const items = [...document.querySelectorAll("nav li")];
document.querySelector("nav input").addEventListener("input", event => {
  const wanted = event.target.value.toLowerCase();
  for (const item of items) item.hidden = !item.textContent.toLowerCase().includes(wanted);
});
</script>
)";

  Tree tree_;
  std::string contents_, body_;
  std::set<std::string> ids_;
};

}  // namespace

std::string html_of(const std::string& title, const std::string& markdown) { return HtmlPage(markdown).write(title); }

}  // namespace covec
