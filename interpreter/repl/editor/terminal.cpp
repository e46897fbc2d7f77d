// Handles the terminal's signals. A signal handler may only use what is ready. So the saved terminal mode lies in plain
// static variables while the terminal is raw. An event is a byte in a pipe, which read_byte() watches together with the
// keys. (A handler may run on any thread, so a signal does not reliably interrupt the reading.) Start reading at
// RawMode and read_byte().
#include "interpreter/repl/editor/terminal.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>

namespace covec::editor {

namespace {

termios settings_before;
std::atomic<bool> is_raw = false;
int events[2] = {-1, -1};  // a pipe
struct sigaction actions_before[NSIG];

constexpr std::string_view pastes_marked = "\033[?2004h", pastes_unmarked = "\033[?2004l";
constexpr std::array watched = {SIGWINCH, SIGCONT, SIGINT};
constexpr std::array fatal = {SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};

void restore() {
  if (!is_raw.exchange(false)) return;
  tcsetattr(STDIN_FILENO, TCSANOW, &settings_before);
  write_to_terminal(pastes_unmarked);
}

void restore_and_end(int signal) {
  restore();
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void note_event(int signal) {
  const int before = errno;
  const char letter = signal == SIGWINCH ? 'w' : signal == SIGCONT ? 'c' : 'i';
  if (write(events[1], &letter, 1) < 0) errno = before;  // a full pipe tells enough
}

void answer(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigaction(signal, &action, &actions_before[signal]);
}
void answer_as_before(int signal) { sigaction(signal, &actions_before[signal], nullptr); }

void open_pipe() {
  if (events[0] < 0 && pipe2(events, O_CLOEXEC | O_NONBLOCK) != 0) events[0] = events[1] = -1;
}

Event event_in_pipe() {
  char letter = 0;
  if (read(events[0], &letter, 1) != 1) return nothing_yet;
  return letter == 'w' ? resized : letter == 'c' ? resumed : interrupted;
}

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

unsigned number_in(const char* name, unsigned otherwise) {
  const int number = std::atoi(std::string(variable(name)).c_str());
  return number > 0 ? static_cast<unsigned>(number) : otherwise;
}

bool is_dumb() { return variable("TERM").empty() || variable("TERM") == "dumb"; }

}  // namespace

bool is_terminal(int descriptor) { return isatty(descriptor) != 0; }
bool can_edit() { return is_terminal(STDIN_FILENO) && is_terminal(STDOUT_FILENO) && !is_dumb(); }
bool shows_colours(int descriptor) { return is_terminal(descriptor) && !is_dumb() && variable("NO_COLOR").empty(); }

Size size_of_terminal() {
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0) {
    return {size.ws_row, size.ws_col};
  }
  return {number_in("LINES", 24), number_in("COLUMNS", 80)};
}

void write_to_terminal(std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = write(STDOUT_FILENO, text.data(), text.size());
    if (done < 0 && errno != EINTR && errno != EAGAIN) return;
    if (done > 0) text.remove_prefix(static_cast<size_t>(done));
  }
}

Watch::Watch() {
  open_pipe();
  while (event_in_pipe() != nothing_yet) continue;  // what came before is over
  for (const int signal : watched) answer(signal, note_event);
}

Watch::~Watch() {
  for (const int signal : watched) answer_as_before(signal);
  bool interrupt = false;
  for (Event event = event_in_pipe(); event != nothing_yet; event = event_in_pipe()) interrupt |= event == interrupted;
  if (interrupt) raise(SIGINT);
}

RawMode::RawMode() { enter(); }
RawMode::~RawMode() { leave(); }

void RawMode::enter() {
  if (!is_raw && tcgetattr(STDIN_FILENO, &settings_before) != 0) return;
  termios settings = settings_before;
  settings.c_iflag &= ~static_cast<tcflag_t>(BRKINT | ICRNL | INLCR | IGNCR | INPCK | ISTRIP | IXON);
  settings.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON | IEXTEN | ISIG);
  settings.c_cc[VMIN] = 1;
  settings.c_cc[VTIME] = 0;
  if (!raw_) {
    for (const int signal : fatal) answer(signal, restore_and_end);
  }
  raw_ = true;
  is_raw = true;
  while (tcsetattr(STDIN_FILENO, TCSADRAIN, &settings) != 0 && errno == EINTR) continue;
  write_to_terminal(pastes_marked);
}

void RawMode::leave() {
  restore();
  if (!raw_) return;
  for (const int signal : fatal) answer_as_before(signal);
  raw_ = false;
}

void RawMode::stop() {
  leave();
  // The whole group, as at any Ctrl-Z, but first the others: this thread is to stop here, and another one might take
  // the process's signal a little later.
  answer(SIGTSTP, SIG_IGN);
  kill(0, SIGTSTP);
  answer_as_before(SIGTSTP);
  raise(SIGTSTP);
  enter();
}

int read_byte(int wait) {
  for (;;) {
    pollfd sources[] = {{STDIN_FILENO, POLLIN, 0}, {events[0], POLLIN, 0}};
    const int ready = poll(sources, 2, wait);
    if (ready == 0) return nothing_yet;
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) return end_of_input;
    if (sources[1].revents != 0) return event_in_pipe();
    unsigned char byte = 0;
    const ssize_t got = read(STDIN_FILENO, &byte, 1);
    if (got == 1) return byte;
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    return end_of_input;
  }
}

}  // namespace covec::editor
