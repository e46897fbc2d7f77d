// The contents of a .safetensors header, and the reader of its JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stdlib/files/file.hpp"

namespace covec::files {

struct SafetensorsEntry {
  std::string name, dtype;
  std::vector<uint64_t> shape, offsets;
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;  // in the order of writing
  std::string note;
};

inline constexpr std::string_view metadata_name = "__metadata__", note_name = "covec.structure";

// `text` lies at `offset` in the file. Fields that are not known, that are missing, or that are there twice are errors.
SafetensorsHeader parse_safetensors_header(const File& file, uint64_t offset, std::string_view text);

}  // namespace covec::files
