// Tests of the compiler's parts, as text in and text out: a failure names the part, the file and the case, and shows
// what differs.
//
//   parts_tests [--update] file.txt…     --update writes what comes out into the file: look at the difference then
//
// A file tests/parts/<part>/<file>.txt is one entry of ctest, parts.<part>.<file>. It looks like this:
//
//   # What these cases are about.
//   #run: passes simplify dce
//   function f(%0: f64[_], %1: f64) {
//   #--- x times 1 is x
//   # Why, if the name does not say it.
//   %10: f64[v0.0] = multiply(%0, f64(1))
//   return %10
//   #=>
//   return %0
//
// Graphs may have the operator noted(x) of tests/effects: x, with an outside effect.
//
// Its head says what is run (runs.hpp lists what there is), and may have lines that go before the input of each case.
// Then each case has a name, an input and what is to come out. Lines that begin with "# " are comments; any other line
// that begins with # is a mistake, as are a name given twice, a case without an outcome, and so on.
//
// To add a case: write its name and input and a line "#=>", run with --update, and read what has come out. What must
// not be rewritten comes out as "unchanged". A case that a rule's side condition is for belongs beside the case where
// the rule applies. To add a file: write it in the folder of its part; the next run of CMake finds it. A new kind of
// part is a function in runs.hpp and a row in runs().
#include <exception>
#include <iostream>

#include "tests/parts/case_file.hpp"
#include "tests/parts/line_diff.hpp"
#include "tests/parts/runs.hpp"

namespace covec::test {

namespace {

// True when the case holds; in an update, its outcome is what came out.
bool check(const CaseFile& file, Case& tested, bool update) {
  const std::string outcome = without_blank_end(run(file.run, {file.prelude, tested.input()}));
  if (update) tested.outcome = outcome;
  if (tested.outcome == outcome) return true;
  std::cout << file.path << ":" << tested.line << ": " << tested.name << ": what was expected (-), what came (+)\n"
            << line_diff(tested.outcome, outcome);
  return false;
}

bool check(const std::string& path, bool update) {
  CaseFile file = read_cases(path, update);
  bool good = true;
  for (Case& tested : file.cases) {
    try {
      good &= check(file, tested, update);
    } catch (const std::exception& mistake) {
      std::cout << path << ":" << tested.line << ": " << tested.name << ": " << mistake.what() << "\n";
      good = false;
    }
  }
  if (update && good) write_cases(file);
  return good;
}

int main_of(std::vector<std::string> paths) {
  const bool update = !paths.empty() && paths.front() == "--update";
  if (update) paths.erase(paths.begin());
  bool good = !paths.empty();
  for (const std::string& path : paths) {
    try {
      good &= check(path, update);
    } catch (const std::exception& mistake) {
      std::cout << mistake.what() << "\n";
      good = false;
    }
  }
  return good ? 0 : 1;
}

}  // namespace

}  // namespace covec::test

int main(int count, char** arguments) { return covec::test::main_of({arguments + 1, arguments + count}); }
