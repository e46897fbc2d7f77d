// Moves values into closures. Sibling functions refer to each other without reference cycles: each reference makes a
// new closure. So a function also captures what the siblings that it mentions need. connect_siblings repeats this until
// nothing changes, after all functions are read.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "frontend/scopes/scope.hpp"

namespace covec::resolve {

// The number of a capture of `scope` that comes from `source` in its parent; added where new.
uint32_t capture(FunctionScope& scope, core::CaptureSource source, std::string_view name);

class Captures {
 public:
  // `node`, in `user`, makes the closure of `target` anew.
  void note_sibling(FunctionScope& user, FunctionScope& target, core::MakeClosure& node) {
    sibling_uses_.push_back({&user, &target, &node});
  }
  void connect_siblings();
  // Writes what each function captures into the core.
  void fill(const std::vector<std::unique_ptr<FunctionScope>>& scopes) const;

 private:
  struct SiblingUse {
    FunctionScope* user = nullptr;
    FunctionScope* target = nullptr;
    core::MakeClosure* node = nullptr;
  };

  std::vector<SiblingUse> sibling_uses_;
};

}  // namespace covec::resolve
