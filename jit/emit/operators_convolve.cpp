// Writes convolutions and their transposes: sums in the order that stdlib/convolution/convolve.hpp gives at each. All
// extents are known. Start at ConvolutionWriter.
#include <algorithm>

#include "jit/emit/moves.hpp"
#include "jit/source/filled.hpp"
#include "stdlib/convolution/repair_nan.hpp"
#include "stdlib/ops/signal/signal.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::emit {

namespace {

// {SIZES} are constants; `sum` is a chain of fma from 0, a new one after 512 terms.
constexpr const char* of_windows_text = R"(/* Sums of products of w with the windows of x. */
static void {NAME}(const {T}* x, const {T}* w, {T}* y) {
  {SIZES}
  int64_t e, g, o, i, r, c, p, q;
  for (e = 0; e < examples; ++e, x += groups * ins * in_rows * in_columns)
    for (g = 0; g < groups; ++g)
      for (o = 0; o < outs; ++o)
        for (r = 0; r < rows; ++r)
          for (c = 0; c < columns; ++c) {
            const {T}* v = w + (g * outs + o) * ins * window_rows * window_columns;
            {T} sum = 0{TOTAL};
            for (i = 0; i < ins; ++i)
              for (p = 0; p < window_rows; ++p)
                for (q = 0; q < window_columns; ++q, ++v) {
                  const int64_t row = r * row_stride + p * row_dilation - row_before;
                  const int64_t column = c * column_stride + q * column_dilation - column_before;
                  const int64_t at = ((g * ins + i) * in_rows + row) * in_columns + column;
                  const {T} term = {INSIDE}x[at];
                  {ADD}
                }
            *y++ = {SUM};
          }
}
)";
constexpr const char* of_input_text = R"(/* The transpose by x of windows' sums of products with w. */
static void {NAME}(const {T}* y, const {T}* w, {T}* x) {
  {SIZES}
  int64_t e, g, o, i, r, c, p, q;
  for (e = 0; e < examples; ++e, y += groups * outs * rows * columns)
    for (g = 0; g < groups; ++g)
      for (i = 0; i < ins; ++i)
        for (r = 0; r < in_rows; ++r)
          for (c = 0; c < in_columns; ++c) {
            {T} sum = 0{TOTAL};
            for (o = 0; o < outs; ++o)
              for (p = window_rows - 1; p >= 0; --p)
                for (q = window_columns - 1; q >= 0; --q) {
                  const int64_t down = r + row_before - p * row_dilation, row = down / row_stride;
                  const int64_t across = c + column_before - q * column_dilation, column = across / column_stride;
                  const {T}* const v = w + (((g * outs + o) * ins + i) * window_rows + p) * window_columns + q;
                  {T} term = 0;
                  if (row * row_stride != down || column * column_stride != across) continue;
                  if (row >= 0 && row < rows && column >= 0 && column < columns)
                    term = y[((g * outs + o) * rows + row) * columns + column];
                  {ADD}
                }
            *x++ = {SUM};
          }
}
)";
constexpr const char* of_weight_text = R"(/* The transpose by w of windows' sums of products with it. */
static void {NAME}(const {T}* y, const {T}* x, {T}* w) {
  {SIZES}
  int64_t e, g, o, i, r, c, p, q;
  for (g = 0; g < groups; ++g)
    for (o = 0; o < outs; ++o)
      for (i = 0; i < ins; ++i)
        for (p = 0; p < window_rows; ++p)
          for (q = 0; q < window_columns; ++q) {
            {T} sum = 0{TOTAL};
            for (e = 0; e < examples; ++e) {
              const {T}* v = y + (e * groups * outs + g * outs + o) * rows * columns;
              for (r = 0; r < rows; ++r)
                for (c = 0; c < columns; ++c, ++v) {
                  const int64_t row = r * row_stride + p * row_dilation - row_before;
                  const int64_t column = c * column_stride + q * column_dilation - column_before;
                  const int64_t at = (((e * groups + g) * ins + i) * in_rows + row) * in_columns + column;
                  const {T} term = {INSIDE}x[at];
                  {ADD}
                }
            }
            *w++ = {SUM};
          }
}
)";

// As repair_nan() in stdlib/convolution does it: what has become NaN is added up again without terms in which a
// cotangent is 0.
constexpr const char* repair_windows_text =
    R"(/* Elements of {RESULT} that are NaN again, without terms in which {ZEROS} is 0. */
