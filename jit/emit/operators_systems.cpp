// Writes factorizations by LU and Cholesky, and what is solved by them. The texts do what
// stdlib/decompositions/factor.cpp does: up to 16 columns plain loops, beyond halves and products. Start at Stacked.
#include <utility>

#include "jit/emit/moves.hpp"
#include "jit/source/filled.hpp"
#include "stdlib/ops/linalg/linalg.hpp"
#include "stdlib/ops/linalg/parts.hpp"

namespace covec::emit {

namespace {

constexpr int64_t max_plain_columns = 16;  // as in stdlib/decompositions/factor.cpp

constexpr const char* subtract_text =
    R"(/* c -= a @ b, with rows and elements of b so far apart: blocks of 512 inner terms, each a chain of fma from 0. */
static void {NAME}({T}* c, int64_t c_row, const {T}* a, int64_t a_row, const {T}* b, int64_t b_row, int64_t b_step,
                   int64_t m, int64_t n, int64_t k) {
  int64_t i, j, t, s;
  for (t = 0; t < k; t += 512)
    for (i = 0; i < m; ++i)
      for (j = 0; j < n; ++j) {
        {T} sum = 0;
        for (s = t; s < k && s < t + 512; ++s) sum = {FMA}(a[i * a_row + s], b[s * b_row + j * b_step], sum);
        c[i * c_row + j] -= sum;
      }
}
)";

constexpr const char* triangle_text = R"(/* Solves by a triangle, in place. */
enum { {NAME}_lower, {NAME}_unit_lower, {NAME}_upper };
static void {NAME}(const {T}* t, int64_t t_row, int64_t n, {T}* b, int64_t b_row, int64_t columns, int kind) {
  const int up = kind == {NAME}_upper;
  int64_t step, i, j, k;
{RECURSION}  for (step = 0; step < n; ++step) {
    i = up ? n - 1 - step : step;
    for (j = up ? i + 1 : 0; j < (up ? n : i); ++j)
      for (k = 0; k < columns; ++k) b[i * b_row + k] -= t[i * t_row + j] * b[j * b_row + k];
    if (kind == {NAME}_unit_lower) continue;
    for (k = 0; k < columns; ++k) b[i * b_row + k] /= t[i * t_row + i];
  }
}
)";
constexpr const char* triangle_recursion = R"(  if (n > 16) {
    const int64_t half = n / 2, rest = n - half;
    const {T}* const last = t + half * t_row + half;
    {T}* const below = b + half * b_row;
    if (up) {
      {NAME}(last, t_row, rest, below, b_row, columns, kind);
      {SUBTRACT}(b, b_row, t + half, t_row, below, b_row, 1, half, columns, rest);
      {NAME}(t, t_row, half, b, b_row, columns, kind);
    } else {
      {NAME}(t, t_row, half, b, b_row, columns, kind);
      {SUBTRACT}(below, b_row, t + half * t_row, t_row, b, b_row, 1, rest, columns, half);
      {NAME}(last, t_row, rest, below, b_row, columns, kind);
    }
    return;
  }
)";

constexpr const char* lu_text =
    R"(/* LU with partial pivoting, in place. Gives the sign of the order of the rows, 0 where a pivot is 0. */
static int {NAME}({T}* a, int64_t* order, int64_t n, int64_t first, int64_t last) {
  int sign = 1;
  int64_t i, j, k;
  if (first == 0) for (i = 0; i < n; ++i) order[i] = i;
{RECURSION}  for (j = first; j < last; ++j) {
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
      for (k = j + 1; k < last; ++k) a[i * n + k] -= factor * a[j * n + k];
    }
  }
  return sign;
}
)";
constexpr const char* lu_recursion = R"(  if (last - first > 16) {
    const int64_t middle = first + (last - first) / 2, width = last - middle, done = middle - first;
    {T}* const right = a + first * n + middle;
    sign = {NAME}(a, order, n, first, middle);
    {TRIANGLE}(a + first * n + first, n, done, right, n, width, {TRIANGLE}_unit_lower);
    {SUBTRACT}(a + middle * n + middle, n, a + middle * n + first, n, right, n, 1, n - middle, width, done);
    return sign * {NAME}(a, order, n, middle, last);
  }
)";

