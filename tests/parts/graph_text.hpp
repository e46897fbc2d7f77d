// Graphs as the cases write them: whole functions, or the bodies of the one whose head the file gives.
#pragma once

#include "jit/ir/graph.hpp"
#include "tests/parts/runs.hpp"

namespace covec::test {

// Throws std::runtime_error where the text is no graph.
ir::Graph parse_graph(const Input& input);
// The same, and where verify() does not accept it.
ir::Graph parse_valid_graph(const Input& input);
void expect_valid(const ir::Graph& graph, const std::string& when);
// In the form that the input has.
std::string text_of(const ir::Graph& graph, const Input& input);

}  // namespace covec::test
