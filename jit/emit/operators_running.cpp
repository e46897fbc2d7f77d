// Writes operators that walk along an axis: running sums, products and extremes, the recurrence that their derivatives
// are, and what these move. Start at Walk.
#include "jit/emit/moves.hpp"
#include "jit/source/filled.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/index/gather.hpp"
#include "stdlib/ops/reduce/complex_product.hpp"
#include "stdlib/ops/reduce/scan.hpp"

namespace covec::emit {

namespace {

// As stdlib/ops/reduce/walk.hpp: `at` is an element's place, `before` that of the one before it along the axis.
constexpr const char* walk_text = R"(/* {WHAT}, along an axis of `length` elements that are `inner` apart. */
static void {NAME}({GIVEN}, int64_t outer, int64_t length, int64_t inner, int backwards) {
  const int64_t step = backwards ? -inner : inner;
  int64_t block, row, at, before, i;
  if (length == 0) return;
  for (block = 0; block < outer * length * inner; block += length * inner) {
    row = block + (backwards ? (length - 1) * inner : 0);
    for (at = row; at < row + inner; ++at) {
      {FIRST}
    }
    for (i = 1; i < length; ++i) {
      row += step;
      for (at = row; at < row + inner; ++at) {
        before = at - step;
        {NEXT}
      }
    }
  }
}
)";

// An application that goes along the axis of attribute `axis` of its first operand.
class Walk {
 public:
  Walk(const Application& application, size_t axis) : application_(application) {
    const SlotType& type = application.operands[0].type;
    for (const Argument& operand : application.operands) {
      if (is_half(operand.type.dtype)) application.refuse_operator("of " + std::string(name_of(operand.type.dtype)));
    }
    const auto along = static_cast<size_t>(ops::integer_of(application.attribute(axis)));
    const std::span<const Size> extents(type.extents);
    outer_ = Size::product(extents.first(along));
    length_ = extents[along];
    inner_ = Size::product(extents.subspan(along + 1));
  }
  const Size& outer() const { return outer_; }
  const Size& length() const { return length_; }
  const Size& inner() const { return inner_; }
  bool is_empty() const { return application_.result.type.is_empty(); }

  // `what` begins the name and the comment. `pointers`: what `given` declares.
  void write(const std::string& name, const std::string& what, const std::string& given, const std::string& pointers,
             const std::string& first, const std::string& next, bool backwards) const {
    if (is_empty()) return;
    Frame& frame = application_.frame;
    const std::string function = frame.file.function(
        name, source::filled(walk_text, {{"{WHAT}", what}, {"{GIVEN}", given}, {"{FIRST}", first}, {"{NEXT}", next}}));
    frame.put(function + "(" + pointers + ", " + outer_.text() + ", " + length_.text() + ", " + inner_.text() + ", " +
              (backwards ? "1" : "0") + ");");
  }

