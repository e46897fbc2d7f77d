// Kernels for devices: what computes one element, and around it the loop over elements, or over blocks of what is
// reduced. Work items go through their share with steps of all items, so that any number of them does.
#include <algorithm>
#include <set>

#include "jit/source/c99.hpp"
#include "jit/source/c99_scalar.hpp"
#include "jit/source/device.hpp"
#include "jit/source/kernel_body.hpp"
#include "stdlib/kernels/reduce_table.hpp"

namespace covec::source {

namespace {

using loops::Kernel;
using ops::ReduceKind;

std::string in(size_t k) { return "in" + std::to_string(k); }
std::string out(size_t k) { return "out" + std::to_string(k); }
std::string array(const std::string& type, const std::string& name) {
  return "COVEC_GLOBAL " + type + "* " + name + ", int64_t " + name + "_first";
}

class Lines {
 public:
  void put(const std::string& line) { text_ += std::string(2 * depth_, ' ') + line + "\n"; }
  void open(const std::string& line) {
    put(line + " {");
    ++depth_;
  }
  void close() {
    --depth_;
    put("}");
  }
  void add(const std::string& lines) { text_ += lines; }
  size_t depth() const { return depth_; }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  size_t depth_ = 0;
};

// --- one element ---

class ElementWriter {
 public:
  ElementWriter(const Kernel& kernel, std::string name, bool strided, size_t stored)
      : kernel_(kernel), name_(std::move(name)), strided_(strided), stored_(stored) {}

