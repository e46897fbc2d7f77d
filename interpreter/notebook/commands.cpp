#include "interpreter/notebook/commands.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>
#include <thread>

namespace covec::notebook {

using Clock = std::chrono::steady_clock;

namespace {

constexpr auto between_looks = std::chrono::milliseconds(10);  // at whether it has ended
constexpr auto patience = std::chrono::seconds(1);             // after the end of the requests

std::optional<pid_t> started(const std::string& command) {
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  sigset_t usual;
  sigemptyset(&usual);
  for (const int signal : {SIGINT, SIGQUIT, SIGPIPE}) sigaddset(&usual, signal);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  std::string shell = "sh", option = "-c", text = command;
  char* const words[] = {shell.data(), option.data(), text.data(), nullptr};
  pid_t process = 0;
  const int error = posix_spawn(&process, "/bin/sh", nullptr, &attributes, words, environ);
  posix_spawnattr_destroy(&attributes);
  return error == 0 ? std::optional(process) : std::nullopt;
}

}  // namespace

int run_command(const std::string& command, Session& session, Requests& requests) {
  const std::optional<pid_t> process = started(command);
  if (!process) return -1;
  bool interrupted = false;
  int status = 0;
  Clock::time_point told = {};
  for (pid_t ended = 0; (ended = waitpid(*process, &status, WNOHANG)) != *process;) {
    if (ended < 0 && errno != EINTR) return -1;
    if (session.interrupted()) {
      session.clear_interrupt();
      interrupted = true;
      told = Clock::now();
      kill(-*process, SIGINT);
    }
    if (requests.have_ended() && interrupted && Clock::now() - told > patience) kill(-*process, SIGKILL);
    std::this_thread::sleep_for(between_looks);
  }
  if (interrupted) {
    session.interrupt();
    return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace covec::notebook