 private:
  const Application& application_;
  Size outer_ = 1, length_ = 1, inner_ = 1;
};

std::string pointer_to(Dtype dtype, const char* name) { return memory_type(dtype) + "* " + name; }

// Integers wrap.
std::string wrapping(Dtype dtype, const std::string& a, const char* op, const std::string& b) {
  if (is_float(dtype)) return a + op + b;
  return "(int64_t)((uint64_t)(" + a + ")" + op + "(uint64_t)(" + b + "))";
}

// (x, axis, backwards), (x, axis)
void write_combined(const Application& application, const char* name, const char* op, bool backwards) {
  const Walk walk(application, 1);
  const Dtype from = application.operands[0].type.dtype, to = application.result.type.dtype;
  const std::string element = application.frame.file.converted(source::c_loaded(from, "x[at]"), from, to);
  walk.write(std::string(name) + "_" + std::string(name_of(from)), "A " + std::string(name),
             "const " + pointer_to(from, "x") + ", " + pointer_to(to, "to"),
             application.operands[0].text + ", " + application.result.text, "to[at] = " + element + ";",
             "to[at] = " + wrapping(to, "to[before]", op, element) + ";", backwards);
}
void write_running_sum(const Application& application) {
  write_combined(application, "running_sum", " + ", application.attribute(2).boolean());
}
void write_running_product(const Application& application) {
  write_combined(application, "running_product", " * ", false);
}

// Whether `next` takes the place of `before`.
std::string beyond(Dtype dtype, bool smallest, const std::string& next, const std::string& before) {
  if (is_float(dtype))
    return std::string(smallest ? "covec_below_" : "covec_above_") + std::string(name_of(dtype)) + "(" + next + ", " +
           before + ")";
  return next + (smallest ? " < " : " > ") + before;
}

// (x, axis, smallest)
void write_running_extreme(const Application& application) {
  const Walk walk(application, 1);
  const Dtype dtype = application.result.type.dtype;
  const bool smallest = application.attribute(2).boolean();
  walk.write(std::string(smallest ? "running_min_" : "running_max_") + std::string(name_of(dtype)),
             std::string("The ") + (smallest ? "smallest" : "largest") + " up to each element",
             "const " + pointer_to(dtype, "x") + ", " + pointer_to(dtype, "to"),
             application.operands[0].text + ", " + application.result.text, "to[at] = x[at];",
             "to[at] = " + beyond(dtype, smallest, "x[at]", "to[before]") + " ? x[at] : to[before];", false);
}
void write_running_places(const Application& application) {
  const Walk walk(application, 1);
  const Dtype dtype = application.operands[0].type.dtype;
  const bool smallest = application.attribute(2).boolean();
  walk.write(
      std::string(smallest ? "places_of_min_" : "places_of_max_") + std::string(name_of(dtype)),
      std::string("Where the ") + (smallest ? "smallest" : "largest") + " up to each element stands",
      "const " + pointer_to(dtype, "x") + ", int64_t* to",
      application.operands[0].text + ", " + application.result.text, "to[at] = 0;",
      "to[at] = " + beyond(dtype, smallest, "x[at]", "x[before - (i - 1 - to[before]) * inner]") + " ? i : to[before];",
      false);
}

// (a, b, axis, backwards, zeros)
void write_recurrence(const Application& application) {
  const Walk walk(application, 2);
  const Dtype dtype = application.result.type.dtype;
  const bool zeros = application.attribute(4).boolean();
  const std::string product = wrapping(dtype, "a[at]", " * ", "to[before]");
  walk.write(
      std::string(zeros ? "recurrence_of_cotangents_" : "recurrence_") + std::string(name_of(dtype)),
      "Each element of b with a times the result before it",
      "const " + pointer_to(dtype, "a") + ", const " + pointer_to(dtype, "b") + ", " + pointer_to(dtype, "to"),
      application.operands[0].text + ", " + application.operands[1].text + ", " + application.result.text,
      "to[at] = b[at];",
      "to[at] = " + wrapping(dtype, zeros ? "(to[before] == 0 ? 0 : " + product + ")" : product, " + ", "b[at]") + ";",
      application.attribute(3).boolean());
}

// As next() in stdlib/ops/reduce/recurrence_exponents.cpp.
constexpr const char* apart_text = R"(static int {NAME}_is_safe({T} x) {
  return x == 0 || ({ABS}(x) > {LDEXP}(1, -{SAFE}) && {ABS}(x) < {LDEXP}(1, {SAFE}));
}
/* b + a * before, where before is *m * 2^*e, and then the result: a power of 2 apart where it would leave the range. */
static void {NAME}({T} a, {T} b, {T}* m, int* e) {
  const {T} through = a * *m, plain = b + through;
  int of_a, of_b, of_product, of_sum, scale;
  {T} added, product, sum;
  if (!(a - a == 0) || !(b - b == 0) || !(*m - *m == 0) ||
      (*e == 0 && {NAME}_is_safe(a) && {NAME}_is_safe(b) && {NAME}_is_safe(plain) && {NAME}_is_safe(through))) {
    *m = plain, *e = 0;
    return;
  }
  added = {FREXP}(b, &of_b);
  product = {FREXP}({FREXP}(a, &of_a) * *m, &of_product);
  of_product += of_a + *e;
  scale = product == 0 ? of_b : of_product;
  if (b != 0 && of_b > scale) scale = of_b;
  sum = {LDEXP}(added, of_b - scale) + {LDEXP}(product, of_product - scale < -9999 ? -9999 : of_product - scale);
  *m = {FREXP}(sum, &of_sum), *e = of_sum + scale;
  if (*e > -{SAFE} && *e < {SAFE}) *m = {LDEXP}(*m, *e), *e = 0;
}
)";

