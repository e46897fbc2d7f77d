// Edits a graph during a walk over it. Operations keep their addresses while the walk lasts, because rules point at
// them. Insertions, appended operations and splices are noted beside them; tidy() puts them into place at the end.
#pragma once

#include <deque>
#include <functional>
#include <unordered_map>

#include "jit/ir/graph.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec::passes {

class GraphEdits {
 public:
  explicit GraphEdits(ir::Graph& graph) : graph_(graph) {}
  // A new operation that gives one value of this type: just before another one, or at a region's end.
  ir::Operation& insert(const ir::Operation& before, const ops::Entry& entry, std::vector<Value> args,
                        const Type& type);
  ir::Operation& append(ir::Region& region, const ops::Entry& entry, std::vector<Value> args, const Type& type);
  // The region's operations stand in the operation's place.
  void splice(const ir::Operation& operation, ir::Region& region);
  // Nobody needs it.
  void bury(ir::Operation& operation);
  static bool buried(const ir::Operation& operation) {
    return operation.kind == ir::Kind::undefined && operation.results.empty();
  }
  void note_change() { changed_ = true; }
  // Nothing, where nothing has changed. Operations that `drops` says go as well.
  void tidy(ir::Region& region, FunctionRef<bool(const ir::Operation&)> drops);

 private:
  using Drops = FunctionRef<bool(const ir::Operation&)>;
  ir::Operation& make(const ops::Entry& entry, std::vector<Value> args, const Type& type);
  void tidy_all(ir::Region& region, Drops drops);
  void tidy_into(ir::Region& region, Drops drops, std::vector<ir::Operation>& out);
  void keep(ir::Operation& operation, Drops drops, std::vector<ir::Operation>& out);

  ir::Graph& graph_;
  std::deque<ir::Operation> made_;
  std::unordered_map<const ir::Operation*, std::vector<ir::Operation*>> inserted_;
  std::unordered_map<const ir::Operation*, ir::Region*> spliced_;
  std::unordered_map<const ir::Region*, std::vector<ir::Operation*>> appended_;
  bool changed_ = false;
};

// Puts a region's operations together anew, those inside first. `replace` appends what stands for an operation and
// gives true; where it gives false the operation itself comes behind what it has appended.
void rebuild(ir::Region& region, FunctionRef<bool(ir::Operation&, std::vector<ir::Operation>& out)> replace);

}  // namespace covec::passes
