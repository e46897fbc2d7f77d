// The terminal as an Output: prints to standard output, warnings to standard error, progress redrawn in place. As a
// Channel it is the REPL's.
#pragma once

#include "interpreter/repl/channel.hpp"
#include "stdlib/value/context.hpp"

namespace covec {

class Console : public ops::Output, public Channel {
 public:
  Console();
  ~Console() override;
  void write(std::string_view text) override;
  void warn(std::string_view text) override;
  void write_error(std::string_view text) override;
  void flush() override;
  void progress(std::string_view text) override;
  ops::Screen screen() const override;
  void begin_line() override;
  void note(std::string_view line) override { warn(line); }
  void show(const Session& session, const Value& value) override;
  void tell(const Session& session, const CovecError& error) override;
  std::string next_name() override;
  Lines lines(const std::string& prompt, editor::Language language) override;
  bool can_ask() const override;
  int run_command(const std::string& command) override;

 private:
  void clear_progress();
  bool terminal_;
  int drawn_ = 0;  // lines of bars, the last of them being where the cursor is
  bool line_is_open_ = false;
  unsigned inputs_ = 0;  // so many have run
};

}  // namespace covec
