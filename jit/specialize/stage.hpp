// Stages a function: walks it with Symbols for its leaves, which gives its graph.
#pragma once

#include <functional>
#include <memory>

#include "interpreter/compiler.hpp"
#include "jit/specialize/example_arguments.hpp"
#include "jit/specialize/specialization.hpp"

namespace covec::jit {

// The names of the arguments, which are given by position, as far as each has one of its own.
std::vector<std::string_view> names_of_arguments(const Callable& function);

// A walk for a prepared call: extents are numbers, and so are numbers that are no part of an argument. Of each
// parameter of the graph the value that it stands for, and whether the call gives another one.
struct FixedWalk {
  struct Parameter {
    Value value;
    bool given = false;
  };
  size_t given = 0;  // as many of the arguments, the first ones
  std::vector<Parameter> parameters;
};

// What is known of the extents of arguments beyond their types.
struct KnownExtents {
  FixedWalk* walk = nullptr;                // of a prepared call
  const WrittenExtents* written = nullptr;  // of the arguments' leaves, the first ones
  const Family* small = nullptr;            // small ones are known, but where this takes any
};

// Looks at a walk, with the graph as it is then.
using Watch = std::function<void(const ir::Graph&, const StagedStep&)>;

// `made` gets the globals that the function reads, its active nodes, and where the walk could not be done at all, why.
std::unique_ptr<ir::Graph> stage(ops::Context& context, Walker& walker, Specialization& made, const Value& function,
                                 std::span<Value> args, const Signature& signature, const KnownExtents& known = {},
                                 const Watch& watch = {});

}  // namespace covec::jit
