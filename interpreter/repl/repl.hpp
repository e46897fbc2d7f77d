// The interactive session at a terminal: it reads texts until they are complete, and Answers answers them.
#pragma once

#include <string>
#include <string_view>

#include "interpreter/repl/answers.hpp"
#include "interpreter/repl/console.hpp"
#include "interpreter/repl/editor/editor.hpp"
#include "interpreter/session/session.hpp"

namespace covec {

class Repl {
 public:
  Repl(Session& session, Console& console);
  int run();  // until Ctrl-D or :quit; gives the exit status

 private:
  bool answer(const std::string& typed);  // false: leave
  bool keep_comment(std::string_view line);
  void warn_of_history();

  Session& session_;
  Console& console_;
  Answers answers_;
  std::string comment_;  // lines typed one by one, without their #: of the function that may follow at once
  editor::Editor editor_;
};

}  // namespace covec
