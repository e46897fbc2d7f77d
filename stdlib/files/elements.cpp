// Converts elements in pieces. Elements with a dtype of their own are read in place, others through a small buffer.
// Start reading at read_elements().
#include "stdlib/files/elements.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "stdlib/tensor/interleaved.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/half.hpp"

namespace covec::files {

namespace {

constexpr size_t piece = size_t{1} << 15;  // elements

struct ComplexNames {
  Dtype part;
  std::string_view npy, safetensors;
};
constexpr ComplexNames complex_names[] = {{Dtype::f32, "<c8", "C64"}, {Dtype::f64, "<c16", ""}};

template <class Word>
void swap_words(std::byte* data, size_t count) {
  for (size_t i = 0; i < count; ++i) std::reverse(data + i * sizeof(Word), data + (i + 1) * sizeof(Word));
}

void swap_bytes(std::byte* data, size_t count, size_t width) {
  if (width == 2) swap_words<uint16_t>(data, count);
  if (width == 4) swap_words<uint32_t>(data, count);
  if (width == 8) swap_words<uint64_t>(data, count);
}

template <class From, class To, class F>
void convert(const std::byte* from, std::byte* to, size_t count, F f) {
  for (size_t i = 0; i < count; ++i) {
    From element;
    std::memcpy(&element, from + i * sizeof(From), sizeof element);
    const To converted = f(element);
    std::memcpy(to + i * sizeof(To), &converted, sizeof converted);
  }
}

void widen_u64(const Source& source, const std::byte* from, std::byte* to, size_t count) {
  convert<uint64_t, int64_t>(from, to, count, [&](uint64_t element) {
    if (element > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      source.fail("the unsigned number " + std::to_string(element) + " does not fit in i64");
    return static_cast<int64_t>(element);
  });
}

void read_in_place(Source& source, Stored stored, bool swapped, std::byte* to, size_t count) {
  source.read(to, count * size_of(stored));
  if (swapped) swap_bytes(to, count, size_of(stored));
  if (stored.dtype != Dtype::boolean) return;
  for (size_t i = 0; i < count; ++i) to[i] = std::byte{to[i] != std::byte{0}};
}

void read_in_pieces(Source& source, Stored stored, bool swapped, std::byte* to, size_t count) {
  const size_t width = size_of(stored);
  std::vector<std::byte> buffer(std::min(count, piece) * width);
  for (size_t done = 0; done < count;) {
    const size_t now = std::min(count - done, piece);
    source.read(buffer.data(), now * width);
    if (swapped) swap_bytes(buffer.data(), now, width);
    widen_u64(source, buffer.data(), to + done * covec::size_of(stored.dtype), now);
    done += now;
  }
}

// The parts of complex numbers, each dense.
template <class T>
void read_complex(Source& source, bool swapped, T* re, T* im, size_t count) {
  std::vector<T> buffer(2 * std::min(count, piece));
  for (size_t done = 0; done < count;) {
    const size_t now = std::min(count - done, piece);
    source.read(buffer.data(), 2 * now * sizeof(T));
    if (swapped) swap_bytes(reinterpret_cast<std::byte*>(buffer.data()), 2 * now, sizeof(T));
    split_parts(buffer.data(), re + done, im + done, now);
    done += now;
  }
}

void read_complex(Source& source, Dtype part, bool swapped, std::byte* re, std::byte* im, size_t count) {
  if (part == Dtype::f32)
    read_complex(source, swapped, reinterpret_cast<float*>(re), reinterpret_cast<float*>(im), count);
  else
    read_complex(source, swapped, reinterpret_cast<double*>(re), reinterpret_cast<double*>(im), count);
}

Value read_complex(Pool& pool, Source& source, Dtype part, bool swapped, const Shape& shape) {
  const auto count = static_cast<size_t>(shape.elements());
  return make_complex(pool, part, shape,
                      [&](std::byte* re, std::byte* im) { read_complex(source, part, swapped, re, im, count); });
}

void write_half(Sink& sink, Dtype dtype, const uint16_t* from, size_t count) {
  const uint16_t nan = half_of(dtype, std::numeric_limits<float>::quiet_NaN());
  std::vector<uint16_t> buffer;
  for (size_t done = 0; done < count; done += buffer.size()) {
    buffer.assign(from + done, from + std::min(count, done + piece));
    for (uint16_t& bits : buffer) {
      const float number = float_of_half(dtype, bits);
      if (number != number) bits = nan;
    }
    sink.write(buffer.data(), buffer.size() * sizeof(uint16_t));
  }
}

template <class T>
void write_floats(Sink& sink, const T* from, size_t count) {
  std::vector<T> buffer;
  for (size_t done = 0; done < count;) {
    const size_t now = std::min(count - done, piece);
    const T* at = from + done;
    bool any = false;
    for (size_t i = 0; i < now; ++i) any |= at[i] != at[i];
    if (any) {
      buffer.assign(at, at + now);
      for (T& x : buffer) x = x == x ? x : std::numeric_limits<T>::quiet_NaN();
      at = buffer.data();
    }
    sink.write(at, now * sizeof(T));
    done += now;
  }
}

// As f32.
void write_widened(Sink& sink, Dtype dtype, const uint16_t* from, size_t count) {
  std::vector<float> buffer;
  for (size_t done = 0; done < count; done += buffer.size()) {
    buffer.resize(std::min(count - done, piece));
    for (size_t i = 0; i < buffer.size(); ++i) buffer[i] = float_of_half(dtype, from[done + i]);
    write_floats(sink, buffer.data(), buffer.size());
  }
}

template <class T>
void write_complex(Sink& sink, const void* re, const void* im, size_t count) {
  const auto *const a = static_cast<const T*>(re), *const b = static_cast<const T*>(im);
  std::vector<T> buffer(2 * std::min(count, piece));
  for (size_t done = 0; done < count;) {
    const size_t now = std::min(count - done, piece);
    join_parts(a + done, b + done, buffer.data(), now);
    write_floats(sink, buffer.data(), 2 * now);
    done += now;
  }
}

Value dense(Pool& pool, const Value& tensor) { return tensor.is_scalar() ? tensor : contiguous(pool, tensor); }

size_t elements_of(const Value& tensor) {
  const Value& part = shaped_part(tensor);
  return part.is_scalar() ? 1 : static_cast<size_t>(part.tensor().size());
}

}  // namespace

size_t size_of(Stored stored) { return covec::size_of(stored.dtype) * (stored.form == StoredForm::complex ? 2 : 1); }

Stored stored_of(const Value& tensor) {
  return {covec::dtype_of(shaped_part(tensor)), is_complex(tensor) ? StoredForm::complex : StoredForm::plain};
}

std::optional<Stored> stored_of_npy(std::string_view code) {
  for (const DtypeInfo& info : dtype_table) {
    if (!info.npy.empty() && info.npy.substr(1) == code) return Stored{info.dtype};
  }
  for (const ComplexNames& names : complex_names) {
    if (names.npy.substr(1) == code) return Stored{names.part, StoredForm::complex};
  }
  return code == "u8" ? std::optional(Stored{Dtype::i64, StoredForm::u64}) : std::nullopt;
}

std::string_view npy_name(Stored stored) {
  if (stored.form == StoredForm::complex) return complex_names[stored.dtype == Dtype::f64].npy;
  return info_of(stored.dtype).npy;
}

std::string_view safetensors_name(Stored stored) {
  if (stored.form == StoredForm::complex) return complex_names[stored.dtype == Dtype::f64].safetensors;
  return info_of(stored.dtype).safetensors;
}

std::optional<Stored> stored_of_safetensors(std::string_view code) {
  for (const DtypeInfo& info : dtype_table) {
    if (info.safetensors == code) return Stored{info.dtype};
  }
  if (code == complex_names[0].safetensors) return Stored{Dtype::f32, StoredForm::complex};
  return code == "U64" ? std::optional(Stored{Dtype::i64, StoredForm::u64}) : std::nullopt;
}

bool bytes_of(Stored stored, const Shape& shape, uint64_t& bytes) {
  bytes = size_of(stored);
  for (const Dim dim : shape) {
    if (dim.number() == 0) return bytes = 0, true;
  }
  for (const Dim dim : shape) {
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(dim.number()), &bytes) || bytes >> 63 != 0) return false;
  }
  return true;
}

