#include "jit/emit/reductions.hpp"

#include "jit/emit/operators.hpp"
#include "jit/source/filled.hpp"
#include "stdlib/kernels/reduce_table.hpp"
#include "stdlib/ops/reduce/reduce.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::emit {

namespace {

using ops::ReduceKind;

using kernels::column_block_rows;
using kernels::lane_bytes;
using kernels::rows_per_lane;

constexpr int64_t max_levels = 54;  // of blocks, where the caller says how many there are

// What an element becomes, and two of these; texts with {X}, {A}, {B}.
struct Arithmetic {
  std::string element, combine, empty;
};

Arithmetic arithmetic(ReduceKind kind, Dtype from, Dtype to) {
  const std::string type = number_type(to), element = from == to ? "{X}" : "(" + type + "){X}";
  const std::string unsigned_type = to == Dtype::i32 ? "(uint32_t)" : "(uint64_t)";
  const auto wrapping = [&](const std::string& op) {
    return is_float(to) ? "{A} " + op + " {B}"
                        : "(" + type + ")(" + unsigned_type + "{A} " + op + " " + unsigned_type + "{B})";
  };
  const std::string dtype(name_of(to));
  switch (kind) {
    case ReduceKind::prod: return {element, wrapping("*"), "1"};
    case ReduceKind::max:
      return {element, is_float(to) ? "covec_larger_" + dtype + "({A}, {B})" : "{A} > {B} ? {A} : {B}", "0"};
    case ReduceKind::min:
      return {element, is_float(to) ? "covec_smaller_" + dtype + "({A}, {B})" : "{A} < {B} ? {A} : {B}", "0"};
    case ReduceKind::any: return {"({X} != 0)", "{A} | {B}", "0"};
    case ReduceKind::all: return {"({X} != 0)", "{A} & {B}", "1"};
    default: return {element, wrapping("+"), "0"};
  }
}

int64_t levels_of(int64_t blocks) {
  int64_t levels = 1;
  while (blocks >> levels != 0) ++levels;
  return levels;
}

// One group of adjacent axes: `outer` times `n` times `inner` elements.
class GroupWriter {
 public:
  GroupWriter(Frame& frame, const std::string& name, Arithmetic arithmetic, Dtype from, Dtype to)
      : frame_(frame), name_(name), arithmetic_(std::move(arithmetic)), from_(from), to_(to) {}

  // `last`: the last axis is reduced.
  void write(const Size& outer, const Size& n, const Size& inner, bool last, const std::string& x,
             const std::string& out) {
    if ((outer * inner).is(0)) return;
    if (!n.known()) frame_.open("if (" + n.factor() + " == 0)");
    if (!n.known() || n.is(0)) {
      const std::string i = frame_.open_loop(outer * inner);
      frame_.put(out + "[" + i + "] = " + arithmetic_.empty + ";");
      frame_.close();
    }
    if (!n.known()) {
      frame_.close();
      frame_.open("else");
    }
    if (!n.is(0)) {
      const bool known = n.known() && inner.known();
      const std::string function = known  ? (last ? rows(n.number()) : columns(n.number(), inner.number()))
                                   : last ? any_rows()
                                          : any_columns();
      frame_.put(function + "(" + x + ", " + outer.text() + (known ? "" : ", " + n.text()) +
                 (known || last ? "" : ", " + inner.text()) + ", " + out + ");");
    }
    if (!n.known()) frame_.close();
  }

 private:
  std::string element(const std::string& x) const { return source::filled(arithmetic_.element, {{"{X}", x}}); }
  std::string combine(const std::string& a, const std::string& b) const {
    return source::filled(arithmetic_.combine, {{"{A}", a}, {"{B}", b}});
  }
  std::string function(const std::string& body, int64_t n, int64_t inner, int64_t levels) const {
    return function("int64_t outer, {T}* out) {\n  enum { n = {N}, inner = {INNER} };\n", body, n, inner, levels);
  }
  std::string function(const std::string& begins, const std::string& body, int64_t n, int64_t inner,
                       int64_t levels) const {
    const int64_t lanes = lane_bytes / static_cast<int64_t>(size_of(to_));
    const std::string head = "static void {NAME}(const {IN}* x, " + begins;
    return frame_.file.function(name_ + "_" + std::string(name_of(from_)),
                                source::filled(head + body + "}\n", {{"{IN}", memory_type(from_)},
                                                                     {"{T}", number_type(to_)},
                                                                     {"{N}", std::to_string(n)},
                                                                     {"{INNER}", std::to_string(inner)},
                                                                     {"{LANES}", std::to_string(lanes)},
                                                                     {"{BLOCK}", std::to_string(lanes * rows_per_lane)},
                                                                     {"{LEVELS}", std::to_string(levels)}}));
  }