constexpr const char* det_text = R"(/* The product of the pivots, whose powers of two are counted apart. */
static {T} {NAME}(const {T}* a, int64_t n, int sign) {
  int64_t exponent = 0, i;
  int power;
  {T} product = ({T})sign, x, m;
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

constexpr const char* symmetric_text = R"(/* Takes the symmetric part, in place. 0: a is far from symmetric. */
static int {NAME}({T}* a, int64_t n) {
  {T} largest = 0, difference = 0;
  int64_t i, j;
  for (i = 0; i < n; ++i)
    for (j = 0; j <= i; ++j) {
      const {T} below = a[i * n + j], above = a[j * n + i], sum = below + above;
      const {T} x = {ABS}(below), y = {ABS}(above), size = x < y ? y : x, apart = {ABS}(below - above);
      if (largest < size) largest = size;
      if (difference < apart) difference = apart;
      a[i * n + j] = a[j * n + i] =
          {ABS}(sum) == INFINITY ? below * ({T})0.5 + above * ({T})0.5 : sum * ({T})0.5;
    }
  return !(difference > largest * ({T})1e-3);
}
)";

constexpr const char* right_text = R"(/* b @ the inverse of l.T, in place, for a lower triangle l. */
static void {NAME}(const {T}* l, {T}* b, int64_t row, int64_t n, int64_t rows) {
  int64_t i, j, k;
  if (n > 16) {
    const int64_t half = n / 2, rest = n - half;
    {NAME}(l, b, row, half, rows);
    {SUBTRACT}(b + half, row, b, row, l + half * row, 1, row, rows, rest, half);
    {NAME}(l + half * row + half, b + half, row, rest, rows);
    return;
  }
  for (i = 0; i < rows; ++i)
    for (j = 0; j < n; ++j) {
      {T} sum = b[i * row + j];
      for (k = 0; k < j; ++k) sum -= b[i * row + k] * l[j * row + k];
      b[i * row + j] = sum / l[j * row + j];
    }
}
)";

constexpr const char* cholesky_text =
    R"(/* a = l @ l.T, in place of the lower triangle. 0: a is not positive definite. */
static int {NAME}({T}* a, int64_t row, int64_t n) {
  int64_t i, j, k;
{RECURSION}  for (j = 0; j < n; ++j) {
    {T} diagonal = a[j * row + j];
    for (k = 0; k < j; ++k) diagonal -= a[j * row + k] * a[j * row + k];
    if (!(diagonal > 0)) return 0;
    a[j * row + j] = {SQRT}(diagonal);
    for (i = j + 1; i < n; ++i) {
      {T} sum = a[i * row + j];
      for (k = 0; k < j; ++k) sum -= a[i * row + k] * a[j * row + k];
      a[i * row + j] = sum / a[j * row + j];
    }
  }
  return 1;
}
)";
constexpr const char* cholesky_recursion = R"(  if (n > 16) {
    const int64_t half = n / 2, rest = n - half;
    {T}* const below = a + half * row;
    if (!{NAME}(a, row, half)) return 0;
    {RIGHT}(a, below, row, half, rest);
    {SUBTRACT}(below + half, row, below, row, below, 1, row, rest, rest, half);
    return {NAME}(below + half, row, rest);
  }
)";

// An operator on each matrix of a stack. Its functions are of the result's dtype.
class Stacked {
 public:
  explicit Stacked(const Application& application)
      : application_(application), frame_(application.frame), a_(application.operands[0]) {
    const SlotType& type = a_.type;
    if (is_half(dtype())) application.refuse_operator("of " + std::string(name_of(dtype())));
    n_ = type.extents.back();
    frame_.check_equal(type.extents[type.rank() - 2], n_, application.step.place, fit_error);
    count_ = Size::product(std::span(type.extents).first(type.rank() - 2));
    frame_.open("");
  }
  Stacked(const Stacked&) = delete;
  Stacked& operator=(const Stacked&) = delete;

  Dtype dtype() const { return application_.result.type.dtype; }
  const Size& columns() const { return n_; }
  std::string number() const { return number_type(dtype()); }
  std::string room(const Size& elements) const {
    return frame_.scratch(elements * static_cast<int64_t>(size_of(dtype())), number());
  }
  // The loop over the matrices. Those without elements are so many as the caller says.
  void open(bool of_none = false) {
    guarded_ = !n_.known() && !of_none;
    if (guarded_) frame_.open("if (" + n_.factor() + " > 0)");
    index_ = frame_.open_loop(count_);
  }
  void close() const {
    for (int open = guarded_ ? 3 : 2; open > 0; --open) frame_.close();
  }
  // The first element of the loop's matrix in a stack whose matrices have so many elements.
  std::string matrix(const std::string& stack, const Size& elements) const {
    return stack + " + " + index_ + " * " + elements.factor();
  }
  std::string element(const std::string& stack) const { return stack + "[" + index_ + "]"; }
  // The stack's matrix, as the result has numbers, in row-major order; `transposed`: its transpose.
  void take(const std::string& to, bool transposed = false) const {
    const std::string from = matrix(a_.text, n_ * n_);
    if (!transposed && a_.type.dtype == dtype())
      return frame_.copy(to, from, n_ * n_ * static_cast<int64_t>(size_of(dtype())));
    const std::string i = frame_.open_loop(n_), j = frame_.open_loop(n_), n = " * " + n_.factor() + " + ";
    const std::string element = "(" + from + ")[" + (transposed ? j + n + i : i + n + j) + "]";
    frame_.put(to + "[" + i + n + j +
               "] = " + frame_.file.converted(source::c_loaded(a_.type.dtype, element), a_.type.dtype, dtype()) + ";");
    frame_.close();
    frame_.close();
  }
  std::string fail(const std::string& who, const char* why) const { return application_.fail(who + ": " + why); }

