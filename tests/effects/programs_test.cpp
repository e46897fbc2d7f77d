// Random programs on two sessions, one that compiles and one that does not: outside effects, prints, values and errors
// come in the same order, and as often. So no pass moves or repeats an effect, and no call that is made again does.
#include <gtest/gtest.h>

#include <cstdlib>

#include "frontend/source/diagnostic.hpp"
#include "interpreter/compiler.hpp"
#include "interpreter/session/session.hpp"
#include "interpreter/session/stack.hpp"
#include "tests/effects/noted.hpp"
#include "tests/effects/random_program.hpp"

namespace covec::test {
namespace {

struct Recorder final : ops::Output {
  void write(std::string_view line) override { text += line; }
  void warn(std::string_view line) override { text += std::string(line) + "\n"; }
  std::string text;
};

// Engine and tier for sessions made from now on, and how many bytes a call keeps of its effects ("": the default).
void choose(const char* engine, const char* tier, const char* journal = "") {
  setenv("COVEC_ENGINE", engine, 1);
  setenv("COVEC_TIER", tier, 1);
  setenv("COVEC_JOURNAL", journal, 1);
}

std::string record(const std::vector<std::string>& pieces, bool explains = false, bool notes_cotangents = true) {
  Recorder output;
  SessionOptions options;
  options.output = &output;
  options.make_compiler = make_compiler;
  options.threads = 1;
  Session session(std::move(options));
  record_noted(&output, notes_cotangents);
  session.set_global("noted", ops::function_of(noted_entry()));
  for (const std::string& piece : pieces) {
    try {
      session.run_text("piece", piece);
    } catch (const CovecError& error) {
      output.text += session.render(error);
    }
  }
  if (!explains) return output.text;
  output.text.clear();
  session.run_text("piece", "print(explain(f))");
  return output.text;
}

int programs_wanted() {
  const char* wanted = std::getenv("COVEC_PROGRAMS");  // more of them, by hand
  return wanted != nullptr ? std::atoi(wanted) : 300;
}

unsigned first_seed() {
  const char* seed = std::getenv("COVEC_SEED");
  return seed != nullptr ? static_cast<unsigned>(std::atoi(seed)) : 1;
}

std::string text_of(const std::vector<std::string>& pieces) {
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  return text;
}

// Twelve results of 8 MB are more than a journal keeps: the interpreter goes on from there. In further calls it runs
// the statements whose errors would make the call run again, and code runs the others.
TEST(Effects, ThatGiveTooMuchCutTheFunction) {
  const char* const program =
      "@compile\nfn f(x, n, k) {\n  s = 0.0\n  for i in range(n) {\n    y = noted(x + 10 * i)\n"
      "    s = s + y[0]\n    print(s)\n  }\n  y = vmap(q -> q[k])(reshape(x[:4], (2, 2)))\n  noted(s)\n"
      "  return sum(y) + s\n}\n";
  std::vector<std::string> pieces = {program};
  for (const char* const arguments : {"2, 0", "12, 1", "12, 2", "2, 1"})
    pieces.push_back("print(f(zeros(1_000_000), " + std::string(arguments) + "))\n");
  pieces.push_back("print(f(7.0 * ones(1_000_000), 12, 0))\n");
  choose("eager", "");
  const std::string eager = record(pieces);
  choose("compiled", "code");
  EXPECT_EQ(record(pieces), eager);
  EXPECT_EQ(record({pieces[0], pieces[1]}, true).substr(0, 11), "f: compiled");
  const std::string explained = record(pieces, true);
  EXPECT_TRUE(
      explained.starts_with("f: compiled, 6 of its 8 statements, not piece:9: an error here would make the call "
                            "run again, and it has too many results of files or collectives for that\n"))
      << explained;
}

// Derivatives that run a part of the program again do not repeat its effects: all is as where they keep everything. But
// checkpoint has derivatives by all that its function captures.
void expect_once(std::vector<std::string> pieces) {
  choose("eager", "");
  const std::string once = record(pieces, false, false);
  pieces[0].replace(pieces[0].find("checkpoint(f)"), 13, "f");
  pieces[0].replace(pieces[0].find("limit = 64"), 10, "limit = none");
  EXPECT_EQ(once, record(pieces, false, false)) << "runs again:\n" << text_of(pieces);
}

// Most functions stay compiled.
TEST(Effects, AreThoseOfTheInterpreter) {
  run_on_big_stack([] {
    const int programs = programs_wanted();
    int compiled = 0, caught = 0;
    for (int i = 0; i < programs && !::testing::Test::HasFailure(); ++i) {
      const std::vector<std::string> pieces = RandomProgram(first_seed() + static_cast<unsigned>(i)).make();
      choose("eager", "");
      const std::string eager = record(pieces);
      expect_once(pieces);
      choose("compiled", "code");
      EXPECT_EQ(record(pieces), eager) << "seed " << first_seed() + static_cast<unsigned>(i) << "\n" << text_of(pieces);
      compiled += record(pieces, true).starts_with("f: compiled");
      choose("compiled", "code", "1");
      EXPECT_EQ(record(pieces), eager) << "cut, seed " << first_seed() + static_cast<unsigned>(i) << "\n"
                                       << text_of(pieces);
      choose("", "mixed");
      EXPECT_EQ(record(pieces), eager) << "mixed, seed " << first_seed() + static_cast<unsigned>(i) << "\n"
                                       << text_of(pieces);
      caught += eager.find("error") != std::string::npos;
    }
    EXPECT_GT(compiled, programs / 2);
    EXPECT_GT(caught, programs / 10);
    return 0;
  });
}

}  // namespace
}  // namespace covec::test
