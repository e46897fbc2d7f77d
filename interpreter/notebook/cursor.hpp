// What a notebook asks about the place of the cursor: completions, and what the name there means. Places count
// characters.
#pragma once

#include <string>
#include <string_view>

#include "interpreter/notebook/json.hpp"
#include "interpreter/repl/help.hpp"
#include "interpreter/session/session.hpp"

namespace covec::notebook {

// What the word before the cursor may become: "matches", whole words, in place of the characters "from" to "to".
Json completions(const Session& session, const std::string& cell, size_t cursor);

// What `?` says of the name at the cursor, or of the function whose call is open there; "": nothing.
std::string description(Help& help, const std::string& cell, size_t cursor);

}  // namespace covec::notebook
