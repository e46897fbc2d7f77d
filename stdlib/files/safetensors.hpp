// Named tensors as .safetensors: the length of a header, the header in JSON, then all elements. Of __metadata__ only
// the note of the structure is used, under the name covec.structure.
#pragma once

#include "stdlib/files/atomic.hpp"
#include "stdlib/files/leaves.hpp"

namespace covec::files {

NamedTensors read_safetensors(const File& file);
void write_safetensors(AtomicFile& file, Pool& pool, const NamedTensors& leaves);

}  // namespace covec::files
