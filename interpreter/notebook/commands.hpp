// Commands of the shell in a notebook. Each has a process group of its own, to which interrupts are passed on, however
// they come: by a signal, by a request, or by the end of the requests, after which it is not waited for long.
#pragma once

#include <string>

#include "interpreter/notebook/requests.hpp"
#include "interpreter/session/session.hpp"

namespace covec::notebook {

// Waits for it, and gives its exit status; -1: it has none, or was interrupted.
int run_command(const std::string& command, Session& session, Requests& requests);

}  // namespace covec::notebook
