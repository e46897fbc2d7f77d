// Reads and writes sparse matrices, for the module `sparse`. The formats are in stdlib/sparse_files.
#include "stdlib/files/atomic.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/files/family.hpp"
#include "stdlib/sparse_files/mtx.hpp"
#include "stdlib/sparse_files/npz.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

const std::string& matrix_path(const Call& call) {
  if (!call.args[0].is(ObjectKind::string)) fail_attribute(call, 0, "a path in a string");
  return call.args[0].string().text;
}

// Whether a path names a Matrix Market file; the other format is SciPy's.
bool is_mtx(const std::string& path, decltype(files::fail_to_read)& fail_to) {
  if (path.ends_with(".mtx")) return true;
  if (!path.ends_with(".npz")) fail_to(path, "a sparse matrix is in a file whose name ends in .mtx or .npz", {});
  return false;
}

Value read_sparse(Builder& builder, Call& call) {
  const std::string& path = matrix_path(call);
  const bool mtx = is_mtx(path, files::fail_to_read);
  const files::File file(path, builder.context());
  if (mtx) {
    const files::Coordinates m = files::read_mtx(file);
    return make_tuple({make_string("coo"), m.data, m.rows, m.columns, Value(m.height), Value(m.width)});
  }
  const files::SparseArrays m = files::read_sparse_npz(file);
  return make_tuple({make_string(m.format), m.data, m.indices, m.indptr, Value(m.height), Value(m.width)});
}

// Without what derivatives have wrapped around it, in one piece.
Value vector_argument(Builder& builder, const Call& call, unsigned operand, bool integers) {
  const Value* at = &call.args[operand];
  for (; at->is_traced(); at = &at->traced().primal) {
    if (at->traced().trace == TraceKind::batch) fail(message("shared_examples"), {"sparse.write"});
  }
  const bool fits = at->is_tensor() && at->tensor().rank() == 1 &&
                    (integers ? kind_of(at->tensor().dtype()) == DtypeKind::integer : is_float(at->tensor().dtype()));
  if (!fits) fail_attribute(call, operand, integers ? "a vector of integers" : "a vector of floats");
  const Dtype dtype = integers ? Dtype::i64 : at->tensor().dtype() == Dtype::f32 ? Dtype::f32 : Dtype::f64;
  return contiguous(builder.pool(), cast_to(builder, *at, dtype));
}

Value write_sparse(Builder& builder, Call& call) {
  const std::string& path = matrix_path(call);
  const bool mtx = is_mtx(path, files::fail_to_write);
  const Value data = vector_argument(builder, call, 1, false);
  const Value first = vector_argument(builder, call, 2, true), second = vector_argument(builder, call, 3, true);
  const int64_t height = integer_argument(call, 4), width = integer_argument(call, 5);
  if (first.tensor().size() != data.tensor().size() || (mtx && second.tensor().size() != data.tensor().size()))
    fail(message("sparse_count"), {std::to_string(data.tensor().size()), std::to_string(first.tensor().size())});
  files::AtomicFile file(path, builder.context());
  if (mtx) {
    files::write_mtx(file, {first, second, data, height, width});
  } else {
    files::write_sparse_npz(file, builder.pool(), {"csr", data, first, second, height, width});
  }
  file.commit();
  return Value();
}

const Entry& read_sparse_entry() {
  static const Entry entry{
      .name = "_sparse_read",
      .doc =
          "For modules: the sparse matrix in a .mtx or .npz file: its format, numbers, the format's two vectors of "
          "integers, its rows and columns.",
      .parameters = {attribute("path")},
      .eager = read_sparse,
      .derivative = Derivative::none("reads a file"),
      .effects = {.may_fail = true, .outside = true},
      .internal = true,
      .part_of = "sparse.read"};
  return entry;
}

const Entry& write_sparse_entry() {
  static const Entry entry{
      .name = "_sparse_write",
      .doc =
          "For modules: writes a sparse matrix to a .mtx file, with its rows and columns, or to a .npz file, with its "
          "indices and indptr.",
      .parameters = {attribute("path"), any_parameter("data"), any_parameter("first"), any_parameter("second"),
                     attribute("rows"), attribute("columns")},
      .eager = write_sparse,
      .derivative = Derivative::none("writes a file"),
      .effects = {.may_fail = true, .outside = true, .shared = true},
      .internal = true,
      .part_of = "sparse.write"};
  return entry;
}

}  // namespace

Family files_sparse_entries() {
  static const Entry* const entries[] = {&read_sparse_entry(), &write_sparse_entry()};
  return entries;
}

}  // namespace covec::ops
