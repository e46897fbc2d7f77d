#include "jit/loops/fuse/units_text.hpp"

#include <charconv>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <vector>

#include "jit/loops/fuse/row_tiles.hpp"
#include "stdlib/ops/contract/entry.hpp"

namespace covec::loops {

namespace {

using ir::Id;

constexpr const char* boundary_names[] = {"none", "elsewhere", "order", "placement", "shape", "inputs", "size"};

const char* kind_name(ir::Kind kind) {
  static constexpr const char* names[] = {"apply",  "dimension", "undefined", "box",  "unbox",  "if",
                                          "for",    "while",     "interpret", "call", "itself", "recursion",
                                          "invoke", "push",      "pop",       "pause"};
  return names[static_cast<size_t>(kind)];
}

std::string id_text(Id id) { return "%" + std::to_string(id); }

// --- to text ---

class UnitPrinter {
 public:
  std::string text(const Block& block) {
    listed(block, 0);
    return text_;
  }

 private:
  void listed(const Block& block, size_t depth) {
    for (uint32_t at = 0; at < block.units.size(); ++at) unit(block, at, depth);
    if (!block.dead_values.back().empty()) line(depth, "results" + ids("; frees", block.dead_values.back()));
  }

  void line(size_t depth, const std::string& what) { text_ += std::string(2 * depth, ' ') + what + "\n"; }

  void unit(const Block& block, uint32_t at, size_t depth) {
    const Unit& unit = block.units[at];
    const std::string tile = unit.row_tile == Unit::alone ? "" : "; row tile " + std::to_string(unit.row_tile);
    line(depth, (unit.kernel ? kernel(block, unit, at) : head_of(block, *unit.operations[0])) + tile +
                    ids("; frees", freed(block, unit, at)) + apart(unit));
    for (const Block& inner : unit.blocks) {
      line(depth + 1, "region:");
      listed(inner, depth + 2);
    }
  }

  static std::string head_of(const Block& block, const ir::Operation& operation) {
    std::string text;
    for (const Id id : operation.results) text += id_text(id) + " ";
    if (text.empty()) text = "#" + std::to_string(&operation - block.region->operations.data()) + " ";
    return text + (operation.kind == ir::Kind::apply ? std::string(operation.entry->name) : kind_name(operation.kind));
  }

  static std::string kernel(const Block& block, const Unit& unit, uint32_t at) {
    std::string text = "kernel";
    for (const ir::Operation* operation : unit.operations)
      text += (operation == unit.operations[0] ? " " : ", ") + head_of(block, *operation);
    if (unit.reduction != nullptr) text += ", " + head_of(block, *unit.reduction) + " (reduces)";
    if (unit.product != nullptr) text += "; epilogue of " + head_of(block, *unit.product);
    if (unit.update != nullptr) text += "; stored by " + head_of(block, *unit.update);
    return text + ids("; stores", stored(block, unit, at));
  }

  static std::vector<Id> stored(const Block& block, const Unit& unit, uint32_t at) {
    std::vector<Id> found;
    for (const ir::Operation* operation : unit.operations) {
      const auto last = block.last.find(operation->results[0]);
      if (last != block.last.end() && last->second > at) found.push_back(operation->results[0]);
    }
    return found;
  }

  static void note_made(const ir::Operation& operation, std::set<Id>& made) {
    made.insert(operation.results.begin(), operation.results.end());
    for (const ir::Region& region : operation.regions) {
      made.insert(region.parameters.begin(), region.parameters.end());
      for (const ir::Operation& inner : region.operations) note_made(inner, made);
    }
  }

  // What dies here and was not made here.
  static std::vector<Id> freed(const Block& block, const Unit& unit, uint32_t at) {
    std::set<Id> made;
    for (const ir::Operation* operation : operations_of(unit)) note_made(*operation, made);
    std::vector<Id> found = block.dead_values[at];
    std::erase_if(found, [&](Id id) { return made.contains(id); });
    return found;
  }

