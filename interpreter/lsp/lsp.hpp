// `covec lsp`: the language server. An editor starts it and talks to it over standard input and output, as the Language
// Server Protocol (3.17) says. It reads programs and never runs their statements. Start reading at server.hpp.
#pragma once

#include "interpreter/session/session.hpp"

namespace covec {

// Serves one client until it leaves. Gives the exit status: 0 after a request `shutdown`, else 1.
int serve_editor(const SessionOptions& options);

}  // namespace covec
