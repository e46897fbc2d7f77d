// Writes linear systems of up to 16 columns, and matrix products.
#include <algorithm>
#include <utility>

#include "jit/emit/moves.hpp"
#include "jit/emit/reductions.hpp"
#include "jit/source/filled.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/linalg/linalg.hpp"
#include "stdlib/ops/linalg/parts.hpp"
#include "stdlib/ops/reduce/reduce.hpp"

namespace covec::emit {

namespace {

// --- linear systems ---

constexpr int64_t max_columns = 16;  // more are factored recursively, by way of products

// LU with partial pivoting, as stdlib/decompositions/factor.cpp does it.
constexpr const char* lu_text =
    R"(/* LU with partial pivoting, in place. Gives the sign of the order of the rows, 0 where a pivot is 0. */
static int {NAME}({T}* a, int64_t* order, int64_t n) {
  int sign = 1;
  int64_t i, j, k;
  for (i = 0; i < n; ++i) order[i] = i;
  for (j = 0; j < n; ++j) {
    int64_t best = j;
    for (i = j + 1; i < n; ++i)
      if ({ABS}(a[i * n + j]) > {ABS}(a[best * n + j])) best = i;
    if (best != j) {
      const int64_t row = order[best];
      order[best] = order[j], order[j] = row;
      for (k = 0; k < n; ++k) {
        const {T} x = a[best * n + k];
        a[best * n + k] = a[j * n + k], a[j * n + k] = x;
      }
      sign = -sign;
    }
    if (a[j * n + j] == 0) {
      sign = 0;
      continue;
    }
    for (i = j + 1; i < n; ++i) {
      const {T} factor = a[i * n + j] / a[j * n + j];
      a[i * n + j] = factor;
      for (k = j + 1; k < n; ++k) a[i * n + k] -= factor * a[j * n + k];
    }
  }
  return sign;
}
)";

constexpr const char* triangles_text = R"(/* Solves by both triangles of LU, in place. */
static void {NAME}(const {T}* a, {T}* x, int64_t n, int64_t columns) {
  int64_t i, j, k;
  for (i = 0; i < n; ++i) {
    for (j = 0; j < i; ++j)
      for (k = 0; k < columns; ++k) x[i * columns + k] -= a[i * n + j] * x[j * columns + k];
  }
  for (i = n - 1; i >= 0; --i) {
    for (j = i + 1; j < n; ++j)
      for (k = 0; k < columns; ++k) x[i * columns + k] -= a[i * n + j] * x[j * columns + k];
    for (k = 0; k < columns; ++k) x[i * columns + k] /= a[i * n + i];
  }
}
)";

constexpr const char* det_text = R"(/* The product of the pivots, whose powers of two are counted apart. */
static {T} {NAME}(const {T}* a, int64_t n, int sign) {
  int64_t exponent = 0, i;
  int power;
  {T} product = sign, x, m;
  for (i = -1; i < n; ++i) {
    x = i < 0 ? product : a[i * n + i];
    m = {FREXP}(x, &power);
    if (x - x == 0) exponent += power; else m = x;
    x = i < 0 ? m : product * m;
    m = {FREXP}(x, &power);
    if (x - x == 0) exponent += power; else m = x;
    product = m;
  }
  return {LDEXP}(product, (int)(exponent < -16384 ? -16384 : exponent > 16384 ? 16384 : exponent));
}
)";

std::string named(const Application& application, const char* name, const char* text, Dtype dtype) {
  const bool narrow = dtype == Dtype::f32;
  return application.frame.file.function(std::string(name) + "_" + std::string(name_of(dtype)),
                                         source::filled(text, {{"{T}", number_type(dtype)},
                                                               {"{ABS}", narrow ? "fabsf" : "fabs"},
                                                               {"{FREXP}", narrow ? "frexpf" : "frexp"},
                                                               {"{LDEXP}", narrow ? "ldexpf" : "ldexp"}}));
}