  // --- functions ---
  std::string lu() const {
    return halving("lu", lu_text, lu_recursion, [&] {
      return source::Filling{{"{TRIANGLE}", triangle()}, {"{SUBTRACT}", subtract()}};
    });
  }
  std::string triangle() const {
    return halving("solve_triangle", triangle_text, triangle_recursion, [&] {
      return source::Filling{{"{SUBTRACT}", subtract()}};
    });
  }
  std::string cholesky() const {
    return halving("cholesky", cholesky_text, cholesky_recursion, [&] {
      return source::Filling{{"{RIGHT}", function("solve_right", right_text, {{"{SUBTRACT}", subtract()}})},
                             {"{SUBTRACT}", subtract()}};
    });
  }
  std::string function(const std::string& name, const char* text, source::Filling more = {}) const {
    const bool narrow = dtype() == Dtype::f32;
    const auto of_math = [&](const char* math) { return std::string(math) + (narrow ? "f" : ""); };
    for (auto& filled : source::Filling{{"{T}", number()},
                                        {"{ABS}", of_math("fabs")},
                                        {"{FREXP}", of_math("frexp")},
                                        {"{LDEXP}", of_math("ldexp")},
                                        {"{SQRT}", of_math("sqrt")},
                                        {"{FMA}", of_math(fma_name)}})
      more.push_back(std::move(filled));
    return frame_.file.function(name + "_" + std::string(name_of(dtype())), source::filled(text, more));
  }

 private:
  std::string subtract() const { return function("subtract_product", subtract_text); }
  // A function that goes on with halves where there are many columns: its text without that where there are not.
  std::string halving(const std::string& name, const char* text, const char* recursion,
                      FunctionRef<source::Filling()> more) const {
    const bool halves = !n_.known() || n_.number() > max_plain_columns;
    const std::string all = source::filled(text, {{"{RECURSION}", halves ? recursion : ""}});
    return function(name, all.c_str(), halves ? more() : source::Filling());
  }

  const Application& application_;
  Frame& frame_;
  const Argument& a_;
  Size n_ = 0, count_ = 0;
  std::string index_;
  bool guarded_ = false;
};

// A stack's matrix and its factors, in memory of their own.
struct Lu {
  explicit Lu(const Application& application, bool of_none = false)
      : stack(application),
        factors(stack.room(stack.columns() * stack.columns())),
        order(application.frame.scratch(stack.columns() * static_cast<int64_t>(sizeof(int64_t)), "int64_t")) {
    stack.open(of_none);
  }
  // The call that factors, which gives a sign.
  std::string factored() const {
    stack.take(factors);
    const std::string n = stack.columns().text();
    return stack.lu() + "(" + factors + ", " + order + ", " + n + ", 0, " + n + ")";
  }
  void solve(Frame& frame, const std::string& x, const Size& columns) const {
    const std::string solve = stack.triangle(), n = stack.columns().text();
    for (const char* const kind : {"_unit_lower", "_upper"})
      frame.put(solve + "(" + factors + ", " + n + ", " + n + ", " + x + ", " + columns.text() + ", " + columns.text() +
                ", " + solve + kind + ");");
  }
  Stacked stack;
  const std::string factors, order;
};

std::string pointer(Frame& frame, const std::string& type, const std::string& to) {
  const std::string name = frame.fresh("x");
  frame.put(type + "* const " + name + " = " + to + ";");
  return name;
}

void write_solve(const Application& application) {
  Frame& frame = application.frame;
  const SlotType& b = application.operands[1].type;
  if (b.dtype != application.result.type.dtype) application.refuse_operator("of another dtype");
  Lu lu(application);
  const Size columns = b.extents.back(), n = lu.stack.columns();
  frame.check_equal(n, b.extents[b.rank() - 2], application.step.place, fit_error);
  frame.put("if (" + lu.factored() + " == 0) " + lu.stack.fail("solve", singular_error));
  const std::string x = pointer(frame, lu.stack.number(), lu.stack.matrix(application.result.text, n * columns));
  const std::string i = frame.open_loop(n);
  frame.copy(x + " + " + i + " * " + columns.factor(),
             lu.stack.matrix(application.operands[1].text, n * columns) + " + " + lu.order + "[" + i + "] * " +
                 columns.factor(),
             columns * static_cast<int64_t>(size_of(b.dtype)));
  frame.close();
  lu.solve(frame, x, columns);
  lu.stack.close();
}

