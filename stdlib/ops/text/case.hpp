// Upper and lower case, one character for one character: Unicode's simple mappings.
#pragma once

#include <cstdint>

namespace covec::ops {

char32_t upper_case(char32_t character);
char32_t lower_case(char32_t character);

}  // namespace covec::ops
