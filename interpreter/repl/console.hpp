// The terminal as an Output: prints to standard output, warnings to standard error, progress redrawn in place.
#pragma once

#include "stdlib/value/context.hpp"

namespace covec {

class Console : public ops::Output {
 public:
  Console();
  ~Console() override;
  void write(std::string_view text) override;
  void warn(std::string_view text) override;
  void write_error(std::string_view text) override;
  void flush() override;
  void progress(std::string_view text) override;
  ops::Screen screen() const override;
  void begin_line();  // ends the one that a print or a bar has left open, on a terminal

 private:
  void clear_progress();
  bool terminal_;
  int drawn_ = 0;  // lines of bars, the last of them being where the cursor is
  bool line_is_open_ = false;
};

}  // namespace covec
