// Stages conditions and loops that only the run knows. Each path is walked into a region of its own. The variables'
// values afterwards are merged (paths/merge.hpp) or carried (paths/loop_carried.hpp). Under an open tape the whole is
// one entry of it, whose reverse is walked here as well (adjoint.hpp). Start at branch(), then LoopWalk
// (loop_walk.hpp).
#pragma once

#include <map>

#include "jit/lower/adjoint.hpp"
#include "jit/lower/loop_walk.hpp"
#include "jit/lower/paths/control_flow.hpp"
#include "jit/lower/paths/optional.hpp"

namespace covec::ir {

// A call of which nothing is known yet has been met: what the function gives is being found out (recursion.hpp).
struct UnknownResult {
  const void* of;
};

class Regions final : public ControlFlow {
 public:
  Regions(ops::Builder& builder, GraphWriter& writer, Conversions& conversions, ConditionalValues& conditional_values,
          Facts& facts)
      : builder_(builder),
        writer_(writer),
        conversions_(conversions),
        conditional_values_(conditional_values),
        facts_(facts),
        adjoints_(builder, writer, conversions, *this) {}

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

  void branch(const Value& condition, const Variables& variables, const Path& then, const Path& otherwise,
              AdjointOf paths = {}) override;
  void repeat(const Value& count, const Variables& variables, const Pass& body) override;
  void repeat_back(const Value& count, const Variables& variables, const Pass& body, Back back) override;
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
  Facts& facts_;
  AdjointRecorder adjoints_;
  unsigned probes_ = 0;
  unsigned loops_ = 0;   // that the walk is in
  unsigned peeled_ = 0;  // how many iterations of loops the walk is in that have been peeled off
};

}  // namespace covec::ir