// (a, b, axis, backwards)
void write_recurrence_exponents(const Application& application) {
  const Walk walk(application, 2);
  if (walk.is_empty()) return;
  Frame& frame = application.frame;
  const Dtype dtype = application.result.type.dtype;
  const bool narrow = dtype == Dtype::f32;
  const std::string name(name_of(dtype)), type = number_type(dtype);
  const std::string next =
      frame.file.function("apart_" + name, source::filled(apart_text, {{"{T}", type},
                                                                       {"{ABS}", narrow ? "fabsf" : "fabs"},
                                                                       {"{FREXP}", narrow ? "frexpf" : "frexp"},
                                                                       {"{LDEXP}", narrow ? "ldexpf" : "ldexp"},
                                                                       {"{SAFE}", narrow ? "60" : "500"}}));
  const std::string mantissas = frame.scratch(application.result.type.bytes(), type);
  const auto step = [&](const std::string& a, const std::string& m, const std::string& e) {
    return "int e = " + e + ";\n" + "        m[at] = " + m + ";\n" + "        " + next + "(" + a +
           ", b[at], &m[at], &e);\n        to[at] = (" + type + ")e;";
  };
  walk.write("recurrence_exponents_" + name, "The powers of 2 that a recurrence keeps apart",
             "const " + type + "* a, const " + type + "* b, " + type + "* m, " + type + "* to",
             application.operands[0].text + ", " + application.operands[1].text + ", " + mantissas + ", " +
                 application.result.text,
             step("0", "0", "0"), step("a[at]", "m[before]", "(int)to[before]"), application.attribute(3).boolean());
}

// (x, axis, by, fill): by one place.
void write_shift(const Application& application) {
  const Walk walk(application, 1);
  if (walk.is_empty()) return;
  Frame& frame = application.frame;
  const Dtype dtype = application.result.type.dtype;
  const bool further = ops::integer_of(application.attribute(2)) > 0;
  const Argument fill = frame.argument(ops::converted_number(application.attribute(3), dtype), application.step.place);
  const std::string type = memory_type(dtype);
  const std::string function =
      frame.file.function(std::string(further ? "shift_" : "shift_back_") + std::string(name_of(dtype)),
                          source::filled(R"(/* Elements of an axis one place {WHERE}; `fill` comes in. */
static void {NAME}(const {T}* x, {T}* to, {N} fill, int64_t outer, int64_t length, int64_t inner) {
  const int64_t rest = (length - 1) * inner;
  int64_t i;
  for (; outer > 0; --outer, x += length * inner, to += length * inner) {
    covec_copy({TO}, {FROM}, rest * (int64_t)sizeof *to);
    for (i = 0; i < inner; ++i) to[{NEW}] = {FILL};
  }
}
)",
                                         {{"{WHERE}", further ? "further" : "back"},
                                          {"{T}", type},
                                          {"{N}", number_type(dtype)},
                                          {"{TO}", further ? "to + inner" : "to"},
                                          {"{FROM}", further ? "x" : "x + inner"},
                                          {"{NEW}", further ? "i" : "rest + i"},
                                          {"{FILL}", source::c_stored(dtype, "fill")}}));
  if (!walk.length().known()) frame.open("if (" + walk.length().factor() + " > 0)");
  frame.put(function + "(" + application.operands[0].text + ", " + application.result.text + ", " + fill.text + ", " +
            walk.outer().text() + ", " + walk.length().text() + ", " + walk.inner().text() + ");");
  if (!walk.length().known()) frame.close();
}

