// The tensor IR as text: one operation a line, regions indented. parse() (text.cpp) reads it back.
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "jit/ir/graph.hpp"
#include "jit/ir/graph_text.hpp"
#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/tensor/number_text.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ir {

namespace {

class Printer {
 public:
  explicit Printer(const Graph& graph, bool by_variables = false)
      : graph_(graph), by_variables_(by_variables), variables_(graph.values.size()) {
    name_variables();
  }

  std::string run() {
    out_ << "function " << graph_.name << "(";
    list(graph_.body.parameters, true);
    out_ << ") {\n";
    operations(graph_.body, 1);
    out_ << "  return";
    results(graph_.body);
    out_ << "\n}\n";
    return out_.str();
  }

  // Dimensions share their parts: past some depth they are cut short.
  std::string dim(Dim d, unsigned depth = 0) const {
    if (d.known()) return std::to_string(d.number());
    if (depth > 3) return "…";
    const DimExpression& expression = graph_.dims[d.id()];
    switch (expression.kind) {
      case DimExpression::Kind::axis_of: {
        const std::string axis = std::to_string(expression.axis);
        const bool as_written = by_variables_ && !variables_[expression.value].empty();
        return name_in_size(expression.value) + (as_written ? ".shape[" + axis + "]" : "." + axis);
      }
      case DimExpression::Kind::number: return name_in_size(expression.value);
      case DimExpression::Kind::add:
        return "(" + dim(expression.left, depth + 1) + " + " + dim(expression.right, depth + 1) + ")";
      case DimExpression::Kind::multiply:
        return "(" + dim(expression.left, depth + 1) + " * " + dim(expression.right, depth + 1) + ")";
      case DimExpression::Kind::broadcast:
        return "(" + dim(expression.left, depth + 1) + " | " + dim(expression.right, depth + 1) + ")";
      case DimExpression::Kind::saturating_sub:
        return "(" + dim(expression.left, depth + 1) + " saturating_sub " + dim(expression.right, depth + 1) + ")";
    }
    return "?";
  }

 private:
  // Only names that one parameter has: the leaves of a record all have that of the record.
  void name_variables() {
    std::map<std::string_view, unsigned> count;
    for (const Id id : graph_.body.parameters) ++count[graph_.values[id].name];
    for (const Id id : graph_.body.parameters) {
      const std::string& name = graph_.values[id].name;
      if (count[name] == 1 && (by_variables_ || !is_reserved_in_size(name))) variables_[id] = name;
    }
  }
  std::string name_in_size(Id id) const { return variables_[id].empty() ? "v" + std::to_string(id) : variables_[id]; }
  static std::string name(Id id) { return "%" + std::to_string(id); }

  std::string type(Id id) const {
    const ValueInfo& info = graph_.values[id];
    if (info.boxed && !info.list) return "any";
    std::string text = (info.list ? "list " : "") + std::string(name_of(info.type.dtype));
    if (info.type.shape.empty()) return text;
    text += "[";
    for (unsigned axis = 0; axis < info.type.shape.rank(); ++axis) {
      if (axis > 0) text += ", ";
      const Dim d = info.type.shape[axis];
      const bool own = info.list || (!d.known() && graph_.dims[d.id()].kind == DimExpression::Kind::axis_of &&
                                     graph_.dims[d.id()].value == id && graph_.dims[d.id()].axis == axis);
      text += own ? "_" : dim(d);
    }
    return text + "]";
  }

  void list(const std::vector<Id>& ids, bool with_names = false) {
    for (size_t i = 0; i < ids.size(); ++i) {
      if (i > 0) out_ << ", ";
      out_ << name(ids[i]) << ": " << type(ids[i]);
      if (with_names && !graph_.values[ids[i]].name.empty()) out_ << " " << graph_.values[ids[i]].name;
    }
  }

  void value(const Value& v) {
    if (is_symbol(v)) {
      out_ << name(id_of(v));
    } else if (v.is_none()) {
      out_ << "none";
    } else if (v.is_unbound()) {
      out_ << "unbound";
    } else if (v.is_scalar()) {
      out_ << name_of(v.scalar_dtype()) << "(" << number(v) << ")";
    } else if (v.is(ObjectKind::string)) {
      out_ << quoted(v.string().text);
    } else if (v.is_tensor()) {
      constant(v);
    } else if (is_tree(v)) {
      tree(v);
    } else if (v.is(ObjectKind::function)) {
      function(v);
    } else if (v.is(ObjectKind::sequence) && v.sequence().only_the_run_knows()) {
      sequence(v.sequence());
    } else {
      out_ << describe(v);
    }
  }