  static std::string apart(const Unit& unit) {
    std::string text;
    for (size_t i = 0; i < unit.operations.size() && unit.kernel; ++i) {
      const Boundary boundary = unit.boundaries[i];
      if (boundary == Boundary::none || boundary == Boundary::elsewhere) continue;
      text +=
          "; " + id_text(unit.operations[i]->results[0]) + " apart: " + boundary_names[static_cast<size_t>(boundary)];
    }
    return text;
  }

  static std::string ids(const std::string& head, const std::vector<Id>& all) {
    if (all.empty()) return "";
    std::string text = head;
    for (const Id id : all) text += " " + id_text(id);
    return text;
  }

  std::string text_;
};

// --- from text ---

class UnitParser {
 public:
  UnitParser(const ir::Graph& graph, std::string_view text) : graph_(graph) {
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      lines_.push_back(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  Block block(const ir::Region& region) {
    Block parsed = listed(region, 0);
    if (at_ < lines_.size()) fail();
    return parsed;
  }

 private:
  [[noreturn]] void fail() const {
    throw std::runtime_error("not a unit: " + std::string(at_ < lines_.size() ? lines_[at_] : "the end of the text"));
  }

  // The next line, if it stands at this depth; without its indentation.
  std::optional<std::string_view> line_at(size_t depth) const {
    if (at_ == lines_.size()) return std::nullopt;
    const std::string_view line = lines_[at_];
    const size_t indent = line.find_first_not_of(' ');
    return indent == 2 * depth ? std::optional(line.substr(indent)) : std::nullopt;
  }

  Block listed(const ir::Region& region, size_t depth) {
    Block block;
    block.region = &region;
    while (const std::optional<std::string_view> line = line_at(depth)) {
      if (line->starts_with("results")) {
        ++at_;
        break;
      }
      block.units.push_back(unit(region, *line));
      ++at_;
      Unit& made = block.units.back();
      for (const ir::Region& inner : made.operations[0]->regions) {
        if (line_at(depth + 1) != "region:") fail();
        ++at_;
        made.blocks.push_back(listed(inner, depth + 2));
      }
    }
    if (!describe_row_tiles(graph_, block)) throw std::runtime_error("a unit of a row tile has no rows");
    find_last_uses(block);
    return block;
  }

  Unit unit(const ir::Region& region, std::string_view line) const {
    Unit unit;
    std::vector<std::string_view> parts = split(line, "; ");
    unit.kernel = skip(parts[0], "kernel ");
    for (std::string_view head : split(parts[0], ", ")) {
      const ir::Operation& operation = operation_of(region, head);
      if (head.ends_with(" (reduces)")) {
        unit.reduction = &operation;
      } else {
        unit.operations.push_back(&operation);
        unit.boundaries.push_back(Boundary::none);
        unit.can_fail |= unit.kernel && weigh(graph_, operation).fails;
      }
    }
    if (unit.operations.empty()) fail();
    for (std::string_view part : std::span(parts).subspan(1)) rest(region, unit, part);
    return unit;
  }

  void rest(const ir::Region& region, Unit& unit, std::string_view part) const {
    if (skip(part, "epilogue of ")) {
      unit.product = &operation_of(region, part);
    } else if (skip(part, "stored by ")) {
      unit.update = &operation_of(region, part);
    } else if (skip(part, "row tile ")) {
      unit.row_tile = number(part);
    } else if (const size_t apart = part.find(" apart: "); apart != part.npos) {
      const ir::Operation* const operation = &operation_of(region, part);
      for (size_t i = 0; i < unit.operations.size(); ++i) {
        if (unit.operations[i] == operation) unit.boundaries[i] = boundary(part.substr(apart + 8));
      }
    } else if (!skip(part, "stores") && !skip(part, "frees")) {
      fail();
    }
  }

  Boundary boundary(std::string_view name) const {
    for (size_t i = 0; i < std::size(boundary_names); ++i) {
      if (name == boundary_names[i]) return static_cast<Boundary>(i);
    }
    fail();
  }

  // By its first result, or its number in the region.
  const ir::Operation& operation_of(const ir::Region& region, std::string_view head) const {
    const bool by_number = head.starts_with('#');
    if (!by_number && !head.starts_with('%')) fail();
    const uint32_t wanted = number(head.substr(1));
    if (by_number && wanted < region.operations.size()) return region.operations[wanted];
    for (const ir::Operation& operation : region.operations) {
      if (!by_number && !operation.results.empty() && operation.results[0] == wanted) return operation;
    }
    fail();
  }

  uint32_t number(std::string_view text) const {
    uint32_t found = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), found).ec != std::errc()) fail();
    return found;
  }

