// How diagnostics look, positions in texts, and suggestions.
#include <gtest/gtest.h>

#include "frontend/common/nearest.hpp"
#include "frontend/source/fixes.hpp"
#include "frontend/source/unicode.hpp"
#include "tests/unit/frontend_support.hpp"

namespace covec::testing {
namespace {

Diagnostic plain(std::string message, std::vector<Label> labels) {
  Diagnostic d;
  d.message = std::move(message);
  d.labels = std::move(labels);
  return d;
}

TEST(Render, AsTheLanguagePageShows) {
  SourceMap sources;
  std::string text = std::string(6, '\n') + "    return x @ w + b\n" + std::string(7, '\n') + "model(x, w, b)\n";
  uint32_t file = sources.add("model.covec", text);
  uint32_t begin = static_cast<uint32_t>(text.find("x @ w"));
  uint32_t call = static_cast<uint32_t>(text.find("model"));
  Diagnostic d = plain("cannot multiply f64[200, 3] @ f64[4, 1]: inner dimensions 3 and 4 differ",
                       {{{file, begin, begin + 5}, "x is f64[200, 3], w is f64[4, 1]"}});
  d.stack.push_back({"model(x, w, b)", {file, call, call + 5}});
  EXPECT_EQ(render(d, sources),
            "error: cannot multiply f64[200, 3] @ f64[4, 1]: inner dimensions 3 and 4 differ\n"
            "  --> model.covec:7:12\n"
            "   7 |     return x @ w + b\n"
            "     |            ^^^^^ x is f64[200, 3], w is f64[4, 1]\n"
            "  in model(x, w, b), called from model.covec:15:1\n");
}

TEST(Render, TwoLabelsOnTwoLines) {
  EXPECT_EQ(shown("x = foo(1,\n 2\ny = 3\n"),
            "error: `(` is never closed\n"
            "  --> test.covec:1:8\n"
            "   1 | x = foo(1,\n"
            "     |        ^ opened here\n"
            "   3 | y = 3\n"
            "     | ^ expected `)` before this\n");
  SourceMap sources;
  uint32_t file = sources.add("t", "aa\nbbb\n");
  EXPECT_EQ(render(plain("m", {{{file, 3, 6}, ""}, {{file, 0, 2}, "here"}}), sources),
            "error: m\n"
            "  --> t:2:1\n"
            "   1 | aa\n"
            "     | ^^ here\n"
            "   2 | bbb\n"
            "     | ^^^\n");
}

TEST(Render, TwoLabelsOnOneLine) {
  SourceMap sources;
  uint32_t file = sources.add("t", "aa + bb\n");
  EXPECT_EQ(render(plain("m", {{{file, 0, 2}, ""}, {{file, 5, 7}, "differs"}}), sources),
            "error: m\n  --> t:1:1\n   1 | aa + bb\n     | ^^   ^^ differs\n");
  EXPECT_EQ(render(plain("m", {{{file, 5, 7}, "one"}, {{file, 0, 2}, "two"}}), sources),
            "error: m\n  --> t:1:6\n   1 | aa + bb\n     | ^^ two\n     |      ^^ one\n");
}

TEST(Render, TwoFiles) {
  SourceMap sources;
  uint32_t a = sources.add("a", "xx\n"), b = sources.add("b", "\nyy\n");
  EXPECT_EQ(render(plain("m", {{{a, 0, 2}, ""}, {{b, 1, 3}, "here"}}), sources),
            "error: m\n  --> a:1:1\n   1 | xx\n     | ^^\n  --> b:2:1\n   2 | yy\n     | ^^ here\n");
}

TEST(Render, CaretsStandUnderWideCharactersAndTabs) {
  SourceMap sources;
  uint32_t file = sources.add("t", "数 + \xC3\xA9\xCC\x81x\n\ta\tb\n");
  EXPECT_EQ(render(plain("m", {{{file, 10, 11}, ""}}), sources),
            "error: m\n  --> t:1:7\n   1 | 数 + \xC3\xA9\xCC\x81x\n     |       ^\n");
  EXPECT_EQ(render(plain("m", {{{file, 15, 16}, ""}}), sources),
            "error: m\n  --> t:2:4\n   2 |     a   b\n     |         ^\n");
}

TEST(Render, LongLinesAreClippedAroundTheSpan) {
  SourceMap sources;
  uint32_t file = sources.add("t", std::string(5000, 'a') + "XY" + std::string(5000, 'b') + "\n");
  std::string out = render(plain("m", {{{file, 5000, 5002}, "here"}}), sources);
  EXPECT_LT(out.size(), 500u);
  EXPECT_NE(out.find("…"), std::string::npos);
  size_t line = out.find(" | ") + 3, carets = out.rfind(" | ") + 3;
  // The mark of clipping takes three bytes and one column.
  EXPECT_EQ(out.find("XY") - line - 2, out.find("^^") - carets);
}

TEST(Render, OddPlaces) {
  SourceMap sources;
  uint32_t file = sources.add("t", "ab\r\n\x1b[31m");
  EXPECT_EQ(render(plain("m", {{{file, 2, 2}, ""}}), sources), "error: m\n  --> t:1:3\n   1 | ab\n     |   ^\n");
  EXPECT_EQ(render(plain("m", {}), sources), "error: m\n");
  EXPECT_EQ(render(plain("m", {{{0, 0, 0}, "x"}}), sources), "error: m\n");
  EXPECT_EQ(render(plain("m", {{{file, 4, 5}, ""}}), sources).find('\x1b'), std::string::npos);
  render(plain("m", {{{file, 100, 200}, ""}}), sources);
  Diagnostic warning = plain("w", {});
  warning.severity = Severity::warning;
  EXPECT_EQ(render(warning, sources), "warning: w\n");
}

TEST(Render, SpansOverSeveralLinesShowTheFirst) {
  SourceMap sources;
  uint32_t file = sources.add("t", "abc\ndef\n");
  EXPECT_EQ(render(plain("m", {{{file, 1, 6}, ""}}), sources), "error: m\n  --> t:1:2\n   1 | abc\n     |  ^^\n");
}

TEST(Source, PositionsCountCharacters) {
  SourceFile file("t", "aé\n\n数x\n");
  EXPECT_EQ(file.position(0).line, 1u);
  EXPECT_EQ(file.position(3).column, 3u);
  EXPECT_EQ(file.position(4).line, 2u);
  EXPECT_EQ(file.position(8).line, 3u);
  EXPECT_EQ(file.position(8).column, 2u);
  EXPECT_EQ(file.position(10).line, 4u);
  EXPECT_EQ(file.position(1000).line, 4u);
  EXPECT_EQ(file.line(3), "数x");
  EXPECT_EQ(file.line(4), "");
  EXPECT_EQ(file.line(9), "");
  EXPECT_EQ(file.slice({1, 1, 3}), "é");
}

TEST(Names, Nearest) {
  EXPECT_EQ(nearest_name("lenght", {"length", "len"}), "length");
  EXPECT_EQ(nearest_name("axes", {"axis", "x"}), "axis");
  EXPECT_EQ(nearest_name("zebra", {"axis", "x"}), "");
  EXPECT_EQ(nearest_name("x", {"y"}), "");
  EXPECT_EQ(nearest_name("", {"y"}), "");
  EXPECT_EQ(nearest_name(std::string(1000, 'a'), {"aa"}), "");
}

TEST(Names, NearestByCharacters) {
  EXPECT_EQ(nearest_name("größ", {"größe"}), "größe");
  EXPECT_EQ(nearest_name("数据", {"数字"}), "数字");  // one character, three bytes
  EXPECT_EQ(nearest_name("ä", {"ö"}), "");
  EXPECT_EQ(nearest_name("äöü", {"äxx"}), "");
}

TEST(Names, OnlyNearest) {
  EXPECT_EQ(only_nearest_name("valu", {"value", "length", "value"}), "value");
  EXPECT_EQ(only_nearest_name("valu", {"value", "valve"}), "value");
  EXPECT_EQ(only_nearest_name("valu", {"vale", "value"}), "");
  EXPECT_EQ(only_nearest_name("valu", {"vale", "value", "VALU"}), "VALU");
  EXPECT_EQ(nearest_name("valu", {"vale", "value"}), "vale");
}

TEST(Names, Identifiers) {
  for (const char* good : {"a", "_", "x1", "größe", "数据", "Ω2"}) EXPECT_TRUE(is_identifier(good)) << good;
  for (const char* bad : {"", "1a", "a b", "a-b", "×", "\xff", "a\xff", "²"}) EXPECT_FALSE(is_identifier(bad)) << bad;
}

TEST(Names, InternedOnce) {
  Names names;
  std::string_view a = names.intern("abc");
  EXPECT_EQ(names.intern(std::string("abc")).data(), a.data());
}

TEST(Unicode, InvalidTextsAreFound) {
  auto npos = std::string_view::npos;
  EXPECT_EQ(unicode::find_invalid("aé数😀"), npos);
  EXPECT_EQ(unicode::find_invalid("a\xC0\x80"), 1u);         // overlong
  EXPECT_EQ(unicode::find_invalid("ab\xED\xA0\x80"), 2u);    // surrogate
  EXPECT_EQ(unicode::find_invalid("\xF4\x90\x80\x80"), 0u);  // past U+10FFFF
  EXPECT_EQ(unicode::find_invalid("a\xE6\x95"), 1u);         // cut off
  EXPECT_EQ(unicode::find_invalid("\x80"), 0u);
}

}  // namespace
}  // namespace covec::testing
