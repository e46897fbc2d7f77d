#include "interpreter/repl/console.hpp"

#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "interpreter/repl/editor/terminal.hpp"
#include "interpreter/repl/paint.hpp"

namespace covec {

Console::Console() : terminal_(isatty(STDERR_FILENO) != 0) {}

Console::~Console() { clear_progress(); }

void Console::write(std::string_view text) {
  clear_progress();
  std::cout.write(text.data(), static_cast<std::streamsize>(text.size()));
  if (!text.empty()) line_is_open_ = text.back() != '\n';
  if (text.find('\n') != std::string_view::npos && isatty(STDOUT_FILENO) != 0) std::cout.flush();
}

void Console::warn(std::string_view text) {
  clear_progress();
  std::cout.flush();
  std::cerr << painted_diagnostics(text, STDERR_FILENO);
  if (text.empty() || text.back() != '\n') std::cerr << '\n';
}

void Console::write_error(std::string_view text) {
  clear_progress();
  std::cout.flush();
  std::cerr.write(text.data(), static_cast<std::streamsize>(text.size()));
}

void Console::flush() { std::cout.flush(); }

// A bar belongs to the eye only: without a terminal nothing is drawn, so that logs stay clean.
void Console::progress(std::string_view text) {
  if (!terminal_) return;
  std::cout.flush();
  std::cerr << "\r\033[K" << text << std::flush;
  drawn_ = true;
}

ops::Screen Console::screen() const {
  if (!editor::is_terminal(STDOUT_FILENO)) return {};
  const editor::Size size = editor::size_of_terminal();
  return {static_cast<int>(size.columns), static_cast<int>(size.rows), editor::shows_colours(STDOUT_FILENO)};
}

// What a bar says last stays.
void Console::begin_line() {
  if (drawn_) std::cerr << '\n' << std::flush;
  if (line_is_open_ && isatty(STDOUT_FILENO) != 0) std::cout << std::endl;
  drawn_ = line_is_open_ = false;
}

void Console::clear_progress() {
  if (!drawn_) return;
  std::cerr << "\r\033[K" << std::flush;
  drawn_ = false;
}

}  // namespace covec