  static bool skip(std::string_view& text, std::string_view head) {
    if (!text.starts_with(head)) return false;
    text.remove_prefix(head.size());
    return true;
  }

  static std::vector<std::string_view> split(std::string_view text, std::string_view between) {
    std::vector<std::string_view> parts;
    for (size_t end = text.find(between); end != text.npos; end = text.find(between)) {
      parts.push_back(text.substr(0, end));
      text.remove_prefix(end + between.size());
    }
    parts.push_back(text);
    return parts;
  }

  const ir::Graph& graph_;
  std::vector<std::string_view> lines_;
  size_t at_ = 0;
};

// --- faults ---

class UnitVerifier {
 public:
  std::string fault(const Block& block) {
    std::set<const ir::Operation*> done;
    for (const ir::Operation& operation : block.region->operations)
      waiting_.insert(operation.results.begin(), operation.results.end());
    if (std::string found = fault_of_tiles(block); !found.empty()) return found;
    for (const Unit& unit : block.units) {
      if ((unit.reduction != nullptr) + (unit.product != nullptr) + (unit.update != nullptr) > 1)
        return name(*unit.operations[0]) + " is joined with several operations";
      for (const ir::Operation* operation : operations_of(unit)) {
        if (!done.insert(operation).second) return name(*operation) + " is there twice";
        std::string fault;
        each_use(*operation, [&](Id id) {
          if (waiting_.contains(id)) fault = name(*operation) + " comes before " + id_text(id);
        });
        if (!fault.empty()) return fault;
        if (unit.kernel) made(*operation);
      }
      if (unit.blocks.size() != (unit.kernel ? 0 : unit.operations[0]->regions.size())) return "a region is missing";
      for (const Block& inner : unit.blocks) {
        if (std::string found = fault(inner); !found.empty()) return found;
      }
      if (!unit.kernel) made(*unit.operations[0]);
    }
    return done.size() == block.region->operations.size() ? "" : "an operation is in no unit";
  }

 private:
  // The units of a row tile follow each other.
  static std::string fault_of_tiles(const Block& block) {
    std::vector<size_t> members(block.row_tiles.size());
    for (size_t at = 0; at < block.units.size(); ++at) {
      const uint32_t tile = block.units[at].row_tile;
      if (tile == Unit::alone) continue;
      if (tile >= members.size()) return "a row tile is not described";
      if (members[tile]++ > 0 && block.units[at - 1].row_tile != tile) return "a row tile has a gap";
    }
    for (size_t tile = 0; tile < members.size(); ++tile) {
      if (members[tile] != block.row_tiles[tile].members.size()) return "a row tile is not described";
    }
    return "";
  }

  void made(const ir::Operation& operation) {
    for (const Id id : operation.results) waiting_.erase(id);
  }
  static std::string name(const ir::Operation& operation) {
    return operation.results.empty() ? kind_name(operation.kind) : id_text(operation.results[0]);
  }

  std::set<Id> waiting_;  // what the open regions have yet to make
};

}  // namespace

std::string print(const Block& block) { return UnitPrinter().text(block); }

Block parse_units(const ir::Graph& graph, const ir::Region& region, std::string_view text) {
  return UnitParser(graph, text).block(region);
}

std::string verify(const Block& block) { return UnitVerifier().fault(block); }

}  // namespace covec::loops
