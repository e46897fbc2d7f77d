// The names of one module, and the table that interns names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace covec {

// Interned names, one table per session; the views live as long as the table.
class Names {
 public:
  std::string_view intern(std::string_view name) { return *names_.emplace(name).first; }

 private:
  std::unordered_set<std::string> names_;
};

// The module-level names of one module: name → slot. It grows as units of the module are resolved (a REPL module gets
// one unit per input); the engine keeps the values beside it.
struct ModuleScope {
  std::vector<std::string_view> names;  // by slot
  std::unordered_map<std::string_view, uint32_t> slots;
  std::vector<bool> read_by_functions;  // by slot: some function's body reads it
  std::vector<uint32_t> given_rules;    // slots that a function gives a rule when it runs: @derivative(of=f) inside
};

}  // namespace covec