  void sequence(const Sequence& v) {
    out_ << v.staging_key() << "(";
    const char* comma = "";
    for (const Value& part : v.parts()) {
      out_ << std::exchange(comma, ", ");
      value(part);
    }
    out_ << ")";
  }

  // The elements of a small one, so that the text says all.
  void constant(const Value& v) {
    constexpr int64_t max_elements = 64;  // of a constant that is printed whole
    const Tensor& tensor = v.tensor();
    out_ << "constant " << tensor.type().text();
    if (tensor.size() > max_elements) return;
    const Value rows = contiguous(tensor.pool(), v);
    out_ << " {";
    for (int64_t i = 0; i < tensor.size(); ++i) {
      const size_t at = static_cast<size_t>(i) * size_of(tensor.dtype());
      out_ << (i > 0 ? ", " : "") << number(Value::scalar(tensor.dtype(), rows.tensor().data() + at));
    }
    out_ << "}";
  }

  static std::string number(const Value& v) {
    if (v.tag() == Tag::boolean) return v.boolean() ? "true" : "false";
    if (v.tag() == Tag::f64) return shortest(v.f64());
    if (v.tag() == Tag::f32) return shortest(v.f32());
    if (is_half(v.scalar_dtype())) return shortest(v.half());
    return std::to_string(v.integer());
  }
  template <class F>
  static std::string shortest(F x) {
    std::ostringstream text;
    text.precision(std::is_same_v<F, float> ? 9 : 17);
    text << x;
    return text.str();
  }

  void tree(const Value& v) {
    const bool record = has_named_children(v);
    out_ << (record ? "{" : v.is(ObjectKind::list) ? "list(" : "(");
    const std::vector<Value>& items = *children(v);
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out_ << ", ";
      out_ << child_label(v, i);
      value(items[i]);
    }
    out_ << (record ? "}" : ")");
  }

  void function(const Value& v) {
    out_ << "fn " << v.function().name();
    const std::vector<Value> captures = v.function().captures();
    if (captures.empty()) return;
    out_ << "<";
    for (size_t i = 0; i < captures.size(); ++i) {
      if (i > 0) out_ << ", ";
      value(captures[i]);
    }
    out_ << ">";
  }

  void indent(unsigned depth) { out_ << std::string(2 * size_t{depth}, ' '); }

  void operations(const Region& region, unsigned depth) {
    for (const Operation& operation : region.operations) {
      indent(depth);
      if (!operation.results.empty()) {
        list(operation.results);
        out_ << " = ";
      }
      head(operation);
      arguments(operation);
      tail(operation, depth);
      out_ << "\n";
    }
  }

  void head(const Operation& operation) {
    switch (operation.kind) {
      case Kind::apply: out_ << operation.entry->name; return;
      case Kind::dimension: out_ << "dimension." << operation.number; return;
      case Kind::undefined: out_ << "undefined"; return;
      case Kind::box: out_ << "box"; return;
      case Kind::unbox: out_ << "unbox"; return;
      case Kind::if_: out_ << "if"; return;
      case Kind::for_: out_ << (operation.exits ? "for.exits" : "for"); return;
      case Kind::while_: out_ << (operation.exits ? "while.exits" : "while"); return;
      case Kind::interpret: out_ << (operation.exits ? "interpret.exits" : "interpret"); return;
      case Kind::call: out_ << "call"; return;
      case Kind::itself: out_ << "itself." << operation.number; return;
      case Kind::recursion: out_ << "recursion." << operation.regions[0].serial; return;
      case Kind::invoke: out_ << "invoke." << operation.number; return;
      case Kind::push: out_ << "push." << operation.number; return;
      case Kind::pop: out_ << "pop." << operation.number; return;
      case Kind::pause: out_ << "pause"; return;
    }
  }