  // Few elements are lanes of their own.
  std::string rows(int64_t n) const {
    const int64_t lanes = lane_bytes / static_cast<int64_t>(size_of(to_)), block = lanes * rows_per_lane;
    if (n <= lanes) {
      int64_t half = 1;
      while (2 * half < n) half *= 2;
      return function(
          "  {T} lane[n];\n  int64_t r, l, half;\n  for (r = 0; r < outer; ++r, x += n * inner) {\n"
          "    for (l = 0; l < n; ++l) lane[l] = " +
              element("x[l]") +
              ";\n"
              "    for (half = " +
              std::to_string(half) +
              "; half > 0; half /= 2)\n"
              "      for (l = 0; l < half && l + half < n; ++l) lane[l] = " +
              combine("lane[l]", "lane[l + half]") + ";\n    out[r] = lane[0];\n  }\n",
          n, 1, 0);
    }
    if (n <= block)
      return function(
          "  {T} lane[{LANES}];\n  int64_t r, l, p, half;\n  const int64_t end = n;\n"
          "  for (r = 0; r < outer; ++r, x += n * inner) {\n    {\n      p = 0;\n      " +
              lanes_of_block() + "    }\n" + fold(),
          n, 1, 0);
    return function(blocks_of_rows("x += n * inner"), n, 1, levels_of((n + block - 1) / block));
  }
  // Of as many elements as the caller says, but none.
  std::string any_rows() const {
    return function(
        "int64_t outer, int64_t n, {T}* out) {\n",
        "  int64_t c;\n  if (n <= {LANES}) {\n    {T} few[{LANES}];\n    for (; outer > 0; --outer, x += n, ++out) {\n"
        "      for (c = 0; c < n; ++c) few[c] = " +
            element("x[c]") +
            ";\n      int64_t reach = 1;\n      while (2 * reach < n) reach *= 2;\n"
            "      for (; reach > 0; reach /= 2)\n"
            "        for (c = 0; c < reach && c + reach < n; ++c) few[c] = " +
            combine("few[c]", "few[c + reach]") + ";\n      *out = few[0];\n    }\n    return;\n  }\n" +
            blocks_of_rows("x += n"),
        0, 1, max_levels);
  }
  std::string mapped(const std::string& x) const { return from_ == to_ ? element(x) : "(" + element(x) + ")"; }
  // From p to `end`, of which there are lanes.
  std::string lanes_of_block() const {
    return "for (l = 0; l < {LANES}; ++l) lane[l] = " + element("x[p + l]") +
           ";\n"
           "      for (p += {LANES}; p + {LANES} <= end; p += {LANES})\n"
           "        for (l = 0; l < {LANES}; ++l) lane[l] = " +
           combine("lane[l]", mapped("x[p + l]")) +
           ";\n"
           "      for (l = 0; p + l < end; ++l) lane[l] = " +
           combine("lane[l]", mapped("x[p + l]")) + ";\n";
  }
  std::string fold() const {
    return "    for (half = {LANES} / 2; half > 0; half /= 2)\n"
           "      for (l = 0; l < half; ++l) lane[l] = " +
           combine("lane[l]", "lane[l + half]") + ";\n    out[r] = lane[0];\n  }\n";
  }
  // Pairs of blocks, as a counter in binary carries.
  std::string blocks_of_rows(const std::string& next) const {
    return "  {T} level[{LEVELS}][{LANES}], lane[{LANES}];\n  int64_t r, l, p, half, blocks, k, end;\n"
           "  for (r = 0; r < outer; ++r, " +
           next +
           ") {\n    blocks = 0;\n    for (p = 0; p < n; ++blocks) {\n"
           "      end = p + {BLOCK} < n ? p + {BLOCK} : (int64_t)n;\n      if (end - p < {LANES}) {\n        " +
           short_block(mapped("x[p + l]")) + "\n      } else {\n      " + lanes_of_block() +
           "      }\n"
           "      p = end;\n"
           "      for (k = 0; (blocks >> k & 1) != 0; ++k)\n"
           "        for (l = 0; l < {LANES}; ++l) lane[l] = " +
           combine("level[k][l]", "lane[l]") +
           ";\n"
           "      memcpy(level[k], lane, sizeof lane);\n    }\n"
           "    for (k = 0; (blocks >> k & 1) == 0; ++k) {}\n    memcpy(lane, level[k], sizeof lane);\n"
           "    for (++k; blocks >> k != 0; ++k)\n      if ((blocks >> k & 1) != 0)\n"
           "        for (l = 0; l < {LANES}; ++l) lane[l] = " +
           combine("level[k][l]", "lane[l]") + ";\n" + fold();
  }
  // The lanes beyond the end hold what changes nothing.
  std::string short_block(const std::string& mapped) const {
    return "for (l = 0; l < {LANES}; ++l) lane[l] = p + l < end ? " + mapped + " : " + neutral() + ";";
  }
  std::string neutral() const {
    if (name_ == "prod" || name_ == "all") return "1";
    if (name_ == "max") return is_float(to_) ? "-INFINITY" : to_ == Dtype::i32 ? "INT32_MIN" : "INT64_MIN";
    if (name_ == "min") return is_float(to_) ? "INFINITY" : to_ == Dtype::i32 ? "INT32_MAX" : "INT64_MAX";
    return is_float(to_) ? "-0.0" : "0";
  }