  bool can_fail() const { return kernel_.fails != Kernel::never; }
  std::string flag() const { return can_fail() ? ", COVEC_GLOBAL int32_t* failed" : ""; }
  std::string arrays() const {
    std::string text;
    for (size_t k = 0; k < stored_; ++k) {
      text += ", " + array(std::string(c_memory_type(kernel_.outputs[k].dtype)), out(k));
    }
    for (size_t k = 0; k < kernel_.inputs.size(); ++k) {
      text += ", " + array("const " + std::string(c_memory_type(kernel_.inputs[k].dtype)), in(k));
      if (!strided_) text += ", int64_t " + in(k) + "_step";
    }
    if (strided_) text += ", " + name_ + "_walk walk";
    for (size_t k = 0; k < kernel_.numbers.size(); ++k) {
      text += ", uint64_t number" + std::to_string(k);
      if (kernel_.stays(k)) text += ", " + array("const " + word_type(k), place(k));
    }
    return text;
  }
  // Once, before elements are computed: numbers that lie there.
  void read_numbers(Lines& lines) const {
    for (size_t k = 0; k < kernel_.numbers.size(); ++k) {
      if (!kernel_.stays(k)) continue;
      lines.put("if (" + place(k) + "_first >= 0) number" + std::to_string(k) + " = " + place(k) + "[" + place(k) +
                "_first];");
    }
  }
  // Computes elements first … first + width − 1, as far as there are so many, and stores what is stored.
  void put_wide(Lines& lines, int64_t width) const {
    const std::string count = std::to_string(width);
    lines.put("const int whole = first + " + count + " <= n;");
    for (size_t k = 0; k < kernel_.inputs.size(); ++k) load_wide(lines, k, width);
    for (size_t k = 0; k < stored_; ++k) lines.put(wide_type(kernel_.outputs[k].dtype, width) + " " + made(k) + ";");
    lines.put("#pragma unroll");
    lines.open(each_of(width));
    put_body(lines, [](uint32_t k) { return wide(k) + ".at[k]"; });
    for (size_t k = 0; k < stored_; ++k)
      lines.put(made(k) + ".at[k] = " + c_stored(kernel_.outputs[k].dtype, value(k)) + ";");
    lines.close();
    for (size_t k = 0; k < stored_; ++k) store_wide(lines, k, width);
  }
  // Elements side by side, aligned as a whole.
  std::string wide_types(int64_t width) const {
    std::set<Dtype> dtypes;
    for (const Kernel::Input& input : kernel_.inputs) dtypes.insert(input.dtype);
    for (const Kernel::Output& output : kernel_.outputs) dtypes.insert(output.dtype);
    std::string text;
    for (const Dtype dtype : dtypes) {
      text += "typedef struct COVEC_ALIGNED(" + std::to_string(width * static_cast<int64_t>(size_of(dtype))) + ") { " +
              std::string(c_memory_type(dtype)) + " at[" + std::to_string(width) + "]; } " + wide_type(dtype, width) +
              ";\n";
    }
    return text;
  }
  // Computes element i, and stores what is stored.
  void put(Lines& lines) const {
    strided_ ? find_places(lines) : step_places(lines);
    put_body(lines, [](uint32_t k) { return in(k) + "[at" + std::to_string(k) + "]"; });
    store(lines);
  }
  // What arrays() are called by who calls.
  std::string arguments() const {
    std::string text;
    for (size_t k = 0; k < stored_; ++k) text += ", " + out(k) + ", " + out(k) + "_first";
    for (size_t k = 0; k < kernel_.inputs.size(); ++k) text += ", " + in(k) + ", " + in(k) + "_first";
    text += ", walk";
    for (size_t k = 0; k < kernel_.numbers.size(); ++k) {
      text += ", number" + std::to_string(k);
      if (kernel_.stays(k)) text += ", " + place(k) + ", " + place(k) + "_first";
    }
    return text;
  }
  // Element i, of which `product` is what these inputs (bits) hold.
  void put_of_product(Lines& lines, uint32_t products) const {
    find_places(lines);
    put_body(lines, [products](uint32_t k) {
      return (products >> k & 1) != 0 ? "product" : in(k) + "[at" + std::to_string(k) + "]";
    });
    store(lines);
  }
  // All elements by tiles (device_crossed_kernel).
  void put_tiles(Lines& lines) const {
    for (size_t k = 0; k < kernel_.inputs.size(); ++k) {
      lines.put("COVEC_LOCAL " + std::string(c_memory_type(kernel_.inputs[k].dtype)) + " " + tile(k) + "[" + side +
                " * (" + side + " + 1)];");
    }
    lines.put("const int last = walk.axes - 1;");
    lines.put("const int64_t rows = walk.dims[across], columns = walk.dims[last];");
    lines.put("const int64_t down = (rows + " + side + " - 1) / " + side + ", along = (columns + " + side + " - 1) / " +
              side + ";");
    lines.put("int64_t row_step = 1;");
    lines.put("for (int axis = last; axis > across; --axis) row_step *= walk.dims[axis];");
    lines.open("for (int64_t unit = covec_group; unit < n / (rows * columns) * down * along; unit += covec_groups)");
    find_tile(lines);
    each_of_tile(lines, "e % " + side, "e / " + side);
    for (size_t k = 0; k < kernel_.inputs.size(); ++k) {
      lines.put("if (" + is_crossed(k) + ") " + tile(k) + place_in_tile + " = " + in(k) + "[" + place_of_tile(k) +
                "];");
    }
    lines.close();
    lines.close();
    lines.put("covec_barrier();");
    each_of_tile(lines, "e / " + side, "e % " + side);
    for (size_t k = 0; k < kernel_.inputs.size(); ++k) {
      lines.put("const " + std::string(c_memory_type(kernel_.inputs[k].dtype)) + " " + element(k) + " = " +
                is_crossed(k) + " ? " + tile(k) + place_in_tile + " : " + in(k) + "[" + place_of_tile(k) + "];");
    }
    put_body(lines, [](uint32_t k) { return element(k); });
    lines.put("const int64_t i = begin + r * row_step + c;");
    store(lines);
    lines.close();
    lines.close();
    lines.put("covec_barrier();");
    lines.close();
  }
  std::string value(size_t output) const { return "v" + std::to_string(kernel_.outputs[output].value); }

