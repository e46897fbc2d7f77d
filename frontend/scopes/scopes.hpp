// The functions of one unit while they are read: the current one, and all of them for the work at the end. The first is
// the module's own code.
#pragma once

#include <memory>
#include <vector>

#include "frontend/scopes/scope.hpp"

namespace covec::resolve {

class Scopes {
 public:
  Scopes() : current_(all_.emplace_back(std::make_unique<FunctionScope>()).get()) {}

  FunctionScope& current() { return *current_; }
  const FunctionScope& current() const { return *current_; }
  const std::vector<std::unique_ptr<FunctionScope>>& all() const { return all_; }

  // A function inside the current one; it is read later.
  FunctionScope& add(core::Function& function) {
    FunctionScope& scope = *all_.emplace_back(std::make_unique<FunctionScope>());
    scope.function = &function;
    scope.parent = current_;
    return scope;
  }

  // While it lives, `scope` is the current one.
  class Inside {
   public:
    Inside(Scopes& scopes, FunctionScope& scope) : scopes_(scopes), outer_(scopes.current_) {
      scopes_.current_ = &scope;
    }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    ~Inside() { scopes_.current_ = outer_; }

   private:
    Scopes& scopes_;
    FunctionScope* outer_;
  };

 private:
  std::vector<std::unique_ptr<FunctionScope>> all_;
  FunctionScope* current_;
};

}  // namespace covec::resolve
