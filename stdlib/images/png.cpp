// PNG of every kind. Palettes are looked up, 1 to 4 bits are widened, one transparent colour becomes opacity, and 16
// bits stay.
#include <png.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "stdlib/gate/gate.hpp"
#include "stdlib/gate/library.hpp"
#include "stdlib/images/images.hpp"
#include "stdlib/images/library_errors.hpp"
#include "stdlib/kernels/interrupt_polls.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::images {

namespace {

// clang-format off
#define COVEC_PNG_FUNCTIONS(X) \
  X(create_read_struct) X(create_write_struct) X(create_info_struct) X(destroy_read_struct) \
  X(destroy_write_struct) X(set_longjmp_fn) X(set_read_fn) X(set_write_fn) X(get_io_ptr) \
  X(get_error_ptr) X(read_info) X(get_IHDR) X(get_valid) X(set_palette_to_rgb) \
  X(set_expand_gray_1_2_4_to_8) X(set_tRNS_to_alpha) X(set_interlace_handling) X(read_update_info) \
  X(get_rowbytes) X(get_channels) X(get_bit_depth) X(read_row) X(read_end) X(set_IHDR) X(write_info) \
  X(write_row) X(write_end) X(set_user_limits) X(set_crc_action)
// clang-format on

struct Functions {
#define COVEC_MEMBER(name) decltype(::png_##name)* name = nullptr;
  COVEC_PNG_FUNCTIONS(COVEC_MEMBER)
#undef COVEC_MEMBER
  std::string missing;
};

const Functions& libpng() {
  static const Functions functions = [] {
    Functions f;
    gate::Library library("libpng16.so.16");
#define COVEC_FIND(name) library.find("png_" #name, f.name);
    COVEC_PNG_FUNCTIONS(COVEC_FIND)
#undef COVEC_FIND
    f.missing = library.missing();
    return f;
  }();
  return functions;
}

extern "C" void png_said(png_structp png, png_const_charp what) {
  leave(*static_cast<LibraryErrors*>(libpng().get_error_ptr(png)), what);
}

void keep_quiet(png_structp, png_const_charp) {}

// What libpng goes on from although the picture would lose colours or its opacity; of other notes nobody needs to know.
extern "C" void png_warned(png_structp png, png_const_charp what) {
  for (const char* lost : {"tRNS", "PLTE", "palette"}) {
    if (std::strstr(what, lost) != nullptr) png_said(png, what);
  }
}

struct Reader {
  std::span<const std::byte> bytes;
  ops::Context& context;
  LibraryErrors out{};
  size_t at = 0;
  png_structp png = nullptr;
  png_infop info = nullptr;
  Size size{};
  int depth = 0, passes = 1;
  size_t row_bytes = 0;
  png_bytep rows = nullptr;

  static void take(png_structp png, png_bytep to, size_t count) {
    auto& reader = *static_cast<Reader*>(libpng().get_io_ptr(png));
    if (count > reader.bytes.size() - reader.at) png_said(png, "it ends too early");
    std::memcpy(to, reader.bytes.data() + reader.at, count);
    reader.at += count;
  }

  static int channels_of(int kind) {
    if (kind == PNG_COLOR_TYPE_RGB) return 3;
    if (kind == PNG_COLOR_TYPE_RGB_ALPHA) return 4;
    return kind == PNG_COLOR_TYPE_GRAY_ALPHA ? 2 : 1;
  }
  // Bytes hold at most a thousand times as many (deflate), which bounds what a file may claim, before libpng makes
  // room.
  bool may_hold(uint64_t rows, uint64_t columns, int bits) const {
    // Bytes from one of deflate's, which gives up to 1032 (zlib's technical notes); some more, chosen.
    constexpr uint64_t max_deflated = 1100;
    uint64_t all = 0;
    const uint64_t row = columns * static_cast<uint64_t>(bits) / 8;  // of at most 2^31 pixels
    return !__builtin_mul_overflow(rows, row, &all) && all / max_deflated <= bytes.size();
  }

