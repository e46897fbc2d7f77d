// Input and output of programs: files (paths are relative to the working directory), the command line.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

const Entry& read_csv_entry();
const Entry& save_entry();
const Entry& load_entry();
const Entry& breakpoint_entry();

}  // namespace covec::ops
