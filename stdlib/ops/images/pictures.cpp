// Reads and writes pictures in files, for the module `image`. The formats are in stdlib/images.
#include <array>
#include <cmath>

#include "stdlib/files/atomic.hpp"
#include "stdlib/images/images.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/tensor/views.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

const std::string& path_argument(const Call& call) {
  if (!call.args[0].is(ObjectKind::string)) fail_attribute(call, 0, "a path in a string");
  return call.args[0].string().text;
}

Value read_image(Builder& builder, Call& call) {
  return images::read_picture(files::File(path_argument(call), builder.context()));
}

int64_t number_between(const Call& call, unsigned operand, int64_t least, int64_t most) {
  const int64_t number = integer_argument(call, operand);
  if (number < least || number > most)
    fail_attribute(call, operand, "an integer from " + std::to_string(least) + " to " + std::to_string(most));
  return number;
}

// What is written: floats or bools, rank 2 or 3, without what derivatives have wrapped around them.
Value picture_argument(Builder& builder, Call& call) {
  const Value* at = &call.args[1];
  for (; at->is_traced(); at = &at->traced().primal) {
    if (at->traced().trace == TraceKind::batch) fail(message("shared_examples"), {std::string(call.entry.name)});
  }
  call.args[1] = Value(*at);
  const Value& x = call.args[1];
  const bool fits = x.is_tensor() && kind_of(x.tensor().dtype()) != DtypeKind::integer && x.tensor().size() > 0 &&
                    (x.tensor().rank() == 2 || (x.tensor().rank() == 3 && x.tensor().dim(2) <= 4));
  if (!fits)
    fail_attribute(call, 1,
                   "a picture with pixels: floats from 0 to 1, [rows, columns] or [rows, columns, channels] "
                   "with up to 4 channels");
  return contiguous(builder.pool(), cast_to(builder, x, Dtype::f32));
}

void require_numbers(const std::string& path, const Tensor& x) {
  const float* numbers = x.as<float>();
  const int64_t columns = x.dim(1), channels = x.rank() == 3 ? x.dim(2) : 1;
  for (int64_t i = 0; i < x.size(); ++i) {
    if (numbers[i] == numbers[i]) continue;
    const int64_t row = i / (columns * channels), column = i / channels % columns;
    files::fail_to_write(path, "the pixel at [" + std::to_string(row) + ", " + std::to_string(column) + "] is nan");
  }
}

Value write_image(Builder& builder, Call& call) {
  const std::string path = path_argument(call);
  const bool png = path.ends_with(".png"), jpeg = path.ends_with(".jpg") || path.ends_with(".jpeg");
  if (!png && !jpeg) fail(message("image_format"), {files::shown(path)});
  const auto quality = static_cast<int>(number_between(call, 2, 1, 100));
  const int64_t depth = integer_argument(call, 3);
  if (depth != 8 && depth != 16) fail_attribute(call, 3, "8 or 16");
  const Value x = picture_argument(builder, call);
  const Tensor& t = x.tensor();
  const int channels = t.rank() == 2 ? 1 : static_cast<int>(t.dim(2));
  constexpr int64_t longest[] = {65500, 0x7fffffff};  // libjpeg's, and PNG's
  if (std::max(t.dim(0), t.dim(1)) > longest[png])
    files::fail_to_write(path, "the picture has too many rows or columns");
  if (jpeg && (channels == 2 || channels == 4))
    files::fail_to_write(path, "JPEG has no opacity, but the picture has " + std::to_string(channels) + " channels",
                         "write x[:, :, :" + std::to_string(channels - 1) + "], or a .png");
  require_numbers(path, t);
  const images::Picture picture{t.as<float>(), {t.dim(0), t.dim(1), channels}};
  files::AtomicFile file(path, builder.context());
  png ? images::write_png(file, path, builder.context(), picture, static_cast<int>(depth))
      : images::write_jpeg(file, path, builder.context(), picture, quality);
  file.commit();
  return Value();
}

const Entry& read_image_entry() {
  static const Entry entry{
      .name = "read_image",
      .doc =
          "The picture in a PNG or JPEG file, as f32[rows, columns, channels] with numbers from 0 to 1.\n\n"
          "One channel is grey, two are grey and opacity, three red, green and blue, four these and opacity. Which "
          "format it is the file itself says. Palettes are looked up, printers' inks (CMYK) become red, green and "
          "blue; PNG of 16 bits keeps them. Gamma, colour profiles and the camera's way up are not applied: numbers "
          "are "
          "those of the file.",
      .parameters = {attribute("path")},
      .eager = read_image,
      .derivative = Derivative::none("reads a file"),
      .effects = {.may_fail = true, .outside = true},
      .example = R"(write_image("dots.png", [[0.0, 1.0], [0.2, 0.4]])
print(read_image("dots.png").shape, read_image("dots.png")[:, :, 0])
# expect: (2, 2, 1) [[0.0, 1.0],
# expect:  [0.2, 0.4]])",
  };
  return entry;
}

const Entry& write_image_entry() {
  static const Entry entry{
      .name = "write_image",
      .doc =
          "Writes a picture to a .png, .jpg or .jpeg file: floats or bools, [rows, columns] (grey) or [rows, columns, "
          "channels] with 1 to 4 channels as `read_image` has them.\n\n"
          "Numbers below 0 and above 1 are cut off there; each becomes the nearest of 256 levels, with `depth=16` of "
          "65,536 (PNG alone). nan is an error. `quality`, 1 to 100, is JPEG's, which loses detail and has no opacity. "
          "The file is replaced as a whole, or stays as it was when anything goes wrong.",
      .parameters = {attribute("path"), any_parameter("x"), attribute("quality", int64_t{90}),
                     attribute("depth", int64_t{8})},
      .eager = write_image,
      .derivative = Derivative::none("writes a file"),
      .effects = {.may_fail = true, .outside = true, .shared = true},
      .example = R"(write_image("red.jpg", ones(16, 16, 1) * [1.0, 0.0, 0.0], quality=95)
print(read_image("red.jpg").shape, max(abs(read_image("red.jpg") - [1.0, 0.0, 0.0])) < 0.02)  # expect: (16, 16, 3) true)",
  };
  return entry;
}

}  // namespace

Family pictures_family() {
  static const Entry* const entries[] = {&read_image_entry(), &write_image_entry()};
  return entries;
}

}  // namespace covec::ops
