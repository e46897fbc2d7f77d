// Named tensors as NumPy's .npz: a zip archive of .npy files. The note of the structure is the archive's comment, which
// NumPy ignores.
#pragma once

#include "stdlib/files/atomic.hpp"
#include "stdlib/files/leaves.hpp"

namespace covec::files {

NamedTensors read_npz(const File& file);
void write_npz(AtomicFile& file, Pool& pool, const NamedTensors& leaves);

}  // namespace covec::files
