// Finds what is wrong with texts without running them: syntax, names, imports, and members of modules. Modules are
// read, not run; each is read again only if its text has changed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "frontend/core/import_uses.hpp"
#include "frontend/resolve/name_index.hpp"
#include "interpreter/session/modules.hpp"
#include "interpreter/session/session.hpp"

namespace covec {

class Checker {
 public:
  explicit Checker(Session& session) : session_(session) {}

  // Errors and warnings of a text in its order. `path`: of its file, beside which its modules are looked for ("": the
  // working folder). `index`: where the meaning of its names is written to.
  std::vector<Diagnostic> check(uint32_t file, const std::string& path, NameIndex* index = nullptr);

 private:
  // A module as far as it can be known without a run.
  struct Known {
    uint32_t file = 0;  // its text, which may be another the next time
    ModuleScope scope;
    std::string wrong;  // the first error in it and its place; "": none
  };
  using Modules = std::map<const core::Import*, const Known*>;

  void check_imports(const core::Unit& unit, const std::string& path, std::vector<Diagnostic>& found);
  const Known* find(const core::Import& import, const std::string& path, std::vector<Diagnostic>& found);
  const Known& read(const ModuleSource& source, const core::Import& import);
  void check_members(const std::vector<MemberUse>& uses, const Modules& modules, std::vector<Diagnostic>& found) const;

  Session& session_;
  std::map<std::string, Known> known_;  // by ModuleSource::key
};

}  // namespace covec
