#include "tests/ir/ir_support.hpp"

#include <sstream>

namespace covec::test {

namespace {

constexpr const char* head =
    "function f(%0: f64[_], %1: f64[_], %2: f64, %3: i64, %4: bool, %5: i64[_], %6: f32, %7: i32, %8: f64[_, _], "
    "%9: bool) {\n";

// Without indentation and empty lines.
std::string plain(const std::string& text) {
  std::istringstream in(text);
  std::string out;
  for (std::string line; std::getline(in, line);) {
    const size_t first = line.find_first_not_of(' ');
    if (first != std::string::npos) out += line.substr(first) + "\n";
  }
  return out;
}

}  // namespace

ir::Graph graph_of(const std::string& body) { return ir::parse(head + body + "\n}"); }

std::string body_of(const ir::Graph& graph) {
  const std::string text = ir::print(graph);
  const size_t first = text.find('\n') + 1;
  return plain(text.substr(first, text.rfind('}') - first));
}

std::string after(const std::vector<Pass>& passes, const std::string& body) {
  ir::Graph graph = graph_of(body);
  EXPECT_EQ(ir::verify(graph), "") << body;
  for (const Pass pass : passes) {
    pass(graph);
    EXPECT_EQ(ir::verify(graph), "") << ir::print(graph);
  }
  return body_of(graph);
}

void expect_cases(const std::vector<Pass>& passes, const std::vector<Case>& cases) {
  std::vector<Pass> all = passes;
  all.push_back(passes::dce);
  for (const Case& c : cases) {
    const std::string wanted = plain(c.after != nullptr ? c.after : c.before);
    EXPECT_EQ(after(all, c.before), wanted) << c.name;
  }
}

}  // namespace covec::test
