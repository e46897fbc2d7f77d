// Runs a part of a program again for its derivative. Draws give the same numbers, and nothing is printed twice. The
// derivative may warn of what its first run has not met: of equal warnings a session has one.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "stdlib/autodiff/batch.hpp"
#include "stdlib/gate/effect_journal.hpp"

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
        warnings_(context_),
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
  // The session's output while this lives.
  class Warnings final : public ops::Output {
   public:
    explicit Warnings(ops::Context& context) : context_(context), session_(context.output) {
      if (session_ != nullptr) context_.output = this;
    }
    Warnings(const Warnings&) = delete;
    Warnings& operator=(const Warnings&) = delete;
    ~Warnings() override { context_.output = session_; }
    void write(std::string_view) override {}
    void write_error(std::string_view) override {}
    void warn(std::string_view text) override { session_->warn(text); }

   private:
    ops::Context& context_;
    ops::Output* const session_;
  };

  ops::Context& context_;
  const Warnings warnings_;
  const ops::Random random_;
  std::vector<ops::OpenBatch> batches_;
  const bool replaying_;
};

// Levels that were open when a part ran.
class ReopenedLevels {
 public:
  // Inside of `outer`, with all others closed; the outermost of `levels` comes first.
  ReopenedLevels(ops::Context& context, OpenLevel* outer, std::vector<OpenLevel> levels)
      : context_(context), levels_(std::move(levels)), innermost_(context.innermost), level_(context.level) {
    open(outer);
    for (OpenLevel& level : levels_) {
      level.outer = context.innermost;
      open(&level);
    }
  }
  ReopenedLevels(const ReopenedLevels&) = delete;
  ReopenedLevels& operator=(const ReopenedLevels&) = delete;
  ~ReopenedLevels() {
    context_.innermost = innermost_;
    context_.level = level_;
  }

 private:
  void open(OpenLevel* level) {
    context_.innermost = level;
    context_.level = level == nullptr ? 0 : level->level;
  }

  ops::Context& context_;
  std::vector<OpenLevel> levels_;
  OpenLevel* const innermost_;
  const uint64_t level_;
};

// The first run of a part that may run again, once or more. Later runs draw the same numbers, print nothing, and are
// given what files, people and other ranks have given the first time. Code has no such parts with outside effects
// (StagingBuilder).
class FirstRun {
 public:
  // Made before that run. Collectives are made again: all ranks run the part as often.
  explicit FirstRun(const ops::Context& context) : then_(context), effects_(ops::EffectJournal::unlimited) {}
  // This rank alone may run it again: collectives give what they gave, and no derivative of later runs goes through
  // them.
  struct OnThisRank {};
  FirstRun(const ops::Context& context, OnThisRank) : FirstRun(context) { effects_.keep_collectives(); }
  // The same; and it may run again only if all that it does has been kept.
  struct WhatFits {};
  FirstRun(const ops::Context& context, WhatFits) : then_(context) {
    effects_.keep_what_fits();
    effects_.keep_collectives();
  }
  bool is_kept() const { return !effects_.is_full(); }

  template <class Part>
  auto run(ops::Builder& b, const Part& part) {
    const std::optional<ops::EffectScope> effects = scope(b, false);
    return part();
  }
  template <class Part>
  auto run_again(ops::Builder& b, const Part& part) {
    const ReplayScope replay(b, then_);
    const std::optional<ops::EffectScope> effects = scope(b, true);
    return part();
  }

 private:
  std::optional<ops::EffectScope> scope(const ops::Builder& b, bool again) {
    if (!b.is_eager()) return std::nullopt;
    return std::optional<ops::EffectScope>(std::in_place, b.context(), effects_, again);
  }

  const Surroundings then_;
  ops::EffectJournal effects_;
};

}  // namespace covec::autodiff