// The matrices of a stack, one after the other: a copy of one in scratch memory, and its factors.
class Factored {
 public:
  explicit Factored(const Application& application) : application_(application), a_(application.operands[0]) {
    const SlotType& type = a_.type;
    if (type.dtype != application.result.type.dtype || is_narrow(type.dtype))
      application.refuse_operator("of another dtype");
    const Size &rows = type.extents[type.rank() - 2], &columns = type.extents.back();
    if (!rows.known() || !columns.known())
      application.refuse_operator("with a number of columns that the caller gives");
    n_ = columns.number();
    if (n_ > max_columns) application.refuse_operator("of more than 16 columns");
    if (n_ != 0) count_ = Size::product(std::span(type.extents).first(type.rank() - 2));
    Frame& frame = application.frame;
    frame.open("");
    factors_ = frame.scratch(n_ * n_ * static_cast<int64_t>(size_of(type.dtype)), number_type(type.dtype));
    order_ = frame.scratch(n_ * static_cast<int64_t>(sizeof(int64_t)), "int64_t");
    if (n_ > 0) index_ = frame.open_loop(count_);
  }
  void factor(const std::string& before, const std::string& after = ";") {
    Frame& frame = application_.frame;
    frame.put("memcpy(" + factors_ + ", " + a_.text + " + " + matrix(n_ * n_) + ", " +
              std::to_string(static_cast<size_t>(n_ * n_) * size_of(a_.type.dtype)) + ");");
    frame.put(before + named(application_, "lu", lu_text, a_.type.dtype) + "(" + factors_ + ", " + order_ + ", " +
              std::to_string(n_) + ")" + after);
  }
  // Where the matrix of a stack whose matrices have so many elements begins.
  std::string matrix(const Size& elements) const { return index_ + " * " + elements.factor(); }
  bool is_empty() const { return n_ == 0; }
  void close() {
    if (n_ > 0) application_.frame.close();
    application_.frame.close();
  }
  int64_t columns() const { return n_; }
  const std::string& order() const { return order_; }
  const std::string& factors() const { return factors_; }
  void solve(const std::string& x, const Size& columns) {
    application_.frame.put(named(application_, "solve_triangles", triangles_text, a_.type.dtype) + "(" + factors_ +
                           ", " + x + ", " + std::to_string(n_) + ", " + columns.text() + ");");
  }

 private:
  const Application& application_;
  const Argument& a_;
  int64_t n_ = 0;
  Size count_ = 0;
  std::string factors_, order_, index_;
};

void write_solve(const Application& application) {
  Frame& frame = application.frame;
  const SlotType& b = application.operands[1].type;
  if (b.dtype != application.result.type.dtype) application.refuse_operator("of another dtype");
  Factored factored(application);
  if (!factored.is_empty()) {
    const Size columns = b.extents.back(), n = factored.columns();
    factored.factor("if (", " == 0) " + application.fail(std::string("solve: ") + singular_error));
    const std::string x = frame.fresh("x");
    frame.put(number_type(b.dtype) + "* const " + x + " = " + application.result.text + " + " +
              factored.matrix(n * columns) + ";");
    const std::string i = frame.open_loop(n);
    frame.copy(x + " + " + i + " * " + columns.factor(),
               application.operands[1].text + " + " + factored.matrix(n * columns) + " + " + factored.order() + "[" +
                   i + "] * " + columns.factor(),
               columns * static_cast<int64_t>(size_of(b.dtype)));
    frame.close();
    factored.solve(x, columns);
  }
  factored.close();
}

void write_inverse(const Application& application) {
  Frame& frame = application.frame;
  Factored factored(application);
  if (!factored.is_empty()) {
    const int64_t n = factored.columns();
    const std::string sign = frame.fresh("sign"), x = frame.fresh("x"),
                      type = number_type(application.result.type.dtype);
    factored.factor("const int " + sign + " = ");
    frame.put(type + "* const " + x + " = " + application.result.text + " + " + factored.matrix(n * n) + ";");
    const bool raises = &application.entry() == &ops::inv_entry();
    if (raises)
      frame.put("if (" + sign + " == 0) " + application.fail(std::string("inv: ") + singular_error));
    else
      frame.open("if (" + sign + " != 0)");
    std::string i = frame.open_loop(n), k = frame.open_loop(n);
    frame.put(x + "[" + i + " * " + std::to_string(n) + " + " + k + "] = " + factored.order() + "[" + i + "] == " + k +
              ";");
    frame.close();
    frame.close();
    factored.solve(x, n);
    if (!raises) {
      frame.close();
      frame.open("else");
      k = frame.open_loop(n * n);
      frame.put(x + "[" + k + "] = INFINITY;");
      frame.close();
      frame.close();
    }
  }
  factored.close();
}

