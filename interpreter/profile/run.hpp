// ProfileRun: a profile that is being taken: of time by a sampler on the thread of the session, of memory by a watch on
// the session's memory.
#pragma once

#include <chrono>
#include <optional>
#include <unordered_map>

#include "interpreter/profile/allocations.hpp"
#include "interpreter/profile/paths.hpp"
#include "interpreter/profile/profile.hpp"
#include "interpreter/profile/sampler.hpp"

namespace covec::profile {

// Takes a profile from here on, on this thread.
class ProfileRun final : public ops::Activities {
 public:
  ProfileRun(CallStack& stack, ops::Context& context, Profile::Of of);
  ~ProfileRun() override;
  // Ends it. Nothing that has run meanwhile may have gone.
  Profile end(const SourceMap& sources);
  // The session begins to run, or has ended to.
  void note_running(bool runs) {
    if (sampler_) sampler_->note_running(runs);
  }
  bool is_of_this_thread() const { return !sampler_ || sampler_->is_of_this_thread(); }

  const void* frame() const override { return stack_.innermost(); }
  const void* id_of(const std::shared_ptr<const void>& held, FunctionRef<ops::CodeParts()> parts) override;

 private:
  Entry entry_of(const Step& step, const SourceMap& sources) const;
  class Stacks;

  struct Code {
    std::shared_ptr<const void> held;
    ops::CodeParts parts;
  };
  std::unordered_map<const void*, Code> codes_;
  CallStack& stack_;
  ops::Context& context_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  const Paths paths_;
  std::optional<Sampler> sampler_;          // of time
  std::optional<Allocations> allocations_;  // of memory
};

}  // namespace covec::profile