  void arguments(const Operation& operation) {
    const std::optional<size_t> spec = shown_index(operation);
    out_ << "(";
    for (size_t i = 0; i < operation.args.size(); ++i) {
      if (i == spec) continue;
      if (i > 0) out_ << ", ";
      value(operation.args[i]);
      if (i == 0 && spec) index(ops::IndexSpec(operation.args[*spec].i64()), operation.rest);
      if (is_literal(operation, i)) out_ << "'";
    }
    if (!operation.rest.empty() && !spec) {
      out_ << "; ";
      for (size_t i = 0; i < operation.rest.size(); ++i) {
        if (i > 0) out_ << ", ";
        value(operation.rest[i]);
      }
    }
    out_ << ")";
  }
  static bool is_literal(const Operation& operation, size_t i) { return i < 32 && (operation.literals >> i & 1) != 0; }

  // The argument that is shown as an index behind the first one. What no call has (a graph may be wrong) is shown as it
  // is.
  static std::optional<size_t> shown_index(const Operation& operation) {
    if (operation.kind != Kind::apply) return std::nullopt;
    const std::optional<size_t> spec = index_parameter(*operation.entry);
    if (!spec || operation.args.size() != operation.entry->parameters.size()) return std::nullopt;
    const Value& packed = operation.args[*spec];
    const bool plain = packed.tag() == Tag::i64 && !is_literal(operation, *spec);
    return plain && has_index_form(ops::IndexSpec(packed.i64()), operation.rest.size()) ? spec : std::nullopt;
  }
  // As pushing its items makes it, and with this number of values.
  static bool has_index_form(ops::IndexSpec spec, size_t values) {
    using enum ops::IndexSpec::Item;
    if (spec.items() == 0 || spec.items() > ops::IndexSpec::max_items) return false;
    ops::IndexSpec again;
    size_t needed = 0;
    for (unsigned i = 0; i < spec.items(); ++i) {
      const bool parts = spec.item(i) == slice;
      const bool start = parts && spec.has_start(i), stop = parts && spec.has_stop(i), step = parts && spec.has_step(i);
      again.push(spec.item(i), start, stop, step);
      needed += spec.item(i) == at ? 1 : size_t{start} + size_t{stop} + size_t{step};
    }
    return again.packed() == spec.packed() && needed == values;
  }

  void index(ops::IndexSpec spec, const std::vector<Value>& values) {
    size_t next = 0;
    out_ << "[";
    for (unsigned i = 0; i < spec.items(); ++i) {
      if (i > 0) out_ << ", ";
      switch (spec.item(i)) {
        case ops::IndexSpec::Item::at: index_value(values[next++]); break;
        case ops::IndexSpec::Item::ellipsis: out_ << "..."; break;
        case ops::IndexSpec::Item::newaxis: out_ << "newaxis"; break;
        case ops::IndexSpec::Item::slice:
          if (spec.has_start(i)) index_value(values[next++]);
          out_ << ":";
          if (spec.has_stop(i)) index_value(values[next++]);
          if (!spec.has_step(i)) break;
          out_ << ":";
          index_value(values[next++]);
      }
    }
    out_ << "]";
  }
  void index_value(const Value& v) {
    if (v.tag() == Tag::i64)
      out_ << v.i64();
    else
      value(v);
  }

  void results(const Region& region) {
    for (size_t i = 0; i < region.results.size(); ++i) {
      out_ << (i > 0 ? ", " : " ");
      value(region.results[i]);
    }
  }

  void tail(const Operation& operation, unsigned depth) {
    for (const Region& region : operation.regions) {
      out_ << " (";
      list(region.parameters);
      out_ << ") {\n";
      operations(region, depth + 1);
      indent(depth + 1);
      out_ << "give";
      results(region);
      out_ << "\n";
      indent(depth);
      out_ << "}";
    }
  }

  const Graph& graph_;
  const bool by_variables_;             // sizes as a program has them: x.shape[0]
  std::vector<std::string> variables_;  // by Id: the name that a size has for it, or ""
  std::ostringstream out_;
};

}  // namespace

std::string print(const Graph& graph) { return Printer(graph).run(); }
std::string print(const Graph& graph, Dim dim) { return Printer(graph, true).dim(dim); }

}  // namespace covec::ir
