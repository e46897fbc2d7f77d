// Writes the computation of one element of a kernel, or of a few, as text for devices. The loops around it are in
// device_kernel.cpp and device_reduction.cpp.
#pragma once

#include <set>
#include <string>

#include "jit/source/c99.hpp"
#include "jit/source/c99_scalar.hpp"
#include "jit/source/device.hpp"
#include "jit/source/kernel_body.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec::source {

inline std::string in(size_t k) { return "in" + std::to_string(k); }
inline std::string out(size_t k) { return "out" + std::to_string(k); }
inline std::string array(const std::string& type, const std::string& name) {
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
  ElementWriter(const loops::Kernel& kernel, std::string name, bool strided, size_t stored)
      : kernel_(kernel), name_(std::move(name)), strided_(strided), stored_(stored) {}

  bool can_fail() const { return kernel_.fails != loops::Kernel::never; }
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
    for (const loops::Kernel::Input& input : kernel_.inputs) dtypes.insert(input.dtype);
    for (const loops::Kernel::Output& output : kernel_.outputs) dtypes.insert(output.dtype);
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
  // All elements by tiles (device_transposed_kernel).
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
      lines.put("if (" + is_transposed(k) + ") " + tile(k) + place_in_tile + " = " + in(k) + "[" + place_of_tile(k) +
                "];");
    }
    lines.close();
    lines.close();
    lines.put("covec_barrier();");
    each_of_tile(lines, "e / " + side, "e % " + side);
    for (size_t k = 0; k < kernel_.inputs.size(); ++k) {
      lines.put("const " + std::string(c_memory_type(kernel_.inputs[k].dtype)) + " " + element(k) + " = " +
                is_transposed(k) + " ? " + tile(k) + place_in_tile + " : " + in(k) + "[" + place_of_tile(k) + "];");
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
  static std::string is_transposed(size_t input) { return "(transposed >> " + std::to_string(input) + " & 1) != 0"; }
  static std::string stride(size_t input, const std::string& axis) {
    return "walk.strides[" + std::to_string(input * max_axes) + " + " + axis + "]";
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
  void put_body(Lines& lines, FunctionRef<std::string(uint32_t)> element) const {
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
      lines.put("at" + std::to_string(k) + " += index * walk.strides[" + std::to_string(k * max_axes) + " + axis];");
    }
    lines.put("rest = above;");
    lines.close();
  }

  const loops::Kernel& kernel_;
  const std::string name_;
  const bool strided_;
  const size_t stored_;  // the first outputs are
};

inline std::string walk_type(const loops::Kernel& kernel, const std::string& name) {
  const std::string axes = std::to_string(max_axes),
                    strides = std::to_string(max_axes * std::max<size_t>(1, kernel.inputs.size()));
  return "typedef struct { int32_t axes; int32_t dims[" + axes + "]; int32_t strides[" + strides + "]; } " + name +
         "_walk;\n";
}

}  // namespace covec::source
