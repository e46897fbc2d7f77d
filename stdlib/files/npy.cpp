// Reads and writes .npy. A small parser reads the header: a dict of three known names, strings, True and False, a tuple
// of integers. An unsupported type is named in the error as far as possible ("Python objects", "records"). Start
// reading at read_npy().
#include "stdlib/files/npy.hpp"

#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <vector>

#include "stdlib/files/elements.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::files {

namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr size_t max_header_bytes = size_t{1} << 16;  // of rank 16 it takes a few hundred

struct Header {
  Stored stored;
  bool swapped;
  bool fortran_order;
  Shape shape;
};

std::string_view kind_of_code(char code) {
  switch (code) {
    case 'O': return "Python objects";
    case 'c': return "complex numbers of that size";
    case 'U':
    case 'S':
    case 'a': return "strings";
    case 'M':
    case 'm': return "times";
    case 'V': return "raw bytes";
    case 'f': return "floats of that size";
    default: return "unknown";
  }
}

class HeaderParser {
 public:
  HeaderParser(const Source& source, std::string_view text) : source_(source), text_(text) {}

  Header parse() {
    expect('{');
    while (!accept('}')) {
      field(string());
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (!text_.empty()) fail();
    if (!stored_ || !fortran_order_ || !shape_) source_.fail("its header lacks descr, fortran_order or shape");
    return {*stored_, swapped_, *fortran_order_, *shape_};
  }

 private:
  [[noreturn]] void fail() const { source_.fail("its header cannot be read at " + shown(text_)); }

  void skip_blanks() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n')) text_.remove_prefix(1);
  }
  bool accept(char c) {
    skip_blanks();
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail();
  }
  bool accept(std::string_view word) {
    skip_blanks();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }

  std::string_view string() {
    skip_blanks();
    if (!text_.starts_with('\'') && !text_.starts_with('"')) fail();
    const size_t end = text_.find(text_.front(), 1);
    if (end == std::string_view::npos) fail();
    const std::string_view content = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return content;
  }

  void field(std::string_view name) {
    expect(':');
    if (name == "descr" && !stored_) {
      if (accept('['))
        source_.fail("its elements are records; only bools, integers, floats and complex numbers are read");
      element_type(string());
    } else if (name == "fortran_order" && !fortran_order_) {
      fortran_order_ = accept("True");
      if (!*fortran_order_ && !accept("False")) fail();
    } else if (name == "shape" && !shape_) {
      shape_ = shape();
    } else {
      source_.fail("its header has the field " + shown(name) + " more than once");
    }
  }

  void element_type(std::string_view descr) {
    std::string_view code = descr;
    if (!code.empty() && std::string_view("<>|=").find(code.front()) != std::string_view::npos) code.remove_prefix(1);
    stored_ = stored_of_npy(code);
    swapped_ = descr.starts_with('>');
    if (stored_) return;
    source_.fail("its elements are " + shown(descr) + ", " + std::string(kind_of_code(code.empty() ? '?' : code[0])) +
                 "; only bools, integers, floats and complex numbers are read");
  }

  int64_t size() {
    skip_blanks();
    int64_t number = -1;
    const auto [end, code] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
    if (code != std::errc() || number < 0) fail();
    text_.remove_prefix(static_cast<size_t>(end - text_.data()));
    accept('L');  // as Python 2 wrote them
    return number;
  }

  Shape shape() {
    std::vector<Dim> sizes;
    skip_blanks();
    const std::string_view written = text_.substr(0, text_.find(')') + 1);  // npos + 1 is 0
    if (written.empty()) fail();
    expect('(');
    while (!accept(')')) {
      sizes.emplace_back(size());
      if (sizes.size() > max_rank) source_.fail("its rank is more than " + std::to_string(max_rank));
      if (accept(',')) continue;
      if (sizes.size() > 1 && accept(')')) break;
      source_.fail("its shape " + abridged(written) + " is not a tuple of integers");
    }
    return Shape(sizes.data(), sizes.size());
  }

  const Source& source_;
  std::string_view text_;
  std::optional<Stored> stored_;
  bool swapped_ = false;
  std::optional<bool> fortran_order_;
  std::optional<Shape> shape_;
};

size_t header_length(Source& source) {
  std::array<unsigned char, 8> start;
  if (source.size() < 10) source.fail("it is too short to be a .npy file");
  source.read(start.data(), start.size());
  if (std::memcmp(start.data(), magic.data(), magic.size()) != 0) source.fail("it does not begin as a .npy file does");
  const unsigned version = start[6];
  if (version < 1 || version > 3) source.fail("its version is " + std::to_string(version) + "; 1, 2 and 3 are read");
  std::array<unsigned char, 4> length = {};
  source.read(length.data(), version == 1 ? 2 : 4);
  const size_t bytes = length[0] | length[1] << 8 | length[2] << 16 | static_cast<size_t>(length[3]) << 24;
  if (bytes > source.left()) source.fail("its header is cut off");
  if (bytes > max_header_bytes) source.fail("its header of " + std::to_string(bytes) + " bytes is too long");
  return bytes;
}

