// Answers: what a prompt does with an input. It runs programs, shows the values of expressions and keeps the last
// (last_value.hpp). Input that begins with a colon, or begins or ends with `?`, is a command of its own (commands.hpp).
// The REPL gives it what a person types, a notebook the pieces of its cells.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "interpreter/repl/channel.hpp"
#include "interpreter/repl/help.hpp"
#include "interpreter/repl/last_value.hpp"
#include "interpreter/repl/timing.hpp"
#include "interpreter/repl/transcript.hpp"
#include "interpreter/session/session.hpp"

namespace covec {

class Answers {
 public:
  Answers(Session& session, Channel& channel);
  // What becomes of the value of a text that ends in an expression: kept, it is the last value from then on.
  enum class Use : uint8_t { none, shown, kept };
  // False: leave. `comment` documents a function that the text begins with.
  bool answer(const std::string& text, std::string_view comment, Use use);
  bool has_failed() const { return has_failed_; }  // the last one, by an error of a program or of a command
  std::optional<int> take_status() { return std::exchange(status_, std::nullopt); }  // the program has ended itself
  bool is_ours(std::string_view name) const { return last_.is_ours(name); }
  void tell_of_changes();  // of modules, once for each
  void reset();

 private:
  bool command(const std::string& line, size_t lines_before);  // likewise
  void evaluate(const std::string& text, std::string_view comment, Use use);
  void refuse(const std::string& why);         // a command
  void refuse_if(const std::string& problem);  // "": there is none
  void help(std::string_view question);
  void show(const Value& value, bool keeps);
  void time(const CommandCode& code);
  void type(const CommandCode& code);
  void variables();
  void load(const std::string& path);
  void save(const std::string& path);
  void edit(const std::string& what);
  void edit_and_run(const std::string& path, unsigned line);
  void edit_input(const std::string& text);
  void reload();
  void reload_changed();
  void toggle_reloading();
  void debug();
  bool is_word(const std::string& text, std::string_view word) const;
  template <class Run>
  void guarded(Run&& run);
  template <class Run>
  void guarded(std::string& ran, Run&& run);

  Session& session_;
  Channel& channel_;
  Help help_;
  LastValue last_;
  Transcript transcript_;
  std::map<std::string, std::string> told_;  // files that have changed, and their new texts
  bool reloads_always_ = false;
  bool has_failed_ = false;
  std::optional<CovecError> failed_;  // the last input that ran a program, by that error
  std::optional<int> status_;
};

}  // namespace covec
