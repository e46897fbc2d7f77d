// Tells the compiler the place of errors for the operation being applied, while a function is staged. Otherwise it does
// nothing.
#pragma once

#include <optional>

#include "interpreter/compiler.hpp"
#include "interpreter/eval/apply/applier.hpp"

namespace covec {

class SourceScope {
 public:
  SourceScope(Staging& staging, Span whole, std::span<const Span> operands, const ops::Entry* entry, uint32_t frame)
      : staging_(staging), place_{staging.place(), whole, operands, entry, frame} {
    staging_.set_place(&place_);
  }
  SourceScope(const SourceScope&) = delete;
  SourceScope& operator=(const SourceScope&) = delete;
  ~SourceScope() { staging_.set_place(place_.outer); }

 private:
  Staging& staging_;
  StagedSource place_;
};

class OptionalSourceScope {
 public:
  OptionalSourceScope(Staging* staging, Span whole, std::span<const Span> operands, const ops::Entry* entry,
                      const Frame& f) {
    if (staging) [[unlikely]]
      scope_.emplace(*staging, whole, operands, entry, f.staged);
  }
  OptionalSourceScope(Staging* staging, const core::Op& op, const Frame& f) {
    if (!staging) [[likely]]
      return;
    spans_ = operand_spans(op);
    scope_.emplace(*staging, op.span, spans_, op.entry, f.staged);
  }

 private:
  std::vector<Span> spans_;
  std::optional<SourceScope> scope_;
};

}  // namespace covec
