// The small C functions that emitted files call. A file contains only those that it uses. Start at used_functions().
#pragma once

#include <string>

namespace covec::emit {

// The first lines: what the file counts on, and its includes.
std::string file_head();
// The functions that `text` calls, and those that they call, in order.
std::string used_functions(const std::string& text);

// Whether the word stands in the text.
bool names_word(const std::string& text, const std::string& word);

}  // namespace covec::emit