 private:
  static inline const std::string side = std::to_string(device_side);
  static inline const std::string place_in_tile = "[r * (" + side + " + 1) + c]";
  static std::string tile(size_t input) { return "tile" + std::to_string(input); }
  static std::string element(size_t input) { return "element" + std::to_string(input); }
  static std::string is_crossed(size_t input) { return "(crossed >> " + std::to_string(input) + " & 1) != 0"; }
  static std::string stride(size_t input, const std::string& axis) {
    return "walk.strides[" + std::to_string(input * most_axes) + " + " + axis + "]";
  }
  static std::string place_of_tile(size_t input) {
    return "at" + std::to_string(input) + " + (int64_t)r * " + stride(input, "across") + " + (int64_t)c * " +
           stride(input, "last");
  }
  // Where a tile begins: its row and column, the number of its first element, and each input's place of that.
  void find_tile(Lines& lines) const {
    lines.put("const int64_t line = unit / along, column = (unit - line * along) * " + side + ";");
    lines.put("int64_t rest = line / down;");
    lines.put("const int64_t row = (line - rest * down) * " + side + ";");
    lines.put("int64_t begin = 0, step = 1;");
    for (size_t k = 0; k < kernel_.inputs.size(); ++k)
      lines.put("int64_t at" + std::to_string(k) + " = " + in(k) + "_first;");
    lines.open("for (int axis = last; axis >= 0; --axis)");
    lines.put("const int outer = axis != last && axis != across;");
    lines.put("const int64_t above = outer ? rest / walk.dims[axis] : rest;");
    lines.put("const int64_t index = outer ? rest - above * walk.dims[axis] : axis == last ? column : row;");
    lines.put("begin += index * step;");
    lines.put("step *= walk.dims[axis];");
    for (size_t k = 0; k < kernel_.inputs.size(); ++k)
      lines.put("at" + std::to_string(k) + " += index * " + stride(k, "axis") + ";");
    lines.put("rest = above;");
    lines.close();
  }
  // Opens the loop over a group's share of a tile, and the condition that an element is one.
  static void each_of_tile(Lines& lines, const std::string& row, const std::string& column) {
    lines.open("for (int e = covec_item; e < " + side + " * " + side + "; e += " + std::to_string(device_tile_items) +
               ")");
    lines.put("const int r = " + row + ", c = " + column + ";");
    lines.open("if (row + r < rows && column + c < columns)");
  }
  void store(Lines& lines) const {
    for (size_t k = 0; k < stored_; ++k) {
      lines.put(out(k) + "[" + out(k) + "_first + i] = " + c_stored(kernel_.outputs[k].dtype, value(k)) + ";");
    }
  }
  void put_body(Lines& lines, const std::function<std::string(uint32_t)>& element) const {
    lines.add(kernel_body(kernel_, lines.depth(), {element, [](uint32_t k) { return "number" + std::to_string(k); }}));
    if (can_fail()) lines.put("if (v" + std::to_string(kernel_.fails) + ") *failed = 1;");
  }
  // At once where the array is aligned. Beyond the end it is the last element.
  void load_wide(Lines& lines, size_t k, int64_t width) const {
    const std::string type = wide_type(kernel_.inputs[k].dtype, width), from = in(k) + "_first";
    lines.put(type + " " + wide(k) + ";");
    lines.put("if (whole && " + in(k) + "_step == 1 && " + from + " % " + std::to_string(width) + " == 0) " + wide(k) +
              " = *(COVEC_GLOBAL const " + type + "*)(" + in(k) + " + " + from + " + first);");
    lines.put("else");
    lines.put(each_of(width) + " " + wide(k) + ".at[k] = " + in(k) + "[" + from +
              " + (first + k < n ? first + k : n - 1) * " + in(k) + "_step];");
  }
  void store_wide(Lines& lines, size_t k, int64_t width) const {
    const std::string type = wide_type(kernel_.outputs[k].dtype, width), to = out(k) + "_first";
    lines.put("if (whole && " + to + " % " + std::to_string(width) + " == 0) *(COVEC_GLOBAL " + type + "*)(" + out(k) +
              " + " + to + " + first) = " + made(k) + ";");
    lines.put("else");
    lines.put(each_of(width) + " if (first + k < n) " + out(k) + "[" + to + " + first + k] = " + made(k) + ".at[k];");
  }
  static std::string each_of(int64_t width) { return "for (int k = 0; k < " + std::to_string(width) + "; ++k)"; }
  static std::string wide(size_t input) { return "wide" + std::to_string(input); }
  static std::string made(size_t output) { return "made" + std::to_string(output); }
  std::string wide_type(Dtype dtype, int64_t width) const {
    return name_ + "_" + std::string(name_of(dtype)) + "x" + std::to_string(width);
  }
  std::string word_type(size_t number) const {
    return "uint" + std::to_string(8 * size_of(kernel_.numbers[number])) + "_t";
  }
  static std::string place(size_t number) { return "place" + std::to_string(number); }
  void step_places(Lines& lines) const {
    for (size_t k = 0; k < kernel_.inputs.size(); ++k) {
      lines.put("const int64_t at" + std::to_string(k) + " = " + in(k) + "_first + i * " + in(k) + "_step;");
    }
  }
  void find_places(Lines& lines) const {
    for (size_t k = 0; k < kernel_.inputs.size(); ++k) {
      lines.put("int64_t at" + std::to_string(k) + " = " + in(k) + "_first;");
    }
    lines.put("int64_t rest = i;");
    lines.open("for (int32_t axis = walk.axes - 1; axis >= 0; --axis)");
    lines.put("const int64_t above = axis > 0 ? rest / walk.dims[axis] : 0, index = rest - above * walk.dims[axis];");
    for (size_t k = 0; k < kernel_.inputs.size(); ++k) {
      lines.put("at" + std::to_string(k) + " += index * walk.strides[" + std::to_string(k * most_axes) + " + axis];");
    }
    lines.put("rest = above;");
    lines.close();
  }

