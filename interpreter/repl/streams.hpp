// The command's standard streams. At the start it makes sure that their descriptors are open; at the end it reports
// whether everything was written.
#pragma once

#include <string>

namespace covec {

// A descriptor that is closed would be given to the next file that is opened, which a print would then write over.
void keep_standard_descriptors();
// The exit status when all has been said: 1 where some of it could not be written.
int finished(int status);

// The text of a program; throws CovecError where it cannot be read.
std::string program_in(const std::string& path);
std::string program_on_standard_input();

}  // namespace covec