// --- complex numbers: parts are tensors, and lie beside each other in results ---

void write_complex_walk(const Application& application, const std::string& name, const std::string& what, size_t given,
                        const std::string& first, const std::string& next) {
  const Walk walk(application, given);
  const std::string type = number_type(application.result.type.dtype);
  std::string parameters, pointers;
  for (size_t k = 0; k < given; ++k) {
    parameters += "const " + type + "* " + std::string(1, static_cast<char>('a' + k)) + ", ";
    pointers += application.operands[k].text + ", ";
  }
  const bool backwards = application.parameters() > given + 1 && application.attribute(given + 1).boolean();
  walk.write(name + "_" + std::string(name_of(application.result.type.dtype)), what, parameters + type + "* to",
             pointers + application.result.text, source::filled(first, {{"{T}", type}}),
             source::filled(next, {{"{T}", type}}), backwards);
}

constexpr const char* times_before =
    "const {T} re = to[2 * before] * a[at] - to[2 * before + 1] * b[at];\n"
    "        to[2 * at + 1] = to[2 * before] * b[at] + to[2 * before + 1] * a[at];\n        to[2 * at] = re;";

// (re, im, axis, backwards)
void write_complex_running_product(const Application& application) {
  write_complex_walk(application, "complex_running_product", "A running product of complex numbers", 2,
                     "to[2 * at] = a[at], to[2 * at + 1] = b[at];", times_before);
}

// (re and im of a, of b, axis, backwards, zeros)
void write_complex_recurrence(const Application& application) {
  const bool zeros = application.attribute(6).boolean();
  const auto times = [&](const std::string& factor, const std::string& h) {
    return zeros ? "(" + h + " == 0 ? 0 : " + factor + " * " + h + ")" : factor + " * " + h;
  };
  write_complex_walk(application, zeros ? "complex_recurrence_of_cotangents" : "complex_recurrence",
                     "Each complex number c + id with a + ib times the result before it", 4,
                     "to[2 * at] = c[at], to[2 * at + 1] = d[at];",
                     "const {T} re = to[2 * before], im = to[2 * before + 1];\n        to[2 * at] = (" +
                         times("a[at]", "re") + " - " + times("b[at]", "im") +
                         ") + c[at];\n        to[2 * at + 1] = (" + times("a[at]", "im") + " + " +
                         times("b[at]", "re") + ") + d[at];");
}

// (re, im, axis): the last of a running product.
void write_complex_product(const Application& application) {
  Frame& frame = application.frame;
  const Walk walk(application, 2);
  const Argument& result = application.result;
  const std::string type = number_type(result.type.dtype);
  const std::string function =
      frame.file.function("complex_product_" + std::string(name_of(result.type.dtype)),
                          source::filled(R"(/* Products of complex numbers, one after the other. */
static void {NAME}(const {T}* a, const {T}* b, {T}* to, int64_t outer, int64_t length, int64_t inner) {
  int64_t o, i, c;
  for (o = 0; o < outer; ++o, a += length * inner, b += length * inner)
    for (c = 0; c < inner; ++c, to += 2) {
      to[0] = length > 0 ? a[c] : 1, to[1] = length > 0 ? b[c] : 0;
      for (i = 1; i < length; ++i) {
        const {T} re = to[0] * a[i * inner + c] - to[1] * b[i * inner + c];
        to[1] = to[0] * b[i * inner + c] + to[1] * a[i * inner + c], to[0] = re;
      }
    }
}
)",
                                         {{"{T}", type}}));
  if (!result.type.is_empty())
    frame.put(function + "(" + application.operands[0].text + ", " + application.operands[1].text + ", " + result.text +
              ", " + walk.outer().text() + ", " + walk.length().text() + ", " + walk.inner().text() + ");");
}