  const Kernel& kernel_;
  const std::string name_;
  const bool strided_;
  const size_t stored_;  // the first outputs are
};

std::string walk_type(const Kernel& kernel, const std::string& name) {
  const std::string axes = std::to_string(most_axes),
                    strides = std::to_string(most_axes * std::max<size_t>(1, kernel.inputs.size()));
  return "typedef struct { int32_t axes; int32_t dims[" + axes + "]; int32_t strides[" + strides + "]; } " + name +
         "_walk;\n";
}

// --- what is reduced ---

bool orders(ReduceKind kind) { return kind == ReduceKind::max || kind == ReduceKind::min; }
bool is_truth(ReduceKind kind) { return kind == ReduceKind::any || kind == ReduceKind::all; }

// How an element becomes an accumulator, two of them one, and one a result (kernels/reduce_body.hpp, in C).
struct Terms {
  std::string acc, out, identity;
  std::function<std::string(const std::string&)> from, to;
  std::function<std::string(const std::string&, const std::string&)> both;
};

// An f32 or f64 as an integer that orders as the language does, and back.
std::string key_functions(const DeviceReduction& reduction, const std::string& name) {
  const bool wide = reduction.element == Dtype::f64;
  const std::string bits = wide ? "64" : "32", type = wide ? "double" : "float";
  const std::string largest = "INT" + bits + "_MAX",
                    nan = reduction.kind == ReduceKind::min ? "INT" + bits + "_MIN" : largest;
  const std::string shift = wide ? "63" : "31";
  return "COVEC_FUNCTION int" + bits + "_t " + name + "_key(" + type + " x) {\n  const int" + bits +
         "_t bits = covec_bits_i" + bits + "(x);\n  return x != x ? " + nan + " : bits ^ ((bits >> " + shift + ") & " +
         largest + ");\n}\nCOVEC_FUNCTION " + type + " " + name + "_of_key(int" + bits +
         "_t key) { return covec_bits_f" + bits + "(key ^ ((key >> " + shift + ") & " + largest + ")); }\n";
}

Terms terms_of(const DeviceReduction& r, const std::string& name) {
  Terms t;
  const std::string acc(c_type(r.accumulator())), result(c_memory_type(r.result()));
  t.acc = acc;
  t.out = result;
  t.from = [=](const std::string& v) { return "(" + acc + ")" + v; };
  t.to = [=](const std::string& a) { return "(" + result + ")" + a; };
  const bool is_integer = !is_float(r.accumulator());
  if (orders(r.kind)) {
    const char* op = r.kind == ReduceKind::max ? ">" : "<";
    const std::string bits = r.accumulator() == Dtype::i32 ? "32" : "64";
    t.identity = "INT" + bits + (r.kind == ReduceKind::max ? "_MIN" : "_MAX");
    t.both = [=](const std::string& a, const std::string& b) { return a + " " + op + " " + b + " ? " + a + " : " + b; };
    if (!is_float(r.element)) return t;
    t.from = [=](const std::string& v) { return name + "_key(" + v + ")"; };
    t.to = [=](const std::string& a) { return name + "_of_key(" + a + ")"; };
  } else if (is_truth(r.kind)) {
    const char* op = r.kind == ReduceKind::any ? " | " : " & ";
    t.identity = r.kind == ReduceKind::any ? "0" : "1";
    t.both = [=](const std::string& a, const std::string& b) { return a + op + b; };
    t.from = [](const std::string& v) { return v + " != 0"; };
  } else {
    const bool product = r.kind == ReduceKind::prod;
    const std::string op = product ? " * " : " + ";
    t.identity = product ? c_constant(r.accumulator(), r.accumulator() == Dtype::f64   ? 0x3ff0000000000000
                                                       : r.accumulator() == Dtype::f32 ? 0x3f800000
                                                                                       : 1)
                         : c_constant(r.accumulator(), r.accumulator() == Dtype::f64   ? 0x8000000000000000
                                                       : r.accumulator() == Dtype::f32 ? 0x80000000
                                                                                       : 0);
    t.both = [=](const std::string& a, const std::string& b) {
      return is_integer ? "(int64_t)((uint64_t)" + a + op + "(uint64_t)" + b + ")" : a + op + b;
    };
  }
  if (r.kind == ReduceKind::mean) t.to = [=](const std::string& a) { return a + " / (" + result + ")n"; };
  return t;
}

class ReductionWriter {
 public:
  ReductionWriter(const Kernel& kernel, const DeviceReduction& reduction, const std::string& name)
      : kernel_(kernel),
        reduction_(reduction),
        name_(name),
        terms_(terms_of(reduction, name)),
        lanes_(std::to_string(reduction.lanes())),
        block_(std::to_string(reduction.block())) {}

