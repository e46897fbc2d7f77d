// Keeps a call that is made twice (by code and then by the interpreter, by debug) from acting twice outside of the
// program.
#pragma once

#include <utility>

#include "stdlib/gate/effect_journal.hpp"
#include "stdlib/value/context.hpp"

namespace covec::ops {

// The session's journal while this lives: that of a call around it, which may be made again as well, or its own. Of a
// part that a derivative runs again the journal lasts longer, and has no collectives.
class RepeatedEffects {
 public:
  // Not `kept`: nothing that happens in the call may have to happen again. `most`: bytes.
  RepeatedEffects(Context& context, bool kept, uint64_t most = EffectJournal::default_most)
      : context_(context), around_(context.journal), own_(most) {
    if (!kept) return;
    if (around_ == nullptr || around_->is_acting() || around_->is_of_derivative()) use_own();
    begin();
  }
  // A journal of its own, for a call that is made again only if all of it has been kept.
  struct WhatFits {};
  RepeatedEffects(Context& context, WhatFits) : context_(context), around_(context.journal) {
    own_.keep_what_fits();
    use_own();
    begin();
  }
  RepeatedEffects(const RepeatedEffects&) = delete;
  RepeatedEffects& operator=(const RepeatedEffects&) = delete;
  ~RepeatedEffects() {
    if (journal_ != nullptr && !again_) journal_->end();
    context_.journal = around_;
  }
  // The call is made again, once or more.
  void begin_again() {
    if (journal_ == nullptr) return;
    if (!again_) journal_->end();
    again_ = true;
    journal_->begin_again(place_);
  }
  // More happens in this call than is kept.
  bool is_full() const { return own_.is_full(); }
  const EffectJournal* journal() const { return journal_; }

 private:
  void use_own() {
    context_.journal = &own_;
    own_.set_around(around_);
  }
  void begin() {
    journal_ = context_.journal;
    place_ = journal_->place();
    journal_->begin();
  }

  Context& context_;
  EffectJournal* const around_;
  EffectJournal own_;
  EffectJournal* journal_ = nullptr;
  size_t place_ = 0;
  bool again_ = false;
};

}  // namespace covec::ops
