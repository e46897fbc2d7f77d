#include "interpreter/lsp/shapes.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>

#include "interpreter/command/shapes.hpp"

namespace covec::lsp {

namespace {

using Clock = std::chrono::steady_clock;

// What comes until the other side closes. False: it is late, or writes without an end.
bool read_until(int descriptor, Clock::time_point end, std::string& out) {
  constexpr size_t longest = 4096;  // bytes
  char bytes[512];
  while (out.size() < longest) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd waiting{descriptor, POLLIN, 0};
    if (left <= 0 || poll(&waiting, 1, static_cast<int>(left)) == 0) return false;
    const ssize_t count = read(descriptor, bytes, sizeof bytes);
    if (count == 0) return true;
    if (count > 0) out.append(bytes, static_cast<size_t>(count));
  }
  return false;
}

// Starts this command again, with the text on its input. 0: it cannot be started.
pid_t start(std::vector<std::string> words, int input, int output) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed = posix_spawn(&child, "/proc/self/exe", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return failed == 0 ? child : 0;
}

// A line that the child writes; "": it has died, or is late.
std::string answer_of_child(std::vector<std::string> words, const std::string& text) {
  const auto end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(shapes_seconds));
  const gate::Descriptor input = in_memory(text);
  int ends[2];
  if (!input.is_open() || pipe2(ends, O_CLOEXEC) != 0) return "";
  const gate::Descriptor from(ends[0]);
  gate::Descriptor to(ends[1]);
  const pid_t child = start(std::move(words), input.number(), to.number());
  if (child == 0) return "";
  to = {};  // so that the child's end is the end
  std::string answer;
  const bool whole = read_until(from.number(), end, answer);
  if (!whole) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const bool good = whole && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return good ? answer.substr(0, answer.find('\n')) : "";
}

// The function of the module that a function stands in, or is.
const IndexedFunction* outermost(const NameIndex& names, uint32_t scope) {
  while (scope != no_index && names.scopes[scope].parent != 0) scope = names.scopes[scope].parent;
  if (scope == no_index || names.scopes[scope].function == no_index) return nullptr;
  return &names.functions[names.scopes[scope].function];
}

}  // namespace

std::string shape_at(Workspace& workspace, const Cursor& place, const NameUse& use) {
  const NameIndex& names = place.analysis.names;
  const IndexedSymbol& symbol = names.symbols[use.symbol];
  if (symbol.scope == 0 || symbol.kind != SymbolKind::variable || !names.whole) return "";
  const uint32_t own = names.scopes[symbol.scope].function;  // none of a comprehension's target
  const IndexedFunction* outer = outermost(names, symbol.scope);
  if (own == no_index || outer == nullptr || outer->name.empty()) return "";
  const std::string& path = place.document.path;
  std::vector<std::string> words{"covec",
                                 "shapes",
                                 path.empty() ? "-" : path,
                                 outer->name,
                                 symbol.name,
                                 std::to_string(use.span.begin),
                                 std::to_string(use.span.end),
                                 std::to_string(names.functions[own].span.begin),
                                 use.writes ? "write" : "read"};
  for (const std::string& folder : workspace.folders()) words.push_back(folder);
  if (!path.empty()) words.push_back(std::filesystem::path(path).parent_path());
  return answer_of_child(std::move(words), place.document.text);
}

}  // namespace covec::lsp
