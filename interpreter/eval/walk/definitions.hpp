// Definitions: how functions are made: captures, @compile, @test, @bench, and the rule that @derivative(of=f) gives f.
#pragma once

#include "interpreter/eval/apply/applier.hpp"
#include "interpreter/eval/walk/expressions.hpp"

namespace covec {

struct Parts;

class Definitions {
 public:
  explicit Definitions(Parts& parts) : parts_(parts) {}

  Raw closure(const core::MakeClosure& node, Frame& f);
  // From here on the variable that names `function`'s target holds it with its rule.
  void attach_derivative(const core::Function& function, const Value& rule, Frame& f);

 private:
  Value make_closure(const core::MakeClosure& node, const Frame& f) const;
  std::vector<Value> captured(const core::MakeClosure& node, const Frame& f) const;
  void check_rule(const core::Function& rule, const Callable& of, const Frame& f) const;
  Value compiled(const core::Function& function, const Value& closure, Frame& f);

  Parts& parts_;
};

}  // namespace covec
