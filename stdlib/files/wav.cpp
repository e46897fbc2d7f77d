#include "stdlib/files/wav.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "stdlib/files/elements.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::files {

namespace {

constexpr uint16_t pcm = 1, floats = 3, extensible = 0xfffe;  // format tags of RIFF WAVE (mmreg.h)
// Bytes of RIFF WAVE: a chunk's head, where the first chunk begins, the two formats.
constexpr uint64_t head_bytes = 8, first_chunk = 12, format_bytes = 16, extended_bytes = 40;
constexpr uint32_t unknown_size = 0xffffffff;        // of a stream: the samples end with the file
constexpr size_t samples_at_once = size_t{1} << 15;  // of all channels

uint32_t number_in(const unsigned char* bytes, size_t count) {
  uint32_t number = 0;
  for (size_t i = count; i-- > 0;) number = number << 8 | bytes[i];
  return number;
}

struct WavFormat {
  uint32_t code = 0, channels = 0, rate = 0, block = 0, bits = 0;
};

class WavReader {
 public:
  explicit WavReader(const File& file) : file_(file) {}

  Sound read() {
    unsigned char start[first_chunk] = {};
    if (file_.size() < first_chunk) fail_to_read(file_.path(), "it is too short to be a WAV file");
    file_.read(0, start, sizeof start);
    if (std::memcmp(start, "RIFF", 4) != 0 || std::memcmp(start + 8, "WAVE", 4) != 0)
      fail_to_read(file_.path(), "it does not begin as a WAV file does");
    for (uint64_t at = first_chunk; at + head_bytes <= file_.size();) {
      unsigned char head[head_bytes];
      file_.read(at, head, sizeof head);
      const uint64_t size = number_in(head + 4, 4);
      if (std::memcmp(head, "data", 4) == 0) return sound(at, size);
      if (size > file_.size() - at - head_bytes)
        fail_damaged(file_.path(), at, "one of its chunks claims " + std::to_string(size) + " bytes");
      if (std::memcmp(head, "fmt ", 4) == 0) read_format(at, size);
      at += head_bytes + size + (size & 1);
    }
    fail_damaged(file_.path(), file_.size(), "it has no samples");
  }

 private:
  void read_format(uint64_t at, uint64_t size) {
    unsigned char bytes[extended_bytes] = {};
    if (size < format_bytes) fail_damaged(file_.path(), at, "its format chunk has " + std::to_string(size) + " bytes");
    file_.read(at + head_bytes, bytes, std::min<uint64_t>(size, sizeof bytes));
    format_ = {number_in(bytes, 2), number_in(bytes + 2, 2), number_in(bytes + 4, 4), number_in(bytes + 12, 2),
               number_in(bytes + 14, 2)};
    if (format_.code == extensible && size >= extended_bytes) format_.code = number_in(bytes + 24, 2);
    if (format_.channels == 0 || format_.rate == 0) fail_damaged(file_.path(), at, "it has no channels, or no rate");
    const bool is_known = format_.code == pcm ? format_.bits % 8 == 0 && format_.bits >= 8 && format_.bits <= 32
                                              : format_.code == floats && (format_.bits == 32 || format_.bits == 64);
    if (!is_known) {
      fail_to_read(file_.path(), "its samples are of format " + std::to_string(format_.code) + " with " +
                                     std::to_string(format_.bits) +
                                     " bits; PCM of 8, 16, 24 and 32 bits and floats are read");
    }
    if (format_.block != format_.channels * format_.bits / 8)
      fail_damaged(file_.path(), at, "its frames claim " + std::to_string(format_.block) + " bytes");
  }

  Dtype dtype() const {
    if (format_.code == floats) return format_.bits == 32 ? Dtype::f32 : Dtype::f64;
    return format_.bits == 8 ? Dtype::u8 : format_.bits == 16 ? Dtype::i16 : Dtype::i32;
  }

