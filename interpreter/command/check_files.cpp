#include "interpreter/command/check_files.hpp"

#include <unistd.h>

#include <iostream>

#include "interpreter/command/json_text.hpp"
#include "interpreter/command/program_files.hpp"
#include "interpreter/repl/paint.hpp"
#include "interpreter/repl/streams.hpp"
#include "interpreter/session/check.hpp"
#include "interpreter/session/text_file.hpp"

namespace covec {

namespace {

constexpr const char* standard_input = "-";

// Whether the file is as it should be.
bool tell(const std::vector<Diagnostic>& found, const Session& session, const CheckOptions& options) {
  bool good = true;
  for (const Diagnostic& diagnostic : found) {
    good = good && !options.strict && diagnostic.severity == Severity::warning;
    std::cout << (options.json ? json_of(diagnostic, session.sources())
                               : painted_diagnostics(render(diagnostic, session.sources()), STDOUT_FILENO));
  }
  return good;
}

}  // namespace

int run_check(const CheckOptions& options, const SessionOptions& session_options) {
  std::vector<std::string> files;
  if (!find_programs(options.paths, files, standard_input)) return 2;
  Session session(session_options);
  Checker checker(session);
  bool good = true;
  for (const std::string& path : files) {
    const bool is_input = path == standard_input;
    TextFile file = is_input ? TextFile{program_on_standard_input()} : read_text_file(path);
    if (file.problem != nullptr) {
      std::cerr << "error: cannot read " << path << '\n';
      return 2;
    }
    const std::string name = is_input ? "<standard input>" : path;
    const uint32_t text = session.sources().add(name, std::move(file.text));
    good = tell(checker.check(text, is_input ? "" : path), session, options) && good;
  }
  return good ? 0 : 1;
}

}  // namespace covec
