// The compiler on one screen: from a function and the types of its arguments to code.
#pragma once

#include "jit/compiler/specialization.hpp"

namespace covec::jit {

struct PipelineOptions {
  BackEnd engine = BackEnd::simd;
  ops::Isa isa = ops::Isa::avx2;
  bool listing = false;       // keep the assembly text
  bool eager_kernels = true;  // the library's kernels for long bodies that stand alone; false: code for all
  bool verify = false;        // check the graph after each pass (debug builds always do)
  // Called after each pass with its name and the graph (covec dump).
  std::function<void(const std::string& pass, const ir::Graph& graph)> watch;
};

// A staged graph, optimised and made code. Throws std::logic_error for a bug in covec.
void compile(Specialization& specialization, std::unique_ptr<ir::Graph> graph, const PipelineOptions& options);
// The passes alone.
void optimize(ir::Graph& graph, std::vector<PassTime>& times, const PipelineOptions& options);

}  // namespace covec::jit
