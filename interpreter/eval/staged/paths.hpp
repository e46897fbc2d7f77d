// StagedPaths: the paths of a staged function and how each of them ends. A path's end is a Flow known now, or a value
// that is one at run time. Staging::branch merges the variables that paths leave.
#pragma once

#include <functional>

#include "interpreter/eval/apply/applier.hpp"
#include "interpreter/eval/staged/point.hpp"

namespace covec {

struct StagedParts;

class StagedPaths {
 public:
  explicit StagedPaths(StagedParts& parts) : parts_(parts) {}

  // The variables that a choice may change.
  Staging::Variables variables_of(Frame& f) const;
  // Of a loop: what its body assigns, and how it ends when it may return.
  Staging::Variables variables_of(const core::Stmt& loop, Frame& f) const;
  using Path = std::function<Flow()>;
  // Two paths, either of which may end in its own way.
  Flow either(const Value& condition, Frame& f, const Path& then, const Path& otherwise) const;
  // `rest` for those paths of the walk so far that go on.
  Flow go_on(Frame& f, const Path& rest) const;
  Value is_flow(const Value& flow, Flow which, const Frame& f) const;
  Value either_of(const Value& a, const Value& b, const Frame& f) const;  // of two bools
  // Where a path is known to have defined a variable.
  void settle(Value& variable) const;

 private:
  StagedParts& parts_;
};

Value flow_number(Flow flow);
bool is_known_flow(const Value& flow);
// Does it always end with break, continue or return?
bool always_exits(const core::Block& block);
bool may_return(const core::Stmt& stmt);
bool may_return(const core::Block& block);

}  // namespace covec
