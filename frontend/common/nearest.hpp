// "Did you mean": finds the known name most similar to an unknown one, for names of programs, options, columns and
// files alike. Start reading at nearest_name.
#pragma once

#include <string_view>
#include <vector>

namespace covec {

// The candidate nearest to `name`, or "". At most a third of its characters, and at least one, may be wrong, missing,
// too many, or exchanged with the next one. Another case of the letters is nearest of all.
std::string_view nearest_name(std::string_view name, const std::vector<std::string_view>& candidates);

// The same, where no other candidate is as near.
std::string_view only_nearest_name(std::string_view name, const std::vector<std::string_view>& candidates);

}  // namespace covec