  static void head(void* self) {
    auto& r = *static_cast<Reader*>(self);
    const Functions& f = libpng();
    r.png = f.create_read_struct(PNG_LIBPNG_VER_STRING, &r.out, png_said, png_warned);
    if (r.png != nullptr) r.info = f.create_info_struct(r.png);
    if (r.info == nullptr) leave(r.out, "libpng cannot be used");
    constexpr png_uint_32 longest = 0x7fffffff;
    f.set_read_fn(r.png, self, take);
    f.set_user_limits(r.png, longest, longest);
    f.set_crc_action(r.png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    f.read_info(r.png, r.info);
    png_uint_32 columns = 0, rows = 0;
    int kind = 0;
    f.get_IHDR(r.png, r.info, &columns, &rows, &r.depth, &kind, nullptr, nullptr, nullptr);
    if (!r.may_hold(rows, columns, r.depth * channels_of(kind))) png_said(r.png, "it is too short for its size");
    if (kind == PNG_COLOR_TYPE_PALETTE) f.set_palette_to_rgb(r.png);
    if (kind == PNG_COLOR_TYPE_GRAY && r.depth < 8) f.set_expand_gray_1_2_4_to_8(r.png);
    if (f.get_valid(r.png, r.info, PNG_INFO_tRNS) != 0) f.set_tRNS_to_alpha(r.png);
    r.passes = f.set_interlace_handling(r.png);
    f.read_update_info(r.png, r.info);
    r.size = {static_cast<int64_t>(rows), static_cast<int64_t>(columns), f.get_channels(r.png, r.info)};
    r.depth = f.get_bit_depth(r.png, r.info);
    r.row_bytes = f.get_rowbytes(r.png, r.info);
  }

  static void body(void* self) {
    auto& r = *static_cast<Reader*>(self);
    kernels::InterruptPolls polls(r.context);
    for (int pass = 0; pass < r.passes; ++pass) {
      for (int64_t row = 0; row < r.size.rows; ++row) {
        if (polls.stop(static_cast<int64_t>(r.row_bytes) * 8)) return;
        libpng().read_row(r.png, r.rows + static_cast<size_t>(row) * r.row_bytes, nullptr);
      }
    }
    libpng().read_end(r.png, nullptr);
  }

  Reader(std::span<const std::byte> all, ops::Context& c) : bytes(all), context(c) {}
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() {
    if (png != nullptr) libpng().destroy_read_struct(&png, &info, nullptr);
  }
};

// Big-endian where there are two bytes.
void widen(const png_byte* from, int64_t count, int depth, float* to) {
  if (depth == 8) {
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(from[i]) / 255.0F;
  } else {
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(from[2 * i] << 8 | from[2 * i + 1]) / 65535.0F;
  }
}

}  // namespace

Value read_png(const files::File& file, std::span<const std::byte> bytes) {
  file.context().gate->require(ops::Use::libraries);
  const Functions& f = libpng();
  if (!f.missing.empty()) files::fail_to_read(file.path(), "PNG needs libpng: " + f.missing);
  Reader reader(bytes, file.context());
  if (!reaches_end(reader.out, Reader::head, &reader)) files::fail_damaged(file.path(), reader.at, reader.out.said);
  const Size& size = reader.size;
  Value result = make_tensor(file.pool(), Dtype::f32, {Dim(size.rows), Dim(size.columns), Dim(size.channels)});
  const Scratch rows(file.pool(), static_cast<uint64_t>(size.rows) * reader.row_bytes);
  reader.rows = rows.as<png_byte>();
  if (!reaches_end(reader.out, Reader::body, &reader)) files::fail_damaged(file.path(), reader.at, reader.out.said);
  kernels::poll_interrupt(file.context());
  const int64_t width = size.columns * size.channels;
  float* to = result.tensor().as<float>();
  kernels::parallel_for(file.context(), size.rows, std::max<int64_t>(1, (1 << 15) / std::max<int64_t>(1, width)),
                        [&](int64_t begin, int64_t end) {
                          for (int64_t row = begin; row < end; ++row) {
                            widen(reader.rows + static_cast<size_t>(row) * reader.row_bytes, width, reader.depth,
                                  to + row * width);
                          }
                        });
  return result;
}

namespace {

struct Writer {
  const Picture& picture;
  ops::Context& context;
  int depth;
  std::vector<png_byte> row;
  std::string bytes{};  // what is not yet in the file
  LibraryErrors out{};
  png_structp png = nullptr;
  png_infop info = nullptr;

  static void give(png_structp png, png_bytep from, size_t count) {
    auto& writer = *static_cast<Writer*>(libpng().get_io_ptr(png));
    try {
      writer.bytes.append(reinterpret_cast<const char*>(from), count);
      return;
    } catch (...) {
    }
    png_said(png, "there is no memory");
  }
  static void flush(png_structp) {}

  void fill(int64_t number) {
    const int64_t width = picture.size.columns * picture.size.channels;
    const float* from = picture.data + number * width;
    for (int64_t i = 0; i < width; ++i) {
      const float part = std::clamp(from[i], 0.0F, 1.0F);
      if (depth == 8) {
        row[static_cast<size_t>(i)] = static_cast<png_byte>(std::floor(part * 255.0F + 0.5F));
      } else {
        const auto level = static_cast<unsigned>(std::floor(static_cast<double>(part) * 65535.0 + 0.5));
        row[static_cast<size_t>(2 * i)] = static_cast<png_byte>(level >> 8);
        row[static_cast<size_t>(2 * i + 1)] = static_cast<png_byte>(level);
      }
    }
  }

  static void body(void* self) {
    auto& w = *static_cast<Writer*>(self);
    const Functions& f = libpng();
    constexpr int kinds[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                             PNG_COLOR_TYPE_RGB_ALPHA};
    const Size& size = w.picture.size;
    w.png = f.create_write_struct(PNG_LIBPNG_VER_STRING, &w.out, png_said, keep_quiet);
    if (w.png != nullptr) w.info = f.create_info_struct(w.png);
    if (w.info == nullptr) leave(w.out, "libpng cannot be used");
    f.set_write_fn(w.png, self, give, flush);
    f.set_IHDR(w.png, w.info, static_cast<png_uint_32>(size.columns), static_cast<png_uint_32>(size.rows), w.depth,
               kinds[size.channels - 1], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    f.write_info(w.png, w.info);
    kernels::InterruptPolls polls(w.context);
    for (int64_t row = 0; row < size.rows; ++row) {
      if (polls.stop(static_cast<int64_t>(w.row.size()) * 32)) return;
      w.fill(row);
      f.write_row(w.png, w.row.data());
    }
    f.write_end(w.png, w.info);
  }

  Writer(const Picture& p, ops::Context& c, int bits)
      : picture(p), context(c), depth(bits), row(static_cast<size_t>(p.size.columns * p.size.channels * bits / 8)) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() {
    if (png != nullptr) libpng().destroy_write_struct(&png, &info);
  }
};

}  // namespace

void write_png(files::Sink& to, const std::string& path, ops::Context& context, const Picture& picture, int depth) {
  context.gate->require(ops::Use::libraries);
  const Functions& f = libpng();
  if (!f.missing.empty()) files::fail_to_write(path, "PNG needs libpng: " + f.missing);
  Writer writer(picture, context, depth);
  if (!reaches_end(writer.out, Writer::body, &writer)) files::fail_to_write(path, writer.out.said);
  kernels::poll_interrupt(context);
  to.write(writer.bytes);
}

}  // namespace covec::images