RowBytes bytes_of_rows(const File& file, const std::string& name, const Shape& shape, uint64_t bytes, RowRange rows) {
  if (shape.rank() == 0) fail_to_read(file.path(), name + " is a number, which has no rows");
  const int64_t all = shape[0].number();
  if (rows.end > all) {
    fail_to_read(file.path(), name + " has " + std::to_string(all) + (all == 1 ? " row" : " rows") + ", and rows=(" +
                                  std::to_string(rows.begin) + ", " + std::to_string(rows.end) + ") asks for more");
  }
  const uint64_t of_row = all == 0 ? 0 : bytes / static_cast<uint64_t>(all);
  RowBytes found{static_cast<uint64_t>(rows.begin) * of_row, static_cast<uint64_t>(rows.end - rows.begin) * of_row, {}};
  found.shape.push_back(Dim(rows.end - rows.begin));
  for (unsigned axis = 1; axis < shape.rank(); ++axis) found.shape.push_back(shape[axis]);
  return found;
}

Value read_elements(Pool& pool, Source& source, Stored stored, bool swapped, const Shape& shape) {
  if (stored.form == StoredForm::complex) return read_complex(pool, source, stored.dtype, swapped, shape);
  const auto read = [&](std::byte* to, size_t count) {
    if (stored.form == StoredForm::plain)
      read_in_place(source, stored, swapped, to, count);
    else
      read_in_pieces(source, stored, swapped, to, count);
  };
  Value result = make_tensor(pool, stored.dtype, shape);
  if (result.is_scalar()) {
    std::byte number[8];
    read(number, 1);
    return Value::scalar(stored.dtype, number);
  }
  read(result.tensor().data(), static_cast<size_t>(result.tensor().size()));
  return result;
}

uint64_t written_bytes(const Value& tensor, Stored as) { return elements_of(tensor) * size_of(as); }

void write_elements(Sink& sink, Pool& pool, const Value& tensor, Stored as) {
  const size_t count = elements_of(tensor);
  if (is_complex(tensor)) {
    const Value re = dense(pool, complex_of(tensor).re()), im = dense(pool, complex_of(tensor).im());
    const auto write = as.dtype == Dtype::f32 ? write_complex<float> : write_complex<double>;
    return write(sink, data_of(re), data_of(im), count);
  }
  const Value whole = dense(pool, tensor);
  const Dtype dtype = covec::dtype_of(whole);
  if (dtype == Dtype::f64) {
    write_floats(sink, static_cast<const double*>(data_of(whole)), count);
  } else if (dtype == Dtype::f32) {
    write_floats(sink, static_cast<const float*>(data_of(whole)), count);
  } else if (is_half(dtype)) {
    const auto* halves = static_cast<const uint16_t*>(data_of(whole));
    as.dtype == dtype ? write_half(sink, dtype, halves, count) : write_widened(sink, dtype, halves, count);
  } else {
    sink.write(data_of(whole), count * covec::size_of(dtype));
  }
}

}  // namespace covec::files
