// The programs that a command is given by files and folders.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stdlib/value/context.hpp"

namespace covec {

// Files as they are, and *.covec of folders and of those in them: in order, each once. `stands_for_input`: what is no
// file, but standard input. False where there is no such file or folder, which is told.
bool find_programs(const std::vector<std::string>& paths, std::vector<std::string>& files,
                   const std::string& stands_for_input = "");

// A file's text; nothing where it cannot be read, which is told.
std::optional<std::string> read_program(const std::string& path);
// Replaces a file at once, or not at all: false, which is told.
bool replace_program(const std::string& path, const std::string& text, ops::Context& context);

}  // namespace covec
