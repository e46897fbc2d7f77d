// The interactive session. It reads texts until they are complete, shows the values of expressions, and keeps the last
// (last_value.hpp). Input that begins with a colon, or begins or ends with `?`, is a command of its own (commands.hpp).
#pragma once

#include <map>
#include <optional>
#include <string>

#include "interpreter/repl/console.hpp"
#include "interpreter/repl/editor/editor.hpp"
#include "interpreter/repl/help.hpp"
#include "interpreter/repl/last_value.hpp"
#include "interpreter/repl/transcript.hpp"
#include "interpreter/session/session.hpp"

namespace covec {

class Repl {
 public:
  Repl(Session& session, Console& console);
  int run();  // until Ctrl-D or :quit; gives the exit status

 private:
  bool answer(const std::string& typed);  // false: leave
  bool command(const std::string& line);  // likewise
  void evaluate(const std::string& text, std::string_view comment);
  void help(std::string_view question);
  bool keep_comment(std::string_view line);
  void show(const Value& value);
  void time(const std::string& text);
  void type(const std::string& expression);
  void variables();
  void load(const std::string& path);
  void save(const std::string& path);
  void edit(const std::string& what);
  void edit_and_run(const std::string& path, unsigned line);
  void edit_input(const std::string& text);
  void reload();
  void reload_changed();
  void toggle_reloading();
  void tell_of_changes();
  void debug();
  void reset();
  bool is_word(const std::string& text, std::string_view word) const;
  void warn_of_history();
  template <class Run>
  void guarded(Run&& run);

  Session& session_;
  Console& console_;
  Help help_;
  LastValue last_;
  Transcript transcript_;
  std::map<std::string, std::string> told_;  // files that have changed, and their new texts
  bool reloads_always_ = false;
  std::string comment_;  // lines typed one by one, without their #: of the function that may follow at once
  editor::Editor editor_;
  unsigned inputs_ = 0;               // so many have run
  std::optional<CovecError> failed_;  // the last input, by that error
  std::optional<int> status_;         // the program has ended itself
};

}  // namespace covec
