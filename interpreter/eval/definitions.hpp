// Definitions: functions as they are made: captures, @compile, @test, and the rule that @derivative(of=f) gives f.
#pragma once

#include "interpreter/eval/applier.hpp"
#include "interpreter/eval/expressions.hpp"

namespace covec {

class Entrance;

class Definitions {
 public:
  Definitions(Applier& applier, const Reporter& reporter, InterpreterHost& host, Expressions& expressions,
              Entrance& entrance, const StagedValues& staged_values)
      : applier_(applier),
        reporter_(reporter),
        host_(host),
        expressions_(expressions),
        entrance_(entrance),
        staged_values_(staged_values) {}

  Raw closure(const core::MakeClosure& node, Frame& f);
  // From here on the variable that names `function`'s target holds it with its rule.
  void attach_derivative(const core::Function& function, const Value& rule, Frame& f);

 private:
  Value make_closure(const core::MakeClosure& node, const Frame& f) const;
  std::vector<Value> captured(const core::MakeClosure& node, const Frame& f) const;
  void check_rule(const core::Function& rule, const Callable& of, const Frame& f) const;
  Value compiled(const core::Function& function, const Value& closure, Frame& f);

  Applier& applier_;
  const Reporter& reporter_;
  InterpreterHost& host_;
  Expressions& expressions_;
  Entrance& entrance_;
  const StagedValues& staged_values_;
};

}  // namespace covec
