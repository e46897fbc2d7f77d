// Texts are formatted by frontend/format. A file is replaced at once or not at all. Start reading at run_format.
#include "interpreter/command/format_files.hpp"

#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "frontend/format/format.hpp"
#include "interpreter/command/program_files.hpp"
#include "interpreter/command/text_difference.hpp"
#include "interpreter/repl/paint.hpp"
#include "interpreter/repl/streams.hpp"
#include "interpreter/session/stack.hpp"

namespace covec {

namespace {

constexpr const char* stands_for_input = "-";
constexpr int not_formatted = 1, no_access = 2, found_bug = 3;  // exit statuses, as docs/tools.md has them

class Formatter {
 public:
  Formatter(const FormatRequest& request, const SessionOptions& options) : request_(request), session_(options) {}

  // Each gives the exit status for one text.
  int format_input() {
    const std::string text = program_on_standard_input();
    Formatted result = formatted("<standard input>", text);
    if (request_.only_checks || request_.shows_difference) return tell("<standard input>", text, result);
    std::cout << result.text;
    return status_of(result);
  }

  int format_file(const std::string& path) {
    const std::optional<std::string> text = read_program(path);
    if (!text) return no_access;
    const Formatted result = formatted(path, *text);
    if (request_.only_checks || request_.shows_difference) return tell(path, *text, result);
    if (result.text != *text && !replace_program(path, result.text, session_.context())) return no_access;
    return status_of(result);
  }

 private:
  Formatted formatted(const std::string& name, const std::string& text) {
    SourceMap& sources = session_.sources();
    const uint32_t file = sources.add(name, text);
    Formatted result = format_text(sources, file, stack_left());
    for (const Diagnostic& problem : result.problems) {
      std::cerr << painted_diagnostics(render(problem, sources), STDERR_FILENO);
    }
    if (result.outcome == FormatOutcome::mistaken) {
      std::cerr << "error: a bug of covec fmt: " << name << " would get other tokens or comments\n"
                << "  hint: the file is unchanged; please report it with its text\n";
    }
    sources.remove(file);
    return result;
  }

  static int status_of(const Formatted& result) {
    switch (result.outcome) {
      case FormatOutcome::formatted: return 0;
      case FormatOutcome::left_alone: return not_formatted;
      case FormatOutcome::mistaken: break;
    }
    return found_bug;
  }

  int tell(const std::string& name, const std::string& text, const Formatted& result) const {
    if (result.text == text) return status_of(result);
    std::cout << (request_.shows_difference ? unified_difference(name, text, result.text) : name + "\n");
    return not_formatted;
  }

  const FormatRequest& request_;
  Session session_;
};

}  // namespace

int run_format(const FormatRequest& request, const SessionOptions& options) {
  std::vector<std::string> files;
  if (!find_programs(request.paths, files, stands_for_input)) return 2;
  Formatter formatter(request, options);
  int status = 0;
  for (const std::string& path : files) {
    status = std::max(status, path == stands_for_input ? formatter.format_input() : formatter.format_file(path));
  }
  return status;
}

}  // namespace covec
