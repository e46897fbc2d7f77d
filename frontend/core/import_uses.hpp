// Finds the imports of a text, and the members of modules that it names: `m.f` where `m` is only ever bound by one
// import. For checks without a run; a name that an assignment or a parameter may bind as well tells nothing.
#pragma once

#include <string_view>
#include <vector>

#include "frontend/core/core.hpp"

namespace covec {

struct MemberUse {
  const core::Import* import = nullptr;
  std::string_view name;
  Span span;  // of the name
};

struct ImportUses {
  std::vector<const core::Import*> imports;  // in the order of the text, but for functions within statements
  std::vector<MemberUse> members;            // in the order of the text
};

// The unit may have errors.
ImportUses import_uses(const core::Unit& unit);

}  // namespace covec
