#include "interpreter/repl/console.hpp"

#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <memory>

#include "interpreter/repl/editor/terminal.hpp"
#include "interpreter/repl/language.hpp"
#include "interpreter/repl/paint.hpp"
#include "interpreter/repl/shell.hpp"

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

namespace {

// So much of a line as a terminal shows in one: a longer one would go on in the next, which is another bar's.
std::string_view cut(std::string_view line, unsigned columns) {
  size_t end = 0;
  for (unsigned shown = 0; end < line.size(); ++end) {
    const bool begins = (static_cast<unsigned char>(line[end]) & 0xc0) != 0x80;
    if (begins && ++shown >= columns) break;
  }
  return line.substr(0, end);
}

}  // namespace

// Bars belong to the eye only: without a terminal nothing is drawn, so that logs stay clean.
void Console::progress(std::string_view text) {
  if (!terminal_) return;
  clear_progress();
  std::cout.flush();
  const unsigned columns = editor::size_of_terminal().columns;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::cerr << (drawn_ > 0 ? "\n" : "\r\033[K") << cut(text.substr(0, end), columns);
    ++drawn_;
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  std::cerr << std::flush;
}

ops::Screen Console::screen() const {
  if (!editor::is_terminal(STDOUT_FILENO)) return {};
  const editor::Size size = editor::size_of_terminal();
  return {static_cast<int>(size.columns), static_cast<int>(size.rows), editor::shows_colours(STDOUT_FILENO)};
}

// What bars say last stays.
void Console::begin_line() {
  if (drawn_ > 0) std::cerr << '\n' << std::flush;
  if (line_is_open_ && isatty(STDOUT_FILENO) != 0) std::cout << std::endl;
  drawn_ = 0;
  line_is_open_ = false;
}

void Console::show(const Session& session, const Value& value) {
  std::cout << session.display_of(value, {.screen = screen()}).text << '\n';
}

void Console::tell(const Session& session, const CovecError& error) {
  const bool interrupted = error.diagnostics.front().code == "interrupted";
  if (interrupted && editor::is_terminal(STDERR_FILENO)) std::cerr << '\n';  // behind the ^C that is shown
  std::cerr << painted_diagnostics(session.render(error), STDERR_FILENO) << std::flush;
}

void Channel::refuse(const std::string& why) { tell_error(why); }

std::string Console::next_name() { return "<input " + std::to_string(++inputs_) + ">"; }

Channel::Lines Console::lines(const std::string& prompt, editor::Language language) {
  const auto editor = std::make_shared<editor::Editor>(history_path(), std::move(language), prompt);
  return [editor](std::string& text) { return editor->read(text); };
}

bool Console::can_ask() const { return editor::is_terminal(STDIN_FILENO) && editor::is_terminal(STDOUT_FILENO); }

int Console::run_command(const std::string& command) { return status_of(command); }

void Console::clear_progress() {
  if (drawn_ == 0) return;
  std::cerr << '\r';
  if (drawn_ > 1) std::cerr << "\033[" << drawn_ - 1 << 'A';
  std::cerr << "\033[J" << std::flush;
  drawn_ = 0;
}

}  // namespace covec
