// What a file of cases can run: its #run line is one of these names, followed by what the run is told.
//
//   passes <pass>…  a graph through passes of jit/passes, or `optimize`, the pipeline of them. Where the file gives
//                   a function's head, inputs and outcomes may be bodies. "adjoint %21 of %11": the region with
//                   parameter %21 goes back through the one with parameter %11 (residuals)
//   fuse            a graph's operations in the units that are one piece of code each (jit/loops/fuse/fuse.hpp)
//   build           a graph's loop program, kernels and steps (jit/loops/build/build.hpp); told `vectors`: only its
//                   vectorized loops, with their kernels; told `lanes`: only loops that run in lanes of vectors
//   stage           the function f of a program, staged: its graph before all passes (jit/lower)
//   core            a program's core, last uses marked ! (frontend/resolve)
//   tape            what a function does to floats that it is differentiated by (stdlib/autodiff/tape.hpp): a program
//                   whose last value is (function, argument, …)
#pragma once

#include <string>

namespace covec::test {

struct Input {
  std::string prelude;
  std::string text;
};

// What comes out. Throws std::exception where the input makes no sense.
std::string run(const std::string& what, const Input& input);

std::string run_passes(const std::string& names, const Input& input);
std::string run_fuse(const std::string& options, const Input& input);
std::string run_build(const std::string& options, const Input& input);
std::string run_stage(const std::string& options, const Input& input);
std::string run_core(const std::string& options, const Input& input);
std::string run_tape(const std::string& options, const Input& input);

}  // namespace covec::test
