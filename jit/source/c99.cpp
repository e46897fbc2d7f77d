// Nests as C loops. A map is a plain loop nest; a reduction keeps partial results in blocks and combines them pairwise with a
// binary counter: after block number c, as many pairs are combined as c has trailing zero bits, which is "2i with 2i+1,
// an odd one carried up" without knowing the number of blocks beforehand.
#include "jit/source/c99.hpp"

#include <algorithm>

#include "jit/source/c99_prelude.hpp"

namespace covec::source {

namespace {

using loops::Access;
using loops::Body;
using loops::Instruction;
using loops::Nest;
using loops::Program;

constexpr int64_t lane_bytes = 256, rows_per_lane = 64, column_block = 1024, levels = 64;

class Writer {
 public:
  Writer(const Program& program, const std::string& name) : program_(program), graph_(*program.graph), name_(name) {}

  std::string text() {
    dimensions();
    line("\nint64_t " + name_ + "_run(const covec_array* inputs, const int64_t* d, void* const* buffers) {");
    line("  (void)inputs, (void)d, (void)buffers;");
    for (const Nest& nest : program_.nests) write(nest);
    line("  return 0;\n}");
    return std::move(out_);
  }

 private:
  void line(const std::string& text) { out_ += text + "\n"; }
  std::string indent() const { return std::string(2 * depth_, ' '); }
  void put(const std::string& text) { line(indent() + text); }

  std::string dim(Dim d) const {
    return d.known() ? std::to_string(d.number()) : "d[" + std::to_string(d.id()) + "]";
  }

  void dimensions() {
    line("\nint64_t " + name_ + "_dimensions(const int64_t* const* inputs, int64_t* d) {");
    line("  (void)inputs, (void)d;");
    for (size_t i = 0; i < graph_.dims.size(); ++i) line("  d[" + std::to_string(i) + "] = " + dimension(graph_.dims[i]) + ";");
    for (size_t g = 0; g < graph_.guards.size(); ++g) guard(graph_.guards[g], g);
    line("  return 0;\n}");
  }

  std::string dimension(const ir::DimExpression& e) const {
    const std::string a = dim(e.left), b = dim(e.right);
    switch (e.kind) {
      case ir::DimExpression::Kind::input:
        return "inputs[" + std::to_string(e.parameter) + "][" + std::to_string(e.axis) + "]";
      case ir::DimExpression::Kind::add: return a + " + " + b;
      case ir::DimExpression::Kind::multiply: return a + " * " + b;
      case ir::DimExpression::Kind::broadcast: return a + " == 1 ? " + b + " : " + a;
    }
    return "0";
  }

  void guard(const ir::Guard& guard, size_t number) {
    const std::string a = dim(guard.left), b = dim(guard.right);
    std::string wrong = a + " != " + b;
    if (guard.kind == ir::Guard::Kind::broadcast) wrong += " && " + a + " != 1 && " + b + " != 1";
    line("  if (" + wrong + ") return " + std::to_string(number + 1) + ";");
  }

  // --- nests ---

  void write(const Nest& nest) {
    depth_ = 1;
    put("{ /* " + std::string(graph_.operations[nest.operation].entry->name) + " */");
    ++depth_;
    pointers(nest);
    const size_t outer = nest.loops.size() - nest.reduced;
    for (size_t l = outer; nest.combine && nest.combine->must_have_elements && l < nest.loops.size(); ++l) {
      put("if (" + dim(nest.loops[l]) + " == 0) return " + std::to_string(nest.operation + 1) + ";");
    }
    for (size_t l = 0; l < outer; ++l) open_loop(nest, l);
    if (nest.combine) reduce(nest, outer);
    else put(target(nest) + " = " + computed(nest, nest.body) + ";");
    for (size_t l = 0; l < outer; ++l) close();
    close();
  }

  void open_loop(const Nest& nest, size_t loop) {
    const std::string i = "i" + std::to_string(loop);
    put("for (int64_t " + i + " = 0; " + i + " < " + dim(nest.loops[loop]) + "; ++" + i + ") {");
    ++depth_;
  }
  void close() {
    --depth_;
    put("}");
  }

