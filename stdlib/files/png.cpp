// Writes PNG. A picture of few colours gets a palette, which takes a third of the bytes. Rows are cut into bands of a
// fixed height. All threads compress bands separately, and the results are joined: each ends on a byte (Z_SYNC_FLUSH),
// and the checksums of the bands give that of all (adler32_combine).
#include "stdlib/files/png.hpp"

#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>
#include <vector>

#include "stdlib/kernels/parallel.hpp"
#include "stdlib/value/error.hpp"

namespace covec::files {

namespace {

constexpr int band_bytes = 1 << 18;  // bytes of rows that are compressed together
constexpr int level = 2;

void append_number(std::string& to, uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) to += static_cast<char>(number >> shift);
}

void put_chunk(Sink& to, std::string_view kind, std::string_view data) {
  std::string head;
  append_number(head, static_cast<uint32_t>(data.size()));
  head += kind;
  uLong sum = crc32(0, reinterpret_cast<const Bytef*>(kind.data()), static_cast<uInt>(kind.size()));
  sum = crc32_z(sum, reinterpret_cast<const Bytef*>(data.data()), data.size());
  std::string tail;
  append_number(tail, static_cast<uint32_t>(sum));
  to.write(head);
  to.write(data);
  to.write(tail);
}

// The colours of a picture, while they are at most 256; found again by a table of hashes.
class Palette {
 public:
  bool read(const Pixels& pixels) {
    const size_t count = static_cast<size_t>(pixels.columns) * static_cast<size_t>(pixels.rows);
    uint32_t last = 0;
    bool any = false;
    for (size_t i = 0; i < count; ++i) {
      const uint32_t pixel = pixels.data[i];
      if (any && pixel == last) continue;
      if (!add(pixel)) return false;
      last = pixel;
      any = true;
    }
    return true;
  }
  uint8_t number_of(uint32_t pixel) const {
    size_t at = place(pixel);
    while (keys_[at] != pixel) at = (at + 1) % slots;
    return static_cast<uint8_t>(numbers_[at]);
  }
  const std::vector<uint32_t>& colors() const { return colors_; }

 private:
  // Of the hash table: 2^10, by the hash's top ten bits; four for each of a palette's 256 colours.
  static constexpr size_t slots = 1024;
  static size_t place(uint32_t pixel) { return (pixel * 2654435761u) >> 22; }
  bool add(uint32_t pixel) {
    size_t at = place(pixel);
    while (numbers_[at] >= 0 && keys_[at] != pixel) at = (at + 1) % slots;
    if (numbers_[at] >= 0) return true;
    if (colors_.size() == 256) return false;
    keys_[at] = pixel;
    numbers_[at] = static_cast<int>(colors_.size());
    colors_.push_back(pixel);
    return true;
  }
  std::vector<uint32_t> keys_ = std::vector<uint32_t>(slots), colors_;
  std::vector<int> numbers_ = std::vector<int>(slots, -1);
};

struct Band {
  std::string compressed;
  uLong sum = 1;
  size_t bytes = 0;
};

class Encoder {
 public:
  Encoder(ops::Context& context, const Pixels& pixels) : context_(context), pixels_(pixels) {
    indexed_ = palette_.read(pixels);
    channels_ = indexed_ ? 1 : pixels.transparent ? 4 : 3;
    rows_per_band_ = std::max(1, band_bytes / (pixels.columns * channels_ + 1));
  }

  void write(Sink& to) {
    to.write(std::string_view("\x89PNG\r\n\x1a\n", 8));
    put_header(to);
    if (indexed_) put_palette(to);
    compress();
    put_data(to);
    put_chunk(to, "IEND", "");
  }

 private:
  void put_header(Sink& to) const {
    std::string data;
    append_number(data, static_cast<uint32_t>(pixels_.columns));
    append_number(data, static_cast<uint32_t>(pixels_.rows));
    data += '\x08';
    data += static_cast<char>(indexed_ ? 3 : pixels_.transparent ? 6 : 2);
    data.append(3, '\0');
    put_chunk(to, "IHDR", data);
  }

