// The files of the text family that hold operators: each lists its own at its end.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

Family text_parts_entries();
Family text_search_entries();
Family text_characters_entries();

Family text_family();

}  // namespace covec::ops
