// PromptScopes: the modules in which prompts run their inputs (a call's variables, after an error or at a breakpoint).
// A module must stay while a function of its texts is held, since such a function finds its globals there.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "interpreter/session/units.hpp"

namespace covec {

class PromptScopes {
 public:
  explicit PromptScopes(const Units& units) : units_(units) {}
  Module& open(const std::string& name, const std::string& file);
  // Its values go, so that variables are held by their calls alone again; not where a function of its texts is held.
  void close(Module& scope);
  void forget_unused();  // between two runs
  void clear();          // lets all values go

 private:
  const Units& units_;
  std::vector<std::unique_ptr<Module>> scopes_;
};

}  // namespace covec
