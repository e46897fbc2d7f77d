// Files: what a program reads. Paths are relative to the working directory.
#pragma once

#include "stdlib/ops/entry.hpp"

namespace covec::ops {

const Entry& read_csv_entry();

}  // namespace covec::ops
