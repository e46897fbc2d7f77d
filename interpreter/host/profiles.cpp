// covec.h: profiles.
#include <covec/covec.h>

#include "interpreter/host/calls.hpp"
#include "interpreter/profile/run.hpp"
#include "interpreter/session/session_profile.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/tree.hpp"

using covec::Value;
using covec::embedding::give;
using covec::embedding::guarded;
using covec::embedding::misuse;

covec_status covec_profile_begin(covec_session* session) {
  return guarded(session, [&](covec::Session& run) {
    if (run.profile().run() != nullptr) return misuse(session, "a profile is being taken already");
    run.within([&] { run.profile().begin(); });
    return COVEC_OK;
  });
}

covec_status covec_profile_end(covec_session* session, const char* name, covec_value** profile) {
  if (profile != nullptr) *profile = nullptr;
  return guarded(session, [&](covec::Session& run) {
    const covec::profile::ProfileRun* const begun = run.profile().run();
    if (begun == nullptr) return misuse(session, "no profile is being taken");
    if (!begun->is_of_this_thread()) return misuse(session, "a profile ends on the thread that has begun it");
    const covec::profile::Profile taken = run.profile().end();
    const std::string_view shown = name != nullptr ? name : "host";
    const covec::Memory::Use use(*run.context().pool);
    covec::RecordLayout layout;
    layout.names = {"table", "svg", "speedscope"};
    std::vector<Value> texts{covec::make_string(covec::profile::table_of(taken)),
                             covec::make_string(covec::profile::flame_graph_of(taken, shown)),
                             covec::make_string(covec::profile::speedscope_of(taken, shown))};
    give(session, covec::make_record(std::make_shared<const covec::RecordLayout>(std::move(layout)), std::move(texts)),
         profile);
    return COVEC_OK;
  });
}
