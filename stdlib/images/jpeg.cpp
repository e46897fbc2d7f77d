// JPEG, grey or coloured; the four inks of printers (CMYK) are converted to colours. Damage that libjpeg would repair
// silently, such as a truncated file, is an error.
#include <algorithm>
#include <cmath>
#include <cstdio>  // jpeglib.h needs it
#include <cstring>
#include <string>
#include <vector>

#include <jpeglib.h>
// behind it
#include <jerror.h>

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
#define COVEC_JPEG_FUNCTIONS(X) \
  X(std_error) X(CreateDecompress) X(destroy_decompress) X(mem_src) X(read_header) X(start_decompress) \
  X(read_scanlines) X(finish_decompress) X(CreateCompress) X(destroy_compress) X(mem_dest) \
  X(set_defaults) X(set_quality) X(start_compress) X(write_scanlines) X(finish_compress)
// clang-format on

struct Functions {
#define COVEC_MEMBER(name) decltype(::jpeg_##name)* name = nullptr;
  COVEC_JPEG_FUNCTIONS(COVEC_MEMBER)
#undef COVEC_MEMBER
  std::string missing;
};

const Functions& libjpeg() {
  static const Functions functions = [] {
    Functions f;
    gate::Library library("libjpeg.so.62");
#define COVEC_FIND(name) library.find("jpeg_" #name, f.name);
    COVEC_JPEG_FUNCTIONS(COVEC_FIND)
#undef COVEC_FIND
    f.missing = library.missing();
    return f;
  }();
  return functions;
}

// The library's record of errors, and where they go.
struct Errors {
  jpeg_error_mgr manager;
  LibraryErrors out;
};

extern "C" void jpeg_failed(j_common_ptr info) {
  auto* errors = reinterpret_cast<Errors*>(info->err);
  char text[JMSG_LENGTH_MAX] = {};
  errors->manager.format_message(info, text);
  leave(errors->out, text);
}

// Some cameras leave a few bytes between the picture and its end mark, or name their colours oddly: nothing is lost by
// that. Many bytes are what is left of a picture that does not fit its header.
extern "C" void jpeg_warned(j_common_ptr info, int level) {
  const int code = info->err->msg_code;
  constexpr int max_padding_bytes = 32;  // of cameras, as said above
  const bool padding = code == JWRN_EXTRANEOUS_DATA && info->err->msg_parm.i[0] <= max_padding_bytes;
  if (level < 0 && !padding && code != JWRN_ADOBE_XFORM) jpeg_failed(info);
}

void prepare(Errors& errors) {
  libjpeg().std_error(&errors.manager);
  errors.manager.error_exit = jpeg_failed;
  errors.manager.emit_message = jpeg_warned;
}

struct Reader {
  std::span<const std::byte> bytes;
  ops::Context& context;
  Errors errors{};
  jpeg_decompress_struct info{};
  Size size{};
  int parts = 0;  // of a pixel, as the library gives them
  JSAMPLE* rows = nullptr;

  static void head(void* self) {
    auto& r = *static_cast<Reader*>(self);
    const Functions& f = libjpeg();
    f.CreateDecompress(&r.info, JPEG_LIB_VERSION, sizeof r.info);
    f.mem_src(&r.info, reinterpret_cast<const unsigned char*>(r.bytes.data()), r.bytes.size());
    f.read_header(&r.info, TRUE);
    const bool inks = r.info.jpeg_color_space == JCS_CMYK || r.info.jpeg_color_space == JCS_YCCK;
    const bool grey = r.info.jpeg_color_space == JCS_GRAYSCALE;
    r.info.out_color_space = inks ? JCS_CMYK : grey ? JCS_GRAYSCALE : JCS_RGB;
    r.info.dct_method = JDCT_ISLOW;
    r.parts = inks ? 4 : grey ? 1 : 3;
    r.size = {r.info.image_height, r.info.image_width, grey ? 1 : 3};
  }

  static void body(void* self) {
    auto& r = *static_cast<Reader*>(self);
    const int64_t width = r.size.columns * r.parts;
    kernels::InterruptPolls polls(r.context);
    libjpeg().start_decompress(&r.info);
    while (r.info.output_scanline < r.info.output_height) {
      if (polls.stop(width * 16)) return;
      JSAMPLE* row = r.rows + static_cast<int64_t>(r.info.output_scanline) * width;
      libjpeg().read_scanlines(&r.info, &row, 1);
    }
    libjpeg().finish_decompress(&r.info);
  }

  Reader(std::span<const std::byte> all, ops::Context& c) : bytes(all), context(c) {
    prepare(errors);
    info.err = &errors.manager;
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() { libjpeg().destroy_decompress(&info); }
};

// Adobe's programs write inks as what is left of the paper's white.
void widen_inks(const JSAMPLE* from, int64_t columns, bool left, float* to) {
  for (int64_t i = 0; i < columns; ++i) {
    const auto ink = [&](int k) { return static_cast<float>(left ? from[4 * i + k] : 255 - from[4 * i + k]) / 255.0F; };
    for (int k = 0; k < 3; ++k) to[3 * i + k] = ink(k) * ink(3);
  }
}

}  // namespace

