// StagedChoices: stages expressions whose condition only the run knows, and text with values that only the run has.
#pragma once

#include "interpreter/eval/staged/paths.hpp"
#include "interpreter/eval/walk/expressions.hpp"

namespace covec {

struct StagedParts;

class StagedChoices {
 public:
  explicit StagedChoices(StagedParts& parts) : parts_(parts) {}

  // A condition: a bool known now, or a symbol.
  Value condition(const core::Expr& expr, Frame& f, const char* logical = nullptr);
  void where(const core::Expr& condition, Value& list, FunctionRef<void()> then, Frame& f);
  Raw select(const core::Select& node, Frame& f);
  Raw format(const core::Format& node, Frame& f);

 private:
  Value renewed_side(const core::Select& node, bool taken, Frame& f);
  Value side(const core::Select& node, bool taken, Frame& f);

  StagedParts& parts_;
};

}  // namespace covec
