// What people type by habit of other systems, and the cure: each row of hints.txt gives its message and its hint, and
// what the hint suggests runs. Each row of the table of habits is provoked by one of them.
#include <gtest/gtest.h>
#include <covec/covec.hpp>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "frontend/source/foreign_syntax.hpp"

namespace {

using covec::foreign_syntax::At;
using covec::foreign_syntax::ForeignSyntax;

struct Row {
  int line = 0;
  std::string program;
  std::vector<std::string> messages;      // parts of the report, in order
  std::string hint;                       // the whole line
  std::vector<std::string> replacements;  // programs that run
};

std::string after_mark(const std::string& line) { return line.size() > 3 ? line.substr(3) : ""; }

// Blocks divided by blank lines: the program, then "#! part of the message", "#> hint", "#= a program that is right".
std::vector<Row> read_rows(const std::string& path) {
  std::ifstream in(path);
  std::vector<Row> rows(1);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    Row& row = rows.back();
    if (line.starts_with("#!"))
      row.messages.push_back(after_mark(line));
    else if (line.starts_with("#>"))
      row.hint = after_mark(line);
    else if (line.starts_with("#="))
      row.replacements.push_back(after_mark(line));
    else if (line.starts_with("#+") || line.starts_with("#~"))
      continue;  // fixes_test.py
    else if (line.empty() && !row.program.empty())
      rows.emplace_back();
    else if (!line.empty() && !line.starts_with("##"))
      row.program += line + "\n", row.line = row.line == 0 ? number : row.line;
  }
  if (rows.back().program.empty()) rows.pop_back();
  return rows;
}

const std::vector<Row>& rows() {
  static const std::vector<Row> all = read_rows(HINT_ROWS);
  return all;
}

// The first hint of a report.
std::string hint_of(const std::string& report) {
  const std::string mark = "\n  hint: ";
  const size_t at = report.find(mark);
  if (at == std::string::npos) return "";
  return report.substr(at + mark.size(), report.find('\n', at + 1) - at - mark.size());
}

// What the programs print is not looked at.
covec::host::Options silent() {
  covec::host::Options options;
  options.output = [](covec_stream, std::string_view) {};
  return options;
}

TEST(Hints, EachRowGivesItsMessageAndHint) {
  ASSERT_GT(rows().size(), 150u);
  for (const Row& row : rows()) {
    SCOPED_TRACE("hints.txt:" + std::to_string(row.line) + "\n" + row.program);
    covec::host::Session session(silent());
    auto result = session.run(row.program, "row");
    if (result) {
      ADD_FAILURE() << "no error";
      continue;
    }
    const std::string report = result.error().text;
    size_t from = 0;
    for (const std::string& part : row.messages) {
      const size_t at = report.find(part, from);
      EXPECT_NE(at, std::string::npos) << "expected " << part << " in\n" << report;
      from = at == std::string::npos ? from : at + part.size();
    }
    EXPECT_EQ(hint_of(report), row.hint) << report;
  }
}

TEST(Hints, ABuiltinHiddenByAnEarlierTextIsTold) {
  covec::host::Session session(silent());
  ASSERT_TRUE(session.run("sum = 3", "first"));
  auto result = session.run("sum([1])", "second");
  ASSERT_FALSE(result);
  EXPECT_EQ(hint_of(result.error().text),
            "give the variable another name: `sum` is a builtin's (:reset gives it back in the REPL)");
}

TEST(Hints, WhatIsSuggestedRuns) {
  for (const Row& row : rows()) {
    SCOPED_TRACE("hints.txt:" + std::to_string(row.line) + "\n" + row.program);
    const bool suggests = row.hint.find("write ") != std::string::npos;
    EXPECT_TRUE(!suggests || !row.replacements.empty()) << "what the hint suggests is not run: add a line #=";
    for (const std::string& replacement : row.replacements) {
      covec::host::Session session(silent());
      auto result = session.run(replacement, "cure");
      EXPECT_TRUE(result) << replacement << "\n" << result.error().text;
    }
  }
}

std::vector<ForeignSyntax> table_of_habits() {
  const auto names = covec::foreign_syntax::names(), words = covec::foreign_syntax::words();
  std::vector<ForeignSyntax> all(names.begin(), names.end());
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

bool has_row(const std::string& hint) {
  return std::any_of(rows().begin(), rows().end(), [&](const Row& row) { return row.hint == hint; });
}

TEST(Hints, EachReplacementOfForeignSyntaxHasARow) {
  for (const ForeignSyntax& habit : table_of_habits()) {
    const bool renamed = habit.at == At::argument && habit.replacement.find(' ') == std::string_view::npos;
    const std::string hint = renamed ? "write " + std::string(habit.replacement) + "=" : std::string(habit.replacement);
    EXPECT_TRUE(has_row(hint)) << "no row of hints.txt has the hint of `" << habit.word << "`: " << hint;
  }
}

// A program in which the word stands where the table says, by itself; "" where that takes a value, and so a row.
std::string program_with(const ForeignSyntax& habit) {
  const std::string word(habit.word);
  switch (habit.at) {
    case At::name: return "unknown_words = " + word;
    case At::statement: return word + " some_word";
    case At::module: return word == "time" ? "import time" : word + ".some_word";  // time is a builtin, too
    case At::annotation: return "fn f(x: " + word + ") = 1";
    case At::decorator: return "@" + word + " fn f() = 1";
    case At::path: {
      const std::string module = word.substr(0, word.find('.'));
      if (module == word) return "np." + word;
      const bool own = covec::foreign_syntax::replacement(At::module, module).empty();
      return own ? "import " + module + "\n" + word : word;
    }
    default: return "";
  }
}

TEST(Hints, EachWordOfForeignSyntaxGetsItsReplacement) {
  for (const ForeignSyntax& habit : table_of_habits()) {
    const std::string program = program_with(habit);
    if (program.empty()) continue;
    covec::host::Session session(silent());
    auto result = session.run(program, "word");
    if (result)
      ADD_FAILURE() << program << ": no error";
    else
      EXPECT_EQ(hint_of(result.error().text), habit.replacement) << program << "\n" << result.error().text;
  }
}

}  // namespace
