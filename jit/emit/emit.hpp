// Writes a function as one C99 file and its header, which need nothing of Covec. The file needs no runtime, uses only
// memory that the caller gives, and computes the same bits. It is made from a plan (jit/loops) of the plain kind. The
// trade-off: all sizes are fixed when the file is written, or follow from extents that the caller gives. Library
// operations that take more than a few lines are refused. Start at emit().
#pragma once

#include <string>
#include <vector>

#include "jit/emit/frame.hpp"

namespace covec::emit {

// An extent that the caller gives.
struct Extent {
  std::string name;     // of the argument
  std::string written;  // in the program or --types
};

struct Request {
  std::string name;    // of the function, an identifier of C
  std::string origin;  // what it was made of, for the first comment
  std::vector<Extent> extents;
  std::vector<Port> inputs, outputs;
};

struct Emitted {
  std::string name;  // of the function and the files
  std::string source, header;
  std::string text;             // both as one
  std::vector<Extent> extents;  // arguments before the inputs
  std::vector<SlotType> inputs, outputs;
  std::vector<std::string> errors;  // by number, from 1 on
  std::vector<std::string> lines;   // a line for each input and output, for people
};

// What an error says: with its place.
using TextOf = FunctionRef<std::string(const Error&)>;

// Whether an error says this in place of numbers that only the run knows.
bool says_no_numbers(const std::string& message);

// Throws a Refusal.
Emitted emit(const loops::Plan& plan, const Shapes& shapes, const Request& request, ops::Builder& eager,
             TextOf error_text);

}  // namespace covec::emit
