// The text form of the loop IR: `covec dump --loops`.
#include <cstdio>

#include "jit/loops/loop_ir.hpp"
#include "jit/source/c99.hpp"

namespace covec::loops {

namespace {

std::string text(const Access& access) {
  std::string out = "b" + std::to_string(access.buffer) + "[";
  for (size_t axis = 0; axis < access.loop.size(); ++axis) {
    out += axis > 0 ? ", " : "";
    out += access.loop[axis] == Access::fixed ? "0" : "i" + std::to_string(access.loop[axis]);
  }
  return out + "]";
}

std::string text(const Body& body, const std::string& indent) {
  std::string out;
  for (size_t n = 0; n < body.code.size(); ++n) {
    const Instruction& i = body.code[n];
    std::string value;
    switch (i.kind) {
      case Instruction::Kind::load: value = text(i.access); break;
      case Instruction::Kind::constant: value = "constant 0x" + [&] {
        char buffer[17];
        std::snprintf(buffer, sizeof buffer, "%llx", static_cast<unsigned long long>(i.bits));
        return std::string(buffer);
      }(); break;
      case Instruction::Kind::argument: value = i.bits == 0 ? "left" : "right"; break;
      case Instruction::Kind::scalar: value = source::c99_expression(body, i); break;
    }
    out += indent + "v" + std::to_string(n) + ": " + std::string(name_of(i.dtype)) + " = " + value + "\n";
    if (body.fails && *body.fails == n) out += indent + "fail if v" + std::to_string(n) + "\n";
  }
  return out;
}

}  // namespace

std::string print(const Program& program) {
  const ir::Graph& graph = *program.graph;
  std::string out;
  for (const Nest& nest : program.nests) {
    out += std::string(graph.operations[nest.operation].entry->name) + " -> b" + std::to_string(nest.target.buffer) + ": " +
           std::string(name_of(nest.dtype)) + "\n";
    std::string indent = "  ";
    for (size_t l = 0; l < nest.loops.size(); ++l) {
      const bool reduced = l + nest.reduced >= nest.loops.size();
      out += indent + (reduced ? "reduce i" : "for i") + std::to_string(l) + " < " + ir::print(graph, nest.loops[l]) + "\n";
      indent += "  ";
    }
    out += text(nest.body, indent);
    const std::string value = "v" + std::to_string(nest.body.value);
    if (nest.combine) {
      constexpr const char* orders[] = {" in lanes\n", " in one chain\n", " in any order\n", ", keeping the position\n"};
      out += indent + "combine " + value + orders[static_cast<int>(nest.combine->order)];
      out += text(nest.combine->body, indent + "  ");
      out += indent + "  give v" + std::to_string(nest.combine->body.value) + "\n";
    } else {
      out += indent + text(nest.target) + " = " + value + "\n";
    }
  }
  return out;
}

}  // namespace covec::loops
