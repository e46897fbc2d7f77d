// Finds what Tab offers: the named arguments of the call that is open, names, fields or methods of the value before a
// dot, modules after `import`, paths inside a string, the REPL's own commands.
#pragma once

#include "interpreter/repl/editor/editor.hpp"
#include "interpreter/session/session.hpp"

namespace covec {

// The value of a dotted chain of names ("p.layer", "optim.adam"); nullptr when it is not that simple. Nothing is
// evaluated.
const Value* find_chain(const Session& session, std::string_view chain);

editor::Completion complete(const Session& session, std::string_view before_cursor);

}  // namespace covec
