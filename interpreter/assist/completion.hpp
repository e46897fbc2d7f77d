// Finds what Tab offers: the named arguments of the call that is open, names, fields or methods of the value before a
// dot, modules after `import`, paths inside a string, the REPL's own commands.
#pragma once

#include "interpreter/repl/editor/completion.hpp"
#include "interpreter/session/session.hpp"

namespace covec {

// What values of tensors have beside methods.
inline constexpr std::string_view attributes[] = {"T", "H", "shape", "dtype", "rank", "size", "device"};

// The value of a dotted chain of names ("p.layer", "optim.adam"); nullptr when it is not that simple. Nothing is
// evaluated.
const Value* find_chain(const Session& session, std::string_view chain);

// Files and folders whose paths begin so, from the folder `base`; what is typed begins at `from` in the line.
editor::Completion complete_path(std::string_view typed, size_t from, const std::string& base = ".");

editor::Completion complete(const Session& session, std::string_view before_cursor);

}  // namespace covec
