// Writes reductions for devices, in blocks of the reduced elements, and argmax and argmin.
#include <algorithm>
#include <functional>

#include "jit/source/device.hpp"
#include "jit/source/element_writer.hpp"
#include "stdlib/kernels/reduce_table.hpp"

namespace covec::source {

namespace {

using loops::Kernel;
using ops::ReduceKind;

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

std::string device_reduction(const Kernel& given, const DeviceReduction& reduction, const std::string& name) {
  const Kernel kernel = loops::expanded(given);
  const std::string keys = orders(reduction.kind) && is_float(reduction.element) ? key_functions(reduction, name) : "";
  return walk_type(kernel, name) + keys + ReductionWriter(kernel, reduction, name).text();
}

}  // namespace covec::source
