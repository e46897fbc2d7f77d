// What the module `parallel` is made of.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

const Entry& parallel_start_entry();       // (): finds the other ranks
const Entry& parallel_map_entry();         // (f, parts)
const Entry& parallel_sum_entry();         // (f, parts, own)
const Entry& parallel_all_gather_entry();  // (parts)
const Entry& parallel_rank_entry();        // ()
const Entry& parallel_size_entry();        // ()
const Entry& parallel_tree_entry();        // (f, tree)
// Collectives of one number or tensor. `structure`: that of the tree that it stands in, as text.
const Entry& parallel_all_sum_entry();    // (x, structure, active)
const Entry& parallel_all_max_entry();    // (x, structure, active)
const Entry& parallel_all_min_entry();    // (x, structure, active)
const Entry& parallel_gather_entry();     // (x, axis, structure, active)
const Entry& parallel_own_part_entry();   // (x, extent, axis, active)
const Entry& parallel_broadcast_entry();  // (x, root, structure, active)
const Entry& parallel_scatter_entry();    // (x, root, structure, active)
const Entry& parallel_sendrecv_entry();   // (x, to, from, edge, structure, shifts, active)
// The same of other values, and what belongs to them.
const Entry& parallel_gather_value_entry();    // (x, axis, structure)
const Entry& parallel_sendrecv_value_entry();  // (x, to, from, edge, structure, shifts)
const Entry& parallel_is_parts_entry();        // (x)
const Entry& parallel_from_root_entry();       // (x, root, scatters)
const Entry& parallel_announce_entry();        // (skeleton, root, scatters)
const Entry& parallel_give_entry();            // (x, root)
const Entry& parallel_receive_entry();         // (root, scatters)
const Entry& parallel_barrier_entry();         // ()
const Entry& parallel_save_entry();            // (path, tree)
const Entry& parallel_save_rows_entry();       // (path, x)
const Entry& rank_variable_entry();            // (x, name, own): the same on all ranks
const Entry& rank_result_entry();              // (x, own): the same on all ranks
const Entry& rank_part_entry();                // (x, root): zeros on other ranks
Family ranks_family();

}  // namespace covec::ops
