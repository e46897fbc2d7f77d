// The core as text, for `covec dump`.
#pragma once

#include <string>

#include "frontend/core/core.hpp"

namespace covec {

std::string dump_core(const core::Unit& unit);
std::string dump_core(const core::Function& function);

}  // namespace covec
