// The programs that a command is given by files and folders.
#pragma once

#include <string>
#include <vector>

namespace covec {

// Files as they are, and *.covec of folders and of those in them: in order, each once. `stands_for_input`: what is no
// file, but standard input. False where there is no such file or folder, which is told.
bool find_programs(const std::vector<std::string>& paths, std::vector<std::string>& files,
                   const std::string& stands_for_input = "");

}  // namespace covec
