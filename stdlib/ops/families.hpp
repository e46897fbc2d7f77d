// The families of operators. Each is one file (or folder) that holds its entries whole; this is the only list of them.
#pragma once

#include <span>

#include "stdlib/ops/entry.hpp"

namespace covec::ops {

using Family = std::span<const Entry* const>;

Family pointwise_family();  // ops/pointwise/: arithmetic, comparisons, logic, where, functions, casts
Family reduce_family();     // ops/reduce.cpp: sum prod max min mean any all argmax argmin logsumexp
Family linalg_family();     // ops/linalg.cpp: matmul dot contract
Family signal_family();     // ops/signal.cpp: conv1d conv2d max_pool2d avg_pool2d
Family shape_family();      // ops/shape.cpp: reshape transpose concat stack broadcast_to sum_to …
Family index_family();      // ops/index.cpp: index_read index_update index_add
Family make_family();       // ops/make.cpp: zeros ones full arange linspace eye …
Family random_family();     // ops/random.cpp: seed rand randn
Family general_family();    // ops/general.cpp: len range zip enumerate print format type_of push list tree_map …
Family files_family();      // ops/files.cpp: read_csv write_csv save load args
Family transform_family();  // autodiff/: grad vmap jacobian …
Family staged_family();     // ops/staged.cpp: what only compiled functions apply

}  // namespace covec::ops
