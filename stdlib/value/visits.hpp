// Counts the visits of walks over trees. A tree may hold one part in many places, and a walk visits it once for each: a
// program of one line makes a tree of 2^30 leaves. So every walk counts its visits, and checks the interrupt flag once
// in some hundreds of them. All walks use `children` (tree.hpp), which counts; no other code has to. Walks have no
// context, so a thread names its running session here. Items that a walk collects count as memory: collected.hpp.
#pragma once

#include "stdlib/value/context.hpp"

namespace covec {

class Visits {
 public:
  // One more. Throws OpError(interrupted).
  static void count() {
    if (--left_ == 0) [[unlikely]]
      look();
  }
  // Until the end of the scope the thread's walks look at this context's flag.
  class Use {
   public:
    explicit Use(const ops::Context& context) noexcept : outer_(context_) { context_ = &context; }
    ~Use() { context_ = outer_; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    const ops::Context* const outer_;
  };

  // Whether to end: throws OpError(interrupted).
  static void look();

 private:
  static constexpr unsigned between_polls = 512;  // visits
  static constinit inline thread_local const ops::Context* context_ = nullptr;
  static constinit inline thread_local unsigned left_ = between_polls;
};

}  // namespace covec
