// The files of the files family that hold operators: each lists its own at its end.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

Family files_entries();
Family files_program_entries();
Family files_sound_entries();
Family files_sparse_entries();
Family files_text_entries();

Family files_family();

}  // namespace covec::ops