// (x, indices, updates, axis): in the order of the indices.
void write_scatter_add(const Application& application) {
  Frame& frame = application.frame;
  const Argument &x = application.operands[0], &indices = application.operands[1], &updates = application.operands[2],
                 &result = application.result;
  const Dtype dtype = result.type.dtype;
  if (is_narrow(dtype)) application.refuse_operator("adds to elements of " + std::string(name_of(dtype)));
  const size_t rank = x.type.rank();
  const int64_t given = ops::integer_of(application.attribute(3));
  const size_t axis = static_cast<size_t>(given < 0 ? given + static_cast<int64_t>(rank) : given);
  std::vector<Size> extents = x.type.extents;
  extents[axis] = indices.type.extents[axis];
  // The strides of an operand that is broadcast to `extents`.
  const auto side = [&](const Argument& operand) {
    Side side{operand.text, 0, std::vector<Size>(rank, 0)};
    if (operand.is_number()) return side;
    const std::vector<Size> strides = row_major(operand.type.extents);
    const size_t missing = rank - operand.type.rank();
    for (size_t k = 0; k < strides.size(); ++k) {
      const Size& extent = operand.type.extents[k];
      if (extent.is(1)) continue;
      if (extent != extents[missing + k]) application.refuse_operator("of a broadcast that depends on the caller");
      side.strides[missing + k] = strides[k];
    }
    return side;
  };
  Side to{result.text, 0, row_major(x.type.extents)};
  const Size step = to.strides[axis], size = x.type.extents[axis];
  to.strides[axis] = 0;
  if (result.text != x.text && !result.type.is_empty()) frame.copy(result.text, x.text, result.type.bytes());
  if (Size::product(extents).is(0)) return;
  if (size.is(0)) application.refuse("it indexes an axis without elements");
  write_loops(frame, extents, {std::move(to), side(indices), side(updates)}, [&](std::span<const std::string> at) {
    const std::string place = frame.fresh("p"),
                      number = updates.is_number()
                                   ? updates.text
                                   : source::c_loaded(updates.type.dtype, updates.text + "[" + at[2] + "]");
    frame.put("const int64_t " + place + " = (int64_t)" +
              source::c_loaded(indices.type.dtype, indices.text + "[" + at[1] + "]") + ";");
    frame.put("if (" + place + " < -" + size.factor() + " || " + place + " >= " + size.factor() + ") " +
              application.fail(range_error));
    const std::string element = result.text + "[" + at[0] + " + (" + place + " < 0 ? " + place + " + " + size.factor() +
                                " : " + place + ") * " + step.factor() + "]";
    frame.put(element + " = " +
              source::c_expression({ops::ScalarOp::add,
                                    dtype,
                                    dtype,
                                    2,
                                    {element, "(" + frame.file.converted(number, updates.type.dtype, dtype) + ")"},
                                    fma_name}) +
              ";");
  });
}

}  // namespace

std::span<const OperatorRow> running_rows() {
  static constexpr OperatorRow rows[] = {
      {ops::running_sum_entry, write_running_sum},
      {ops::cumulative_product_entry, write_running_product},
      {ops::running_extreme_entry, write_running_extreme},
      {ops::running_places_entry, write_running_places},
      {ops::recurrence_entry, write_recurrence},
      {ops::recurrence_exponents_entry, write_recurrence_exponents},
      {ops::shift_entry, write_shift},
      {ops::complex_running_product_entry, write_complex_running_product},
      {ops::complex_recurrence_entry, write_complex_recurrence},
      {ops::complex_product_entry, write_complex_product},
      {ops::scatter_add_entry, write_scatter_add, true},
  };
  return rows;
}

}  // namespace covec::emit