  Sound sound(uint64_t at, uint64_t size) {
    if (format_.block == 0) fail_damaged(file_.path(), at, "its samples come before their format");
    const uint64_t left = file_.size() - at - head_bytes;
    if (size == unknown_size) size = left - left % format_.block;
    if (size > left) fail_damaged(file_.path(), at, "its samples claim " + std::to_string(size) + " bytes");
    if (size % format_.block != 0) fail_damaged(file_.path(), at, "its samples end in the middle of a frame");
    const Shape shape{Dim(static_cast<int64_t>(size / format_.block)), Dim(format_.channels)};
    FileSource source(file_, at + head_bytes, size);
    Value samples = format_.bits == 24 ? read_24_bits(source, shape)
                                       : read_elements(file_.pool(), source, Stored{dtype()}, false, shape);
    return {std::move(samples), format_.rate, static_cast<int>(format_.bits)};
  }

  Value read_24_bits(Source& source, const Shape& shape) {
    Value result = make_tensor(file_.pool(), Dtype::i32, shape);
    auto* const to = result.tensor().as<int32_t>();
    const auto count = static_cast<size_t>(result.tensor().size());
    std::vector<unsigned char> bytes;
    for (size_t done = 0; done < count;) {
      const size_t now = std::min(count - done, samples_at_once);
      bytes.resize(3 * now);
      source.read(bytes.data(), bytes.size());
      for (size_t i = 0; i < now; ++i) to[done + i] = static_cast<int32_t>(number_in(&bytes[3 * i], 3) << 8) >> 8;
      done += now;
    }
    return result;
  }

  const File& file_;
  WavFormat format_;
};

void put(std::string& to, uint64_t number, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) to.push_back(static_cast<char>(number >> (8 * i) & 0xff));
}

void write_24_bits(Sink& to, const int32_t* from, size_t count) {
  std::string bytes;
  for (size_t done = 0; done < count;) {
    const size_t now = std::min(count - done, samples_at_once);
    bytes.clear();
    for (size_t i = 0; i < now; ++i) put(bytes, static_cast<uint32_t>(from[done + i]), 3);
    to.write(bytes);
    done += now;
  }
}

}  // namespace

Sound read_wav(const File& file) { return WavReader(file).read(); }

void write_wav(Sink& to, const std::string& path, Pool& pool, const Value& samples, int64_t rate, int bits) {
  const Tensor& tensor = samples.tensor();
  const bool are_floats = is_float(tensor.dtype());
  const auto channels = static_cast<uint64_t>(tensor.dim(1)), block = channels * static_cast<uint64_t>(bits) / 8;
  const uint64_t size = static_cast<uint64_t>(tensor.dim(0)) * block, fact = are_floats ? 12 : 0;
  const uint64_t format = are_floats ? 18 : format_bytes;
  const uint64_t all = 4 + head_bytes + format + fact + head_bytes + size + (size & 1);
  if (all >= unknown_size) fail_to_write(path, "a WAV file holds up to 4 GiB", "write it in parts");
  if (block > 0xffff || static_cast<uint64_t>(rate) * block >= unknown_size)
    fail_to_write(path, "a WAV file holds up to 64 KiB a frame and 4 GiB a second");
  std::string head = "RIFF";
  put(head, all, 4);
  head += "WAVEfmt ";
  put(head, format, 4);
  put(head, are_floats ? floats : pcm, 2);
  put(head, channels, 2);
  put(head, static_cast<uint64_t>(rate), 4);
  put(head, static_cast<uint64_t>(rate) * block, 4);
  put(head, block, 2);
  put(head, static_cast<uint64_t>(bits), 2);
  if (are_floats) {
    put(head, 0, 2);
    head += "fact";
    put(head, 4, 4);
    put(head, static_cast<uint64_t>(tensor.dim(0)), 4);
  }
  head += "data";
  put(head, size, 4);
  to.write(head);
  if (bits == 24)
    write_24_bits(to, tensor.as<int32_t>(), static_cast<size_t>(tensor.size()));
  else
    write_elements(to, pool, samples, Stored{tensor.dtype()});
  if ((size & 1) != 0) to.write(std::string_view("\0", 1));
}

}  // namespace covec::files
