// The eager builder that debug(f) runs a function with: it follows each NaN and infinity from the operator that made it
// of numbers. What `where`, an index or a comparison leaves out is thereby never asked for. Where several operands have
// one, that element is the result's which the operator hands on (tagged.hpp). A second run with `end_at` ends at the
// element that the first one has found.
#pragma once

#include "stdlib/autodiff/eager.hpp"

namespace covec::origins {

class OriginBuilder final : public autodiff::EagerBuilder {
 public:
  // `end_at`: the number of the element where the run ends with an error; 0: nowhere.
  OriginBuilder(ops::Context& context, int64_t end_at) : EagerBuilder(context), end_at_(end_at) {}
  ops::Watch watch() const override { return ops::Watch::origins; }
  Value apply(ops::Call& call) override;

 private:
  Value compute(ops::Call& call, bool as_a_whole);
  // The next number, for an element that has been made of numbers.
  int64_t make(const ops::Entry& entry, std::span<const Value> operands, const Value& dense, int64_t i, bool told);

  const int64_t end_at_;
  int64_t made_ = 0;
  const ops::Entry* outer_ = nullptr;  // the builtin that is being computed: what it applies is a part of it

  class Search;
};

}  // namespace covec::origins
