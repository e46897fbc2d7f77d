// Tells the compiler the place of errors for the operation being applied, while a function is staged. Otherwise it does
// nothing.
#pragma once

#include <optional>

#include "interpreter/compiler.hpp"
#include "interpreter/eval/apply/applier.hpp"

namespace covec {

class PlaceScope {
 public:
  PlaceScope(Staging& staging, Span whole, std::span<const Span> operands, const ops::Entry* entry, uint32_t frame)
      : staging_(staging), place_{staging.place(), whole, operands, entry, frame} {
    staging_.set_place(&place_);
  }
  PlaceScope(const PlaceScope&) = delete;
  PlaceScope& operator=(const PlaceScope&) = delete;
  ~PlaceScope() { staging_.set_place(place_.outer); }

 private:
  Staging& staging_;
  StagedPlace place_;
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
  std::optional<PlaceScope> scope_;
};

}  // namespace covec
