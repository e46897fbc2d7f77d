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

std::string text_of(const char* program, const ops::Screen& screen) {
  Page page;
  Session session({.output = &page});
  return session.display_of(*session.run_text("t", program), {.screen = screen}).text;
}

TEST(Display, Texts) {
  const ops::Screen screen{80, 24};
  EXPECT_EQ(text_of("\"a\\nb\\n\"", screen), "a\nb");
  EXPECT_EQ(text_of("\"a\"", screen), "\"a\"");
  EXPECT_EQ(text_of("[1, 2]", screen), "[1, 2]");
  EXPECT_EQ(text_of("{s: list(\"a\", \"b\"), n: [1, 2]}", screen),
            "   s       n\n   text  i64\n0  a       1\n1  b       2\n2 rows, 2 columns");
  EXPECT_EQ(text_of("{s: list(\"a\", \"b\"), n: [1, 2]}", {}), "{s: list(\"a\", \"b\"), n: [1, 2]}");
  EXPECT_EQ(text_of("import plot\nf = plot.line([1.0])\nf.marks = 3\nf.figure", screen), "\"axes\"");
  EXPECT_EQ(text_of("import plot\nf = plot.line([1.0])\nf.marks = 3\nf", screen).substr(0, 16), "{figure: \"axes\",");
}

}  // namespace
}  // namespace covec
