#include "stdlib/ops/ranks/family.hpp"

namespace covec::ops {

Family ranks_family() {
  static const Entry* const entries[] = {&parallel_start_entry(),
                                         &parallel_map_entry(),
                                         &parallel_sum_entry(),
                                         &parallel_all_gather_entry(),
                                         &parallel_rank_entry(),
                                         &parallel_size_entry(),
                                         &parallel_tree_entry(),
                                         &parallel_all_sum_entry(),
                                         &parallel_all_max_entry(),
                                         &parallel_all_min_entry(),
                                         &parallel_gather_entry(),
                                         &parallel_own_part_entry(),
                                         &parallel_broadcast_entry(),
                                         &parallel_scatter_entry(),
                                         &parallel_sendrecv_entry(),
                                         &parallel_gather_value_entry(),
                                         &parallel_sendrecv_value_entry(),
                                         &parallel_is_parts_entry(),
                                         &parallel_from_root_entry(),
                                         &parallel_announce_entry(),
                                         &parallel_give_entry(),
                                         &parallel_receive_entry(),
                                         &parallel_barrier_entry(),
                                         &parallel_save_entry(),
                                         &parallel_save_rows_entry(),
                                         &rank_variable_entry(),
                                         &rank_result_entry(),
                                         &rank_part_entry()};
  return entries;
}

}  // namespace covec::ops
