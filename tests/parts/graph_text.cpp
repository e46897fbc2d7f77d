#include "tests/parts/graph_text.hpp"

#include <sstream>
#include <stdexcept>

#include "jit/ir/graph_text.hpp"
#include "tests/effects/noted.hpp"

namespace covec::test {

namespace {

bool is_whole(const Input& input) { return input.prelude.empty() || input.text.starts_with("function "); }

}  // namespace

ir::Graph parse_graph(const Input& input) {
  static const ops::Entry* const more[] = {&noted_entry()};
  if (is_whole(input)) return ir::parse(input.text, more);
  return ir::parse(input.prelude + input.text + "\n}", more);
}

void expect_valid(const ir::Graph& graph, const std::string& when) {
  const std::string fault = ir::verify(graph);
  if (!fault.empty()) throw std::runtime_error("no valid graph " + when + ": " + fault + "\n" + ir::print(graph));
}

ir::Graph parse_valid_graph(const Input& input) {
  ir::Graph graph = parse_graph(input);
  expect_valid(graph, "as written");
  return graph;
}

std::string text_of(const ir::Graph& graph, const Input& input) {
  const std::string text = ir::print(graph);
  if (is_whole(input)) return text;
  std::istringstream in(text);
  std::string out;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("  ")) out += line.substr(2) + "\n";
  }
  return out;
}

}  // namespace covec::test
