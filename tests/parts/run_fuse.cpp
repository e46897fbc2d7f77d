// Which operations are one piece of code. A line is a unit:
//
//   kernel %10 multiply, %11 add; stores %11; frees %0       elementwise operations, together
//   kernel %10 multiply, %11 sum (reduces)                   with the reduction of the last one
//   %12 matmul; frees %10                                    an operation by itself
//
// "stores": what is needed after a kernel. "frees": what nobody needs afterwards. "%11 apart: order": why an
// operation's kernel does not hold the operation that an operand of it comes from as well.
#include <set>
#include <stdexcept>

#include "jit/loops/fuse.hpp"
#include "stdlib/ops/contract/entry.hpp"
#include "tests/parts/graph_text.hpp"

namespace covec::test {

namespace {

using loops::Block;
using loops::Boundary;
using loops::Unit;

const char* reason(Boundary boundary) {
  switch (boundary) {
    case Boundary::none: return "";
    case Boundary::elsewhere: return "elsewhere";
    case Boundary::order: return "order";
    case Boundary::placement: return "placement";
    case Boundary::shape: return "shape";
    case Boundary::inputs: return "inputs";
    case Boundary::size: return "size";
  }
  return "?";
}

std::string name(ir::Id id) { return "%" + std::to_string(id); }

std::string head_of(const ir::Operation& operation) {
  static constexpr const char* kinds[] = {"apply", "dimension", "undefined", "box",  "unbox", "if",   "for",
                                          "while", "interpret", "call",      "push", "pop",   "pause"};
  std::string text;
  for (const ir::Id id : operation.results) text += name(id) + " ";
  const bool applies = operation.kind == ir::Kind::apply;
  return text + (applies ? std::string(operation.entry->name) : kinds[static_cast<size_t>(operation.kind)]);
}

class Listing {
 public:
  std::string text(const Block& block) {
    listed(block, 0);
    return text_;
  }

 private:
  void listed(const Block& block, size_t depth) {
    for (uint32_t at = 0; at < block.units.size(); ++at) unit(block, at, depth);
    if (!block.deaths.back().empty()) line(depth, "results" + ids("; frees", block.deaths.back()));
  }

  void line(size_t depth, const std::string& what) { text_ += std::string(2 * depth, ' ') + what + "\n"; }

  void unit(const Block& block, uint32_t at, size_t depth) {
    const Unit& unit = block.units[at];
    line(depth, (unit.kernel ? kernel(block, unit, at) : head_of(*unit.operations[0])) +
                    ids("; frees", freed(block, unit, at)) + apart(unit));
    for (size_t k = 0; k < unit.blocks.size(); ++k) {
      line(depth + 1, "region:");
      listed(unit.blocks[k], depth + 2);
    }
  }

  static std::string kernel(const Block& block, const Unit& unit, uint32_t at) {
    std::string text = "kernel";
    for (const ir::Operation* operation : unit.operations) {
      text += (operation == unit.operations[0] ? " " : ", ") + head_of(*operation);
    }
    if (unit.reduction != nullptr) text += ", " + head_of(*unit.reduction) + " (reduces)";
    return text + ids("; stores", stored(block, unit, at));
  }

  static std::vector<ir::Id> stored(const Block& block, const Unit& unit, uint32_t at) {
    std::vector<ir::Id> found;
    for (const ir::Operation* operation : unit.operations) {
      const auto last = block.last.find(operation->results[0]);
      if (last != block.last.end() && last->second > at) found.push_back(operation->results[0]);
    }
    return found;
  }

  static void note_made(const ir::Operation& operation, std::set<ir::Id>& made) {
    made.insert(operation.results.begin(), operation.results.end());
    for (const ir::Region& region : operation.regions) {
      made.insert(region.parameters.begin(), region.parameters.end());
      for (const ir::Operation& inner : region.operations) note_made(inner, made);
    }
  }

  // What dies here and was not made here.
  static std::vector<ir::Id> freed(const Block& block, const Unit& unit, uint32_t at) {
    std::set<ir::Id> made;
    for (const ir::Operation* operation : unit.operations) note_made(*operation, made);
    std::vector<ir::Id> found = block.deaths[at];
    std::erase_if(found, [&](ir::Id id) { return made.contains(id); });
    return found;
  }

  static std::string apart(const Unit& unit) {
    std::string text;
    for (size_t i = 0; i < unit.operations.size() && unit.kernel; ++i) {
      const Boundary boundary = unit.boundaries[i];
      if (boundary == Boundary::none || boundary == Boundary::elsewhere) continue;
      text += "; " + name(unit.operations[i]->results[0]) + " apart: " + reason(boundary);
    }
    return text;
  }

  static std::string ids(const std::string& head, const std::vector<ir::Id>& all) {
    if (all.empty()) return "";
    std::string text = head;
    for (const ir::Id id : all) text += " " + name(id);
    return text;
  }

  std::string text_;
};

}  // namespace

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
  return Listing().text(loops::schedule(graph, graph.body, limits));
}

}  // namespace covec::test
