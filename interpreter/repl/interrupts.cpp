// The signal is handled on any thread of the process, while the session may be ending on another. So the code that
// removes the session waits for the handlers that have seen it.
#include "interpreter/repl/interrupts.hpp"

#include <sched.h>

#include <atomic>
#include <csignal>

namespace covec {

namespace {

std::atomic<Session*> running = nullptr;
std::atomic<int> handlers = 0;

void on_interrupt(int) {
  ++handlers;
  if (Session* session = running) session->interrupt();
  --handlers;
}

void answer_with(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigaction(SIGINT, &action, nullptr);
}

}  // namespace

Interrupts::Interrupts(Session& session) {
  running = &session;
  answer_with(on_interrupt);
}

Interrupts::~Interrupts() {
  answer_with(SIG_DFL);
  running = nullptr;
  while (handlers != 0) sched_yield();
}

}  // namespace covec
