// Writes matrix products.
#include <algorithm>
#include <utility>

#include "jit/emit/moves.hpp"
#include "jit/emit/products.hpp"
#include "jit/emit/reductions.hpp"
#include "jit/source/filled.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/linalg/linalg.hpp"
#include "stdlib/ops/linalg/parts.hpp"
#include "stdlib/ops/reduce/reduce.hpp"

namespace covec::emit {

namespace {

constexpr const char* integer_product_text =
    R"(static void {NAME}(const {T}* a, const {T}* b, {T}* c, int64_t m, int64_t n, int64_t k) {
  int64_t i, j, t;
  for (i = 0; i < m; ++i)
    for (j = 0; j < n; ++j) {
      {U} sum = 0;
      for (t = 0; t < k; ++t) sum += ({U})a[i * k + t] * ({U})b[t * n + j];
      c[i * n + j] = ({T})sum;
    }
}
)";

// A zero of a factor that stands for a cotangent makes its term nothing: elements that have become NaN are added up
// again. The matrices of a stack are looked at together, as stdlib/convolution/repair_nan.cpp does.
constexpr const char* look_text =
    R"(/* Whether elements that are NaN are added up again, without terms in which {ZEROS} is 0: 0 no, 2 they are 0 then. */
static int {NAME}(const {T}* a, int64_t ma, const {T}* b, int64_t mb, const {T}* c, int64_t outs) {
  enum { zeros = {BITS} };
  const int64_t others = (zeros == 1 ? 0 : ma) + (zeros == 2 ? 0 : mb);
  int64_t i, special = 0, some_a = 0, some_b = 0;
  for (i = 0; i < outs; ++i) special |= c[i] != c[i];
  if (!special) return 0;
  if (others < outs) {
    special = 0;
    if (zeros != 1) for (i = 0; i < ma; ++i) special |= !(a[i] - a[i] == 0);
    if (zeros != 2) for (i = 0; i < mb; ++i) special |= !(b[i] - b[i] == 0);
    if (!special) return 0;
  }
  for (i = 0; i < ma; ++i) some_a |= a[i] != 0;
  for (i = 0; i < mb; ++i) some_b |= b[i] != 0;
  return ((zeros & 1) != 0 && !some_a) || ((zeros & 2) != 0 && !some_b) ? 2 : 1;
}
)";
constexpr const char* repair_text = R"(/* Of a @ b what is NaN again, without terms in which {ZEROS} is 0. */
static void {NAME}(const {T}* a, const {T}* b, {T}* c, int64_t m, int64_t n, int64_t k, int nothing) {
  enum { zeros = {BITS} };
  int64_t p, t;
  for (p = 0; p < m * n; ++p) {
    const {T}*const x = a + p / n * k, *const y = b + p % n;
    {T} sum = 0;
    if (c[p] == c[p]) continue;
    for (t = 0; t < k && !nothing; ++t) {
      if (((zeros & 1) != 0 && x[t] == 0) || ((zeros & 2) != 0 && y[t * n] == 0)) continue;
      sum += x[t] * y[t * n];
    }
    c[p] = sum;
  }
}
)";

class ProductWriter {
 public:
  explicit ProductWriter(const Application& application)
      : application_(application),
        frame_(application.frame),
        a_(application.operands[0]),
        b_(application.operands[1]),
        result_(application.result),
        dtype_(result_.type.dtype) {
    if (a_.is_number() || b_.is_number()) application.refuse_operator("of a number");
    if (is_narrow(dtype_) || dtype_ == Dtype::boolean)
      application.refuse_operator("of " + std::string(name_of(a_.type.dtype)) + " and " +
                                  std::string(name_of(b_.type.dtype)));
    convert(a_);
    convert(b_);
    rows_ = a_.type.rank() >= 2 ? a_.type.extents[a_.type.rank() - 2] : Size(1);
    inner_ = a_.type.extents.back();
    columns_ = b_.type.rank() >= 2 ? b_.type.extents.back() : Size(1);
    const size_t axis = b_.type.rank() >= 2 ? b_.type.rank() - 2 : 0;
    frame_.check_equal(inner_, b_.type.extents[axis], application.step.place, fit_error);
  }

  void write(uint64_t zeros) {
    if (a_.type.rank() == 1 && b_.type.rank() == 1) return of_vectors(zeros);
    if (result_.type.is_empty()) return;
    each([&](const ProductPlaces& at) { multiply(at); });
    if (zeros != 0 && is_float(dtype_) && !inner_.is(0)) repair(zeros);
  }

