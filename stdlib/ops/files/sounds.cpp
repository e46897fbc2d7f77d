// Reads and writes sound in WAV files, for the module `audio`. The format is in stdlib/files/wav.hpp.
#include "stdlib/files/atomic.hpp"
#include "stdlib/files/wav.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/files/family.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/tensor/views.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

const std::string& sound_path(const Call& call) {
  if (!call.args[0].is(ObjectKind::string)) fail_attribute(call, 0, "a path in a string");
  return call.args[0].string().text;
}

Value read_wav(Builder& builder, Call& call) {
  files::Sound sound = files::read_wav(files::File(sound_path(call), builder.context()));
  return make_tuple({std::move(sound.samples), Value(sound.rate), Value(int64_t{sound.bits})});
}

bool is_sample_dtype(Dtype dtype) {
  return dtype == Dtype::u8 || dtype == Dtype::i16 || dtype == Dtype::i32 || dtype == Dtype::f32 || dtype == Dtype::f64;
}

// Without what derivatives have wrapped around them, row-major.
Value samples_argument(Builder& builder, Call& call) {
  const Value* at = &call.args[1];
  for (; at->is_traced(); at = &at->traced().primal) {
    if (at->traced().trace == TraceKind::batch) fail(message("shared_examples"), {std::string(call.entry.name)});
  }
  const Value x = *at;
  const bool samples = x.is_tensor() && is_sample_dtype(x.tensor().dtype());
  const bool one_channel = samples && x.tensor().rank() == 1;
  const bool fits = one_channel || (samples && x.tensor().rank() == 2 && x.tensor().dim(1) > 0);
  if (!fits) fail_attribute(call, 1, "samples, [frames] or [frames, channels] of u8, i16, i32, f32 or f64");
  const Value adjacent = contiguous(builder.pool(), x);
  return one_channel ? reshape(builder, adjacent, {Dim(x.tensor().dim(0)), Dim(1)}) : adjacent;
}

Value write_wav(Builder& builder, Call& call) {
  const std::string path = sound_path(call);
  const Value samples = samples_argument(builder, call);
  const int64_t rate = integer_argument(call, 2);
  if (rate < 1 || rate > 0xffffffff) fail_attribute(call, 2, "a rate in frames a second, from 1 to 4294967295");
  const auto own = static_cast<int64_t>(8 * size_of(samples.tensor().dtype()));
  const int64_t bits = call.args[3].is_none() ? own : integer_argument(call, 3);
  if (bits != own && !(bits == 24 && samples.tensor().dtype() == Dtype::i32))
    fail_attribute(call, 3, "the samples' own, or 24 of i32");
  files::AtomicFile file(path, builder.context());
  files::write_wav(file, path, builder.pool(), samples, rate, static_cast<int>(bits));
  file.commit();
  return Value();
}

const Entry& read_wav_entry() {
  static const Entry entry{
      .name = "read_wav",
      .doc =
          "The sound in a WAV file, as it is there: a tuple of the samples, [frames, channels] of u8, i16, i32, f32 or "
          "f64, the frames a second, and the bits of a sample.\n\n"
          "PCM of 8, 16, 24 and 32 bits and floats are read; 24 bits become i32. `audio.read` makes floats of it.",
      .parameters = {attribute("path")},
      .eager = read_wav,
      .derivative = Derivative::none("reads a file"),
      .effects = {.may_fail = true, .outside = true},
      .example = R"(write_wav("steps.wav", i16([[0, 1], [-2, 3]]), 8000)
x, rate, bits = read_wav("steps.wav")
print(x[1], rate, bits)  # expect: [-2, 3] 8000 16)",
  };
  return entry;
}

const Entry& write_wav_entry() {
  static const Entry entry{
      .name = "write_wav",
      .doc =
          "Writes samples, [frames, channels] or [frames] of u8, i16, i32, f32 or f64, to a WAV file with `rate` "
          "frames a second; "
          "`bits=24` writes the lower 24 bits of i32.\n\n"
          "The file is replaced as a whole, or stays as it was when anything goes wrong. `audio.write` takes floats "
          "from "
          "-1 to 1, too.",
      .parameters = {attribute("path"), any_parameter("x"), attribute("rate"), attribute("bits", Value())},
      .eager = write_wav,
      .derivative = Derivative::none("writes a file"),
      .effects = {.may_fail = true, .outside = true, .shared = true},
      .example = R"(write_wav("one.wav", f32([[0.5], [-0.25]]), 44100)
print(read_wav("one.wav")[1:])  # expect: (44100, 32)
write_wav("one.wav", f32([0.5, -0.25]), 44100)
print(read_wav("one.wav")[0].shape)  # expect: (2, 1))",
  };
  return entry;
}

}  // namespace

Family files_sound_entries() {
  static const Entry* const entries[] = {&read_wav_entry(), &write_wav_entry()};
  return entries;
}

}  // namespace covec::ops