  std::string text() {
    for (const bool strided : {false, true}) {
      const ElementWriter element(kernel_, name_, strided, kernel_.outputs.size() - 1);
      lines_.open("COVEC_KERNEL " + name_ + (strided ? "_strided(" : "_flat(") + extents + element.flag() + ", " +
                  array(terms_.acc, "partial") + ", " + array(terms_.out, "result") + element.arrays() + ")");
      element.read_numbers(lines_);
      reduction_.last_axis ? put_lanes(element) : put_columns(element);
      lines_.close();
    }
    lines_.open("COVEC_KERNEL " + name_ + "_join(" + extents + ", " + array("const " + terms_.acc, "partial") + ", " +
                array(terms_.acc, "rest") + ", " + array(terms_.out, "result") + ")");
    reduction_.last_axis ? join_lanes() : join_columns();
    lines_.close();
    return lines_.take();
  }

 private:
  static constexpr const char* extents = "int64_t n, int64_t outer, int64_t inner, int64_t blocks";
  std::string both(const std::string& a, const std::string& b) const { return terms_.both(a, b); }

  void accumulate(const ElementWriter& element) {
    element.put(lines_);
    lines_.put("const " + terms_.acc + " term = " + terms_.from(element.value(kernel_.outputs.size() - 1)) + ";");
    lines_.put("acc = " + both("acc", "term") + ";");
  }

  // A block of a row: item l adds elements l, l + lanes, …
  void put_lanes(const ElementWriter& element) {
    lines_.put("COVEC_LOCAL " + terms_.acc + " lanes[" + lanes_ + "];");
    lines_.open("for (int64_t unit = covec_group; unit < outer * blocks; unit += covec_groups)");
    lines_.put("const int64_t row = unit / blocks, begin = (unit - row * blocks) * " + block_ + " + covec_item;");
    lines_.put("const int64_t end = begin + " + block_ + " < n ? begin + " + block_ + " : n;");
    lines_.put(terms_.acc + " acc = " + terms_.identity + ";");
    lines_.open("for (int64_t q = begin; q < end; q += " + lanes_ + ")");
    lines_.put("const int64_t i = row * n + q;");
    accumulate(element);
    lines_.close();
    lines_.put("if (blocks > 1) partial[partial_first + unit * " + lanes_ + " + covec_item] = acc;");
    put_fold("blocks == 1", "row");
    lines_.close();
  }