  std::string columns(int64_t n, int64_t inner) const {
    if (n <= column_block_rows) return function("  int64_t o, g, j;\n" + few_of_columns(""), n, inner, 0);
    return function("  {T} level[{LEVELS}], sum;\n  int64_t o, g, j, k, end, blocks;\n" + blocks_of_columns(), n, inner,
                    levels_of((n + column_block_rows - 1) / column_block_rows));
  }
  std::string any_columns() const {
    return function("int64_t outer, int64_t n, int64_t inner, {T}* out) {\n",
                    "  {T} level[{LEVELS}], sum;\n  int64_t o, g, j, k, end, blocks;\n  if (n <= " +
                        std::to_string(column_block_rows) + ") {\n" + few_of_columns("  ") + "    return;\n  }\n" +
                        blocks_of_columns(),
                    0, 0, max_levels);
  }
  std::string few_of_columns(const std::string& in) const {
    return in + "  for (o = 0; o < outer; ++o, out += inner) {\n" + in +
           "    for (j = 0; j < inner; ++j) out[j] = " + element("x[j]") + ";\n" + in + "    x += inner;\n" + in +
           "    for (g = 1; g < n; ++g, x += inner)\n" + in +
           "      for (j = 0; j < inner; ++j) out[j] = " + combine("out[j]", mapped("x[j]")) + ";\n" + in + "  }\n";
  }
  std::string blocks_of_columns() const {
    return "  for (o = 0; o < outer; ++o, x += n * "
           "inner) {\n"
           "    for (j = 0; j < inner; ++j, ++out) {\n      for (g = 0, blocks = 0; g < n; ++blocks) {\n"
           "        end = g + " +
           std::to_string(column_block_rows) + " < n ? g + " + std::to_string(column_block_rows) +
           " : (int64_t)n;\n"
           "        sum = " +
           element("x[g * inner + j]") +
           ";\n        for (++g; g < end; ++g) sum = " + combine("sum", mapped("x[g * inner + j]")) +
           ";\n"
           "        for (k = 0; (blocks >> k & 1) != 0; ++k) sum = " +
           combine("level[k]", "sum") +
           ";\n"
           "        level[k] = sum;\n      }\n      for (k = 0; (blocks >> k & 1) == 0; ++k) {}\n"
           "      sum = level[k];\n      for (++k; blocks >> k != 0; ++k)\n"
           "        if ((blocks >> k & 1) != 0) sum = " +
           combine("level[k]", "sum") + ";\n      *out = sum;\n    }\n  }\n";
  }

  Frame& frame_;
  const std::string name_;
  const Arithmetic arithmetic_;
  const Dtype from_, to_;
};

bool has(uint32_t axes, size_t axis) { return (axes >> axis & 1) != 0; }

// The last group of adjacent axes that are reduced: [first, last].
std::pair<size_t, size_t> last_group(uint32_t axes, size_t rank) {
  size_t last = rank;
  while (!has(axes, last - 1)) --last;
  size_t first = --last;
  while (first > 0 && has(axes, first - 1)) --first;
  return {first, last};
}

Size product(const std::vector<Size>& extents, size_t begin, size_t end) {
  return Size::product(std::span(extents).subspan(begin, end - begin));
}

}  // namespace

