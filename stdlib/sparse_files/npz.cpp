#include "stdlib/sparse_files/npz.hpp"

#include <algorithm>
#include <map>

#include "stdlib/files/npy.hpp"
#include "stdlib/files/zip.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::files {

namespace {

constexpr std::string_view format_name = "format.npy";
constexpr size_t longest_format_file = 4096;  // bytes of format.npy, which has a header and three letters

// The letters behind the header of an array of one text, bytes or UCS-4.
std::string text_of_npy(MemberSource& source) {
  if (source.size() > longest_format_file) source.fail("the text is too long");
  std::string bytes(static_cast<size_t>(source.size()), '\0');
  source.read(bytes.data(), bytes.size());
  const size_t end = bytes.find('\n');
  if (end == std::string::npos) source.fail("it is no array of one text");
  std::string text = bytes.substr(end + 1);
  std::erase(text, '\0');
  return text;
}

class Archive {
 public:
  explicit Archive(const File& file) : file_(file), zip_(file) {
    for (const Member& member : zip_.members()) {
      const auto source = zip_.open(member);
      if (member.name == format_name) {
        format_ = text_of_npy(*source);
      } else {
        arrays_[member.name] = read_npy(file.pool(), *source);
      }
      source->finish();
    }
  }

  SparseArrays matrix() const {
    if (format_.empty()) fail("it has no array format: a matrix that scipy.sparse.save_npz writes has one");
    if (format_ != "csr" && format_ != "csc" && format_ != "coo")
      fail("its format is " + shown(format_) + "; csr, csc and coo are read");
    const bool coordinates = format_ == "coo";
    const Value shape = integers("shape");
    if (shape.tensor().size() != 2) fail("its shape has " + std::to_string(shape.tensor().size()) + " numbers");
    SparseArrays matrix{format_,
                        vector("data"),
                        integers(coordinates ? "row" : "indices"),
                        integers(coordinates ? "col" : "indptr"),
                        item(shape, 0),
                        item(shape, 1)};
    if (matrix.height < 0 || matrix.width < 0) fail("its shape is negative");
    coordinates ? check_coordinates(matrix) : check_compressed(matrix);
    return matrix;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const { fail_to_read(file_.path(), why); }

  static int64_t item(const Value& vector, int64_t i) { return item_of(vector, i).integer(); }
  static int64_t length(const Value& vector) { return vector.tensor().size(); }

  Value vector(const std::string& name) const {
    const auto found = arrays_.find(name + ".npy");
    if (found == arrays_.end()) fail("it has no array " + name);
    if (!found->second.is_tensor() || found->second.tensor().rank() != 1)
      fail("its array " + name + " is " + describe(found->second) + ", no vector of real numbers");
    return found->second;
  }
  Value integers(const std::string& name) const {
    const Value found = vector(name);
    if (kind_of(found.tensor().dtype()) != DtypeKind::integer)
      fail("its array " + name + " is " + describe(found) + ", not of integers");
    return found;
  }

  void check_indices(const Value& indices, int64_t size, const char* what) const {
    for (int64_t k = 0; k < length(indices); ++k) {
      const int64_t index = item(indices, k);
      if (index < 0 || index >= size)
        fail("it has " + std::string(what) + " " + std::to_string(index) + ", but there are " + std::to_string(size));
    }
  }
  void check_count(const Value& indices, const Value& data) const {
    if (length(indices) == length(data)) return;
    fail("it has " + std::to_string(length(data)) + " numbers and " + std::to_string(length(indices)) + " indices");
  }
  void check_coordinates(const SparseArrays& matrix) const {
    check_count(matrix.indices, matrix.data);
    check_count(matrix.indptr, matrix.data);
    check_indices(matrix.indices, matrix.height, "row");
    check_indices(matrix.indptr, matrix.width, "column");
  }
  void check_compressed(const SparseArrays& matrix) const {
    const bool by_rows = matrix.format == "csr";
    const int64_t rows = by_rows ? matrix.height : matrix.width;
    check_count(matrix.indices, matrix.data);
    if (length(matrix.indptr) != rows + 1)
      fail("its indptr has " + std::to_string(length(matrix.indptr)) + " numbers, not " + std::to_string(rows + 1));
    for (int64_t row = 0; row < rows; ++row) {
      if (item(matrix.indptr, row + 1) < item(matrix.indptr, row))
        fail("its indptr falls at " + std::to_string(row + 1));
    }
    if (item(matrix.indptr, 0) != 0 || item(matrix.indptr, rows) != length(matrix.data))
      fail("its indptr does not go from 0 to the number of indices");
    check_indices(matrix.indices, by_rows ? matrix.width : matrix.height, by_rows ? "column" : "row");
  }

  const File& file_;
  const ZipReader zip_;
  std::string format_;
  std::map<std::string, Value> arrays_;
};

// A .npy file of one text of three bytes, as NumPy writes it: elements begin at a multiple of 64.
std::string npy_of_text(const std::string& text) {
  constexpr size_t alignment = 64, before = 10;  // NumPy's: bytes of alignment, and before the header's text
  std::string header = "{'descr': '|S" + std::to_string(text.size()) + "', 'fortran_order': False, 'shape': (), }";
  header += std::string(alignment - 1 - (before + header.size()) % alignment, ' ') + "\n";
  const auto length = static_cast<unsigned>(header.size());
  std::string file = "\x93NUMPY";
  file += {'\1', '\0', static_cast<char>(length & 0xff), static_cast<char>(length >> 8)};
  return file + header + text;
}

}  // namespace

SparseArrays read_sparse_npz(const File& file) { return Archive(file).matrix(); }

void write_sparse_npz(AtomicFile& file, Pool& pool, const SparseArrays& matrix) {
  ZipWriter archive(file);
  const auto add = [&](const char* name, const Value& tensor) {
    archive.add(name, npy_bytes(tensor), [&](Sink& sink) { write_npy(sink, pool, tensor); });
  };
  const std::string format = npy_of_text(matrix.format);
  Value shape = make_tensor(pool, Dtype::i64, {Dim(2)});
  shape.tensor().as<int64_t>()[0] = matrix.height;
  shape.tensor().as<int64_t>()[1] = matrix.width;
  add("indices.npy", matrix.indices);
  add("indptr.npy", matrix.indptr);
  archive.add(std::string(format_name), format.size(), [&](Sink& sink) { sink.write(format); });
  add("shape.npy", shape);
  add("data.npy", matrix.data);
  archive.finish({});
}

}  // namespace covec::files
