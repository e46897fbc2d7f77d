#include "interpreter/repl/repl.hpp"

#include <iostream>
#include <utility>

#include "frontend/common/trimmed.hpp"
#include "interpreter/assist/completion.hpp"
#include "interpreter/assist/syntax.hpp"
#include "interpreter/repl/language.hpp"

namespace covec {

Repl::Repl(Session& session, Console& console)
    : session_(session),
      console_(console),
      answers_(session, console),
      editor_(history_path(),
              language_of(session, [&session](std::string_view before) { return complete(session, before); })) {}

int Repl::run() {
  std::cout << "covec " COVEC_VERSION " (:help for help, Ctrl-D to leave)" << std::endl;
  std::string text;
  for (bool goes_on = true; goes_on;) {
    console_.begin_line();
    answers_.tell_of_changes();
    session_.clear_interrupt();  // a late one
    switch (editor_.read(text)) {
      case editor::Outcome::text: goes_on = answer(text); break;
      case editor::Outcome::cancelled: comment_.clear(); break;
      case editor::Outcome::given_up:
        comment_.clear();
        std::cout << "given up; press the up arrow to get it back\n";
        break;
      case editor::Outcome::end: goes_on = false; break;
    }
    std::cout.flush();
    if (const std::optional<int> status = answers_.take_status()) return *status;
  }
  warn_of_history();
  return 0;
}

void Repl::warn_of_history() {
  const std::string& problem = editor_.history().problem();
  if (!problem.empty()) console_.warn("warning: the history could not be written: " + problem);
}

bool Repl::answer(const std::string& typed) {
  const std::string text = without_prompts(typed, false);
  const std::string_view line = trimmed(text);
  if (line.empty() || keep_comment(line)) {
    if (line.empty()) comment_.clear();
    return true;
  }
  return answers_.answer(text, std::exchange(comment_, ""), Answers::Use::kept);
}

// False: the text is more than a line of comment. A function that follows at once has what was kept as its
// documentation.
bool Repl::keep_comment(std::string_view line) {
  if (!line.starts_with('#') || line.find('\n') != line.npos) return false;
  const size_t begin = line.starts_with("# ") ? 2 : 1;
  comment_ += (comment_.empty() ? "" : "\n") + std::string(line.substr(begin));
  return true;
}

}  // namespace covec