  // The lanes' final tree.
  void put_fold(const std::string& condition, const std::string& place) {
    lines_.open("if (" + condition + ")");
    lines_.put("lanes[covec_item] = acc;");
    lines_.open("for (int reach = " + lanes_ + " / 2; reach >= 1; reach /= 2)");
    lines_.put("covec_barrier();");
    lines_.put("if (covec_item < reach) lanes[covec_item] = " + both("lanes[covec_item]", "lanes[covec_item + reach]") +
               ";");
    lines_.close();
    lines_.put("if (covec_item == 0) result[result_first + " + place + "] = " + terms_.to("lanes[0]") + ";");
    lines_.put("covec_barrier();");
    lines_.close();
  }

  // A block of a column: one item adds its rows.
  void put_columns(const ElementWriter& element) {
    lines_.open("for (int64_t unit = covec_first; unit < outer * blocks * inner; unit += covec_all)");
    lines_.put("const int64_t above = unit / inner, column = unit - above * inner, side = above / blocks;");
    lines_.put("const int64_t begin = (above - side * blocks) * " + block_ + ";");
    lines_.put("const int64_t end = begin + " + block_ + " < n ? begin + " + block_ + " : n;");
    lines_.put(terms_.acc + " acc = " + terms_.identity + ";");
    lines_.open("for (int64_t q = begin; q < end; ++q)");
    lines_.put("const int64_t i = (side * n + q) * inner + column;");
    accumulate(element);
    lines_.close();
    lines_.put("if (blocks > 1) partial[partial_first + unit] = acc;");
    lines_.put("else result[result_first + side * inner + column] = " + terms_.to("acc") + ";");
    lines_.close();
  }

  // Pairs of neighbours, an odd one carried up: a counter in binary, whose digit `level` has 2^level blocks.
  void put_pairs(const std::string& count, const std::string& place, int levels) {
    lines_.put(terms_.acc + " level_of[" + std::to_string(levels) + "], acc;");
    lines_.put("int level;");
    lines_.open("for (int64_t k = 0; k < " + count + "; ++k)");
    lines_.put("acc = partial[partial_first + " + place + "];");
    lines_.put("for (level = 0; (k >> level & 1) != 0; ++level) acc = " + both("level_of[level]", "acc") + ";");
    lines_.put("level_of[level] = acc;");
    lines_.close();
    lines_.put("for (level = 0; (" + count + " >> level & 1) == 0;) ++level;");
    lines_.put("acc = level_of[level];");
    lines_.open("for (++level; (" + count + " >> level) != 0; ++level)");
    lines_.put("if ((" + count + " >> level & 1) != 0) acc = " + both("level_of[level]", "acc") + ";");
    lines_.close();
  }

  void join_lanes() {
    const std::string joined = std::to_string(DeviceReduction::joined);
    lines_.put("COVEC_LOCAL " + terms_.acc + " lanes[" + lanes_ + "];");
    lines_.put("const int64_t left = (blocks + " + joined + " - 1) / " + joined + ";");
    lines_.open("for (int64_t unit = covec_group; unit < outer * left; unit += covec_groups)");
    lines_.put("const int64_t row = unit / left, begin = (unit - row * left) * " + joined + ";");
    lines_.put("const int64_t count = blocks - begin < " + joined + " ? blocks - begin : " + joined + ";");
    put_pairs("count", "(row * blocks + begin + k) * " + lanes_ + " + covec_item", 7);
    lines_.put("if (left > 1) rest[rest_first + unit * " + lanes_ + " + covec_item] = acc;");
    put_fold("left == 1", "row");
    lines_.close();
  }

  void join_columns() {
    lines_.open("for (int64_t unit = covec_first; unit < outer * inner; unit += covec_all)");
    lines_.put("const int64_t side = unit / inner, column = unit - side * inner;");
    put_pairs("blocks", "(side * blocks + k) * inner + column", 54);
    lines_.put("result[result_first + unit] = " + terms_.to("acc") + ";");
    lines_.close();
  }