  void pointers(const Nest& nest) {
    std::vector<uint32_t> seen;
    for (const Instruction& i : nest.body.code) {
      if (i.kind != Instruction::Kind::load) continue;
      const uint32_t b = i.access.buffer;
      if (std::find(seen.begin(), seen.end(), b) != seen.end()) continue;
      seen.push_back(b);
      const std::string type(c_type(program_.buffers[b].type.dtype));
      const std::string from = program_.buffers[b].is_parameter ? "inputs[" + std::to_string(b) + "].data"
                                                                : "buffers[" + std::to_string(b) + "]";
      put("const " + type + "* const b" + std::to_string(b) + " = (const " + type + "*)" + from + ";");
    }
    const std::string type(c_type(nest.dtype));
    put(type + "* const out = (" + type + "*)buffers[" + std::to_string(nest.target.buffer) + "];");
  }

  // The offset of an element: strides of inputs come from outside, buffers are row-major.
  std::string offset(const Access& access) const {
    const loops::Buffer& buffer = program_.buffers[access.buffer];
    const Shape& shape = access.shape ? *access.shape : buffer.type.shape;
    std::string text = "0";
    for (size_t axis = 0; axis < access.loop.size(); ++axis) {
      if (access.loop[axis] == Access::fixed) continue;
      const std::string i = "i" + std::to_string(access.loop[axis]);
      text += " + (" + dim(shape[static_cast<unsigned>(axis)]) + " == 1 ? 0 : " + i + ")";
      if (buffer.is_parameter) {
        text += " * inputs[" + std::to_string(access.buffer) + "].strides[" + std::to_string(axis) + "]";
      } else {
        for (size_t later = axis + 1; later < access.loop.size(); ++later) {
          text += " * " + dim(shape[static_cast<unsigned>(later)]);
        }
      }
    }
    return text;
  }
  std::string target(const Nest& nest) const { return "out[" + offset(nest.target) + "]"; }

  // Writes the code of a body and gives the name of its value.
  std::string computed(const Nest& nest, const Body& body) {
    for (size_t n = 0; n < body.code.size(); ++n) {
      const Instruction& i = body.code[n];
      std::string value;
      switch (i.kind) {
        case Instruction::Kind::load: value = "b" + std::to_string(i.access.buffer) + "[" + offset(i.access) + "]"; break;
        case Instruction::Kind::constant: value = c99_constant(i.dtype, i.bits); break;
        case Instruction::Kind::argument: value = i.bits == 0 ? "left" : "right"; break;
        case Instruction::Kind::scalar: value = c99_expression(body, i); break;
      }
      put("const " + std::string(c_type(i.dtype)) + " v" + std::to_string(n) + " = " + value + ";");
      if (body.fails && *body.fails == n) put("if (v" + std::to_string(n) + ") return " + std::to_string(nest.operation + 1) + ";");
    }
    return "v" + std::to_string(body.value);
  }

  // into = into ∘ from, as a block of its own so that its names are fresh.
  void combine(const Nest& nest, const std::string& into, const std::string& from) {
    const std::string type(c_type(nest.combine->accumulator));
    put("{");
    ++depth_;
    put("const " + type + " left = " + into + ", right = " + from + ";");
    const std::string result = computed(nest, nest.combine->body);
    put(into + " = " + result + ";");
    close();
  }

  void reduce(const Nest& nest, size_t outer) {
    switch (nest.combine->order) {
      case loops::Combine::Order::lanes:
      case loops::Combine::Order::chain: return reduce_in_order(nest, outer);
      case loops::Combine::Order::any:
      case loops::Combine::Order::position: return reduce_from_first(nest, outer);
    }
  }

