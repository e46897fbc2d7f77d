// What the gates of all systems have.
#include "stdlib/gate/gate.hpp"
#include "stdlib/gate/system.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::gate {

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

double seconds_of(ops::Clock clock) {
  using std::chrono::duration;
  return clock == ops::Clock::wall ? duration<double>(std::chrono::system_clock::now().time_since_epoch()).count()
                                   : duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace covec::gate

namespace covec::ops {

std::string_view words_of(Use use) {
  switch (use) {
    case Use::clock: return "read the clock";
    case Use::sleep: return "sleep";
    case Use::input: return "ask for input";
    case Use::devices: return "use devices";
    case Use::libraries: return "load libraries of the system";
    case Use::imports: return "import files";
    case Use::ranks: return "communicate with other ranks";
  }
  return "";
}

void Gate::require(Use use) const {
  if (!allows(use)) fail(message("not_permitted"), {std::string(words_of(use))});
}

const char* Gate::variable(const char* name) const { return uses_environment() ? gate::environment(name) : nullptr; }

}  // namespace covec::ops
