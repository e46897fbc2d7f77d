// The files of the table family that hold operators: each lists its own at its end. The module `table` uses them, and
// their errors use its words.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

Family table_files_entries();
Family table_columns_entries();
Family table_factorize_entries();
Family table_group_entries();
Family table_join_entries();
Family table_words_entries();
Family table_dates_entries();
Family table_show_entries();

Family table_family();

}  // namespace covec::ops
