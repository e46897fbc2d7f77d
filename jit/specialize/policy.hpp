// Decides what is compiled, and how. It reads the environment (COVEC_ENGINE, COVEC_EAGER_KERNELS, COVEC_JOURNAL; these
// serve tests). For a staged function it decides whether to run its code.
#pragma once

#include "jit/dispatch/dispatcher.hpp"
#include "jit/specialize/specialization.hpp"
#include "stdlib/gate/effect_journal.hpp"
#include "stdlib/value/compiler.hpp"

namespace covec::jit {

struct Policy {
  explicit Policy(const ops::Context& context);
  // What is staged but better interpreted, and what needs care.
  // Gives whether its code is to wait until the dispatcher asks for it: little is expected of it.
  bool decide(Specialization& made, const ir::Graph& graph, const Value& function, const Signature& signature) const;
  // Whether errors are said by the interpreter; or, where it could not make a call again, makes all of them.
  void check_repetitions(Specialization& made, const ir::Graph& graph) const;

  // Where kernels of a function run.
  device::Accelerator* device_for(const CompileRequest& request) const;

  PipelineOptions options;
  Tier tier = Tier::timed;                                // who makes calls where that is open
  bool compiles_all = false;                              // every function, marked or not
  bool enabled = true;                                    // false: no instruction set to compile for
  size_t max_journal = ops::EffectJournal::default_most;  // bytes that a call keeps of its effects, to be made again
  device::Accelerator* device = nullptr;                  // of all functions, marked or not
};

// Whether numbers are all that there is: what a function that calls itself is compiled of as a routine.
bool is_of_numbers(const ir::Graph& graph);

}  // namespace covec::jit
