#include "interpreter/repl/editor/keys.hpp"

#include <poll.h>
#include <unistd.h>

#include <string_view>

#include "interpreter/repl/editor/terminal.hpp"

namespace covec::editor {

namespace {

constexpr int escape_delay = 50;  // milliseconds after which an Escape was the key, and not the begin of a sequence

constexpr int control_c = 3;  // ASCII's ETX, which a terminal sends

struct Control {
  char letter;
  Key key;
};
constexpr Control controls[] = {
    {'A', Key::line_begin},   {'B', Key::left},      {'C', Key::cancel},       {'D', Key::end},
    {'E', Key::line_end},     {'F', Key::right},     {'G', Key::give_up},      {'H', Key::backspace},
    {'I', Key::tab},          {'J', Key::enter},     {'K', Key::cut_to_end},   {'L', Key::redraw},
    {'M', Key::enter},        {'N', Key::down},      {'P', Key::up},           {'R', Key::search_older},
    {'S', Key::search_newer}, {'T', Key::transpose}, {'U', Key::cut_to_begin}, {'W', Key::cut_word_left},
    {'Y', Key::paste_cut},    {'Z', Key::suspend},   {'_', Key::undo},         {'?', Key::backspace},
};

Key control_key(int byte) {
  for (const Control& control : controls) {
    if ((control.letter ^ 0x40) == byte) return control.key;
  }
  return Key::none;
}

Key alt_key(int byte) {
  switch (byte) {
    case 'b': return Key::word_left;
    case 'f': return Key::word_right;
    case 'd': return Key::cut_word_right;
    case '<': return Key::text_begin;
    case '>': return Key::text_end;
    case '\r':
    case '\n': return Key::open_line;
    case 0x7f:
    case 0x08: return Key::cut_word_left;
    default: return Key::none;
  }
}

// `ESC [ 1 ; 5 C`: with Control, Alt or both, arrows go by words.
Key arrow_key(char final, bool modified) {
  switch (final) {
    case 'A': return modified ? Key::older : Key::up;
    case 'B': return modified ? Key::newer : Key::down;
    case 'C': return modified ? Key::word_right : Key::right;
    case 'D': return modified ? Key::word_left : Key::left;
    case 'F': return modified ? Key::text_end : Key::line_end;
    case 'H': return modified ? Key::text_begin : Key::line_begin;
    default: return Key::none;
  }
}

Key numbered_key(int number) {
  switch (number) {
    case 1:
    case 7: return Key::line_begin;
    case 3: return Key::erase;
    case 4:
    case 8: return Key::line_end;
    case 5: return Key::older;
    case 6: return Key::newer;
    default: return Key::none;
  }
}

// Up to `ESC [ 201 ~`. Terminals send the ends of lines as \r. Where the end was lost, Ctrl-C leads out.
Input read_paste() {
  constexpr std::string_view end = "\033[201~";
  std::string text;
  while (!text.ends_with(end)) {
    const int byte = read_byte();
    if (byte == end_of_input) return {Key::closed};
    if (byte == control_c) return {Key::cancel};
    if (byte >= 0) text += static_cast<char>(byte);
  }
  text.resize(text.size() - end.size());
  std::string lines;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool ends_line = text[i] == '\r';
    lines += ends_line ? '\n' : text[i];
    if (ends_line && i + 1 < text.size() && text[i + 1] == '\n') ++i;
  }
  return {Key::paste, lines};
}

// The rest of a sequence: parameters and the letter that ends it.
Input read_sequence() {
  std::string parameters;
  for (;;) {
    const int byte = read_byte(escape_delay);
    if (byte < 0x20 || byte > 0x7e) return {};
    if (byte >= 0x40) {
      if (byte != '~') return {arrow_key(static_cast<char>(byte), parameters.find(';') != std::string::npos)};
      if (parameters == "200") return read_paste();
      return {numbered_key(std::atoi(parameters.c_str()))};
    }
    parameters += static_cast<char>(byte);
  }
}

Input read_escape() {
  const int byte = read_byte(escape_delay);
  if (byte == nothing_yet) return {Key::give_up};
  if (byte == '[') return read_sequence();
  if (byte == 'O') return {arrow_key(static_cast<char>(read_byte(escape_delay)), false)};
  return {alt_key(byte)};
}

// The bytes that follow the first of a UTF-8 sequence.
Input read_character(int first) {
  std::string text(1, static_cast<char>(first));
  const int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
  for (int i = 0; i < more; ++i) {
    const int byte = read_byte(escape_delay);
    if (byte < 0x80 || byte > 0xbf) return {};
    text += static_cast<char>(byte);
  }
  return {Key::text, text};
}

}  // namespace

Input read_key() {
  const int byte = read_byte();
  switch (byte) {
    case end_of_input: return {Key::closed};
    case resized: return {Key::resized};
    case resumed: return {Key::resumed};
    case interrupted: return {Key::cancel};
    case nothing_yet: return {};
    case 0x1b: return read_escape();
    default: break;
  }
  if (byte < 0x20 || byte == 0x7f) return {control_key(byte)};
  return read_character(byte);
}

bool key_is_waiting() {
  pollfd source = {STDIN_FILENO, POLLIN, 0};
  return poll(&source, 1, 0) > 0;
}

}  // namespace covec::editor