void write_determinant(const Application& application) {
  Frame& frame = application.frame;
  const Argument& result = application.result;
  Factored factored(application);
  if (factored.is_empty()) application.refuse_operator("of no elements");
  const std::string sign = frame.fresh("sign");
  factored.factor("const int " + sign + " = ");
  frame.put((result.is_number() ? result.text : result.text + "[" + factored.matrix(1) + "]") + " = " +
            named(application, "pivots", det_text, result.type.dtype) + "(" + factored.factors() + ", " +
            std::to_string(factored.columns()) + ", " + sign + ");");
  factored.close();
}

// --- products ---

// The inner axis in blocks of 512, each one chain of fma from 0, the blocks added in order.
constexpr const char* product_text = R"(/* a @ b: blocks of 512 along the inner axis, each a chain of fma from 0. */
static void {NAME}(const {T}* a, const {T}* b, {T}* c{MORE}) {
  {SIZES}
  {ROW}
  int64_t i, j, t, end;
  for (i = 0; i < m; ++i, a += k, c += n) {
    for (t = 0; t < k; t = end) {
      end = t + block < k ? t + block : (int64_t)k;
      for (j = 0; j < n; ++j) row[j] = 0;
      for (int64_t s = t; s < end; ++s)
        for (j = 0; j < n; ++j) row[j] = {FMA}(a[s], b[s * n + j], row[j]);
      if (t == 0)
        memcpy(c, row, {BYTES});
      else
        for (j = 0; j < n; ++j) c[j] = c[j] + row[j];
    }
  }
}
)";
constexpr const char* integer_product_text = R"(static void {NAME}(const {T}* a, const {T}* b, {T}* c{MORE}) {
  {SIZES}
  int64_t i, j, t;
  for (i = 0; i < m; ++i)
    for (j = 0; j < n; ++j) {
      {U} sum = 0;
      for (t = 0; t < k; ++t) sum += ({U})a[i * k + t] * ({U})b[t * n + j];
      c[i * n + j] = ({T})sum;
    }
}
)";

