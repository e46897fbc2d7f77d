// Message: a row of one of the tables of messages. Headers include this file. Only sources that use a message include
// its table (messages.hpp), so a new message recompiles few sources.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace covec {

// What the engines themselves do something about; everything else about an error is for people.
enum class ErrorKind : uint8_t {
  ordinary,
  interrupted,     // from outside: nobody may go on
  no_memory,       // nor here, or it is asked for again
  ended,           // the program has ended itself (exit), with Context::exit_status
  not_staged,      // only the run knows it: what needs it is left to the interpreter
  list_active,     // not staged, and for a list of active or batched values
  compiler_limit,  // more than is ever compiled: leaving out a statement would not help
  not_finite,      // a NaN or infinity that is looked for: the program may not go on by itself
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

// A table of messages in its header: what sources name. The texts are in a source of their own.
struct MessageKey {
  std::string_view key;
  int parts = 0;  // how many {} its text has
};

consteval bool keys_agree(std::span<const MessageKey> keys, std::span<const Message> rows) {
  for (size_t i = 0; i < keys.size(); ++i) {
    int parts = 0;
    for (size_t at = rows[i].pattern.find("{}"); at != std::string_view::npos; at = rows[i].pattern.find("{}", at + 2))
      ++parts;
    if (rows[i].key != keys[i].key || parts != keys[i].parts) return false;
  }
  return true;
}

}  // namespace covec
