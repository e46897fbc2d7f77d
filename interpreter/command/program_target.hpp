// "file.covec:function": how the command line names a function of a program.
#pragma once

#include <string>

#include "interpreter/session/session.hpp"

namespace covec {

struct ProgramTarget {
  std::string file;
  std::string function;  // may be empty
};
ProgramTarget split_target(const std::string& place);

// What the program prints on its way to its functions is not asked for.
class SilentOutput : public ops::Output {
 public:
  void write(std::string_view) override {}
  void warn(std::string_view text) override;
};

// Throws CovecError where the program defines none.
const Value& function_named(const Session& session, const std::string& name);

}  // namespace covec
