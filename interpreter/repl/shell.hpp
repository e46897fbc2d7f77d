// What the prompt asks of the system for its user: the folder, commands of the shell, the editor. The first two give
// what went wrong, or "" where nothing did; the editor's tell it on standard error.
#pragma once

#include <optional>
#include <string>

#include "interpreter/repl/channel.hpp"

namespace covec {

// `~` is the user's folder; without a path it tells where this is.
std::string change_folder(const std::string& path);
// Without a command the shell itself; an exit status that is not 0 is wrong.
std::string run_in_shell(Channel& channel, const std::string& command);
// Waits for a command that has the terminal; gives its exit status, -1: it has none.
int status_of(const std::string& command);
// Waits for $VISUAL or $EDITOR, else `vi`. False: it has failed.
bool edit_file(const std::string& path, unsigned line);
// The text as the editor leaves it; nothing: it has failed.
std::optional<std::string> edited_text(const std::string& text);

}  // namespace covec
