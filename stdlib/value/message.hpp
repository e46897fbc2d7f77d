// What a message is: a row of one of the tables of messages. Headers include this; only sources that say a message
// include its table (messages.hpp), so that a new message compiles few sources again.
#pragma once

#include <cstdint>
#include <string_view>

namespace covec {

// What the engines themselves do something about; everything else about an error is for people.
enum class ErrorKind : uint8_t {
  ordinary,
  interrupted,     // from outside: nobody may go on
  no_memory,       // nor here, or it is asked for again
  ended,           // the program has ended itself (exit), with Context::exit_status
  not_staged,      // only the run knows it: what needs it is left to the interpreter
  list_active,     // not staged, and for a list of values that a transformation follows
  compiler_limit,  // more than is ever compiled: leaving out a statement would not help
  no_value,        // a variable that this path has not assigned; the message is its name
};

constexpr bool ends_all(ErrorKind kind) {
  return kind == ErrorKind::interrupted || kind == ErrorKind::no_memory || kind == ErrorKind::ended;
}

struct Message {
  std::string_view key;
  std::string_view pattern;
  ErrorKind kind = ErrorKind::ordinary;
};

}  // namespace covec
