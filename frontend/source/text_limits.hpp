// Limits on the length and nesting of a text, if a host allows less than the frontend does, and on what is told of it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace covec {

struct TextLimits {
  size_t bytes = size_t{16} << 20;  // its tree takes a hundred times that
  uint32_t nesting = 1000;          // open brackets of all kinds
  size_t problems = 20;             // that are told of it: nobody reads on
};

}  // namespace covec
