// Stages a function: walks it with Symbols for its leaves, which gives its graph.
#pragma once

#include <memory>

#include "interpreter/compiler.hpp"
#include "jit/specialize/specialization.hpp"

namespace covec::jit {

// The names of the arguments, which are given by position, as far as each has one of its own.
std::vector<std::string_view> names_of_arguments(const Callable& function);

// `made` gets the globals that the function reads, its active nodes, and where the walk could not be done at all, why.
std::unique_ptr<ir::Graph> stage(ops::Context& context, Walker& walker, Specialization& made, const Value& function,
                                 std::span<Value> args, const Signature& signature);

}  // namespace covec::jit