static void {NAME}(const {T}* first, const {T}* second, {T}* result, uint8_t* again) {
  {SIZES}
  int64_t e, o, i, r, c, p, q, special = 0, some_first = 0, some_second = 0;
  if (others < results && zeros != 3) {
    const {T}* const other = zeros == 1 ? second : first;
    {T} lanes[{LANES}] = {0}, sum = 0;
    for (i = 0; i + {LANES} <= others; i += {LANES})
      for (c = 0; c < {LANES}; ++c) lanes[c] += other[i + c];
    for (c = 0; c < {LANES}; ++c) sum += lanes[c];
    for (i = others / {LANES} * {LANES}; i < others; ++i) sum += other[i];
    if (sum - sum == 0) return;
  }
  for (i = 0; i < results; ++i) special |= again[i] = result[i] != result[i];
  if (!special) return;
  for (i = 0; i < results; ++i)
    if (again[i]) result[i] = 0;
  for (i = 0; i < firsts; ++i) some_first |= first[i] != 0;
  for (i = 0; i < seconds; ++i) some_second |= second[i] != 0;
  if (((zeros & 1) != 0 && !some_first) || ((zeros & 2) != 0 && !some_second)) return;
  for (e = 0; e < examples; ++e)
    for (o = 0; o < groups * outs; ++o)
      for (i = 0; i < ins; ++i)
        for (p = 0; p < window_rows; ++p)
          for (q = 0; q < window_columns; ++q)
            for (r = 0; r < rows; ++r)
              for (c = 0; c < columns; ++c) {
                const int64_t row = r * row_stride + p * row_dilation - row_before;
                const int64_t column = c * column_stride + q * column_dilation - column_before;
                const int64_t x = (((e * groups + o / outs) * ins + i) * in_rows + row) * in_columns + column;
                const int64_t w = ((o * ins + i) * window_rows + p) * window_columns + q;
                const int64_t y = ((e * groups * outs + o) * rows + r) * columns + c;
                if (row < 0 || row >= in_rows || column < 0 || column >= in_columns || !again[{RESULT}]) continue;
                if (((zeros & 1) != 0 && first[{FIRST}] == 0) || ((zeros & 2) != 0 && second[{SECOND}] == 0)) continue;
                result[{RESULT}] += first[{FIRST}] * second[{SECOND}];
              }
}
)";

class ConvolutionWriter {
 public:
  using Part = kernels::ConvolutionPart;

  ConvolutionWriter(const Application& application, Part part)
      : application_(application),
        frame_(application.frame),
        dtype_(application.result.type.dtype),
        part_(part),
        call_(described(application)) {
    if (is_narrow(dtype_)) application.refuse_operator("of " + std::string(name_of(dtype_)));
  }

  void write() const {
    if (application_.result.type.is_empty()) return;
    const kernels::Convolution& c = call_.convolution;
    const kernels::WindowAxis &rows = c.rows, &columns = c.columns;
    const int64_t terms = part_ == Part::y   ? c.in_channels * rows.window * columns.window
                          : part_ == Part::x ? c.out_channels * rows.window * columns.window
                                             : c.examples * rows.out * columns.out;
    const bool one_chain = terms <= 512, is_inside = inside(rows) && inside(columns);
    const std::string type = number_type(dtype_), fma = std::string(fma_name) + (dtype_ == Dtype::f32 ? "f" : ""),
                      wide = dtype_ == Dtype::i32 ? "(uint32_t)" : "(uint64_t)";
    const auto added = [&](const std::string& a, const std::string& b) {
      return is_float(dtype_) ? a + " + " + b : "(" + type + ")(" + wide + a + " + " + wide + b + ")";
    };
    std::string add = is_float(dtype_) ? "sum = " + fma + "(*v, term, sum);"
                                       : "sum = (" + type + ")(" + wide + "sum + " + wide + "*v * " + wide + "term);";
    if (!one_chain)
      add += "\n                  if (++k % 512 == 0) total = k == 512 ? sum : " + added("total", "sum") + ", sum = 0;";
    const std::string rest = "k % 512 == 0 ? total : k < 512 ? sum : " + added("total", "sum");
    const std::string function = frame_.file.function(
        std::string(part_ == Part::y   ? "convolve"
                    : part_ == Part::x ? "convolve_input"
                                       : "convolve_weight") +
            "_" + std::string(name_of(dtype_)),
        source::filled(
            part_ == Part::y   ? of_windows_text
            : part_ == Part::x ? of_input_text
                               : of_weight_text,
            {{"{SIZES}", sizes("")},
             {"{T}", type},
             {"{TOTAL}", one_chain ? "" : ", total = 0;\n            int64_t k = 0"},
             {"{INSIDE}", is_inside ? "" : "row < 0 || row >= in_rows || column < 0 || column >= in_columns ? 0 : "},
             {"{ADD}", add},
             {"{SUM}", one_chain ? "sum" : rest}}));
    const bool repairs = call_.zeros != 0 && is_float(dtype_) && terms > 0;
    const std::string again = repairs ? frame_.scratch(count(part_), "uint8_t") : "";
    const std::string i = call_.leading > 1 ? frame_.open_loop(call_.leading) : "";
    const auto each = [&](const std::string& text, Part part) {
      return i.empty() ? text : text + " + " + i + " * " + std::to_string(count(part));
    };
    const std::string operands = each(application_.operands[0].text, first()) + ", " +
                                 each(application_.operands[1].text, second()) + ", " +
                                 each(application_.result.text, part_);
    frame_.put(function + "(" + operands + ");");
    if (repairs) frame_.put(repair() + "(" + operands + ", " + again + ");");
    if (!i.empty()) frame_.close();
  }