Value read_jpeg(const files::File& file, std::span<const std::byte> bytes) {
  file.context().gate->require(ops::Use::libraries);
  const Functions& f = libjpeg();
  if (!f.missing.empty()) files::fail_to_read(file.path(), "JPEG needs libjpeg: " + f.missing);
  Reader reader(bytes, file.context());
  if (!reaches_end(reader.errors.out, Reader::head, &reader))
    files::fail_to_read(file.path(), std::string("it is damaged: ") + reader.errors.out.said);
  const Size& size = reader.size;
  const int64_t width = size.columns * reader.parts;
  constexpr uint64_t max_pixels = 1 << 15;  // that a byte stands for
  if (static_cast<uint64_t>(size.rows * size.columns) / max_pixels > bytes.size())
    files::fail_to_read(file.path(), "it is damaged: it is too short for its size");
  Value result = make_tensor(file.pool(), Dtype::f32, {Dim(size.rows), Dim(size.columns), Dim(size.channels)});
  const Scratch rows(file.pool(), static_cast<uint64_t>(size.rows * width));
  reader.rows = rows.as<JSAMPLE>();
  if (!reaches_end(reader.errors.out, Reader::body, &reader))
    files::fail_to_read(file.path(), std::string("it is damaged: ") + reader.errors.out.said);
  kernels::poll_interrupt(file.context());
  float* to = result.tensor().as<float>();
  const int64_t grain = std::max<int64_t>(1, (1 << 15) / std::max<int64_t>(1, width));
  kernels::parallel_for(file.context(), size.rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const JSAMPLE* from = reader.rows + row * width;
      float* line = to + row * size.columns * size.channels;
      if (reader.parts == 4) {
        widen_inks(from, size.columns, reader.info.saw_Adobe_marker != 0, line);
      } else {
        for (int64_t i = 0; i < width; ++i) line[i] = static_cast<float>(from[i]) / 255.0F;
      }
    }
  });
  return result;
}

namespace {

struct Writer {
  const Picture& picture;
  ops::Context& context;
  int quality;
  std::vector<JSAMPLE> row;
  Errors errors{};
  jpeg_compress_struct info{};
  unsigned char* bytes = nullptr;
  unsigned long count = 0;

  static void body(void* self) {
    auto& w = *static_cast<Writer*>(self);
    const Functions& f = libjpeg();
    const Size& size = w.picture.size;
    const int64_t width = size.columns * size.channels;
    f.CreateCompress(&w.info, JPEG_LIB_VERSION, sizeof w.info);
    f.mem_dest(&w.info, &w.bytes, &w.count);
    w.info.image_width = static_cast<JDIMENSION>(size.columns);
    w.info.image_height = static_cast<JDIMENSION>(size.rows);
    w.info.input_components = size.channels;
    w.info.in_color_space = size.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    f.set_defaults(&w.info);
    w.info.dct_method = JDCT_ISLOW;
    f.set_quality(&w.info, w.quality, TRUE);
    f.start_compress(&w.info, TRUE);
    kernels::InterruptPolls polls(w.context);
    for (int64_t number = 0; number < size.rows; ++number) {
      if (polls.stop(width * 16)) return;
      const float* from = w.picture.data + number * width;
      for (int64_t i = 0; i < width; ++i)
        w.row[static_cast<size_t>(i)] =
            static_cast<JSAMPLE>(std::floor(std::clamp(from[i], 0.0F, 1.0F) * 255.0F + 0.5F));
      JSAMPLE* row = w.row.data();
      f.write_scanlines(&w.info, &row, 1);
    }
    f.finish_compress(&w.info);
  }

  Writer(const Picture& p, ops::Context& c, int q)
      : picture(p), context(c), quality(q), row(static_cast<size_t>(p.size.columns * p.size.channels)) {
    prepare(errors);
    info.err = &errors.manager;
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() {
    libjpeg().destroy_compress(&info);
    std::free(bytes);
  }
};

}  // namespace

void write_jpeg(files::Sink& to, const std::string& path, ops::Context& context, const Picture& picture, int quality) {
  context.gate->require(ops::Use::libraries);
  const Functions& f = libjpeg();
  if (!f.missing.empty()) files::fail_to_write(path, "JPEG needs libjpeg: " + f.missing);
  Writer writer(picture, context, quality);
  if (!reaches_end(writer.errors.out, Writer::body, &writer)) files::fail_to_write(path, writer.errors.out.said);
  kernels::poll_interrupt(context);
  to.write(writer.bytes, writer.count);
}

}  // namespace covec::images
