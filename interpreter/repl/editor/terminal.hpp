// The terminal: raw while text is edited. Its mode is restored at every exit from that, including signals that end the
// process and stops (Ctrl-Z). A new window size or a return from a stop arrives as an event, like a key.
//
// Signals belong to the process: one Terminal is raw at a time.
#pragma once

#include <termios.h>

#include <string>
#include <string_view>

namespace covec::editor {

struct Size {
  unsigned rows = 24, columns = 80;
};

bool is_terminal(int descriptor);
bool can_edit();                     // both ways lead to a terminal that knows how to move its cursor
bool shows_colours(int descriptor);  // a terminal that can, and NO_COLOR does not forbid it
Size size_of_terminal();
void write_to_terminal(std::string_view text);

// What reading a byte gave, besides bytes.
enum Event : int { end_of_input = -1, resized = -2, resumed = -3, interrupted = -4, nothing_yet = -5 };

// The signals that the reader of keys hears of, from here to the end of the scope. An interrupt that it has not heard
// of by then is for what runs next.
class Watch {
 public:
  Watch();
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
};

class RawMode {
 public:
  RawMode();
  ~RawMode();
  RawMode(const RawMode&) = delete;
  RawMode& operator=(const RawMode&) = delete;
  void enter();  // again, after a stop
  void leave();
  void stop();  // the process, as Ctrl-Z does; returns when it goes on

 private:
  bool raw_ = false;
};

// A byte of standard input (0 to 255) or an Event; waits at most so long, in milliseconds, -1: for ever.
int read_byte(int wait = -1);

}  // namespace covec::editor
