#include "jit/explain/explain_saved.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "jit/explain/explain_kernels.hpp"
#include "stdlib/ops/contract/entry.hpp"

namespace covec::jit {

namespace {

class SavedValues {
 public:
  SavedValues(const Walker& walker, const ir::Graph& graph) : walker_(walker), graph_(graph) {
    see(graph.body);
    see_adjoints(graph.body, false);
  }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  void see(const ir::Region& region) {
    for (const ir::Operation& operation : region.operations) {
      if (operation.kind == ir::Kind::push) add("saved per iteration", operation.place, operation.args[0]);
      for (const ir::Region& inner : operation.regions) see(inner);
    }
  }

  // Tensors of the program that an adjoint computes once more: operations with the places of others.
  void see_adjoints(const ir::Region& region, bool adjoint) {
    for (const ir::Operation& operation : region.operations) {
      if (operation.kind == ir::Kind::apply && operation.entry->pointwise != nullptr) see_again(operation, adjoint);
      // In a sweep, a segment of a loop runs once more itself: see segments.cpp.
      for (const ir::Region& inner : operation.regions)
        see_adjoints(inner, inner.adjoint_of != 0 || (adjoint && inner.serial == 0));
    }
  }
  void see_again(const ir::Operation& operation, bool adjoint) {
    const Value value = graph_.symbol(operation.results[0]);
    if (operation.place == 0 || logical_type(value).shape.empty()) return;
    if (!adjoint)
      computed_.insert({operation.place, operation.entry});
    else if (computed_.contains({operation.place, operation.entry}))
      add("computed again", operation.place, value);
  }

  // A loop that runs in segments says it once.
  void add(const char* what, uint32_t at, const Value& value) {
    const Span place = graph_.places[at].whole;
    std::string line = "    " + std::string(what) + " for the derivative";
    if (place.known()) line += ", at " + walker_.place_text(place);
    line += ": " + text_of(value) + "\n";
    if (std::ranges::find(lines_, line) == lines_.end()) lines_.push_back(std::move(line));
  }

  std::string text_of(const Value& value) const {
    if (!ir::is_symbol(value)) return "a constant";
    const ir::ValueInfo& info = graph_.values[ir::id_of(value)];
    const std::string name = info.name.empty() ? "" : info.name + ", ";
    if (info.boxed) return name + (info.list ? "a list" : "a value of any type");
    const Shape& shape = info.type.shape;
    return name + product_text(graph_, {shape.begin(), shape.end()}, static_cast<int64_t>(size_of(info.type.dtype))) +
           " bytes";
  }

  const Walker& walker_;
  const ir::Graph& graph_;
  std::vector<std::string> lines_;
  std::set<std::pair<uint32_t, const ops::Entry*>> computed_;  // before the sweep: places and operators
};

}  // namespace

std::string explain_saved(const Walker& walker, const ir::Graph& graph) {
  const SavedValues saved(walker, graph);
  std::string text;
  for (const std::string& line : saved.lines()) text += line;
  return text;
}

}  // namespace covec::jit
