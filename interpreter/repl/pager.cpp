#include "interpreter/repl/pager.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "interpreter/repl/editor/terminal.hpp"

namespace covec {

namespace {

const char* program_of_pager() {
  const char* const named = editor::is_terminal(0) && editor::is_terminal(1) ? std::getenv("PAGER") : nullptr;
  return named != nullptr && *named != '\0' ? named : nullptr;
}

// The terminal's own lines, of which long ones take several.
size_t rows_of(const std::string& text, size_t columns) {
  size_t rows = 0, column = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\033')
      i = std::min(text.find('m', i), text.size() - 1);  // a colour
    else if (text[i] == '\n') {
      rows += 1 + (column > 0 ? (column - 1) / columns : 0);
      column = 0;
    } else if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) {
      ++column;
    }
  }
  return rows;
}

// False: it could not be started.
bool write_to(const char* program, const std::string& text) {
  setenv("LESS", "FRX", 0);  // colours as they are, where it is `less` and nothing else is wanted
  std::FILE* const pipe = popen(program, "w");
  if (pipe == nullptr) return false;
  std::fwrite(text.data(), 1, text.size(), pipe);
  constexpr int not_found = 127;  // the shell's status where there is no such program
  const int status = pclose(pipe);
  return !(WIFEXITED(status) && WEXITSTATUS(status) == not_found);
}

}  // namespace

Pager::Pager() : program_(program_of_pager()) {
  if (program_ != nullptr) before_ = std::cout.rdbuf(text_.rdbuf());
}

Pager::~Pager() {
  if (program_ == nullptr) return;
  std::cout.rdbuf(before_);
  std::cout.flush();
  const std::string text = text_.str();
  const editor::Size size = editor::size_of_terminal();
  const bool is_long = rows_of(text, size.columns) >= size.rows;  // the next prompt takes one
  if (!is_long || !write_to(program_, text)) std::cout << text;
}

}  // namespace covec