 private:
  void convert(Argument& x) {
    if (x.type.dtype == dtype_) return;
    const Dtype from = std::exchange(x.type.dtype, dtype_);
    const std::string elements = std::exchange(x.text, frame_.scratch(x.type.bytes(), memory_type(dtype_)));
    const std::string i = frame_.open_loop(x.type.elements());
    const std::string number = source::c_loaded(from, elements + "[" + i + "]");
    frame_.put(x.text + "[" + i + "] = " + frame_.file.converted(number, from, dtype_) + ";");
    frame_.close();
  }
  // Of two vectors it is sum(a * b).
  void of_vectors(uint64_t zeros) {
    if (zeros != 0) application_.refuse_operator("of two cotangents");
    const std::string products = frame_.scratch(a_.type.bytes(), number_type(dtype_));
    const std::string i = frame_.open_loop(inner_);
    const std::string unsigned_type = dtype_ == Dtype::i32 ? "(uint32_t)" : "(uint64_t)";
    frame_.put(products + "[" + i + "] = " +
               (is_float(dtype_) ? a_.text + "[" + i + "] * " + b_.text + "[" + i + "];"
                                 : "(" + number_type(dtype_) + ")(" + unsigned_type + a_.text + "[" + i + "] * " +
                                       unsigned_type + b_.text + "[" + i + "]);"));
    frame_.close();
    write_reduction(frame_, ops::sum_entry(), 1, {a_.type, products}, result_, application_.step.place);
  }
  // The places of the first elements of matrices, or of vectors, which are matrices of one row or column.
  struct ProductPlaces {
    std::string a, b, c;
  };
  void multiply(const ProductPlaces& at) const {
    if (inner_.is(0)) return frame_.clear(at.c, rows_ * columns_ * static_cast<int64_t>(size_of(dtype_)));
    const std::string m = rows_.text(), n = columns_.text(), k = inner_.text();
    if (!is_float(dtype_)) return multiply_integers(at);
    frame_.put(product_function(frame_.file, dtype_) + "(" + m + ", " + n + ", " + k + ", " + at.a + ", " + k +
               ", 1, " + at.b + ", " + n + ", " + at.c + ", " + n + ");");
  }
  // For each matrix of the stack.
  void each(FunctionRef<void(const ProductPlaces&)> body) const {
    if (a_.type.rank() <= 2 && b_.type.rank() <= 2) return body({a_.text, b_.text, result_.text});
    const size_t axes = result_.type.rank() - (a_.type.rank() >= 2 ? 1 : 0) - (b_.type.rank() >= 2 ? 1 : 0);
    const std::vector<Size> batch(result_.type.extents.begin(),
                                  result_.type.extents.begin() + static_cast<std::ptrdiff_t>(axes));
    const auto side = [&](const Argument& x, size_t own) {
      Side side{x.text, 0, std::vector<Size>(axes, 0)};
      const size_t missing = axes - (x.type.rank() - own);
      const std::vector<Size> strides = row_major(x.type.extents);
      for (size_t k = missing; k < axes; ++k) {
        const Size& extent = x.type.extents[k - missing];
        if (extent != batch[k] && !extent.known())
          application_.refuse_operator("of stacks of matrices whose broadcast depends on the caller");
        side.strides[k] = extent.is(1) ? Size(0) : strides[k - missing];
      }
      return side;
    };
    const size_t of_a = std::min<size_t>(2, a_.type.rank()), of_b = std::min<size_t>(2, b_.type.rank());
    const size_t of_c = result_.type.rank() - axes;
    write_loops(frame_, batch, {side(a_, of_a), side(b_, of_b), side(result_, of_c)},
                [&](std::span<const std::string> at) {
                  body({a_.text + " + " + at[0], b_.text + " + " + at[1], result_.text + " + " + at[2]});
                });
  }
  void repair(uint64_t zeros) const {
    const source::Filling filling = {{"{T}", number_type(dtype_)},
                                     {"{BITS}", std::to_string(zeros)},
                                     {"{ZEROS}", zeros == 1   ? "a"
                                                 : zeros == 2 ? "b"
                                                              : "a or b"}};
    const auto function = [&](const char* name, const char* text) {
      return frame_.file.function(std::string(name) + "_" + std::string(name_of(dtype_)),
                                  source::filled(text, filling));
    };
    const std::string what = frame_.fresh("t");
    frame_.open("");
    frame_.put("const int " + what + " = " + function("look_for_nan", look_text) + "(" + a_.text + ", " +
               a_.type.elements().text() + ", " + b_.text + ", " + b_.type.elements().text() + ", " + result_.text +
               ", " + result_.type.elements().text() + ");");
    frame_.open("if (" + what + " != 0" + (inner_.known() ? "" : " && " + inner_.factor() + " != 0") + ")");
    each([&](const ProductPlaces& at) {
      frame_.put(function("repair_nan", repair_text) + "(" + at.a + ", " + at.b + ", " + at.c + ", " + rows_.text() +
                 ", " + columns_.text() + ", " + inner_.text() + ", " + what + " == 2);");
    });
    frame_.close();
    frame_.close();
  }
  void multiply_integers(const ProductPlaces& at) const {
    const std::string function = frame_.file.function(
        "matmul_" + std::string(name_of(dtype_)),
        source::filled(integer_product_text,
                       {{"{T}", number_type(dtype_)}, {"{U}", dtype_ == Dtype::i32 ? "uint32_t" : "uint64_t"}}));
    frame_.put(function + "(" + at.a + ", " + at.b + ", " + at.c + ", " + rows_.text() + ", " + columns_.text() + ", " +
               inner_.text() + ");");
  }

  const Application& application_;
  Frame& frame_;
  Argument a_, b_;
  const Argument& result_;
  const Dtype dtype_;
  Size rows_ = 1, inner_ = 0, columns_ = 1;
};

void write_product(const Application& application) { ProductWriter(application).write(0); }
void write_scaled_product(const Application& application) {
  ProductWriter(application).write(static_cast<uint64_t>(application.attribute(2).i64()));
}

}  // namespace

std::span<const OperatorRow> linalg_rows() {
  static constexpr OperatorRow rows[] = {
      {ops::matmul_entry, write_product},
      {ops::dot_entry, write_product},
      {ops::scaled_matmul_entry, write_scaled_product},
  };
  return rows;
}

}  // namespace covec::emit
