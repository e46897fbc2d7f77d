// "Did you mean": finds the known name most similar to an unknown one. The frontend has its own for names of the
// program; neither sees the other.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace covec {

// Empty where none is near: at most a third of its letters, and at least one, may be wrong, missing or too many.
std::string_view nearest_of(std::string_view name, std::span<const std::string> names);

}  // namespace covec