// The elements of a column-major tensor are those of its transpose, row-major: only strides differ.
Value transposed(const Value& reversed, const Shape& shape) {
  if (is_complex(reversed)) {
    const Complex& z = complex_of(reversed);
    return make_complex(transposed(z.re(), shape), transposed(z.im(), shape));
  }
  std::vector<int64_t> strides(reversed.tensor().strides().rbegin(), reversed.tensor().strides().rend());
  return Tensor::view(reversed, reversed.tensor().data(), shape, strides);
}

Shape reversed(const Shape& shape) {
  std::vector<Dim> dims(shape.begin(), shape.end());
  return Shape(dims.rbegin(), dims.size());
}

// The format has no bf16.
Stored written_form(const Value& tensor) {
  const Stored stored = stored_of(tensor);
  return npy_name(stored).empty() ? Stored{Dtype::f32} : stored;
}

// Elements begin at a multiple of 64; numpy leaves room for the first size to grow.
std::string header_of(const Value& tensor, const Shape& shape) {
  // NumPy's: digits that a size may grow to, bytes of alignment, and bytes before the text.
  constexpr size_t longest_size = 21, alignment = 64, before = 10;
  std::string text = "{'descr': '" + std::string(npy_name(written_form(tensor))) + "', 'fortran_order': False, ";
  text += "'shape': (";
  for (unsigned axis = 0; axis < shape.rank(); ++axis) {
    text += (axis > 0 ? ", " : "") + std::to_string(shape[axis].number());
  }
  text += shape.rank() == 1 ? ",), }" : "), }";
  if (shape.rank() > 0) text.append(longest_size - std::to_string(shape[0].number()).size(), ' ');
  text.append(alignment - (before + text.size() + 1) % alignment, ' ');
  text += '\n';
  std::string whole(magic);
  whole += {'\x01', '\x00', static_cast<char>(text.size() & 255), static_cast<char>(text.size() >> 8)};
  return whole + text;
}

// The elements follow, as many as it says.
Header read_header(Source& source) {
  std::string text(header_length(source), '\0');
  source.read(text.data(), text.size());
  const Header header = HeaderParser(source, text).parse();
  uint64_t bytes = 0;
  if (!bytes_of(header.stored, header.shape, bytes) || bytes != source.left()) {
    source.fail("its shape " + header.shape.text() + " does not match the " + std::to_string(source.left()) +
                " bytes of elements that follow");
  }
  return header;
}

}  // namespace

Value read_npy_rows(const File& file, RowRange rows) {
  FileSource whole(file, 0, file.size());
  const Header header = read_header(whole);
  const RowBytes found = bytes_of_rows(file, "its tensor", header.shape, whole.left(), rows);
  if (header.fortran_order && header.shape.rank() > 1) {
    fail_to_read(file.path(), "its elements are in column-major order, in which rows are not adjacent",
                 "load it without rows= and slice it; np.ascontiguousarray(x) is saved in row-major order");
  }
  FileSource source(file, file.size() - whole.left() + found.offset, found.size);
  return read_elements(file.pool(), source, header.stored, header.swapped, found.shape);
}

Value read_npy(Pool& pool, Source& source) {
  const Header header = read_header(source);
  if (!header.fortran_order || header.shape.rank() < 2)
    return read_elements(pool, source, header.stored, header.swapped, header.shape);
  return transposed(read_elements(pool, source, header.stored, header.swapped, reversed(header.shape)), header.shape);
}

void write_npy(Sink& sink, Pool& pool, const Value& tensor) {
  sink.write(header_of(tensor, shape_of(shaped_part(tensor))));
  write_npy_elements(sink, pool, tensor);
}

uint64_t npy_bytes(const Value& tensor) {
  return header_of(tensor, shape_of(shaped_part(tensor))).size() + npy_element_bytes(tensor);
}

std::string npy_header(const Value& rows, int64_t all_rows) {
  Shape shape = shape_of(shaped_part(rows));
  shape[0] = Dim(all_rows);
  return header_of(rows, shape);
}

void write_npy_elements(Sink& sink, Pool& pool, const Value& rows) {
  write_elements(sink, pool, rows, written_form(rows));
}

uint64_t npy_element_bytes(const Value& rows) { return written_bytes(rows, written_form(rows)); }

}  // namespace covec::files
