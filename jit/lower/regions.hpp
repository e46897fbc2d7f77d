// Stages conditions and loops that only the run knows. Each path is walked into a region of its own. The variables'
// values afterwards are merged (merge.hpp) or carried (loop_carried.hpp). Under an open tape the whole is one entry of
// it, whose reverse is walked here as well (adjoint.hpp). Start at branch(), then LoopWalk (loop_walk.hpp).
#pragma once

#include <functional>
#include <map>
#include <set>

#include "interpreter/compiler.hpp"
#include "jit/lower/conversions.hpp"
#include "jit/lower/graph/conditional_value.hpp"
#include "jit/lower/optional.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec::ir {

// The regions that a branch's paths are the adjoints of, by serial; 0: none.
struct AdjointOf {
  uint32_t first = 0, second = 0;
  uint32_t sweep = 0;  // Region::sweep
};

// A loop as the walk meets it.
struct LoopSource {
  Value count;                                    // for_
  std::function<Value()> condition;               // while_: not empty
  std::function<Value(const Value& index)> body;  // gives whether to go on; none: yes
  uint32_t adjoint_of = 0, sweep = 0;             // of an adjoint: a cotangent is of another type than none
  uint64_t memory = 0;                            // Region::memory
  bool whole = false;                             // no iteration may be peeled off
  // Of variable i, a cotangent that is like this one: zeros that may stand for it where it is not there; none: nothing
  // may.
  std::function<Value(size_t i, const Value& like)> zeros = nullptr;
};

// A call of which nothing is known yet has been met: what the function gives is being found out (recursion.hpp).
struct UnknownResult {
  const void* of;
};

// Walks what the run may not come to: a vmap whose examples turn out to differ there is told so.
void walk_conditionally(FunctionRef<void()> path);

class Regions {
 public:
  using Variables = Staging::Variables;
  using Path = std::function<void()>;
  using Pass = std::function<Value(const Value& index)>;

  Regions(ops::Builder& builder, GraphWriter& writer, Conversions& conversions, ConditionalValues& conditional_values)
      : builder_(builder), writer_(writer), conversions_(conversions), conditional_values_(conditional_values) {}

  Conversions& conversions() { return conversions_; }
  Facts& facts() { return facts_; }

  // Loops of adjoints, as they have been walked: of which tape and family (autodiff::Tape::end_region), in which
  // direction, and which nodes of the family have got other cotangents in them.
  struct AdjointWalk {
    uint64_t level = 0;
    uint32_t family = 0;
    bool back = false;
    std::set<uint32_t> touched = {};
  };
  void note(AdjointWalk walk) { adjoint_walks_.push_back(std::move(walk)); }
  // Whether the node's cotangent of each iteration can be brought into a walk that comes next: it has been made by one
  // in the other direction, or another one in that direction has come since (jit/passes/residuals.cpp).
  bool reaches(const AdjointWalk& next, uint32_t node) const;

  // While it is found out what a function gives, paths and loops that come to a call of it are left out.
  class Probe {
   public:
    explicit Probe(Regions& regions) : regions_(regions) { ++regions.probes_; }
    Probe(const Probe&) = delete;
    Probe& operator=(const Probe&) = delete;
    ~Probe() { --regions_.probes_; }

   private:
    Regions& regions_;
  };

  // Of a list's cotangent: one of no item.
  Value nothing_like(const Value& masked);

  void branch(const Value& condition, const Variables& variables, const Path& then, const Path& otherwise,
              AdjointOf paths = {});
  void repeat(const Value& count, const Variables& variables, const Pass& body);
  // As the adjoint of a loop's body.
  struct Back {
    uint32_t adjoint_of = 0;
    uint64_t memory = 0;  // Region::memory
    bool whole = false;   // this and the next as in LoopSource
    std::function<Value(size_t i, const Value& like)> zeros = nullptr;
  };
  void repeat_back(const Value& count, const Variables& variables, const Pass& body, Back back);
  void loop(const Variables& variables, FunctionRef<Value()> condition, FunctionRef<Value()> body);
  bool in_loop() const { return loops_ > 0; }

 private:
  std::vector<std::map<unsigned, ItemType>> try_branch(const Value& condition, const Variables& variables,
                                                       const std::vector<Value>& before, const Path& then,
                                                       const Path& otherwise, AdjointOf paths);
  void walk(const Variables& variables, LoopSource source);

  ops::Builder& builder_;
  GraphWriter& writer_;
  Conversions& conversions_;
  ConditionalValues& conditional_values_;
  std::vector<AdjointWalk> adjoint_walks_;
  Facts facts_;
  unsigned probes_ = 0;
  unsigned loops_ = 0;   // that the walk is in
  unsigned peeled_ = 0;  // how many iterations of loops the walk is in that have been peeled off
};

}  // namespace covec::ir
