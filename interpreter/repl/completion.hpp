// What Tab offers: names, fields of the value before a dot, methods of tensors, keyword arguments inside a call,
// modules after `import`, paths inside a string, the REPL's own commands.
#pragma once

#include "interpreter/repl/editor.hpp"
#include "interpreter/session/session.hpp"

namespace covec {

Completion complete(const Session& session, std::string_view line);

}  // namespace covec
