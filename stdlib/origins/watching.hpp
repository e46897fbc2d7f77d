// The eager builder that `covec --debug-nan` runs a program with: it looks at what each operator makes, and ends with
// the first NaN or infinity that was made of numbers. Of a builtin that is made of others the whole counts.
// Rules of derivatives are looked at where they are asked: a tangent here, a cotangent in the sweep.
#pragma once

#include "stdlib/autodiff/eager.hpp"

namespace covec::origins {

class WatchingBuilder final : public autodiff::EagerBuilder {
 public:
  using EagerBuilder::EagerBuilder;
  ops::Watch watch() const override { return ops::Watch::first; }
  Value apply(ops::Call& call) override;
  Value apply_traced(ops::Call& call) override;

 private:
  // Whether this is a part of something that is looked at as a whole.
  bool is_inside() const { return outer_ != nullptr || context().rule_of != nullptr; }

  const ops::Entry* outer_ = nullptr;  // the builtin that is being computed
};

}  // namespace covec::origins
