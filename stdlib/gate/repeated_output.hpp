// Keeps a call that is made twice from printing twice: by code, and where that has failed by the interpreter. Both
// print the same up to there, so the second call is silent for as many bytes as the first one has written. What an
// effect writes that the journal keeps (the question of `input`) is not written by the second call.
#pragma once

#include <algorithm>

#include "stdlib/gate/effect_journal.hpp"
#include "stdlib/value/context.hpp"

namespace covec::ops {

// The session's output while this lives.
class RepeatedOutput final : public Output {
 public:
  RepeatedOutput(Context& context, const EffectJournal* journal)
      : context_(context), journal_(journal), session_(context.output) {
    if (session_ != nullptr) context_.output = this;
  }
  RepeatedOutput(const RepeatedOutput&) = delete;
  RepeatedOutput& operator=(const RepeatedOutput&) = delete;
  ~RepeatedOutput() override { context_.output = session_; }
  // The call is made again, once or more.
  void begin_again() {
    for (Stream* stream : {&printed_, &errors_}) {
      stream->again = true;
      stream->skipped = 0;
    }
  }

  void write(std::string_view text) override {
    if (const std::string_view unwritten = this->unwritten(printed_, text); !unwritten.empty())
      session_->write(unwritten);
  }
  void write_error(std::string_view text) override {
    if (const std::string_view unwritten = this->unwritten(errors_, text); !unwritten.empty())
      session_->write_error(unwritten);
  }
  void warn(std::string_view text) override { session_->warn(text); }  // of equal ones the session has one
  void flush() override { session_->flush(); }
  Screen screen() const override { return session_->screen(); }
  void progress(std::string_view lines) override { session_->progress(lines); }
  void display(const Value& value, std::string_view text) override {
    const std::string_view unwritten = this->unwritten(printed_, text);
    if (unwritten.size() == text.size())
      session_->display(value, text);
    else if (!unwritten.empty())
      session_->write(unwritten);
  }

 private:
  struct Stream {
    size_t written = 0;  // bytes, by the first call
    size_t skipped = 0;  // of those, by the second one
    bool again = false;
    std::string_view unwritten(std::string_view text) {
      if (!again) {
        written += text.size();
        return text;
      }
      const size_t skips = std::min(text.size(), written - skipped);
      skipped += skips;
      return text.substr(skips);
    }
  };
  std::string_view unwritten(Stream& stream, std::string_view text) const {
    return journal_ != nullptr && journal_->is_acting() ? text : stream.unwritten(text);
  }

  Context& context_;
  const EffectJournal* const journal_;  // of this call; nullptr: it keeps nothing
  Output* const session_;
  Stream printed_, errors_;
};

}  // namespace covec::ops
