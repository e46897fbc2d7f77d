// Passes by themselves: a graph in, the graph that they leave out.
#include <cstdio>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "jit/pipeline.hpp"
#include "tests/parts/graph_text.hpp"

namespace covec::test {

namespace {

void optimize(ir::Graph& graph) {
  std::vector<jit::PassTime> times;
  jit::PipelineOptions options;
  options.verify = true;
  jit::optimize(graph, times, options);
}

std::vector<jit::Pass> passes_named(const std::string& names) {
  std::vector<jit::Pass> found;
  std::istringstream in(names);
  for (std::string name; in >> name;) {
    found.push_back(name == "optimize" ? optimize : jit::pass_named(name));
    if (found.back() == nullptr) throw std::runtime_error("no pass is called " + name);
  }
  if (found.empty()) throw std::runtime_error("which passes?");
  return found;
}

// --- regions that go back through others: the text of a graph does not say it ---

ir::Region* region_with(ir::Region& region, ir::Id parameter) {
  if (!region.parameters.empty() && region.parameters.front() == parameter) return &region;
  for (ir::Operation& operation : region.operations) {
    for (ir::Region& inner : operation.regions) {
      if (ir::Region* found = region_with(inner, parameter)) return found;
    }
  }
  return nullptr;
}

struct Adjoint {
  ir::Id backward = 0, forward = 0;
};

// Takes the lines "adjoint %21 of %11" off the text.
std::vector<Adjoint> take_adjoints(std::string& text) {
  std::vector<Adjoint> adjoints;
  while (text.starts_with("adjoint ")) {
    Adjoint adjoint;
    const size_t end = text.find('\n');
    if (end == std::string::npos ||
        std::sscanf(text.c_str(), "adjoint %%%u of %%%u\n", &adjoint.backward, &adjoint.forward) != 2) {
      throw std::runtime_error("not understood: " + text.substr(0, end));
    }
    adjoints.push_back(adjoint);
    text.erase(0, end + 1);
  }
  return adjoints;
}

void set_adjoints(ir::Graph& graph, const std::vector<Adjoint>& adjoints) {
  for (const Adjoint& adjoint : adjoints) {
    ir::Region* backward = region_with(graph.body, adjoint.backward);
    ir::Region* forward = region_with(graph.body, adjoint.forward);
    if (backward == nullptr || forward == nullptr) throw std::runtime_error("no region has that parameter");
    if (forward->serial == 0) forward->serial = ++graph.regions;
    backward->adjoint_of = forward->serial;
  }
}

}  // namespace

std::string run_passes(const std::string& names, const Input& input) {
  Input plain = input;
  const std::vector<Adjoint> adjoints = take_adjoints(plain.text);
  ir::Graph graph = adjoints.empty() && !names.starts_with("residuals") ? parse_valid_graph(plain) : parse_graph(plain);
  set_adjoints(graph, adjoints);
  const std::string before = text_of(graph, plain);
  for (const jit::Pass pass : passes_named(names)) {
    pass(graph);
    expect_valid(graph, "after a pass");
  }
  const std::string after = text_of(graph, plain);
  return after == before ? "unchanged" : after;
}

}  // namespace covec::test
