#include "interpreter/command/check_files.hpp"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <iterator>

#include "frontend/source/fixes.hpp"
#include "interpreter/command/json_text.hpp"
#include "interpreter/command/program_files.hpp"
#include "interpreter/repl/paint.hpp"
#include "interpreter/repl/streams.hpp"
#include "interpreter/session/check.hpp"

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

// All edits of a text in its order.
std::vector<Fix> edits_of(const std::vector<Diagnostic>& found) {
  std::vector<Fix> edits;
  for (const Diagnostic& diagnostic : found) std::ranges::copy(edits_of(diagnostic), std::back_inserter(edits));
  std::ranges::stable_sort(edits, {}, [](const Fix& edit) { return edit.span.begin; });
  return edits;
}

// Gives how many were made: one that overlaps the one before is left for the next round.
size_t apply_edits(const std::vector<Fix>& edits, std::string& text) {
  std::string fixed;
  size_t done = 0, count = 0;
  for (const Fix& edit : edits) {
    const bool overlaps = count > 0 && (edit.span.begin < done || edit.span.end <= done);
    if (overlaps) continue;
    fixed.append(text, done, edit.span.begin - done).append(edit.text);
    done = edit.span.end;
    ++count;
  }
  text = fixed.append(text, done);
  return count;
}

class FileChecker {
 public:
  FileChecker(const CheckOptions& options, const SessionOptions& session)
      : options_(options), session_(session), checker_(session_) {}

  // Gives the exit status.
  int check(const std::string& path) {
    const bool is_input = path == standard_input;
    std::optional<std::string> text = is_input ? program_on_standard_input() : read_program(path);
    if (!text) return no_access;
    const std::string name = is_input ? "<standard input>" : path, folder_of = is_input ? "" : path;
    std::vector<Diagnostic> found = diagnostics_of(name, *text, folder_of);
    if (options_.fix && !fix(path, *text, found)) return no_access;
    return tell(found, session_, options_) ? 0 : has_errors;
  }

 private:
  static constexpr int has_errors = 1, no_access = 2;

  std::vector<Diagnostic> diagnostics_of(const std::string& name, const std::string& text, const std::string& path) {
    return checker_.check(session_.sources().add(name, text), path);
  }

  // A fix may show what was hidden, so the text is read again; false: the file cannot be written.
  bool fix(const std::string& path, std::string& text, std::vector<Diagnostic>& found) {
    constexpr int max_rounds = 10;  // rounds of fixes
    size_t count = 0;
    for (int round = 0; round < max_rounds; ++round) {
      const size_t more = apply_edits(edits_of(found), text);
      if (more == 0) break;
      count += more;
      found = diagnostics_of(path, text, path);
    }
    if (count == 0) return true;
    std::cerr << path << ": " << count << (count == 1 ? " fix\n" : " fixes\n");
    return replace_program(path, text, session_.context());
  }

  const CheckOptions& options_;
  Session session_;
  Checker checker_;
};

}  // namespace

int run_check(const CheckOptions& options, const SessionOptions& session_options) {
  std::vector<std::string> files;
  if (!find_programs(options.paths, files, standard_input)) return 2;
  if (options.fix && std::ranges::find(files, standard_input) != files.end()) {
    std::cerr << "error: check --fix changes files, not standard input\n";
    return 2;
  }
  FileChecker checker(options, session_options);
  int status = 0;
  for (const std::string& path : files) {
    const int here = checker.check(path);
    if (here == 2) return here;
    status = std::max(status, here);
  }
  return status;
}

}  // namespace covec
