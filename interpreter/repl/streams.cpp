#include "interpreter/repl/streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "frontend/source/diagnostic.hpp"
#include "interpreter/session/text_file.hpp"

namespace covec {

namespace {

std::string text_of(TextFile file, const std::string& name) {
  if (file.problem == nullptr) return std::move(file.text);
  Diagnostic diagnostic;
  diagnostic.code = file.problem->key;
  diagnostic.message = file.problem->pattern;
  diagnostic.message.replace(diagnostic.message.find("{}"), 2, name);
  throw CovecError(std::move(diagnostic));
}

}  // namespace

// The other way round, so that reading and writing them fail as they should.
void keep_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) >= 0) continue;
    if (open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) != descriptor) return;
  }
}

int finished(int status) {
  std::cout.flush();
  if (std::cout.good()) return status;
  std::cerr << "error: cannot write to standard output\n";
  return std::max(status, 1);
}

std::string program_in(const std::string& path) { return text_of(read_text_file(path), path); }
std::string program_on_standard_input() { return text_of(read_text(STDIN_FILENO), "standard input"); }

}  // namespace covec
