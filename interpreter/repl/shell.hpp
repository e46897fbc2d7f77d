// What the prompt asks of the system for its user: the folder, commands of the shell, the editor. Each tells on
// standard error what goes wrong.
#pragma once

#include <optional>
#include <string>

namespace covec {

// `~` is the user's folder; without a path it tells where this is.
void change_folder(const std::string& path);
// Without a command the shell itself; tells an exit status that is not 0.
void run_in_shell(const std::string& command);
// Waits for $VISUAL or $EDITOR, else `vi`. False: it has failed.
bool edit_file(const std::string& path, unsigned line);
// The text as the editor leaves it; nothing: it has failed.
std::optional<std::string> edited_text(const std::string& text);

}  // namespace covec
