// The prompt that looks at open calls: after an error, by `:debug`, and at a breakpoint. Inputs run in the scope of the
// call that is looked at; commands go from call to call.
#pragma once

#include <string>

#include "interpreter/repl/channel.hpp"
#include "interpreter/repl/help.hpp"
#include "interpreter/session/seen_calls.hpp"

namespace covec {

class DebugPrompt {
 public:
  DebugPrompt(Session& session, Channel& channel, SeenCalls& calls, bool at_breakpoint);
  // Until it is left; true: the program goes on.
  bool run();

 private:
  enum class Then : uint8_t { stay, leave, go_on };
  Then answer(const std::string& line);
  Then command(const std::string& line);
  bool leaves(std::string_view word) const;
  void evaluate(const std::string& text);
  void where() const;
  void go(size_t call);
  void go_outwards();
  void go_inwards();
  void show(const SeenCalls::Variable& variable) const;
  void variables() const;
  void describe(std::string_view name);
  std::string head(size_t call) const;
  void show_place() const;
  std::string_view moved_variable(const CovecError& error) const;
  editor::Completion complete(std::string_view before) const;

  Session& session_;
  Channel& channel_;
  SeenCalls& calls_;
  const bool at_breakpoint_;
  size_t call_ = 0;
  Help help_;
  const Channel::Lines lines_;
};

// Answers breakpoint(), where somebody can be asked.
class Breakpoints final : public ops::Prompt {
 public:
  // While it lives.
  Breakpoints(Session& session, Channel& channel);
  ~Breakpoints() override;
  Breakpoints(const Breakpoints&) = delete;
  Breakpoints& operator=(const Breakpoints&) = delete;
  bool open() override;

 private:
  Session& session_;
  Channel& channel_;
};

}  // namespace covec
