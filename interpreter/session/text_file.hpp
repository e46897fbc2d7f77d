// Reads the texts of programs as a whole. Reading may fail in the middle, and the input may have no end. Both are a row
// of the message table, with the name of the file to fill in.
#pragma once

#include <string>

#include "stdlib/value/messages.hpp"

namespace covec {

struct TextFile {
  std::string text;
  const Message* problem = nullptr;  // why there is no text
};

TextFile read_text_file(const std::string& path);  // one that the host names, not the program
TextFile read_text(int descriptor);                // what is left of it; -1: it cannot be read

}  // namespace covec
