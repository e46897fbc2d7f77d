// What a user is told: every message of the table is provoked here, with its place; several errors in one text; and
// 'incomplete' told apart from 'wrong'.
#include <gtest/gtest.h>

#include <set>

#include "frontend/source/messages.hpp"
#include "tests/unit/frontend_support.hpp"

namespace covec::testing {
namespace {

struct Provocation {
  const char* key;
  std::string text;
  std::string at;            // what the first caret span covers
  bool interactive = false;  // an input of the prompt
};

std::string spanned(const Diagnostic& d, const std::string& text) {
  Span s = d.labels.at(0).span;
  return text.substr(s.begin, s.end - s.begin);
}

std::string nested(size_t n) { return std::string(n, '(') + "1" + std::string(n, ')'); }

const std::vector<Provocation>& provocations() {
  static const std::vector<Provocation> all = {
      {"invalid_utf8", "x = \"\xff\"", "\xff"},
      {"text_too_large", std::string((size_t{16} << 20) + 1, ' '), ""},
      {"unexpected_character", "x = 1 $ 2", "$"},
      {"unexpected_character", "x = a \xC3\x97 b", "\xC3\x97"},
      {"unclosed_string", "x = \"abc", "\"abc"},
      {"unclosed_string", "x = 'abc\\", "'abc\\"},
      {"unclosed_string", "x = f\"abc", "f\""},
      {"unclosed_interpolation", "print(f\"loss {x\")", "{"},
      {"unclosed_interpolation", "f\"{1:\"", "{"},
      {"single_brace", "f\"a } b\"", "}"},
      {"empty_interpolation", "f\"a {} b\"", "{}"},
      {"format_text", "f\"{1:{2}}\"", "{"},
      {"bad_escape", "\"a\\qb\"", "\\q"},
      {"bad_escape", "\"\\u12\"", "\\u"},
      {"bad_escape", "\"\\u{d800}\"", "\\u"},
      {"bad_number", "x = 3x", "3x"},
      {"bad_number", "x = 0x", "0x"},
      {"bad_number", "x = 1__0", "1__0"},
      {"number_dot", "x = 1.", "1."},
      {"number_dot", "x = .5", ".5"},
      {"number_too_large", "x = 9223372036854775808", "9223372036854775808"},
      {"number_too_large", "x = 0x1_0000_0000_0000_0000", "0x1_0000_0000_0000_0000"},
      {"number_too_large", "x = 1e400", "1e400"},
      {"number_too_large", "x = 1" + std::string(400, '0') + "e-5", "1" + std::string(400, '0') + "e-5"},
      {"number_too_large", "y = 1.0 + 10^19", "10^19"},
      {"unclosed_bracket", "x = (1 + 2", "("},
      {"unclosed_bracket", "x = foo(1, 2\ny = (3)\n", "("},
      {"unclosed_bracket", "fn f() {\n  x = [1, 2\n  return x\n}", "["},
      {"unclosed_bracket", "fn f() {\n  x = (1 +\n}", "("},
      {"mismatched_bracket", "x = (1 + 2]", "]"},
      {"unmatched_closer", "x = 1)", ")"},
      {"nested_too_deeply", "x = " + nested(16000), "("},
      {"else_on_new_line", "if true { }\nelse { }", "else", true},
      {"catch_on_new_line", "try { }\n\ncatch err { }", "catch", true},
      {"try_alone", "try { x = 1 }\ny = 2", ""},
      {"catch_alone", "catch err { }", "catch"},
      {"catch_alone", "if true { }\ncatch", "catch"},
      {"else_without_if", "else { }", "else"},
      {"else_without_if", "for i in x { } else { }", "else"},
      {"else_without_if", "if true { } else { } else { }", "{"},
      {"brace_on_new_line", "fn f()\n{\n}", "{"},
      {"brace_on_new_line", "if true\n\n{\n}", "{"},
      {"missing_block", "while true\n", ""},
      {"missing_block", "if true 3 { }", "3"},
      {"missing_body", "fn f() 3", "3"},
      {"unexpected_end", "x = 1 +", ""},
      {"unexpected_end", "@compile", ""},
      {"run_on", "x = 1 y = 2", "y"},
      {"unexpected_token", "/ 3", "/"},
      {"expected_token", "x = {a 1}", "1"},
      {"expected_token", "for i { }", "{"},
      {"expected_token", "x = {a: 1,, b: 2}", ","},
      {"expected_expression", "x = 1 + / 2", "/"},
      {"expected_expression", "f(if)", "if"},
      {"keyword_as_field", "p = 1; p.in", "in"},
      {"keyword_as_field", "p = {for: 1}", "for"},
      {"keyword_as_field", "fn f(p: {if: f64}) = p", "if"},
      {"keyword_as_name", "fn while() = 1", "while"},
      {"keyword_as_name", "fn f(x, in) = 1", "in"},
      {"keyword_as_name", "import nn as not", "not"},
      {"keyword_as_name", "f(1, in=2)", "in"},
      {"keyword_as_name", "return = 3", "return"},
      {"assignment_in_condition", "if x = 3 { }", "="},
      {"assignment_in_condition", "while x = 3 { }", "="},
      {"assignment_in_expression", "x = [a = 3]", "="},
      {"assignment_in_expression", "x = 1; print(x += 1)", "+="},
      {"conditional_needs_else", "x = 1 if true", "if"},
      {"loop_filter", "xs = 1; for x in xs if x > 1 { }", "if"},
      {"filter_with_else", "xs = 1; y = [x for x in xs if x > 0 else 1]", "if x > 0 else"},
      {"filter_with_else", "y = sum(x for x in (1, 2) if (x) else 1)", "if (x) else"},
      {"second_filter", "xs = 1; y = [x for x in xs if x > 0 if x < 9]", "if"},
      {"decorator_without_fn", "@compile\nx = 3", "x"},
      {"unknown_word", "def f(x) { }", "def"},
      {"unknown_word", "if true { }\nelif true { }", "elif"},
      {"bare_tuple", "1, 2", "1, 2"},
      {"bare_tuple", "x = 1; x += 1, 2", "1, 2"},
      {"chained_assignment", "a = b = 3", "="},
      {"bad_target", "f(x) = 3", "f(x)"},
      {"bad_target", "1 = 3", "1"},
      {"bad_target", "a, \"s\" = 3", "\"s\""},
      {"bad_target", "f(x)[0] = 3", "f(x)"},
      {"bad_target", "() = 3", "()"},
      {"bad_target", "for 1 in x { }", "1"},
      {"update_of_tuple", "a, b += 1", "a, b"},
      {"assert_tuple", "assert (true, \"m\")", "(true, \"m\")"},
      {"break_outside_loop", "break", "break"},
      {"break_outside_loop", "while true { f = fn() { break } }", "break"},
      {"continue_outside_loop", "if true { continue }", "continue"},
      {"return_outside_function", "return 3", "return 3"},
      {"import_needs_name", "import \"lib.covec\"", "import \"lib.covec\""},
      {"import_path", "import \"lib\" as lib", "\"lib\""},
      {"update_of_outer", "n = 1\nfn f() { n += 1 }", "n"},
      {"update_of_outer", "xs = list()\nfn f() { xs.push(1) }", "xs"},
      {"update_of_outer", "x = zeros(3)\nfn f() { x[0] = 1 }", "x"},
      {"duplicate_parameter", "fn f(a, a) = 1", "a"},
      {"duplicate_parameter", "(a, a) -> 1", "a"},
      {"default_order", "fn f(a=1, b) = 1", "b"},
      {"lambda_parameters", "f(x) -> y", "->"},
      {"lambda_parameters", "(x, 1) -> y", "1"},
      {"lambda_parameters", "a.x -> y", "x"},
      {"function_expression_form", "f = fn(x) = 1", "fn(x) = 1"},
      {"unknown_decorator", "@compil fn f() = 1", "compil"},
      {"decorator_arguments", "@test(1) fn f() = 1", "@test(1)"},
      {"decorator_arguments", "@compile(devise=\"gpu\") fn f() = 1", "devise"},
      {"decorator_arguments", "@derivative fn f() = 1", "@derivative"},
      {"decorator_arguments", "fn f(x) = x\n@derivative(f) fn g(x, r, ct) = ct", "f"},
      {"decorator_arguments", "fn f(x) = x\n@derivative(of=f, way=\"forward\") fn g(x, r, ct) = ct", "way"},
      {"decorator_arguments", "fn f(x) = x\n@derivative(of=f, mode=\"both\") fn g(x, r, ct) = ct", "\"both\""},
      {"decorator_arguments", "fn f(x) = x\nm = 1\n@derivative(of=f, mode=m) fn g(x, r, ct) = ct", "m"},
      {"decorator_arguments", "@derivative(mode=\"forward\") fn g(x, r, ct) = ct", "@derivative(mode=\"forward\")"},
      {"decorator_arguments", "fn f(x) = x\n@derivative(of=f) @derivative(of=f, mode=\"forward\") fn g(x, r, ct) = ct",
       "@derivative(of=f, mode=\"forward\")"},
      {"given_twice", "fn f(x) = x\n@derivative(of=f, of=f) fn g(x, r, ct) = ct", "of"},
      {"unknown_annotation", "fn f(x: f23) = 1", "f23"},
      {"annotation_dimension", "fn f(x: f64[\"n\"]) = 1", "\"n\""},
      {"annotation_dimension", "fn f(x: f64[-1]) = 1", "-1"},
      {"annotation_ellipsis", "fn f(x: f64[..., ...]) = 1", "..."},
      {"duplicate_field", "x = {a: 1, a: 2}", "a"},
      {"duplicate_field", "fn f(p: {a: f64, a: f64}) = p", "a"},
      {"keyword_argument", "f(a.b=3)", "a.b"},
      {"positional_after_keyword", "f(a=1, 2)", "2"},
      {"given_twice", "fn f(a) = a\nf(a=1, a=2)", "a"},
      {"given_twice", "sum(1, x=2)", "x"},
      {"index_ellipsis", "x = 1; x[..., ...]", "..."},
      {"generator_not_alone", "xs = 1; sum(1, x for x in xs)", "for"},
      {"generator_not_alone", "xs = 1; sum(x=x for x in xs)", "x=x for x in xs"},
      {"generator_argument", "xs = 1; exp(x for x in xs)", "x for x in xs"},
      {"comprehension_target", "xs = 1; [x for x[0] in xs]", "x[0]"},
      {"comprehension_target", "xs = 1; [1 for () in xs]", "()"},
      {"indexes_nothing", "x = 1; [1 for i]", "i"},
      {"indexes_nothing", "xs = 1; [x for i, x in xs]", "i"},
      {"pair_unpacked", "xs = 1; [x for i, x in enumerate(xs)]", "i"},
      {"pair_unpacked", "[x for i, x in ((1, 2), (3, 4))]", "i"},
      {"unknown_name", "print(lenght)", "lenght"},
      {"unknown_parameter", "sum(1, axes=0)", "axes"},
      {"missing_argument", "where(1, 2)", "where(1, 2)"},
      {"too_many_arguments", "relu(1, 2)", "2"},
      {"spread_place", "x = 1 + * 2", "*"},
      {"spread_place", "x = {a: *y}", "*"},
      {"spread_place", "x = (1, **{a: 2})", "**"},
      {"spread_alone", "t = 1; x = *t", "*t"},
      {"spread_alone", "t = 1; x = (*t)", "*t"},
      {"two_rests", "a, *b, *c = 1", "*c"},
      {"two_rests", "fn f(*a, *b) = 1", "b"},
      {"rest_parameter", "fn f(*a=2) = 1", "a"},
      {"rest_parameter", "fn f(*a: f64) = 1", "a"},
      {"rest_parameter", "fn f(**a=2) = 1", "a"},
      {"rest_parameter", "fn f(**a: f64) = 1", "a"},
      {"options_last", "fn f(**a, b) = 1", "a"},
      {"options_last", "(**a, *b) -> 1", "a"},
      {"options_last", "fn f(**a, **b) = 1", "a"},
      {"options_sign", "fn f(x, ^a) = 1", "^"},
      {"duplicate_parameter", "fn f(a, **a) = 1", "a"},
      {"in_chain", "x = 1 in 2 in 3", "in"},
      {"in_chain", "x = 1 < 2 in 3", "in"},
      {"in_chain", "x = 1 in 2 == 3", "=="},
      {"mixed_keys", "x = {a: 1, \"b\": 2}", "a"},
      {"key_float", "x = {2.5: 1}", "2.5"},
      {"key_form", "x = {[1]: 1}", "[1]"},
      {"duplicate_key", "x = {\"a\": 1, \"a\": 2}", "\"a\""},
      {"duplicate_key", "x = {-3: 1, -3: 2}", "-3"},
      {"map_comprehension", "xs = 1; x = {\"a\": v for v in xs}", "for v in xs"},
      {"import_in_try", "try { import nn } catch { }", "import nn"},
      {"unused_in_function", "fn f(x) { x + 1 }", "x + 1"},
      {"unused_in_function", "fn f(xs) {\n relu(xs)\n return xs\n}", "relu(xs)"},
      {"unused_in_function", "fn f() { \"text\" }", "\"text\""},
  };
  return all;
}

const std::vector<Provocation>& warnings() {
  static const std::vector<Provocation> all = {
      {"unused_value", "x = 1\nx + 1\ny = 2", "x + 1"},
      {"unused_value", "if true { relu(1) }", "relu(1)"},
      {"hides_constant", "fn f(pi) = 2 * pi", "pi"},
      {"adds_brackets", "x = [0] + [1, 2]", "[0] + [1, 2]"},
      {"hides_builtin", "try { x = 1 } catch e { print(e) }", "e"},
  };
  return all;
}

TEST(Messages, WarningsStopNothing) {
  for (const Provocation& w : warnings()) {
    Session session;
    const core::Unit* unit = session.compile(w.text);
    ASSERT_EQ(unit->warnings.size(), 1u) << w.text;
    EXPECT_EQ(unit->warnings[0].code, w.key) << w.text;
    EXPECT_EQ(spanned(unit->warnings[0], w.text), w.at) << w.text;
  }
}

TEST(Messages, EachProvocationGivesItsMessageAtItsPlace) {
  for (const Provocation& p : provocations()) {
    std::vector<Diagnostic> found = problems_of(p.text, p.interactive);
    ASSERT_FALSE(found.empty()) << p.text;
    EXPECT_EQ(found[0].code, p.key) << p.text.substr(0, 80) << "\n" << found[0].message;
    EXPECT_EQ(spanned(found[0], p.text), p.at) << p.text.substr(0, 80);
    EXPECT_EQ(found.size(), 1u) << p.text.substr(0, 80) << "\n" << shown(p.text);
  }
}

TEST(Messages, OfATextThatIsToDefineAFunction) {
  for (const char* text : {"x = 1", "", "if true { fn f(x) = x }", "f = x -> x"}) {
    try {
      Session().compile(text, TextForm::enclosed);
      FAIL() << text;
    } catch (const CovecError& error) {
      EXPECT_EQ(error.diagnostics.front().code, "no_function_in_text") << text;
    }
  }
}

TEST(Messages, EveryMessageOfTheTableIsProvoked) {
  // Tools alone are told these: tests/tools/check_test.py.
  std::set<std::string_view> provoked = {"no_function_in_text", "unread_import", "unread_variable", "unreachable"};
  for (const Provocation& p : provocations()) provoked.insert(p.key);
  for (const Provocation& w : warnings()) provoked.insert(w.key);
  for (const messages::Message& m : messages::table) EXPECT_TRUE(provoked.count(m.key)) << m.key;
}

TEST(Messages, PlaceholdersAreAllFilled) {
  for (const Provocation& p : provocations()) {
    for (const Diagnostic& d : problems_of(p.text, p.interactive)) {
      EXPECT_EQ(d.message.find("{}"), std::string::npos) << d.message;
      EXPECT_FALSE(d.message.empty());
      bool shows_braces = d.code == "empty_interpolation" || d.code == "single_brace";
      EXPECT_TRUE(shows_braces || d.hint.find("{}") == std::string::npos) << d.hint;
    }
  }
}

TEST(Messages, HintsSuggest) {
  auto hint = [](const char* text) { return problems_of(text).at(0).hint; };
  EXPECT_EQ(hint("sum(1, axes=0)"), "did you mean `axis`?");
  EXPECT_EQ(hint("weights = 1\nprint(wieghts)"), "did you mean `weights`?");
  EXPECT_EQ(hint("fn f(count) = cuont"), "did you mean `count`?");
  EXPECT_EQ(hint("x = rleu(1)"), "did you mean `relu`?");
  EXPECT_EQ(hint("x = True"), "write true");
  EXPECT_EQ(hint("x = 1 && 2"), "write and");
  EXPECT_EQ(hint("x = 1 || 2"), "write or");
  EXPECT_EQ(hint("x = !true"), "write not");
  EXPECT_EQ(hint("x = 1.\n"), "write 1.0");
  EXPECT_EQ(hint("@complie fn f() = 1"), "did you mean `@compile`?");
  EXPECT_EQ(hint("xs = 1; [x for i, x in xs]"), "a pair needs parentheses: for (i, x) in …");
  EXPECT_EQ(hint("[1 for i]"), "give its range: for i in range(n)");
  EXPECT_EQ(hint("fn f(x: f46) = 1"), "did you mean `f16`?");
  EXPECT_EQ(hint("1, 2"), "write (1, 2)");
}

// --- several errors ---

TEST(Recovery, SeveralSyntaxErrorsInOneRun) {
  EXPECT_EQ(keys_of("x = 1 + / 2\ny = 3\nz = a b\nw = (1\n"), "expected_expression run_on unclosed_bracket");
  EXPECT_EQ(keys_of("fn f() {\n  x = 1 y\n  z = 2\n  w = / 3\n}\nv = 4 5\n"), "run_on expected_expression run_on");
  EXPECT_EQ(keys_of("x = \"a\ny = 3x\nz = 1 $\n"), "unclosed_string bad_number unexpected_character");
  EXPECT_EQ(keys_of("if x = 1 { y z }\nwhile { }\n"), "assignment_in_condition missing_block");
}

TEST(Recovery, OneErrorIsReportedOnce) {
  EXPECT_EQ(keys_of("if true\n{\n  x = 1\n}\ny = 2\n"), "brace_on_new_line");
  EXPECT_EQ(keys_of("if true { }\nelse {\n  x = 1 2\n}\ny = 2\n"), "run_on");
  EXPECT_EQ(keys_of("print(\"abc)\ny = 2\n"), "unclosed_string");
  EXPECT_EQ(keys_of("print(f\"a {x\")\ny = 2\n"), "unclosed_interpolation");
  EXPECT_EQ(keys_of("x = (1 + 2]\ny = 2\n"), "mismatched_bracket");
  EXPECT_EQ(keys_of("fn f() {\n  g(1, 2\n}\nx = 3\n"), "unclosed_bracket");
  EXPECT_EQ(keys_of("fn f() {\n  g(h(1, 2\n  return 3\n}\nx = 3\n"), "unclosed_bracket");
}

// The place of each error, too: `key:line`.
std::string lines_of(const std::string& text) {
  SourceMap sources;
  std::string out;
  const uint32_t file = sources.add("t", text);
  for (const Diagnostic& d : problems_of(text)) {
    const Position at = sources.file(file).position(d.labels.at(0).span.begin);
    out += (out.empty() ? "" : " ") + std::string(d.code) + ":" + std::to_string(at.line);
  }
  return out;
}

TEST(Recovery, AnOperatorAtALinesEndIsBlamedItself) {
  for (std::string next : {"y = 2", "y += 2", "return 2", "if true { }", "for i in x { }", "while true { }",
                           "fn f() = 1", "import nn", "assert true", "try { } catch { }"}) {
    for (std::string operation : {"+", "or", "not", "==", "@", "->"}) {
      const std::string found = lines_of("x = " + operation + "  # comment\n\n" + next + "\n");
      EXPECT_TRUE(found.ends_with(":1") && found.find(' ') == std::string::npos) << operation << next << found;
    }
  }
  EXPECT_EQ(lines_of("fn f(x) {\n  y = x,\n  return y\n}\n"), "expected_expression:2");
  EXPECT_EQ(lines_of("x = 1 +\ny == 2 3\n"), "run_on:2");
}

TEST(Recovery, IndentationShowsWhereABracketEnds) {
  const std::string last = "w = 1 2\n";  // an error that is found only where the one before ended
  EXPECT_EQ(lines_of("x = f(1,\ny = g(1,\n  a=2)\n" + last), "unclosed_bracket:1 run_on:4");
  EXPECT_EQ(lines_of("x = f([1, (2\n" + last), "unclosed_bracket:1 run_on:2");
  EXPECT_EQ(lines_of("fn f(x) {\n  if x {\n    y = 1\n  return y\n}\n" + last), "unclosed_bracket:2 run_on:6");
  EXPECT_EQ(lines_of("fn f(x) {\n  y = {a: x\n  return y\n}\n" + last), "unclosed_bracket:2 run_on:5");
  EXPECT_EQ(lines_of("fn f(x) {\n  y = f\"a {x\n  return y\n}\n" + last), "unclosed_interpolation:2 run_on:5");
  EXPECT_EQ(lines_of("fn f(x) {\n  y = f\"a {x:\n  return y\n}\n" + last), "unclosed_interpolation:2 run_on:5");
  EXPECT_EQ(lines_of("fn f(x) {\n  y = 1\nfn g(x) {\n  return x\n}\n" + last), "unclosed_bracket:1 run_on:6");
  EXPECT_EQ(lines_of("fn f(x) {\n  y = f(x))\n  return y\n}\n" + last), "unmatched_closer:2 run_on:5");
  EXPECT_EQ(lines_of("x = (\n  1,\n  f(\n    2\n  )\n" + last), "unclosed_bracket:1 run_on:6");
}

TEST(Recovery, IndentationShowsWhichLineLacksItsBrace) {
  const std::string last = "w = 1 2\n";
  EXPECT_EQ(lines_of("fn f(x)\n  y = x\n\n  # comment\n  return y\n}\n" + last), "missing_body:1 run_on:7");
  EXPECT_EQ(lines_of("fn f(x,\n     y)  # two\n  return y\n}\n" + last), "missing_body:2 run_on:5");
  EXPECT_EQ(lines_of("fn f(x, y\n  z = y\n}\n" + last), "unclosed_bracket:1 run_on:4");
  EXPECT_EQ(lines_of("@compile fn f(x)\n  return x\n}\n" + last), "missing_body:1 run_on:4");
  EXPECT_EQ(lines_of("fn f(x) {\n  if x\n    y = 1\n  }\n  return y\n}\n" + last), "missing_block:2 run_on:7");
  EXPECT_EQ(lines_of("fn f(x) {\n  if x {\n    y = 1\n  } else\n    y = 2\n  }\n  return y\n}\n" + last),
            "missing_block:4 run_on:9");
  for (const char* head : {"while x", "for i in x", "try", "} else if x", "} catch err"}) {
    const std::string text = "fn f(x) {\n  if x {\n  " + std::string(head) + "\n    y = 2\n  }\n  return y\n}\n";
    EXPECT_NE(lines_of(text).find("missing_block:3"), std::string::npos) << text << lines_of(text);
  }
  EXPECT_EQ(lines_of("y = 1\n}\n" + last), "unmatched_closer:2 run_on:3");
  EXPECT_EQ(lines_of("fn f(x) {\n  y = 1\n}\n}\n" + last), "unmatched_closer:4 run_on:5");
}

TEST(Recovery, NameErrorsAreAllReported) {
  EXPECT_EQ(keys_of("a = foo1\nb = foo2\nfn f() = foo3\n"), "unknown_name unknown_name unknown_name");
  EXPECT_EQ(keys_of("a = foo\nb = foo\n"), "unknown_name");
}

TEST(Recovery, TheNumberOfErrorsIsBounded) {
  std::string syntax, names;
  for (int i = 0; i < 1000; ++i) {
    syntax += "x = 1 y\n";
    names += "x = unknown" + std::to_string(i) + "\n";
  }
  EXPECT_LE(problems_of(syntax).size(), 20u);
  EXPECT_LE(problems_of(names).size(), 20u);
}

// --- incomplete or wrong ---

bool incomplete(const std::string& text) {
  Session session;
  return session.compile(text, TextForm::input) == nullptr;
}

TEST(Interactive, UnfinishedTextsAreIncomplete) {
  for (const char* text : {"fn f() {",
                           "fn f() {\n  x = 1",
                           "fn f() {\n  if true {\n  }\n",
                           "x = (1 + 2",
                           "x = [1,\n2",
                           "x = 1 +",
                           "x = 1 +\n",
                           "x =",
                           "not",
                           "x = {a: 1",
                           "f(",
                           "@compile",
                           "@compile\n",
                           "x = y ->",
                           "x = y -> {",
                           "x = y -> {\n  z = y\n",
                           "x = y -> {\n  a: 1\n",
                           "for i in range(3) {",
                           "if true { x = (1",
                           "f\"{1 +",
                           "while true {\n# comment\n",
                           "a and\n"}) {
    EXPECT_TRUE(incomplete(text)) << text;
  }
}

TEST(Interactive, WrongTextsAreReportedAtOnce) {
  for (const char* text : {"fn f() {\n  x = = 1", "x = (1 + / 2", "x = \"abc", "f\"abc", "x = 1)", "(1]", "fn f()\n",
                           "if true\n", "x = $", "x = 3x", "fn f() {\n  y = \"abc\n", "print(f\"{x\")", "(return"}) {
    EXPECT_FALSE(problems_of(text, true).empty()) << text;
  }
}

TEST(Interactive, FinishedTextsAreComplete) {
  for (const char* text : {"", "\n", "# comment", "1 + 1", "x = 1", "fn f() {\n}\n", "if true { }"}) {
    EXPECT_FALSE(incomplete(text)) << text;
    EXPECT_TRUE(problems_of(text, true).empty()) << text;
  }
}

TEST(Interactive, AnErrorLeavesTheModuleAsItWas) {
  Session session;
  session.compile("a = 1", TextForm::input);
  EXPECT_THROW(session.compile("b = 2; c = nothing_like_it", TextForm::input), CovecError);
  EXPECT_EQ(session.module.names.size(), 1u);
  EXPECT_THROW(session.compile("b", TextForm::input), CovecError);
  session.compile("b = a", TextForm::input);
  EXPECT_EQ(session.module.names.size(), 2u);
}

}  // namespace
}  // namespace covec::testing
