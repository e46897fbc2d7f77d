// Channel: where a prompt shows its answers, and where it asks again: a terminal, or a notebook.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "interpreter/repl/editor/editor.hpp"
#include "interpreter/session/session.hpp"

namespace covec {

class Channel {
 public:
  virtual ~Channel() = default;
  virtual void begin_line() = 0;  // ends the one that a print or a bar has left open
  virtual void note(std::string_view line) = 0;
  virtual void show(const Session& session, const Value& value) = 0;
  virtual void tell(const Session& session, const CovecError& error) = 0;
  virtual void refuse(const std::string& why);  // a command, which fails

  virtual std::string next_name() = 0;           // of an input that begins to run: what messages call it
  virtual unsigned number() const { return 0; }  // n, where the input's value is to be known as `_n`; 0: it is not

  // A prompt inside of this one: each call gives the next text.
  using Lines = std::function<editor::Outcome(std::string& text)>;
  virtual Lines lines(const std::string& prompt, editor::Language language) = 0;
  virtual bool can_ask() const = 0;
  virtual bool has_terminal() const { return true; }  // for the programs that it starts

  // A command of the shell; gives its exit status, -1: it has none.
  virtual int run_command(const std::string& command) = 0;
};

}  // namespace covec