void check_elements(Frame& frame, const std::string& name, uint32_t axes, const SlotType& x, uint32_t place) {
  const std::string error = name + " of an empty axis has no value";
  for (size_t axis = 0; axis < x.rank(); ++axis) {
    if (!has(axes, axis)) continue;
    if (x.extents[axis].is(0)) throw Refusal{error, place};
    if (!x.extents[axis].known()) frame.put("if (" + x.extents[axis].factor() + " == 0) " + frame.fail(place, error));
  }
}

void write_reduction(Frame& frame, const ops::Entry& entry, uint32_t axes, const Argument& x, const Argument& result,
                     uint32_t place) {
  const ops::ReduceOperator& op = *entry.reduce;
  const bool combines = op.kind != ReduceKind::argmax && op.kind != ReduceKind::argmin && !op.composed;
  const Dtype to = result.type.dtype;
  if (!combines) throw Refusal{"is not written as C", place, &entry};
  if (is_narrow(x.type.dtype) || is_narrow(to))
    throw Refusal{"it reduces " + std::string(name_of(x.type.dtype)), place};
  // Numbers are results of one element.
  std::string out = result.text;
  if (result.is_number()) {
    out = frame.fresh("t");
    frame.open("");
    frame.put(number_type(to) + " " + out + "[1];");
  }
  std::vector<Size> extents = x.type.extents;
  Size divisor = 1;
  for (size_t k = 0; k < extents.size(); ++k) divisor *= has(axes, k) ? extents[k] : Size(1);
  if (!op.has_empty) check_elements(frame, std::string(entry.name), axes, x.type, place);
  std::string from = x.text;
  Dtype dtype = x.type.dtype;
  if (axes == 0) {  // each element by itself
    GroupWriter(frame, std::string(entry.name), arithmetic(op.kind, dtype, to), dtype, to)
        .write(x.type.elements(), 1, 1, true, from, out);
  }
  while (axes != 0) {
    const auto [first, last] = last_group(axes, extents.size());
    const uint32_t group = ((uint32_t{2} << last) - 1) & ~((uint32_t{1} << first) - 1);
    const Size outer = product(extents, 0, first), n = product(extents, first, last + 1),
               inner = product(extents, last + 1, extents.size());
    const bool ends = (axes & ~group) == 0;
    const std::string made =
        ends ? out : frame.scratch(outer * inner * static_cast<int64_t>(size_of(to)), number_type(to));
    GroupWriter(frame, std::string(entry.name), arithmetic(op.kind, dtype, to), dtype, to)
        .write(outer, n, inner, last + 1 == extents.size(), from, made);
    extents.erase(extents.begin() + static_cast<std::ptrdiff_t>(first),
                  extents.begin() + static_cast<std::ptrdiff_t>(last) + 1);
    axes &= ~group;
    from = made;
    dtype = to;
  }
  if (op.divides) {
    const std::string i = frame.open_loop(result.type.elements());
    frame.put(out + "[" + i + "] /= (" + number_type(to) + ")" + divisor.factor() + ";");
    frame.close();
  }
  if (result.is_number()) {
    frame.put(result.text + " = " + out + "[0];");
    frame.close();
  }
}

