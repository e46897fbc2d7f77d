// StagedLoops: stages loops of a function. If only the run knows the number of iterations, the loop becomes a loop of
// Staging, whose body is walked a few times. A short loop over items of several types is unrolled. The part that asks
// for a loop also walks the statements of its body (StagedStatements); it passes its walk down.
#pragma once

#include <functional>

#include "interpreter/eval/staged/choices.hpp"
#include "interpreter/eval/staged/lists.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec {

struct StagedParts;

class StagedLoops {
 public:
  explicit StagedLoops(StagedParts& parts) : parts_(parts) {}

  using Walk = std::function<Flow(const core::Block&)>;
  Flow loop(const core::While& node, const Walk& walk, Frame& f);
  Flow loop(const core::For& node, const Walk& walk, Frame& f);

 private:
  class Whole;
  Flow iteration_for_each(const core::For& node, const StagedItems& items, int64_t number, const Walk& walk, Frame& f);
  Value run_iteration(const core::Block& body, const Walk& walk, Frame& f);
  Flow after(const core::Region& loop, Frame& f) const;
  bool attempt(FunctionRef<void()> walk, Frame& f) const;

  StagedParts& parts_;
};

}  // namespace covec
