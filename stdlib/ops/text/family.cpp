// All operators of the family, file by file.
#include "stdlib/ops/text/family.hpp"

namespace covec::ops {

Family text_family() {
  static const std::vector<const Entry*> all =
      joined({text_parts_entries(), text_search_entries(), text_characters_entries()});
  return all;
}

}  // namespace covec::ops
