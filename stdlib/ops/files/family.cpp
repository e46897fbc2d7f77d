// All operators of the family, file by file.
#include "stdlib/ops/files/family.hpp"

namespace covec::ops {

Family files_family() {
  static const std::vector<const Entry*> all = joined(
      {files_entries(), files_text_entries(), files_program_entries(), files_sound_entries(), files_sparse_entries()});
  return all;
}

}  // namespace covec::ops
