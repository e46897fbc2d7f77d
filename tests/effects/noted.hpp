// An operator for tests that has a type rule, a derivative, a batch rule and an outside effect: noted(x) is x, and
// writes down what it has got. So what is written shows in which order, and how often, such effects happen.
#pragma once

#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/value/context.hpp"

namespace covec::test {

// Where this thread's notes go, also while a session prints nothing (what a derivative runs again), else with its
// prints; and whether cotangents are noted.
void record_noted(ops::Output* output, bool cotangents = true);

// It fails, after it has written, where the first element ends in 7 before the point.
const ops::Entry& noted_entry();

}  // namespace covec::test
