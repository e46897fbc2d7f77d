// A function as one C99 file and its header, which need nothing of Covec: no run time, no memory but what the caller
// gives, the same bits. The trade-off: all sizes are fixed when the file is written, and what the library does in more
// than a few lines is refused. Made from a plan (jit/loops) of the plain kind. Start at emit().
#pragma once

#include <string>
#include <vector>

#include "jit/emit/frame.hpp"

namespace covec::emit {

struct Request {
  std::string name;    // of the function, an identifier of C
  std::string origin;  // what it was made of, for the first comment
  std::vector<Port> inputs, outputs;
};

struct Emitted {
  std::string name;  // of the function and the files
  std::string source, header;
  std::string text;  // both as one
  std::vector<SlotType> inputs, outputs;
  size_t work_bytes = 0;
  std::vector<std::string> lines;  // a line for each input and output, for people
};

// What an error says: with its place.
using TextOf = FunctionRef<std::string(const Error&)>;

// Throws a Refusal.
Emitted emit(const loops::Plan& plan, const Request& request, ops::Builder& eager, TextOf error_text);

}  // namespace covec::emit
