// Lists the numbers of a value one by one: those of a tensor in row-major order, and those of a tuple, list, record or
// map part by part.
#pragma once

#include <covec/covec.h>

#include "stdlib/value/value.hpp"

namespace covec::embedding {

// COVEC_ERROR, with its words, where there are not as many, or something else than numbers.
covec_status expect_numbers(covec_session* session, const Value& value, size_t wanted);
// As f64, rounded where it has no room. `to` has as many as there are.
void copy_numbers(const Value& value, double* to);

}  // namespace covec::embedding
