// The hook through which a device computes operators while a function compiled for it runs.
#pragma once

#include "stdlib/ops/contract/builder.hpp"

namespace covec::ops {

class Offload {
 public:
  virtual ~Offload() = default;
  // The operator's result, wherever it is computed.
  virtual Value apply(Builder& builder, Call& call) = 0;
};

}  // namespace covec::ops