void write_inverse(const Application& application) {
  Frame& frame = application.frame;
  Lu lu(application);
  const Size n = lu.stack.columns();
  const std::string x = pointer(frame, lu.stack.number(), lu.stack.matrix(application.result.text, n * n));
  const bool raises = &application.entry() == &ops::inv_entry();
  if (raises) {
    frame.put("if (" + lu.factored() + " == 0) " + lu.stack.fail("inv", singular_error));
  } else {
    frame.open("if (" + lu.factored() + " == 0)");
    const std::string k = frame.open_loop(n * n);
    frame.put(x + "[" + k + "] = INFINITY;");
    frame.close();
    frame.put("continue;");
    frame.close();
  }
  const std::string i = frame.open_loop(n), k = frame.open_loop(n);
  frame.put(x + "[" + i + " * " + n.factor() + " + " + k + "] = " + lu.order + "[" + i + "] == " + k + ";");
  frame.close();
  frame.close();
  lu.solve(frame, x, n);
  lu.stack.close();
}

void write_determinant(const Application& application) {
  Frame& frame = application.frame;
  const Argument& result = application.result;
  Lu lu(application, true);
  const std::string sign = frame.fresh("sign");
  frame.put("const int " + sign + " = " + lu.factored() + ";");
  frame.put((result.is_number() ? result.text : lu.stack.element(result.text)) + " = " +
            lu.stack.function("pivots", det_text) + "(" + lu.factors + ", " + lu.stack.columns().text() + ", " + sign +
            ");");
  lu.stack.close();
}

void write_cholesky(const Application& application) {
  Frame& frame = application.frame;
  Stacked stack(application);
  const Size n = stack.columns();
  stack.open();
  const std::string x = pointer(frame, stack.number(), stack.matrix(application.result.text, n * n));
  stack.take(x);
  const bool hermitian = &application.entry() == &ops::doubled_cholesky_entry();
  frame.put("if (!" + stack.function("take_symmetric", symmetric_text) + "(" + x + ", " + n.text() + ")) " +
            stack.fail("cholesky", hermitian ? hermitian_error : symmetric_error));
  frame.put("if (!" + stack.cholesky() + "(" + x + ", " + n.text() + ", " + n.text() + ")) " +
            stack.fail("cholesky", definite_error));
  const std::string i = frame.open_loop(n), j = frame.fresh("i");
  frame.put("for (int64_t " + j + " = " + i + " + 1; " + j + " < " + n.factor() + "; ++" + j + ") " + x + "[" + i +
            " * " + n.factor() + " + " + j + "] = 0;");
  frame.close();
  stack.close();
}

// (a, b, lower, trans, unit_diagonal, vector)
void write_solve_triangle(const Application& application) {
  Frame& frame = application.frame;
  const Argument &b = application.operands[1], &result = application.result;
  if (b.type.dtype != result.type.dtype) application.refuse_operator("of another dtype");
  Stacked stack(application);
  const Size n = stack.columns(), columns = b.type.extents.back();
  frame.check_equal(n, b.type.extents[b.type.rank() - 2], application.step.place, fit_error);
  const bool trans = application.attribute(3).boolean(), lower = application.attribute(2).boolean() != trans,
             unit = application.attribute(4).boolean();
  const std::string t = stack.room(n * n);
  if (!result.type.is_empty()) frame.copy(result.text, b.text, result.type.bytes());
  stack.open();
  stack.take(t, trans);
  const std::string i = frame.open_loop(n), diagonal = t + "[" + i + " * " + n.factor() + " + " + i + "]";
  frame.put(unit ? diagonal + " = 1;" : "if (" + diagonal + " == 0) " + stack.fail("solve_triangular", singular_error));
  frame.close();
  const std::string solve = stack.triangle();
  frame.put(solve + "(" + t + ", " + n.text() + ", " + n.text() + ", " + stack.matrix(result.text, n * columns) + ", " +
            columns.text() + ", " + columns.text() + ", " + solve + (lower ? "_lower" : "_upper") + ");");
  stack.close();
}

}  // namespace

std::span<const OperatorRow> system_rows() {
  static constexpr OperatorRow rows[] = {
      {ops::solve_stack_entry, write_solve},
      {ops::inv_entry, write_inverse},
      {ops::inv_or_inf_entry, write_inverse},
      {ops::det_entry, write_determinant},
      {ops::cholesky_entry, write_cholesky},
      {ops::doubled_cholesky_entry, write_cholesky},
      {ops::solve_triangle_entry, write_solve_triangle},
  };
  return rows;
}

}  // namespace covec::emit
