#include "jit/runtime/code_parts.hpp"

#include <algorithm>

#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/value/callable.hpp"

namespace covec::runtime {

namespace {

using loops::Step;

constexpr size_t max_names = 6;  // of operators in a kernel's name

class PlanParts {
 public:
  explicit PlanParts(const loops::Plan& plan) : plan_(plan), graph_(*plan.graph) {}

  ops::CodeParts all() const {
    ops::CodeParts parts;
    if (!graph_.is_function) parts.function = graph_.name;  // the graph of an outlined function has a name of its own
    if (parts.function.empty() && !graph_.frames.empty()) parts.function = graph_.frames[0].closure.function().name();
    for (uint32_t place = 0; place < graph_.places.size(); ++place) {
      if (graph_.places[place].frame == 0) add_place(parts.itself, place);
      const Span span = written_at(place);
      parts.places.emplace_back(span.known() ? span.file : 0, span.begin);
    }
    for (const Step& step : plan_.steps) parts.steps.push_back(part_of(step));
    return parts;
  }

 private:
  Span written_at(uint32_t place) const {
    if (place >= graph_.places.size()) return {};
    const ir::SourcePlace& source = graph_.places[place];
    return source.site.known() ? source.site : source.whole;  // of a derivative rule: its operator
  }

  void add_place(ops::CodePart& part, uint32_t place) const {
    const Span span = written_at(place);
    if (!span.known()) return;
    const std::pair at(span.file, span.begin);
    if (std::ranges::find(part.places, at) == part.places.end()) part.places.push_back(at);
  }

  ops::CodePart kernel(const loops::Launch& launch) const {
    ops::CodePart part{"kernel", {}};
    for (size_t i = 0; i < launch.members.size(); ++i) {
      if (i < max_names) part.text += " " + std::string(launch.members[i].entry->name);
      add_place(part, launch.members[i].place);
    }
    if (launch.members.size() > max_names) part.text += " …";
    for (const loops::Launch::Reduction& reduction : launch.reductions) {
      part.text += " " + std::string(reduction.entry->name);
      add_place(part, reduction.place);
    }
    return part;
  }

  ops::CodePart rows(const loops::RowTileSteps& row_tiles) const {
    ops::CodePart part{"kernels by rows", {}};
    for (const loops::RowTileSteps::Member& member : row_tiles.members) {
      for (const auto& place : part_of(plan_.steps[member.step]).places) {
        if (std::ranges::find(part.places, place) == part.places.end()) part.places.push_back(place);
      }
    }
    return part;
  }

  // Its kernel computes the whole body: the lines are those of the loop's operations. The loop's own line, which
  // counts, is named where there are no others.
  ops::CodePart vector_loop(const Step& step) const {
    ops::CodePart part{text_of(step), {}};
    add_loops_at(step.place, graph_.body, part);
    if (part.places.empty()) add_place(part, step.place);
    return part;
  }

  void add_loops_at(uint32_t place, const ir::Region& region, ops::CodePart& part) const {
    for (const ir::Operation& operation : region.operations) {
      const bool is_it = ir::is_loop(operation) && operation.place == place;
      for (const ir::Region& inner : operation.regions)
        is_it ? add_operations(inner, part) : add_loops_at(place, inner, part);
    }
  }

  // What no operator of the program has made is the counting of the loop.
  void add_operations(const ir::Region& region, ops::CodePart& part) const {
    for (const ir::Operation& operation : region.operations) {
      const ir::SourcePlace& source = graph_.places[operation.place];
      if (source.entry != nullptr || source.rule_of != nullptr) add_place(part, operation.place);
      for (const ir::Region& inner : operation.regions) add_operations(inner, part);
    }
  }

  ops::CodePart part_of(const Step& step) const {
    if (const auto* launch = step.get_if<loops::step::RunLaunch>()) return kernel(plan_.launches[launch->launch]);
    if (const auto* run = step.get_if<loops::step::RunRowTiles>()) return rows(plan_.row_tiles[run->row_tiles]);
    if (step.is<loops::step::RunVectorLoop>()) return vector_loop(step);
    ops::CodePart part{text_of(step), {}};
    if (!part.text.empty()) add_place(part, step.place);
    return part;
  }

 public:
  static std::string text_of(const Step& step) {
    if (const auto* apply = step.get_if<loops::step::Apply>()) return std::string(apply->op.entry->name);
    if (step.is<loops::step::RunVectorLoop>()) return "a vectorized loop";
    if (step.is<loops::step::RunLaneLoop>()) return "a loop, several iterations at once";
    if (step.is<loops::step::Interpret>()) return "a statement of the interpreter";
    if (step.is<loops::step::CallValue>()) return "a call of a function that is not compiled with it";
    if (step.is<loops::step::DrawAhead>()) return "random numbers";
    return "";
  }

 private:
  const loops::Plan& plan_;
  const ir::Graph& graph_;
};

}  // namespace

ops::CodeParts parts_of(const loops::Plan& plan) { return PlanParts(plan).all(); }

bool is_told(const Step& step) {
  return step.is<loops::step::RunLaunch>() || step.is<loops::step::RunRowTiles>() || !PlanParts::text_of(step).empty();
}

}  // namespace covec::runtime