  void put_palette(Sink& to) const {
    std::string colors, alphas;
    for (const uint32_t pixel : palette_.colors()) {
      for (const int shift : {0, 8, 16}) colors += static_cast<char>(pixel >> shift);
      alphas += static_cast<char>(pixel >> 24);
    }
    put_chunk(to, "PLTE", colors);
    if (pixels_.transparent) put_chunk(to, "tRNS", alphas);
  }

  void compress() {
    const int64_t bands = (pixels_.rows + rows_per_band_ - 1) / rows_per_band_;
    bands_.resize(static_cast<size_t>(bands));
    std::atomic<bool> failed = false;
    kernels::parallel_for(context_, bands, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        if (!compress_band(static_cast<int>(i))) failed = true;
      }
    });
    if (failed) throw std::bad_alloc();
  }

  // Each row begins with the number of its filter: 0, none, where there are numbers of a palette, else 1, differences
  // from the pixel to the left.
  std::vector<uint8_t> rows_of(int band) const {
    const int first = band * rows_per_band_, last = std::min(pixels_.rows, first + rows_per_band_);
    std::vector<uint8_t> bytes(static_cast<size_t>(last - first) *
                               static_cast<size_t>(pixels_.columns * channels_ + 1));
    uint8_t* out = bytes.data();
    for (int row = first; row < last; ++row) {
      const uint32_t* pixel = pixels_.data + static_cast<ptrdiff_t>(row) * pixels_.columns;
      *out++ = indexed_ ? 0 : 1;
      if (indexed_) {
        uint32_t last_pixel = pixel[0];
        uint8_t number = palette_.number_of(last_pixel);
        for (int i = 0; i < pixels_.columns; ++i) {
          if (pixel[i] != last_pixel) number = palette_.number_of(last_pixel = pixel[i]);
          *out++ = number;
        }
        continue;
      }
      uint32_t left = 0;
      for (int i = 0; i < pixels_.columns; ++i) {
        for (int c = 0; c < channels_; ++c) *out++ = static_cast<uint8_t>((pixel[i] >> (8 * c)) - (left >> (8 * c)));
        left = pixel[i];
      }
    }
    return bytes;
  }

  bool compress_band(int number) try {
    Band& band = bands_[static_cast<size_t>(number)];
    const std::vector<uint8_t> bytes = rows_of(number);
    band.bytes = bytes.size();
    band.sum = adler32_z(1, bytes.data(), bytes.size());
    z_stream stream{};
    if (deflateInit2(&stream, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK) return false;
    band.compressed.resize(deflateBound(&stream, static_cast<uLong>(bytes.size())) + 16);
    stream.next_in = const_cast<Bytef*>(bytes.data());
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(band.compressed.data());
    stream.avail_out = static_cast<uInt>(band.compressed.size());
    const bool last = static_cast<size_t>(number) + 1 == bands_.size();
    deflate(&stream, last ? Z_FINISH : Z_SYNC_FLUSH);
    band.compressed.resize(stream.total_out);
    deflateEnd(&stream);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }

  void put_data(Sink& to) const {
    std::string data("\x78\x01", 2);
    uLong sum = 1;
    for (const Band& band : bands_) {
      data += band.compressed;
      sum = adler32_combine(sum, band.sum, static_cast<z_off_t>(band.bytes));
    }
    append_number(data, static_cast<uint32_t>(sum));
    put_chunk(to, "IDAT", data);
  }

  ops::Context& context_;
  const Pixels& pixels_;
  Palette palette_;
  bool indexed_ = false;
  int channels_ = 4, rows_per_band_ = 1;
  std::vector<Band> bands_;
};

}  // namespace

void write_png(Sink& to, ops::Context& context, const Pixels& pixels) { Encoder(context, pixels).write(to); }

}  // namespace covec::files
