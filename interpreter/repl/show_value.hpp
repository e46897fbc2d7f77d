// What a prompt shows of a value: a figure or table as a picture, a string with line ends in lines, anything else as
// text.
#pragma once

#include "interpreter/repl/console.hpp"
#include "interpreter/session/session.hpp"

namespace covec {

void show_value(const Session& session, const Console& console, const Value& value);

}  // namespace covec
