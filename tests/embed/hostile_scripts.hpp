// Programs that want to keep a session, or take the machine with them: some two hundred, by kind. Each must end soon
// under a deadline and a limit of memory, whatever it tries.
#pragma once

#include <string>
#include <vector>

namespace hostile {

struct Script {
  std::string kind, text;
};

std::vector<Script> scripts();

}  // namespace hostile
