// Writes the graph under construction. It holds the open regions; new operations go to the innermost one, with the
// current source place. Operations at the end can be removed again. Start at append() and result_of().
#pragma once

#include <map>
#include <set>
#include <span>
#include <vector>

#include "interpreter/compiler.hpp"
#include "jit/ir/graph.hpp"
#include "jit/lower/graph/dimensions.hpp"

namespace covec::ir {

// The interpreter will raise the error of an operation that is to be appended. It makes the call again for that.
void leave_error(Graph& graph, Operation& operation);

class GraphWriter {
 public:
  GraphWriter(const ops::Context& context, Graph& graph);

  Graph& graph() { return graph_; }
  const Graph& graph() const { return graph_; }
  Dimensions& dimensions() { return dimensions_; }
  // A Symbol of which the types tell nothing; false for all other values.
  bool is_boxed(const Value& value) const { return is_symbol(value) && graph_.values[id_of(value)].boxed; }

  Operation& append(Operation operation);
  // How many loops and recursions have been appended, those included that were taken back.
  uint64_t loops() const { return loops_; }
  // Of an operator of the program, whose error speaks of one example: not so where it has been staged for all.
  Operation& append_applied(Operation operation);
  // Results of an operation that is to be appended.
  Value result_of(Operation& operation, const Type& type);
  Value boxed_result_of(Operation& operation);
  Value list_result_of(Operation& operation, Dtype dtype, unsigned rank);  // of items
  // Operations that no entry stands for.
  Value box(const Value& tree);  // as one value
  void require(const Value& holds);

  // A region while it is being walked: operations go there until the scope ends.
  class InRegion {
   public:
    InRegion(GraphWriter& writer, Region& region) : writer_(writer), assumed_(writer.dimensions().mark()) {
      writer_.open_.push_back(&region);
    }
    InRegion(const InRegion&) = delete;
    InRegion& operator=(const InRegion&) = delete;
    ~InRegion() {
      writer_.open_.pop_back();
      writer_.dimensions().rollback(assumed_);
    }

   private:
    GraphWriter& writer_;
    const Dimensions::Mark assumed_;
  };
  // In a region that goes back through another. There a region without cotangents is gone back through as well, to take
  // off the stacks what its iterations have put there.
  bool is_in_adjoint() const;
  // The number of a walk back through a region (Region::sweep): inside of one, each region has one, however often that
  // is walked.
  uint32_t walk_back(uint32_t through);
  // A region that is about to be walked.
  void note_region(const Region& region);
  // The region of the program that a region is the adjoint of, or the adjoint's adjoint and so on, by serials; and
  // whether it runs through that one's iterations the other way round.
  struct Forward {
    uint32_t serial;
    bool back;
    uint32_t adjoint_of = 0;  // Region::adjoint_of
  };
  Forward forward_of(uint32_t serial) const {
    const auto known = forward_.find(serial);
    return known == forward_.end() ? Forward{serial, false} : known->second;
  }
  // Whether an extent is the same in all iterations of a loop that is entered: all values that it is made of are made
  // in regions that are open, or that these go back through. Those that the loop itself goes back through have others
  // in each iteration.
  bool is_fixed(Dim dim, const Region& body) const;
  // The loops in whose bodies (or their adjoints, and so on) it is, by the serials of those.
  std::set<uint32_t> open_loops() const;

  // Where what is appended stands in the program, and the call that it runs in.
  void set_place(const StagedSource* place) { place_ = place; }
  const StagedSource* place() const { return place_; }
  uint32_t enter(const Callable& closure, uint32_t caller, Span site);

  struct Position {  // in the innermost region
    size_t operations, unstaged;
    Dimensions::Mark assumed;
  };
  Position position() const { return {open_.back()->operations.size(), graph_.unstaged.size(), dimensions_.mark()}; }
  void rollback(Position to);
  void insert(Position at, Operation operation);                     // which stands behind what was there then
  std::span<const Operation> appended_since(size_t position) const;  // Position::operations

 private:
  void count_operation();
  uint32_t place_number();
  uint32_t written_place();
  uint32_t place_in_rule();
  bool in_batch() const;

  const ops::Context& context_;
  Graph& graph_;
  Dimensions dimensions_;
  std::vector<Region*> open_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> walks_back_;  // by that around it, and the region's serial
  std::map<uint32_t, Forward> forward_;                           // of adjoint regions
  const StagedSource* place_ = nullptr;
  size_t operations_ = 0;
  uint64_t loops_ = 0;
  // The place of the last operation of a derivative rule, and what it was made of.
  struct RuleSource {
    uint32_t around = 0;
    const ops::Entry* rule_of = nullptr;
    const Span* site = nullptr;
    uint32_t number = 0;
  } rule_place_;
};

}  // namespace covec::ir
