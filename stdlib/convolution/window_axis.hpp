// Describes how windows slide along one axis, for convolutions and pools.
#pragma once

#include <cstdint>

namespace covec::kernels {

// Window number o covers the elements o·stride + i·dilation − before, for i < window; those outside of [0, in) are
// padding.
struct WindowAxis {
  int64_t in, out, window, stride, before, dilation;
};

}  // namespace covec::kernels
