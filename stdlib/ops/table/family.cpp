// All operators of the family, file by file.
#include "stdlib/ops/table/family.hpp"

namespace covec::ops {

Family table_family() {
  static const std::vector<const Entry*> all =
      joined({table_files_entries(), table_columns_entries(), table_factorize_entries(), table_group_entries(),
              table_join_entries(), table_words_entries(), table_dates_entries(), table_show_entries()});
  return all;
}

}  // namespace covec::ops
