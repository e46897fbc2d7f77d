// StagedChoices: expressions whose condition only the run knows, and text with values that only it has.
#pragma once

#include "interpreter/eval/expressions.hpp"
#include "interpreter/eval/staged_paths.hpp"

namespace covec {

class StagedChoices {
 public:
  StagedChoices(const Applier& applier, Expressions& expressions, const StagedPaths& paths)
      : applier_(applier), expressions_(expressions), paths_(paths) {}

  // A condition: a bool known now, or a symbol.
  Value condition(const core::Expr& expr, Frame& f, const char* logical = nullptr);
  Raw select(const core::Select& node, Frame& f);
  Raw format(const core::Format& node, Frame& f);

 private:
  Value renewed_side(const core::Select& node, bool taken, Frame& f);
  Value side(const core::Select& node, bool taken, Frame& f);

  const Applier& applier_;
  Expressions& expressions_;
  const StagedPaths& paths_;
};

}  // namespace covec
