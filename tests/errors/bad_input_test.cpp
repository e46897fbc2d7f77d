// Bad input: each case of bad_input.txt gives its message with its place, and leaves the session usable. All cases run
// in one session, one after the other, as lines typed into one REPL would.
#include <gtest/gtest.h>
#include <covec/covec.hpp>

#include <fstream>
#include <string>
#include <vector>

namespace {

struct Case {
  std::string name;
  std::string text;
  std::vector<std::string> expected;  // each is part of the report, in this order
};

// "=== name", the program, "---", the expected parts.
std::vector<Case> read_cases(const std::string& path) {
  std::ifstream in(path);
  std::vector<Case> cases;
  bool expectation = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("=== ")) {
      cases.push_back({line.substr(4), {}, {}});
      expectation = false;
    } else if (line == "---") {
      expectation = true;
    } else if (!cases.empty() && expectation) {
      if (!line.empty()) cases.back().expected.push_back(line);
    } else if (!cases.empty()) {
      cases.back().text += line + "\n";
    }
  }
  return cases;
}

std::string repeated(const std::string& piece, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += piece;
  return text;
}

void expect_error(covec::host::Session& session, const std::string& name, const std::string& text,
                  const std::vector<std::string>& parts) {
  auto result = session.run(text, "case");
  ASSERT_FALSE(result) << name << ": no error";
  const std::string report = result.error().text;
  size_t from = 0;
  for (const std::string& part : parts) {
    const size_t at = report.find(part, from);
    ASSERT_NE(at, std::string::npos) << name << ": expected `" << part << "` in\n" << report;
    from = at + part.size();
  }
  auto after = session.run("1 + 1");
  ASSERT_TRUE(after) << name << ": the session is not usable afterwards\n" << after.error().text;
  EXPECT_EQ(after->text(), "2");
}

TEST(BadInput, EveryCaseGivesItsMessageAndLeavesTheSessionUsable) {
  const std::vector<Case> cases = read_cases(BAD_INPUT_CASES);
  ASSERT_GT(cases.size(), 50u);
  covec::host::Session session;
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    ASSERT_FALSE(one.expected.empty());
    expect_error(session, one.name, one.text, one.expected);
  }
}

// With sanitizers a frame of the walk is several times larger.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int long_chain = 4000;
#else
constexpr int long_chain = 20000;
#endif

TEST(BadInput, DeepNestingIsAnError) {
  covec::host::Session session;
  const int deep = 100000;
  const std::vector<std::pair<std::string, std::string>> texts = {
      {"brackets", repeated("(", deep) + "1" + repeated(")", deep)},
      {"lists", repeated("[", deep) + "1" + repeated("]", deep)},
      {"open brackets", repeated("(", deep)},
      {"not", "x = " + repeated("not ", deep) + "true"},
      {"minus", "x = " + repeated("-", deep) + "1"},
      {"power", "x = 1" + repeated("^1", deep)},
      {"lambdas", "x = " + repeated("a -> ", deep) + "1"},
      {"conditional", "x = " + repeated("1 if true else ", deep) + "1"},
      {"blocks", repeated("if true {\n", deep) + repeated("}\n", deep)},
      {"calls", repeated("abs(", deep) + "1" + repeated(")", deep)},
      {"records", "x = " + repeated("{a: ", deep) + "1" + repeated("}", deep)},
      {"fields", "x = {a: 1}\ny = x" + repeated(".a", deep)},
  };
  for (const auto& [name, text] : texts) {
    SCOPED_TRACE(name);
    expect_error(session, name, text, {"error: "});
  }
  // A long chain of one operator nests to the left, which costs no depth.
  auto sum = session.run("1" + repeated(" + 1", long_chain));
  ASSERT_TRUE(sum) << sum.error().text.substr(0, 500);
  EXPECT_EQ(sum->text(), std::to_string(long_chain + 1));
  EXPECT_TRUE(session.run("if false { }" + repeated(" else if false { }", long_chain)));
}

TEST(BadInput, SourceThatIsNotUtf8) {
  covec::host::Session session;
  expect_error(session, "latin-1", "x = \"caf\xe9\"", {"UTF-8", "case:1:"});
  expect_error(session, "cut off", "x = 1 # \xe2\x82", {"UTF-8"});
  expect_error(session, "overlong", "x = \"\xc0\xaf\"", {"UTF-8"});
  expect_error(session, "surrogate", "x = \"\xed\xa0\x80\"", {"UTF-8"});
}

TEST(BadInput, AFailedAssignmentLeavesTheData) {
  covec::host::Session session;
  ASSERT_TRUE(session.run("x = [1.0, 2.0]\np = {a: [1, 2]}\nfn bad(x) { x[0] = 9; error(\"no\") }"));
  EXPECT_FALSE(session.run("x = bad(x)"));
  EXPECT_FALSE(session.run("x[7] = 1.0"));
  EXPECT_FALSE(session.run("p.a[5] = 1"));
  EXPECT_FALSE(session.run("p.b.c = 1"));
  EXPECT_FALSE(session.run("x += [1.0, 2.0, 3.0]"));
  EXPECT_EQ(session.run("x")->text(), "[1.0, 2.0]");
  EXPECT_EQ(session.run("p")->text(), "{a: [1, 2]}");
}

}  // namespace
