// Named tensors as .safetensors: the length of a header, the header in JSON, then all elements. Of __metadata__ only
// the note of the structure is used, under the name covec.structure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stdlib/files/atomic.hpp"
#include "stdlib/files/elements.hpp"
#include "stdlib/files/leaves.hpp"

namespace covec::files {

// A part of a file. Only its bytes are read.
struct SafetensorsPart {
  std::optional<std::vector<std::string>> names;  // of tensors; nothing: all
  std::optional<RowRange> rows;                   // of each of them; nothing: all
};

NamedTensors read_safetensors(const File& file, const SafetensorsPart& part = {});
void write_safetensors(AtomicFile& file, Pool& pool, const NamedTensors& leaves);

}  // namespace covec::files
