// A file of cases: read, with everything that is wrong with it turned away, and written with new outcomes. The form is
// in runner.cpp.
#pragma once

#include <string>
#include <vector>

namespace covec::test {

struct Case {
  std::string name;
  size_t line = 0;   // of its name
  std::string text;  // as written, comments included
  std::string outcome;

  std::string input() const;  // without comments
};

struct CaseFile {
  std::string path;
  std::string head;     // as written
  std::string run;      // what its #run line says
  std::string prelude;  // what goes before each input
  std::vector<Case> cases;
};

// Throws std::runtime_error with path and line. `open`: outcomes may be missing.
CaseFile read_cases(const std::string& path, bool open);
void write_cases(const CaseFile& file);
std::string without_blank_end(std::string text);

}  // namespace covec::test
