// Runs a part of a program again for its derivative. Draws give the same numbers, and nothing is printed twice.
#pragma once

#include <utility>
#include <vector>

#include "stdlib/autodiff/batch.hpp"

namespace covec::autodiff {

// What the world was like when it ran first.
struct Surroundings {
  explicit Surroundings(const ops::Context& context) : random(context.random), batches(context.batches) {}
  ops::Random random;
  std::vector<ops::OpenBatch> batches;
};

class ReplayScope {
 public:
  ReplayScope(ops::Builder& b, const Surroundings& then)
      : context_(b.context()),
        quiet_(context_),
        random_(context_.random),
        batches_(std::exchange(context_.batches, then.batches)),
        replaying_(context_.replaying) {
    context_.random = then.random;
    context_.replaying |= !b.is_eager();
  }
  ReplayScope(const ReplayScope&) = delete;
  ReplayScope& operator=(const ReplayScope&) = delete;
  ~ReplayScope() {
    context_.replaying = replaying_;
    context_.random = random_;
    context_.batches = std::move(batches_);
  }

 private:
  ops::Context& context_;
  const QuietScope quiet_;
  const ops::Random random_;
  std::vector<ops::OpenBatch> batches_;
  const bool replaying_;
};

}  // namespace covec::autodiff