// Where a factor stands for a cotangent, terms with a zero of it are nothing: what has become NaN is added up again.
constexpr const char* repair_text = R"(/* Elements that are NaN again, without terms in which {ZEROS} is 0. */
static void {NAME}(const {T}* a, const {T}* b, {T}* c{MORE}) {
  {SIZES}
  int64_t i, p, t, special = 0, some_a = 0, some_b = 0;
  for (i = 0; i < outs; ++i) special |= c[i] != c[i];
  if (!special) return;
  if (others < outs) {
    special = 0;
    if (zeros != 1) for (i = 0; i < ma; ++i) special |= !(a[i] - a[i] == 0);
    if (zeros != 2) for (i = 0; i < mb; ++i) special |= !(b[i] - b[i] == 0);
    if (!special) return;
  }
  for (i = 0; i < ma; ++i) some_a |= a[i] != 0;
  for (i = 0; i < mb; ++i) some_b |= b[i] != 0;
  for (p = 0; p < outs; ++p) {
    const {T}*const x = a + p / n % m * k, *const y = b + p % n;
    {T} sum = 0;
    if (c[p] == c[p]) continue;
    if (((zeros & 1) != 0 && !some_a) || ((zeros & 2) != 0 && !some_b)) {
      c[p] = 0;
      continue;
    }
    for (t = 0; t < k; ++t) {
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
    if (a_.type.rank() > 2 || b_.type.rank() > 2) return stacked(zeros);
    one(a_.text, b_.text, result_.text, zeros);
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
  void one(const std::string& a, const std::string& b, const std::string& c, uint64_t zeros) {
    const Size bytes = rows_ * columns_ * static_cast<int64_t>(size_of(dtype_));
    if (inner_.is(0)) return frame_.clear(c, bytes);
    const bool repairs = zeros != 0 && is_float(dtype_);
    if (!inner_.known()) {
      frame_.open("if (" + inner_.factor() + " == 0)");
      frame_.clear(c, bytes);
      frame_.close();
      frame_.open("else");
    }
    call("matmul", is_float(dtype_) ? product_text : integer_product_text, 0, a + ", " + b + ", " + c);
    if (repairs) call("repair_nan", repair_text, zeros, a + ", " + b + ", " + c);
    if (!inner_.known()) frame_.close();
  }
  void stacked(uint64_t zeros) {
    if (zeros != 0) application_.refuse("a derivative of products of stacks of matrices");
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
          application_.refuse("stacks of matrices whose broadcast depends on the caller");
        side.strides[k] = extent.is(1) ? Size(0) : strides[k - missing];
      }
      return side;
    };
    const size_t of_a = std::min<size_t>(2, a_.type.rank()), of_b = std::min<size_t>(2, b_.type.rank());
    const size_t of_c = result_.type.rank() - axes;
    write_loops(frame_, batch, {side(a_, of_a), side(b_, of_b), side(result_, of_c)},
                [&](std::span<const std::string> at) {
                  one(a_.text + " + " + at[0], b_.text + " + " + at[1], result_.text + " + " + at[2], zeros);
                });
  }
  // Extents that the caller gives are arguments of the function, and so is the memory of a row.
  void call(const char* name, const char* text, uint64_t zeros, const std::string& arguments) {
    const bool narrow = dtype_ == Dtype::f32, rolls = text == product_text, repairs = text == repair_text;
    const bool known = rows_.known() && inner_.known() && columns_.known();
    const auto number = [](const Size& n) { return n.text(); };
    const Size outs = rows_ * columns_,
               others = (zeros == 1 ? Size(0) : rows_ * inner_) + (zeros == 2 ? Size(0) : inner_ * columns_);
    const std::string bits = std::to_string(zeros), type = number_type(dtype_);
    std::string sizes, more, row, given;
    if (known) {
      sizes = "enum { m = " + number(rows_) + ", n = " + number(columns_) + ", k = " + number(inner_) +
              (rolls     ? ", block = 512 };"
               : repairs ? ""
                         : " };");
      if (repairs)
        sizes += ", outs = " + number(outs) + ", others = " + number(others) + ", zeros = " + bits +
                 ", ma = " + number(rows_ * inner_) + ", mb = " + number(inner_ * columns_) + " };";
      row = type + " row[n];";
    } else {
      more = ", int64_t m, int64_t n, int64_t k";
      given = ", " + number(rows_) + ", " + number(columns_) + ", " + number(inner_);
      if (rolls) {
        more += ", " + type + "* row";
        given += ", " + frame_.scratch(columns_ * static_cast<int64_t>(size_of(dtype_)), type);
        sizes = "enum { block = 512 };";
      }
      if (repairs)
        sizes = "enum { zeros = " + bits + " };\n  const int64_t outs = m * n, ma = m * k, mb = k * n, others = " +
                (zeros == 1   ? "mb;"
                 : zeros == 2 ? "ma;"
                              : "ma + mb;");
    }
    const std::string function =
        frame_.file.function(std::string(name) + "_" + std::string(name_of(dtype_)),
                             source::filled(text, {{"{T}", type},
                                                   {"{U}", dtype_ == Dtype::i32 ? "uint32_t" : "uint64_t"},
                                                   {"{FMA}", std::string(fma_name) + (narrow ? "f" : "")},
                                                   {"{MORE}", more},
                                                   {"{SIZES}", sizes},
                                                   {"{ROW}", row},
                                                   {"{BYTES}", known ? "sizeof row" : "(size_t)n * sizeof *row"},
                                                   {"{ZEROS}", zeros == 1   ? "a"
                                                               : zeros == 2 ? "b"
                                                                            : "a or b"}}));
    frame_.put(function + "(" + arguments + given + ");");
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
      {ops::solve_stack_entry, write_solve},
      {ops::inv_entry, write_inverse},
      {ops::inv_or_inf_entry, write_inverse},
      {ops::det_entry, write_determinant},
      {ops::matmul_entry, write_product},
      {ops::dot_entry, write_product},
      {ops::scaled_matmul_entry, write_scaled_product},
  };
  return rows;
}

}  // namespace covec::emit
