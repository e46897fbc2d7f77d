// Lists the kernels of a function's code, for explain. For each kernel it says what was fused and why fusion stopped.
// It lists vectorized loops and library calls. Matrix products show their shapes, and why the operations before and
// after them are not fused in. Each entry has its time if it was measured. Start at explain_kernels.
#pragma once

#include <string>
#include <vector>

#include "interpreter/compiler.hpp"
#include "jit/cost/roofline.hpp"
#include "jit/pipeline.hpp"

namespace covec::jit {

// roofline: with what each kernel takes, against this; nullptr: without.
std::string explain_kernels(const Walker& walker, const Code& code, const Roofline* roofline);

// What is to be said of times before some are told; empty: they are told, or nobody asks for them.
std::string measuring_text(const Code& code, const Roofline* roofline);
// "64 * x.shape[0]"
std::string product_text(const ir::Graph& graph, const std::vector<Dim>& dims, int64_t factor = 1);
// "3 kernels"
std::string plural(size_t count, const char* what);

}  // namespace covec::jit
