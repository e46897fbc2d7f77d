// What a session's values look like, and what plot.show and table.show hand to a host.
#include <gtest/gtest.h>

#include "interpreter/session/session.hpp"

namespace covec {
namespace {

struct Page : ops::Output {
  void write(std::string_view text) override { written += text; }
  void warn(std::string_view) override {}
  std::string written;
};

// A host that shows more than text.
struct Notebook final : Page {
  void display(const Value& value, std::string_view text) override {
    shown.push_back(
        display::display_of(value, session->context(), {.screen = {80, 24}, .all_tables = true, .svg = true}));
    texts += text;
  }
  Session* session = nullptr;
  std::vector<display::Display> shown;
  std::string texts;
};

constexpr const char* figure = "import plot\nf = plot.line([1.0, 3.0, 2.0])\n";

TEST(Display, HostsWithoutDisplaysGetTheText) {
  Page page;
  Session session({.output = &page});
  session.run_text("t",
                   std::string(figure) + "plot.show(f, width=40, height=8)\nprint(plot.text(f, width=40, height=8))");
  ASSERT_EQ(page.written.size() % 2, 0u);
  const std::string half = page.written.substr(page.written.size() / 2);
  EXPECT_EQ(page.written, half + half);
  EXPECT_NE(half.find("⠤"), half.npos);
}

TEST(Display, HostsGetTheValueInThePlaceOfItsText) {
  Notebook notebook;
  Session session({.output = &notebook});
  notebook.session = &session;
  session.run_text("t", std::string(figure) + "plot.show(f, width=40, height=8)\nprint(1)");
  EXPECT_EQ(notebook.written, "1\n");
  ASSERT_EQ(notebook.shown.size(), 1u);
  EXPECT_TRUE(notebook.shown[0].svg->starts_with("<svg"));
  EXPECT_FALSE(notebook.shown[0].png);
  EXPECT_NE(notebook.texts.find("⠤"), notebook.texts.npos);
}

TEST(Display, WhatIsShownCountsAsOutput) {
  Notebook notebook;
  Session session({.output = &notebook, .run = {.printed = 100}});
  notebook.session = &session;
  EXPECT_THROW(session.run_text("t", std::string(figure) + "plot.show(f)"), CovecError);
  EXPECT_TRUE(notebook.shown.empty());
}

// All forms of a program's last value; the text is for a notebook.
display::Display shown(const std::string& program,
                       const display::Options& options = {.screen = {80, 24}, .html = true, .svg = true}) {
  Page page;
  Session session({.output = &page});
  return session.display_of(*session.run_text("t", program), options);
}
std::string text_of(const std::string& program, const ops::Screen& screen = {80, 24}) {
  return shown(program, {.screen = screen}).text;
}

// A page of HTML as lines of cells, which | divides, without tags: "|0|1\n0|1.5|2.0\nf64[1, 2]\n".
std::string cells_of_html(const std::string& html) {
  std::string cells;
  for (size_t at = 0; at < html.size();) {
    if (html[at] != '<') {
      cells += html[at] == '\n' ? "" : html.substr(at, 1);
      ++at;
      continue;
    }
    const size_t end = html.find('>', at);
    const std::string tag = html.substr(at + 1, end - at - 1);
    if (tag == "/tr" || tag == "/p") {
      while (tag == "/tr" && cells.ends_with('|')) cells.pop_back();
      cells += '\n';
    } else if (tag == "/th" || tag == "/td") {
      cells += '|';
    }
    at = end + 1;
  }
  return cells;
}
std::string cells(const std::string& program) {
  const display::Display display = shown(program);
  return display.html ? cells_of_html(*display.html) : "none";
}

size_t count(std::string_view text, std::string_view part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

TEST(Display, Texts) {
  EXPECT_EQ(text_of("\"a\\nb\\n\""), "a\nb");
  EXPECT_EQ(text_of("\"a\""), "\"a\"");
  EXPECT_EQ(text_of("[1, 2]"), "[1, 2]");
  EXPECT_EQ(text_of("{s: list(\"a\", \"b\"), n: [1, 2]}"),
            "   s       n\n   text  i64\n0  a       1\n1  b       2\n2 rows, 2 columns");
  EXPECT_EQ(text_of("{s: list(\"a\", \"b\"), n: [1, 2]}", {}), "{s: list(\"a\", \"b\"), n: [1, 2]}");
}

TEST(Display, LongTreesAreCutAndCounted) {
  EXPECT_EQ(text_of("list(*range(100))").find("more"), std::string::npos);
  const std::string list = text_of("list(*range(5000))");
  EXPECT_EQ(list,
            "list(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, … 4980 more, 4990, 4991, 4992, 4993, 4994,\n"
            "     4995, 4996, 4997, 4998, 4999)");
  const std::string map = text_of("m = map()\nfor i in range(500) { m[i] = i * i }\nm");
  EXPECT_TRUE(map.starts_with("{0: 0,\n 1: 1,\n")) << map;
  EXPECT_NE(map.find("9: 81,\n … 480 more,\n 490: 240100,\n"), map.npos) << map;
  EXPECT_EQ(count(map, "\n"), 20u);
}

TEST(Display, TreesOfTreesAreCutAsAWhole) {
  const std::string deep = text_of("xs = list(*range(90))\nfor i in range(3) { xs = list(xs for j in range(90)) }\nxs");
  EXPECT_LT(deep.size(), 40000u);
  EXPECT_GT(count(deep, "\n"), 100u);
  EXPECT_TRUE(deep.ends_with("… 89 more)")) << deep.substr(deep.size() - 200);
  const std::string tensors = text_of("list(ones(30, 30) for i in range(50))");
  EXPECT_LT(tensors.size(), 40000u);
  EXPECT_TRUE(tensors.ends_with(" more)"));
  // Values are copies: a list cannot hold itself.
  EXPECT_EQ(text_of("xs = list(1)\nxs.push(xs)\nxs"), "list(1, list(1))");
  const std::string nested = text_of("r = {a: 1}\nfor i in range(60) { r = {inner: r, name: \"<b>\"} }\nr");
  EXPECT_EQ(count(nested, "inner"), 60u);
}

TEST(Display, TensorsAreTables) {
  EXPECT_EQ(cells("[[1.0, 2.5], [30.25, nan]]"), "|0|1\n0| 1.0 | 2.5 \n1|30.25|  nan\nf64[2, 2]\n");
  EXPECT_EQ(cells("[[true, false]]"), "|0|1\n0| true|false\nbool[1, 2]\n");
  EXPECT_EQ(cells("f16([[0.1, 65504.0]])"), "|0|1\n0|    0.1|65500.0\nf16[1, 2]\n");
  EXPECT_EQ(cells("[[1 + 2im, -0.5im]]"), "|0|1\n0| 1.0+2.0im|-0.0-0.5im\nc128[1, 2]\n");
  EXPECT_EQ(cells("[1, 2, 3]"), "0|1|2|3\ni64[3]\n");
  EXPECT_EQ(cells("range(15) + 0 * [0]"), "0| 0| 1| 2| 3| 4| 5| 6| 7| 8| 9|10|11\n12|12|13|14\ni64[15]\n");
  EXPECT_EQ(cells("reshape(arange(4), (1, 1, 2, 1, 1, 1, 2))"),
            "|0|1\n0, 0, 0, 0, 0, 0|0|1\n0, 0, 1, 0, 0, 0|2|3\ni64[1, 1, 2, 1, 1, 1, 2]\n");
  EXPECT_EQ(cells("transpose([[1, 2, 3], [4, 5, 6]])"), "|0|1\n0|1|4\n1|2|5\n2|3|6\ni64[3, 2]\n");
  for (const char* const none : {"1.5", "f32(1)", "1im", "zeros(0)", "zeros(3, 0)", "list(1, 2)", "none", "sin",
                                 "\"<b>\"", "range(3)", "{a: 1}", "map()", "()"})
    EXPECT_EQ(cells(none), "none") << none;
}

TEST(Display, LargeTensorsAreCut) {
  const std::string square = cells("reshape(arange(10000), (100, 100))");
  EXPECT_EQ(count(square, "\n"), 23u);
  EXPECT_TRUE(square.starts_with("|0|1|2|3|4|5|…|94|95|96|97|98|99\n0|   0|   1|")) << square;
  EXPECT_NE(square.find("\n9| 900| 901| 902| 903| 904| 905|…| 994|"), square.npos) << square;
  EXPECT_NE(square.find("\n⋮|80 more rows\n90|9000|"), square.npos) << square;
  EXPECT_TRUE(square.ends_with("i64[100, 100], 88 columns not shown\n"));
  const std::string vector = cells("arange(1000)");
  EXPECT_NE(vector.find("\n⋮|768 more elements\n888|888|"), vector.npos) << vector;
  EXPECT_TRUE(vector.ends_with("\n996|996|997|998|999\ni64[1000]\n")) << vector;
  EXPECT_LT(shown("zeros(3000, 3000)").html->size(), 60000u);
  EXPECT_NE(cells("zeros(11, 2, 1)").find("\n⋮|2 more rows\n6, 0|"), std::string::npos);
}

// What says that one is left out is as large as the one.
TEST(Display, OneLineAloneIsNotLeftOut) {
  const std::string all = cells("reshape(arange(273), (21, 13))");
  EXPECT_EQ(count(all, "⋮") + count(all, "…"), 0u) << all;
  EXPECT_TRUE(all.ends_with("|272\ni64[21, 13]\n")) << all;
  const std::string cut = cells("reshape(arange(308), (22, 14))");
  EXPECT_NE(cut.find("\n⋮|2 more rows\n"), cut.npos) << cut;
  EXPECT_TRUE(cut.ends_with("i64[22, 14], 2 columns not shown\n")) << cut;
  const auto table = [](const std::string& columns) {
    return cells("table_record(list(f\"c{i}\" for i in range(" + columns + ")), list(list(\"x\") for i in range(" +
                 columns + ")))");
  };
  EXPECT_EQ(count(table("21"), "…"), 0u);
  EXPECT_TRUE(table("21").ends_with("1 row, 21 columns\n"));
  EXPECT_TRUE(table("22").ends_with("1 row, 22 columns, 2 not shown\n"));
}

TEST(Display, TablesAreTables) {
  EXPECT_EQ(cells("{s: list(\"a&b\", \"<script>alert(1)</script>\"), x: [1.5, nan], d: {seconds: [0.0, 86400.0]}}"),
            "|s|x|d\n|text|f64|date\n0|a&amp;b|1.5|1970-01-01\n"
            "1|&lt;script&gt;alert(1)&lt;/script&gt;|nan|1970-01-02\n2 rows, 3 columns\n");
  EXPECT_EQ(cells("{s: list(none, \"a\\nb\\tc\")}"), "|s\n|text\n0|none\n1|a b c\n2 rows, 1 column\n");
  EXPECT_EQ(cells("table_record(list(\"a<b>\", \"\\\"\"), (list(\"x\"), [1]))"),
            "|a&lt;b&gt;|&quot;\n|text|i64\n0|x|1\n1 row, 2 columns\n");
  EXPECT_EQ(cells("{s: list()}"), "|s\n|text\n0 rows, 1 column\n");
  EXPECT_EQ(cells("{a: [1, 2], b: [3, 4]}"), "none");
  const display::Display numbers =
      shown("{a: [1, 2], b: [3, 4]}", {.screen = {80, 24}, .all_tables = true, .html = true});
  EXPECT_EQ(cells_of_html(*numbers.html), "|a|b\n|i64|i64\n0|1|3\n1|2|4\n2 rows, 2 columns\n");
  EXPECT_EQ(numbers.text, "     a    b\n   i64  i64\n0    1    3\n1    2    4\n2 rows, 2 columns");
}

TEST(Display, LargeTablesAreCut) {
  const std::string rows = cells("{n: arange(100000), s: list(f\"row {i}\" for i in range(100000))}");
  EXPECT_NE(rows.find("\n9|9|row 9\n⋮|99980 more rows\n99990|99990|row 99990\n"), rows.npos) << rows;
  EXPECT_TRUE(rows.ends_with("100000 rows, 2 columns\n"));
  const std::string columns =
      cells("names = list(f\"c{i}\" for i in range(3000))\ntable_record(names, list(list(\"x\") for n in names))");
  EXPECT_TRUE(columns.starts_with("|c0|c1|c2|c3|c4|c5|c6|c7|c8|c9|…|c2990|")) << columns;
  EXPECT_TRUE(columns.ends_with("|x|x\n1 row, 3000 columns, 2980 not shown\n"));
}

// Pages have a light or a dark ground: they choose the colours.
TEST(Display, HtmlHasNoScriptsAndNoColours) {
  for (const char* const program :
       {"{s: list(\"<script>\")}", "[[1.0, nan]]", "arange(1000)", "reshape(arange(10000), (100, 100))"}) {
    const std::string html = *shown(program).html;
    for (const char* const part : {"<script", "color", "background", "#", "javascript:", "onclick"})
      EXPECT_EQ(html.find(part), html.npos) << part << " in " << html;
    for (const char* const tag : {"table", "tr", "th", "td", "p", "div"})
      EXPECT_EQ(count(html, std::string("<") + tag + ">") + count(html, std::string("<") + tag + " "),
                count(html, std::string("</") + tag + ">"))
          << html;
  }
}

TEST(Display, Figures) {
  const display::Display line = shown(std::string(figure) + "f");
  EXPECT_NE(line.text.find("⠤"), line.text.npos);
  EXPECT_TRUE(line.svg->starts_with("<svg"));
  EXPECT_FALSE(line.html || line.png);
  EXPECT_TRUE(shown(std::string(figure) + "f", {.png = true}).png->starts_with("\x89PNG\r\n"));
  EXPECT_TRUE(text_of(std::string(figure) + "f", {}).starts_with("{figure: \"axes\""));
  const display::Display changed = shown(std::string(figure) + "f.marks = 3\nf");
  EXPECT_TRUE(changed.text.starts_with("{figure: \"axes\""));
  EXPECT_FALSE(changed.svg);
  EXPECT_NE(shown("import plot\nplot.line([1.0], title=\"<script>\")").svg->find("&lt;script&gt;"), std::string::npos);
}

}  // namespace
}  // namespace covec
