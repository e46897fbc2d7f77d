#include "interpreter/command/profile_program.hpp"

#include <iostream>

#include "interpreter/command/program_files.hpp"
#include "interpreter/session/session_profile.hpp"

namespace covec {

namespace {

// Whether it could be written; says why not.
bool write(const std::string& path, const std::string& text, ops::Context& context) {
  if (path.empty()) return true;
  return replace_program(path, text, context);
}

}  // namespace

int run_profiled(const ProfileRequest& request, Session& session, FunctionRef<int()> run) {
  using Of = profile::Profile::Of;
  session.within([&] { session.profile().begin(request.memory ? Of::memory : Of::time); });
  const int status = run();
  const profile::Profile profile = session.profile().end();
  std::cout.flush();
  std::cerr << profile::table_of(profile);
  const bool written = write(request.svg, profile::flame_graph_of(profile, request.file), session.context()) &
                       write(request.json, profile::speedscope_of(profile, request.file), session.context());
  return status == 0 && !written ? 1 : status;
}

}  // namespace covec