 private:
  static ops::ConvolutionCall described(const Application& application) {
    std::vector<Value> args;
    for (size_t k = 0; k < application.parameters(); ++k) {
      const Argument& operand = application.operands[k];
      const bool is_operand = k < 2;
      if (is_operand && operand.type.dtype != application.result.type.dtype)
        application.refuse_operator("of several dtypes");
      if (is_operand ? !operand.type.elements().known()
                     : application.step.operands[k].kind == loops::Operand::Kind::slot)
        application.refuse_operator("with extents that the caller gives");
      args.push_back(is_operand
                         ? make_tensor(application.frame.file.eager.pool(), operand.type.dtype, operand.type.shape())
                         : application.attribute(k));
    }
    try {
      return ops::describe_convolution(application.frame.file.eager,
                                       {application.entry(), args, {}, application.apply.op.literals});
    } catch (const OpError& error) {
      application.refuse(error.message);
    }
  }

  Part first() const { return part_ == Part::y ? Part::x : Part::y; }
  Part second() const { return part_ == Part::w ? Part::x : Part::w; }
  // Elements of one of the leading examples.
  int64_t count(Part part) const {
    const kernels::Convolution& c = call_.convolution;
    switch (part) {
      case Part::x: return c.examples * c.groups * c.in_channels * c.rows.in * c.columns.in;
      case Part::w: return c.groups * c.out_channels * c.in_channels * c.rows.window * c.columns.window;
      default: return c.examples * c.groups * c.out_channels * c.rows.out * c.columns.out;
    }
  }
  // Whether no window reaches into the padding.
  static bool inside(const kernels::WindowAxis& axis) {
    return axis.before <= 0 && (axis.out - 1) * axis.stride + (axis.window - 1) * axis.dilation - axis.before < axis.in;
  }

  std::string sizes(const std::string& more) const {
    const kernels::Convolution& c = call_.convolution;
    const auto number = [](const std::string& name, int64_t n) { return name + " = " + std::to_string(n); };
    const auto axis = [&](const std::string& one, const std::string& all, const kernels::WindowAxis& a) {
      return number("in_" + all, a.in) + ", " + number(all, a.out) + ", " + number("window_" + all, a.window) + ", " +
             number(one + "_stride", a.stride) + ", " + number(one + "_dilation", a.dilation) + ", " +
             number(one + "_before", a.before);
    };
    return "enum { " + number("examples", c.examples) + ", " + number("groups", c.groups) + ", " +
           number("outs", c.out_channels) + ", " + number("ins", c.in_channels) + ",\n    " +
           axis("row", "rows", c.rows) + ",\n    " + axis("column", "columns", c.columns) + more + " };";
  }

  std::string repair() const {
    const auto letter = [](Part part) { return std::string(part == Part::x ? "x" : part == Part::w ? "w" : "y"); };
    const auto number = [](const char* name, int64_t n) {
      return std::string(",\n    ") + name + " = " + std::to_string(n);
    };
    const uint64_t zeros = call_.zeros;
    const int64_t lanes = 8 * 16 / static_cast<int64_t>(size_of(dtype_));  // as any_special() adds
    return frame_.file.function(
        "repair_convolution_" + std::string(name_of(dtype_)),
        source::filled(
            repair_windows_text,
            {{"{SIZES}", sizes(number("zeros", static_cast<int64_t>(zeros)) + number("results", count(part_)) +
                               number("firsts", count(first())) + number("seconds", count(second())) +
                               number("others", count((zeros & 1) != 0 ? second() : first())))},
             {"{T}", number_type(dtype_)},
             {"{LANES}", std::to_string(lanes)},
             {"{ZEROS}", zeros == 1   ? letter(first())
                         : zeros == 2 ? letter(second())
                                      : letter(first()) + " or " + letter(second())},
             {"{RESULT}", letter(part_)},
             {"{FIRST}", letter(first())},
             {"{SECOND}", letter(second())}}));
  }

  const Application& application_;
  Frame& frame_;
  const Dtype dtype_;
  const Part part_;
  const ops::ConvolutionCall call_;
};

void write_convolution(const Application& application) {
  ConvolutionWriter(application, kernels::ConvolutionPart::y).write();
}
void write_convolution_input(const Application& application) {
  ConvolutionWriter(application, kernels::ConvolutionPart::x).write();
}
void write_convolution_weight(const Application& application) {
  ConvolutionWriter(application, kernels::ConvolutionPart::w).write();
}

}  // namespace

std::span<const OperatorRow> convolution_rows() {
  static constexpr OperatorRow rows[] = {{ops::convolve_entry, write_convolution},
                                         {ops::convolve_input_entry, write_convolution_input},
                                         {ops::convolve_weight_entry, write_convolution_weight},
                                         {ops::per_channel_entry, write_reshaped}};
  return rows;
}

}  // namespace covec::emit