  const Kernel& kernel_;
  const DeviceReduction& reduction_;
  const std::string& name_;
  const Terms terms_;
  const std::string lanes_, block_;
  Lines lines_;
};

}  // namespace

Dtype DeviceReduction::accumulator() const {
  if (orders(kind)) return element == Dtype::f32 || element == Dtype::i32 ? Dtype::i32 : Dtype::i64;
  if (is_truth(kind)) return Dtype::i32;
  if (is_float(element)) return element;
  return kind == ReduceKind::mean ? Dtype::f64 : Dtype::i64;
}

Dtype DeviceReduction::result() const {
  if (orders(kind)) return element;
  return is_truth(kind) ? Dtype::boolean : accumulator();
}

int64_t DeviceReduction::lanes() const { return kernels::lane_bytes / static_cast<int64_t>(size_of(accumulator())); }

int64_t DeviceReduction::block() const {
  return last_axis ? kernels::rows_per_lane * lanes() : kernels::column_block_rows;
}

std::string device_kernel(const Kernel& given, const std::string& name) {
  const Kernel kernel = loops::expanded(given);
  const int64_t width = device_width(given);
  std::string types;
  Lines lines;
  for (const bool strided : {false, true}) {
    const ElementWriter element(kernel, name, strided, kernel.outputs.size());
    lines.open("COVEC_KERNEL " + name + (strided ? "_strided(" : "_flat(") + "int64_t n" + element.flag() +
               element.arrays() + ")");
    element.read_numbers(lines);
    if (strided || width == 1) {
      lines.open("for (int64_t i = covec_first; i < n; i += covec_all)");
      element.put(lines);
    } else {
      const std::string w = std::to_string(width);
      lines.open("for (int64_t first = covec_first * " + w + "; first < n; first += covec_all * " + w + ")");
      element.put_wide(lines, width);
      types = element.wide_types(width);
    }
    lines.close();
    lines.close();
  }
  return walk_type(kernel, name) + types + lines.take();
}

DeviceEnd device_end(const Kernel& given, uint32_t products, Dtype dtype, const std::string& name) {
  const Kernel kernel = loops::expanded(given);
  const ElementWriter element(kernel, name, true, kernel.outputs.size());
  Lines lines;
  lines.open("COVEC_FUNCTION void " + name + "_end(" + std::string(c_type(dtype)) + " product, int64_t i" +
             element.arrays() + ")");
  element.read_numbers(lines);
  element.put_of_product(lines, products);
  lines.close();
  return {walk_type(kernel, name) + lines.take(), element.arrays(),
          name + "_end({VALUE}, {PLACE}" + element.arguments() + ");"};
}

std::string device_crossed_kernel(const Kernel& given, const std::string& name) {
  const Kernel kernel = loops::expanded(given);
  const ElementWriter element(kernel, name, true, kernel.outputs.size());
  Lines lines;
  lines.open("COVEC_KERNEL " + name + "_crossed(int64_t n" + element.flag() + element.arrays() +
             ", int64_t across, int64_t crossed)");
  element.read_numbers(lines);
  element.put_tiles(lines);
  lines.close();
  return walk_type(kernel, name) + lines.take();
}

bool device_can_cross(const Kernel& given) {
  constexpr size_t local_memory = 32 << 10;  // what every device has
  size_t bytes = 0;
  for (const Kernel::Input& input : loops::expanded(given).inputs)
    bytes += static_cast<size_t>(device_side * (device_side + 1)) * size_of(input.dtype);
  return bytes <= local_memory;
}

int64_t device_width(const Kernel& given) {
  constexpr size_t longest = 64;  // instructions: what computes more does not wait for memory
  constexpr size_t bytes = 16, most = 8;
  const Kernel kernel = loops::expanded(given);
  if (kernel.inputs.empty() || kernel.code.size() > longest) return 1;
  size_t widest = bytes / most;
  for (const Kernel::Input& input : kernel.inputs) widest = std::max(widest, size_of(input.dtype));
  for (const Kernel::Output& output : kernel.outputs) widest = std::max(widest, size_of(output.dtype));
  return static_cast<int64_t>(bytes / widest);
}

std::string device_extreme_places(Dtype dtype, bool smallest, const std::string& name) {
  const DeviceReduction reduction{smallest ? ReduceKind::min : ReduceKind::max, dtype, true};
  const std::string element = "x[x_first + at]", better = smallest ? " < " : " > ";
  const std::string key = is_float(dtype) ? name + "_key(" + element + ")" : element;
  const std::string parameters = "(int64_t n, int64_t outer, int64_t inner, " +
                                 array("const " + std::string(c_type(dtype)), "x") + ", " + array("int64_t", "places") +
                                 ")";
  const auto look = [&](Lines& lines, const std::string& at) {
    lines.put("const int64_t at = " + at + ", key = (int64_t)" + key + ";");
    lines.put("if (place < 0 || key" + better + "best) best = key, place = q;");
  };
  Lines lines;
  lines.open("COVEC_KERNEL " + name + "_columns" + parameters);
  lines.open("for (int64_t unit = covec_first; unit < outer * inner; unit += covec_all)");
  lines.put("const int64_t side = unit / inner, column = unit - side * inner;");
  lines.put("int64_t best = 0, place = -1;");
  lines.open("for (int64_t q = 0; q < n; ++q)");
  look(lines, "(side * n + q) * inner + column");
  lines.close();
  lines.put("places[places_first + unit] = place;");
  lines.close();
  lines.close();

  const std::string items = std::to_string(device_row_items);
  lines.open("COVEC_KERNEL " + name + "_rows" + parameters);
  lines.put("COVEC_LOCAL int64_t keys[" + items + "];");
  lines.put("COVEC_LOCAL int64_t found[" + items + "];");
  lines.open("for (int64_t row = covec_group; row < outer; row += covec_groups)");
  lines.put("int64_t best = 0, place = -1;");
  lines.open("for (int64_t q = covec_item; q < n; q += " + items + ")");
  look(lines, "row * n + q");
  lines.close();
  lines.put("keys[covec_item] = best;");
  lines.put("found[covec_item] = place;");
  lines.open("for (int reach = " + items + " / 2; reach >= 1; reach /= 2)");
  lines.put("covec_barrier();");
  lines.put("const int other = covec_item + reach;");
  lines.open("if (covec_item < reach && found[other] >= 0 && (found[covec_item] < 0 || keys[other]" + better +
             "keys[covec_item] || (keys[other] == keys[covec_item] && found[other] < found[covec_item])))");
  lines.put("keys[covec_item] = keys[other];");
  lines.put("found[covec_item] = found[other];");
  lines.close();
  lines.close();
  lines.put("if (covec_item == 0) places[places_first + row] = found[0];");
  lines.put("covec_barrier();");
  lines.close();
  lines.close();
  return (is_float(dtype) ? key_functions(reduction, name) : "") + lines.take();
}

std::string device_numbered_kernel(const Kernel& given, const std::string& name) {
  const Kernel kernel = loops::expanded(given);
  const Kernel::Output& output = kernel.outputs[0];
  Lines lines;
  std::string numbers;
  for (size_t k = 0; k < kernel.numbers.size(); ++k) numbers += ", uint64_t number" + std::to_string(k);
  lines.open("COVEC_KERNEL " + name + "(int64_t n, " + array(std::string(c_memory_type(output.dtype)), out(0)) +
             numbers + ")");
  lines.open("for (int64_t i = covec_first; i < n; i += covec_all)");
  lines.add(kernel_body(kernel, lines.depth(),
                        {[](uint32_t) { return "i"; }, [](uint32_t k) { return "number" + std::to_string(k); }}));
  lines.put("out0[out0_first + i] = " + c_stored(output.dtype, "v" + std::to_string(output.value)) + ";");
  lines.close();
  lines.close();
  return lines.take();
}

std::string device_reduction(const Kernel& given, const DeviceReduction& reduction, const std::string& name) {
  const Kernel kernel = loops::expanded(given);
  const std::string keys = orders(reduction.kind) && is_float(reduction.element) ? key_functions(reduction, name) : "";
  return walk_type(kernel, name) + keys + ReductionWriter(kernel, reduction, name).text();
}

}  // namespace covec::source
