#include "interpreter/command/program_target.hpp"

#include <iostream>

namespace covec {

ProgramTarget split_target(const std::string& place) {
  const size_t colon = place.rfind(':');
  if (colon == std::string::npos || colon + 1 >= place.size()) return {place, ""};
  return {place.substr(0, colon), place.substr(colon + 1)};
}

void SilentOutput::warn(std::string_view text) { std::cerr << text << '\n'; }

const Value& function_named(const Session& session, const std::string& name) {
  const Value* value = session.find_global(name);
  if (value != nullptr && value->is(ObjectKind::function)) return *value;
  Diagnostic diagnostic;
  diagnostic.code = "dump_function";
  diagnostic.message = "the file defines no function '" + name + "'";
  throw CovecError(std::move(diagnostic));
}

}  // namespace covec
