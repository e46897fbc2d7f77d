// The derivative of a recursive function is again recursive: the adjoint region of its region (recursion.hpp). Both run
// through the same calls, in opposite order, so residuals lie on stacks as those of loops do. The adjoint takes the
// cotangents of the function's result. It also takes the cotangents that its arguments, and values from outside that it
// uses, have so far, and returns these. So they are added one by one in the order of eager code, where a call makes no
// new values of its arguments. Each cotangent is a value and a flag that says whether there is one.
#pragma once

#include <memory>
#include <set>

#include "jit/lower/paths/conversions.hpp"
#include "jit/lower/recursive_calls.hpp"
#include "jit/lower/region_adjoint.hpp"

namespace covec::ir {

// A function on one open tape, as its calls inside of it see it: their entries are recorded before all is known.
struct FunctionTape {
  uint64_t level = 0;
  std::vector<autodiff::Tape::Nodes> family;  // that regions of its own family have made
  std::set<uint32_t> outer;                   // nodes from around it that it uses, as the last walk has found
  std::map<uint32_t, Type> types;             // of those, where they are known
  bool is_recorded = false;
  // Of the cotangents that its adjoint takes, those that any call has, by node in the function; and one of them.
  std::map<uint32_t, Value> there;
  bool is_handed_over(uint32_t node) const { return is_one_of(node, family); }
};

class FunctionTapes {
 public:
  void begin(const RegionTapes& tapes, uint32_t family);
  // True where the function uses other values than was thought when its calls were recorded.
  bool learn(const RegionTapes& tapes, const std::vector<Entries>& entries);
  const std::shared_ptr<FunctionTape>& at(uint64_t level) const;

 private:
  std::vector<std::shared_ptr<FunctionTape>> all_;
};

// Nodes from outside that the function uses or gives.
std::set<uint32_t> outer_nodes_of(const RegionTape& tape, const Entries& entries);

struct FunctionParts {
  ops::Builder& builder;
  GraphWriter& writer;
  Conversions& conversions;
  ControlFlow& control_flow;
  RecursiveCalls& calls;
  ConditionalValues& conditional_values;
};

// Values in the region, and what stands for them where it is called: arguments, and what it gives.
struct CallValues {
  std::span<const Value> heads, arguments;
  const Value& gives;
  const Value& given;
  const PrimalCall& primal_call;
};

// Puts the entries on the tapes. `parameters`: by tape, how many live-outs are arguments; the others are given.
void record_function(const FunctionParts& parts, const FunctionTapes& tapes, RegionTapes& own,
                     std::vector<Entries> entries, const std::vector<size_t>& parameters, uint32_t serial,
                     const CallValues& values);
void record_call(const FunctionParts& parts, const FunctionTapes& tapes, RegionTapes& own,
                 const std::vector<size_t>& parameters, const CallValues& values);

}  // namespace covec::ir
