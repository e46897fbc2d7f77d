#include "tests/parts/runs.hpp"

#include <map>
#include <stdexcept>

namespace covec::test {

namespace {

using Run = std::string (*)(const std::string&, const Input&);

const std::map<std::string, Run>& runs() {
  static const std::map<std::string, Run> all = {{"passes", run_passes}, {"fuse", run_fuse}, {"build", run_build},
                                                 {"stage", run_stage},   {"core", run_core}, {"tape", run_tape}};
  return all;
}

}  // namespace

std::string run(const std::string& what, const Input& input) {
  const size_t space = what.find(' ');
  const std::string name = what.substr(0, space);
  const auto found = runs().find(name);
  if (found == runs().end()) throw std::runtime_error("nothing is called " + name + " that could be run");
  return found->second(space == std::string::npos ? "" : what.substr(space + 1), input);
}

}  // namespace covec::test
