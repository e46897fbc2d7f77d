#include "jit/explain/explain_saved.hpp"

#include <algorithm>
#include <vector>

#include "jit/explain/explain_kernels.hpp"

namespace covec::jit {

namespace {

class SavedValues {
 public:
  SavedValues(const Walker& walker, const ir::Graph& graph) : walker_(walker), graph_(graph) { see(graph.body); }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  void see(const ir::Region& region) {
    for (const ir::Operation& operation : region.operations) {
      if (operation.kind == ir::Kind::push) add(operation);
      for (const ir::Region& inner : operation.regions) see(inner);
    }
  }

  // A loop that runs in segments says it once.
  void add(const ir::Operation& push) {
    const Span place = graph_.places[push.place].whole;
    std::string line = "    saved per iteration for the derivative";
    if (place.known()) line += ", at " + walker_.place_text(place);
    line += ": " + text_of(push.args[0]) + "\n";
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
};

}  // namespace

std::string explain_saved(const Walker& walker, const ir::Graph& graph) {
  const SavedValues saved(walker, graph);
  std::string text;
  for (const std::string& line : saved.lines()) text += line;
  return text;
}

}  // namespace covec::jit
