// What the module `parallel` is made of.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

const Entry& parallel_start_entry();       // (): finds the other ranks
const Entry& parallel_map_entry();         // (f, parts)
const Entry& parallel_sum_entry();         // (f, parts)
const Entry& parallel_all_gather_entry();  // (parts)
const Entry& parallel_rank_entry();        // ()
const Entry& parallel_size_entry();        // ()
const Entry& parallel_tree_entry();        // (f, tree)
const Entry& parallel_all_sum_entry();     // (x, structure, active)
const Entry& rank_variable_entry();        // (x, name, own): the same on all ranks
const Entry& rank_result_entry();          // (x, own): the same on all ranks
const Entry& rank_part_entry();            // (x, root): zeros on other ranks
Family ranks_family();

}  // namespace covec::ops