  // Max, min and positions: the first element starts, every other one is combined with it.
  void reduce_from_first(const Nest& nest, size_t outer) {
    const std::string type(c_type(nest.combine->accumulator));
    const bool position = nest.combine->order == loops::Combine::Order::position;
    put(type + " best = 0;");
    put("int64_t p = 0, at = 0;");
    for (size_t l = outer; l < nest.loops.size(); ++l) open_loop(nest, l);
    const std::string element = computed(nest, nest.body);
    put("if (p == 0) best = " + element + ";");
    put("else {");
    ++depth_;
    put("const " + type + " left = best, right = " + element + ";");
    const std::string result = computed(nest, nest.combine->body);
    put(position ? "if (" + result + ") best = right, at = p;" : "best = " + result + ";");
    close();
    put("++p;");
    for (size_t l = outer; l < nest.loops.size(); ++l) close();
    put(target(nest) + " = " + (position ? "at" : "best") + ";");
  }

  void reduce_in_order(const Nest& nest, size_t outer) {
    const bool in_lanes = nest.combine->order == loops::Combine::Order::lanes;
    const int64_t lanes = in_lanes ? lane_bytes / static_cast<int64_t>(size_of(nest.combine->accumulator)) : 1;
    const int64_t block = in_lanes ? rows_per_lane * lanes : column_block;
    const std::string type(c_type(nest.combine->accumulator)), L = std::to_string(lanes);
    put(type + " lane[" + L + "], stack[" + std::to_string(levels) + "][" + L + "];");
    put("int64_t p = 0, blocks = 0, top = 0;");
    clear_lanes(*nest.combine, L);
    for (size_t l = outer; l < nest.loops.size(); ++l) open_loop(nest, l);
    const std::string element = computed(nest, nest.body);
    combine(nest, "lane[p % " + L + "]", element);
    put("if (++p % " + std::to_string(block) + " == 0) {");
    ++depth_;
    push_block(nest, L);
    clear_lanes(*nest.combine, L);
    close();
    for (size_t l = outer; l < nest.loops.size(); ++l) close();
    put("if (p % " + std::to_string(block) + " != 0) {");
    ++depth_;
    push_block(nest, L);
    close();
    finish(nest, lanes, L);
  }

  void clear_lanes(const loops::Combine& with, const std::string& L) {
    put("for (int64_t l = 0; l < " + L + "; ++l) lane[l] = " + c99_constant(with.accumulator, with.start_bits) + ";");
  }

  void merge_top(const Nest& nest, const std::string& L) {
    put("--top;");
    put("for (int64_t l = 0; l < " + L + "; ++l) {");
    ++depth_;
    combine(nest, "stack[top - 1][l]", "stack[top][l]");
    close();
  }

  void push_block(const Nest& nest, const std::string& L) {
    put("for (int64_t l = 0; l < " + L + "; ++l) stack[top][l] = lane[l];");
    put("++top;");
    put("for (int64_t c = ++blocks; c % 2 == 0; c /= 2) {");
    ++depth_;
    merge_top(nest, L);
    close();
  }

  void finish(const Nest& nest, int64_t lanes, const std::string& L) {
    put("if (p == 0) {");
    ++depth_;
    put("stack[0][0] = " + c99_constant(nest.combine->accumulator, nest.combine->empty_bits) + ";");
    --depth_;
    put("} else {");
    ++depth_;
    put("while (top > 1) {");
    ++depth_;
    merge_top(nest, L);
    close();
    for (int64_t half = lanes / 2; half >= 1; half /= 2) {
      put("for (int64_t l = 0; l < " + std::to_string(half) + "; ++l) {");
      ++depth_;
      combine(nest, "stack[0][l]", "stack[0][l + " + std::to_string(half) + "]");
      close();
    }
    close();
    put(target(nest) + " = stack[0][0]" + division(nest) + ";");
  }

  std::string division(const Nest& nest) const {
    if (nest.divisor.empty()) return "";
    std::string count = "(int64_t)1";
    for (Dim d : nest.divisor) count += " * " + dim(d);
    return " / (" + std::string(c_type(nest.combine->accumulator)) + ")(" + count + ")";
  }

  const Program& program_;
  const ir::Graph& graph_;
  const std::string& name_;
  std::string out_;
  size_t depth_ = 0;
};

}  // namespace

std::string c99(const loops::Program& program, const std::string& name) { return Writer(program, name).text(); }

}  // namespace covec::source