void write_positions(Frame& frame, bool smallest, uint32_t axes, const Argument& x, const Argument& result, bool mask,
                     uint32_t place) {
  const Dtype dtype = x.type.dtype;
  if (is_narrow(dtype) || dtype == Dtype::boolean)
    throw Refusal{"it looks for the largest of " + std::string(name_of(dtype)), place};
  const auto [first, last] = last_group(axes, x.type.rank());
  if ((axes & ~(((uint32_t{2} << last) - 1) & ~((uint32_t{1} << first) - 1))) != 0)
    throw Refusal{"it looks for the largest along axes that are not neighbours", place};
  const Size outer = product(x.type.extents, 0, first), n = product(x.type.extents, first, last + 1),
             inner = product(x.type.extents, last + 1, x.type.rank());
  check_elements(frame, mask ? "max" : smallest ? "argmin" : "argmax", axes, x.type, place);
  if ((outer * inner).is(0)) return;
  const bool known = n.known() && inner.known();
  const std::string beyond = is_float(dtype)
                                 ? std::string(smallest ? "covec_below_" : "covec_above_") +
                                       std::string(name_of(dtype)) + "(x[g * inner + j], x[best * inner + j])"
                             : smallest ? "x[g * inner + j] < x[best * inner + j]"
                                        : "x[g * inner + j] > x[best * inner + j]";
  const std::string function = frame.file.function(
      std::string(smallest ? "smallest_" : "largest_") + std::string(name_of(dtype)),
      source::filled(
          "static void {NAME}(const {T}* x, int64_t outer, " + std::string(known ? "" : "int64_t n, int64_t inner, ") +
              "{OUT}* out) {\n" + (known ? "  enum { n = {N}, inner = {INNER} };\n" : "") +
              "  int64_t o, j, g;\n  for (o = 0; o < outer; ++o, x += n * inner)\n    for (j = 0; j < inner; ++j) {\n"
              "      int64_t best = 0;\n      for (g = 1; g < n; ++g)\n        if ({BEYOND}) best = g;\n      "
              "{STORE}\n    "
              "}\n}\n",
          {{"{T}", memory_type(dtype)},
           {"{OUT}", mask ? "uint8_t" : "int64_t"},
           {"{N}", n.text()},
           {"{INNER}", inner.text()},
           {"{BEYOND}", beyond},
           {"{STORE}", mask ? "for (g = 0; g < n; ++g) out[(o * n + g) * inner + j] = g == best;"
                            : "out[o * inner + j] = best;"}}));
  frame.put(function + "(" + x.text + ", " + outer.text() + ", " +
            (known ? "" : n.text() + ", " + inner.text() + ", ") + (result.is_number() ? "&" : "") + result.text +
            ");");
}

namespace {

void write_reduced(const Application& application) {
  const Argument& x = application.operands[0];
  const Argument& result = application.result;
  if (x.is_number())
    return application.frame.put(result.text + " = " +
                                 application.frame.file.converted(x.text, x.type.dtype, result.type.dtype) + ";");
  std::vector<Value> args = application.apply.operation->args;
  const ops::Call call{application.entry(), args, {}, application.apply.op.literals};
  const ops::ReduceArguments arguments = ops::reduce_arguments(call, static_cast<unsigned>(x.type.rank()));
  write_reduction(application.frame, application.entry(), arguments.axes, x, application.result,
                  application.step.place);
}

void write_position(const Application& application) {
  const Argument& x = application.operands[0];
  if (x.is_number()) application.refuse_operator("of no tensor");
  std::vector<Value> args = application.apply.operation->args;
  const ops::Call call{application.entry(), args, {}, application.apply.op.literals};
  const uint32_t axes = ops::reduce_arguments(call, static_cast<unsigned>(x.type.rank())).axes;
  write_positions(application.frame, application.entry().reduce->kind == ops::ReduceKind::argmin, axes, x,
                  application.result, false, application.step.place);
}

// (x, axes, smallest)
void write_mask(const Application& application) {
  const Argument& x = application.operands[0];
  if (x.is_number()) application.refuse("a derivative of the largest number");
  std::vector<Value> args = {application.apply.operation->args[0], application.attribute(1), Value(false)};
  const ops::Call call{ops::max_entry(), args, {}, 0};
  const uint32_t axes = ops::reduce_arguments(call, static_cast<unsigned>(x.type.rank())).axes;
  const bool smallest = application.attribute(2).boolean();
  if (axes == 0) application.refuse("a derivative of the largest element along no axis");
  write_positions(application.frame, smallest, axes, x, application.result, true, application.step.place);
}

}  // namespace

std::span<const OperatorRow> reduce_rows() {
  static constexpr OperatorRow rows[] = {
      {ops::sum_entry, write_reduced},       {ops::mean_entry, write_reduced},    {ops::prod_entry, write_reduced},
      {ops::max_entry, write_reduced},       {ops::min_entry, write_reduced},     {ops::any_entry, write_reduced},
      {ops::all_entry, write_reduced},       {ops::argmax_entry, write_position}, {ops::argmin_entry, write_position},
      {ops::extreme_mask_entry, write_mask},
  };
  return rows;
}

}  // namespace covec::emit
