// Which operations are one piece of code, as `covec dump --kernels` prints them (jit/loops/fuse/units_text.hpp). The
// text is read back, and is the same again.
#include <stdexcept>

#include "jit/loops/fuse/units_text.hpp"
#include "tests/parts/graph_text.hpp"

namespace covec::test {

std::string run_fuse(const std::string& options, const Input& input) {
  loops::FuseLimits limits;
  if (options == "inputs 3")
    limits.inputs = 3;
  else if (options == "members 3")
    limits.members = 3;
  else if (options == "apart")
    limits.fuse = false;
  else if (options == "own code")
    limits.eager_kernels = false;
  else if (!options.empty())
    throw std::runtime_error("no such way to fuse: " + options);
  const ir::Graph graph = parse_valid_graph(input);
  const loops::Block block = loops::schedule(graph, graph.body, limits);
  const std::string fault = loops::verify(block), text = loops::print(block);
  if (!fault.empty()) throw std::runtime_error("no valid units: " + fault);
  const loops::Block again = loops::parse_units(graph, graph.body, text);
  if (loops::print(again) != text) throw std::runtime_error("read back, it is\n" + loops::print(again));
  return text;
}

}  // namespace covec::test
