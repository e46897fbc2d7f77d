// The host of a page's session brings these along: in a browser JavaScript does.
#pragma once

#include <cstddef>
#include <cstdint>

namespace covec::page {

// Of a text that the host gets.
enum class Kind : int32_t {
  output = 0,     // what the program prints
  error = 1,      // warnings and errors, as a terminal shows them
  progress = 2,   // lines that take the place of those before
  value = 3,      // the text of a value: of one that is shown, or the program's last expression
  svg = 4,        // the same value as a figure; it comes after its text
  html = 5,       // the same value as a table
  path = 6,       // of a file
  bytes = 7,      // of a file
  candidate = 8,  // that completes a text
};

}  // namespace covec::page

// Gets a text of a Kind. It takes the bytes before it returns.
extern "C" void covec_page_output(int32_t kind, const char* bytes, size_t count);

// Asks the user for a line, and waits. 1: the host has given it by covec_page_give_line; 0: the input is at its end;
// -1: nobody can be asked.
extern "C" int32_t covec_page_ask();
