// The pieces of text that the C99 writer is put together from.
#pragma once

#include <string>
#include <string_view>

#include "stdlib/value/dtype.hpp"

namespace covec::source {

std::string_view c_type(Dtype dtype);
std::string c99_constant(Dtype dtype, uint64_t bits);

}  // namespace covec::source
