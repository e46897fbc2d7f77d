// Decodes bytes of a terminal into keys: letters, the sequences of Control, Alt and the arrows (xterm's, and what most
// others share with it), and bracketed pastes.
#pragma once

#include <cstdint>
#include <string>

namespace covec::editor {

enum class Key : uint8_t {
  none,
  text,   // in Input::text
  paste,  // likewise, lines ended by \n
  enter,
  open_line,  // Alt-Enter
  tab,
  backspace,
  erase,
  left,
  right,
  up,
  down,
  older,
  newer,
  word_left,
  word_right,
  line_begin,
  line_end,
  text_begin,
  text_end,
  cut_to_begin,
  cut_to_end,
  cut_word_left,
  cut_word_right,
  paste_cut,
  transpose,
  undo,
  redraw,
  search_older,
  search_newer,
  cancel,   // Ctrl-C
  give_up,  // Ctrl-G, Escape
  end,      // Ctrl-D
  suspend,  // Ctrl-Z
  closed,   // no more input will come
  resized,
  resumed,
};

struct Input {
  Key key = Key::none;
  std::string text = {};
};

Input read_key();
bool key_is_waiting();  // more has come already: text that is pasted without brackets, typing ahead

}  // namespace covec::editor
