#include "interpreter/repl/shell.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "interpreter/repl/language.hpp"

namespace covec {

namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

int status_of(const std::string& command) {
  std::cout.flush();
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string change_folder(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const bool is_home = path == "~" || path.starts_with("~/");
  if (!path.empty()) fs::current_path(is_home ? variable("HOME") + path.substr(1) : path, error);
  if (error) return "cannot go to " + path + ": " + error.message();
  if (path.empty()) std::cout << fs::current_path(error).string() << '\n';
  return "";
}

std::string run_in_shell(Channel& channel, const std::string& command) {
  const std::string shell = variable("SHELL");
  const int status = channel.run_command(!command.empty() ? command : shell.empty() ? "sh" : quoted(shell));
  return status > 0 ? "the command has ended with exit status " + std::to_string(status) : "";
}

bool edit_file(const std::string& path, unsigned line) {
  std::string editor = variable("VISUAL");
  if (editor.empty()) editor = variable("EDITOR");
  if (editor.empty()) editor = "vi";
  const std::string at = line > 1 ? " +" + std::to_string(line) : "";
  if (status_of(editor + at + " " + quoted(path)) == 0) return true;
  tell_error("the editor has failed: " + editor + " ($VISUAL or $EDITOR names another)");
  return false;
}

std::optional<std::string> edited_text(const std::string& text) {
  namespace fs = std::filesystem;
  std::string path = (fs::temp_directory_path() / "covec-XXXXXX.covec").string();
  constexpr int suffix = 6;  // bytes of ".covec"
  const int file = mkstemps(path.data(), suffix);
  if (file < 0) {
    tell_error("cannot make a file in " + fs::temp_directory_path().string());
    return std::nullopt;
  }
  close(file);
  std::ofstream(path, std::ios::binary) << text << '\n';
  std::optional<std::string> edited;
  if (edit_file(path, 1)) {
    std::ostringstream read;
    read << std::ifstream(path, std::ios::binary).rdbuf();
    edited = read.str();
  }
  std::error_code error;
  fs::remove(path, error);
  return edited;
}

}  // namespace covec
