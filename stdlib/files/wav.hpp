// Sound in WAV files (Microsoft and IBM, Multimedia Programming Interface and Data Specifications 1.0, 1991): PCM of 8,
// 16, 24 and 32 bits, and floats of 32 and 64. Chunks other than the format and the samples are skipped. A size that
// the file claims is compared with the file's size before anything is allocated for it.
#pragma once

#include "stdlib/files/file.hpp"
#include "stdlib/value/value.hpp"

namespace covec::files {

struct Sound {
  Value samples;  // [frames, channels]: u8, i16, i32 (24 bits, too), f32 or f64, as the file has them
  int64_t rate;   // frames a second
  int bits;       // of a sample
};
Sound read_wav(const File& file);

// `samples`: [frames, channels] of such a dtype, row-major. `bits` is 24 for i32 of which the lower 24 bits are
// written, else the dtype's.
void write_wav(Sink& to, const std::string& path, Pool& pool, const Value& samples, int64_t rate, int bits);

}  // namespace covec::files
