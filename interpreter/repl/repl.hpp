// The interactive session: reads blocks until they close, shows the values of expressions, keeps the last in `ans`;
// `?name` and the commands that begin with a colon are its own.
#pragma once

#include <optional>
#include <string>

#include "interpreter/repl/editor.hpp"
#include "interpreter/session/session.hpp"

namespace covec {

class Repl {
 public:
  explicit Repl(Session& session);
  int run();  // until Ctrl-D or :quit; gives the exit status

 private:
  bool command(const std::string& line);  // false: leave
  void evaluate(const std::string& text);
  void show(const Value& value);
  void explain_name(std::string_view name);
  void time(const std::string& expression);
  void variables();
  void load(const std::string& path);
  bool read_more(std::string& text);
  template <class Run>
  bool guarded(Run&& run);

  Session& session_;
  LineEditor editor_;
  std::optional<int> status_;  // the program has ended itself
};

}  // namespace covec
