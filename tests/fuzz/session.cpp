// Runs a program as a session that goes on after errors: pieces that lines `# ---` separate are run one after the other
// in one module, an error is written where it happens, and at the end all that the module's names hold is shown. So one
// program of the fuzzer's has errors in the middle, functions and globals that are defined again between calls, and
// code that is made once and used by many pieces. COVEC_ENGINE and COVEC_ISA choose the engine, as they do for the
// command.
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "interpreter/compiler.hpp"
#include "interpreter/session/session.hpp"
#include "interpreter/session/stack.hpp"

namespace {

std::vector<std::string> pieces_of(std::istream& program) {
  std::vector<std::string> pieces(1);
  for (std::string line; std::getline(program, line);) {
    if (line.starts_with("# ---")) {
      pieces.emplace_back();
    } else {
      pieces.back() += line + "\n";
    }
  }
  return pieces;
}

// A piece, with its error if it has one, on the stream that its prints go to: their order counts.
void run_piece(covec::Session& session, const std::string& name, const std::string& text) {
  try {
    session.run_text(name, text);
  } catch (const covec::CovecError& error) {
    std::cout << session.render(error);
  }
  std::cout.flush();
}

void run(const char* path) {
  std::ifstream program(path);
  covec::SessionOptions options;
  options.make_compiler = covec::make_compiler;
  covec::Session session(std::move(options));
  size_t number = 0;
  for (const std::string& piece : pieces_of(program)) run_piece(session, "piece " + std::to_string(++number), piece);
  std::vector<std::string> names;
  for (std::string_view name : session.global_names()) names.emplace_back(name);
  for (const std::string& name : names) {
    run_piece(session, "names", "print(\"" + name + "\", " + name + ", digits=17)");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  return covec::run_on_big_stack([&] {
    run(argv[1]);
    return std::cout.good() ? 0 : 1;
  });
}
