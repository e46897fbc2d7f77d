// What the tests of the tensor IR share: functions of some parameters, given as the lines of their bodies.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "jit/ir/graph.hpp"
#include "jit/passes/passes.hpp"

namespace covec::test {

using Pass = void (*)(ir::Graph&);

// %0: f64[_], %1: f64[_], %2: f64, %3: i64, %4: bool, %5: i64[_], %6: f32, %7: i32, %8: f64[_, _], %9: bool; the body's
// own values begin with %10.
ir::Graph graph_of(const std::string& body);
// The lines of a graph's body.
std::string body_of(const ir::Graph& graph);
// The body after the passes, each leaving a graph that verify() accepts.
std::string after(const std::vector<Pass>& passes, const std::string& body);

struct Case {
  const char* name;
  const char* before;
  const char* after;  // nullptr: nothing may change
};
// Every case after the passes, then dce.
void expect_cases(const std::vector<Pass>& passes, const std::vector<Case>& cases);

}  // namespace covec::test
