// Where a function of the language was defined, and how it is written there.
#pragma once

#include <optional>
#include <string>

#include "interpreter/session/session.hpp"

namespace covec {

struct Definition {
  std::string file, library;  // the text's name; the module that comes with Covec, or ""
  unsigned line = 0;
  std::string text;
};

// Of a compiled function that which it was made of; nothing: it is a builtin, a host's or a transformed function.
std::optional<Definition> definition_of(const Session& session, const Value& function);

}  // namespace covec
